//! The programs of agents, as an engine sees them: one invocation each.

use std::future::Future;

use baton_core::agent::{AgentExit, AgentOrder, KeptSession, RunNumbers};
use baton_core::agent_lines::Report;
use baton_core::slot::ItemKey;
use baton_core::time::BootTime;

/// What starts programs of agents.
pub trait AgentPrograms: Send + Sync {
    /// A program at work.
    type Program: AgentProgram;

    /// Ends whatever an earlier run of an item has left running on this machine, because nobody saw its end.
    fn end_earlier(&self, item: &ItemKey) -> impl Future<Output = Result<(), NotStarted>> + Send;

    /// Starts a program. The whole process group is dead by the deadline, unless it is extended, whatever becomes of this
    /// process.
    fn start(
        &self,
        order: &AgentOrder,
        deadline: BootTime,
    ) -> impl Future<Output = Result<Self::Program, NotStarted>> + Send;

    /// Returns the session that an earlier run of the same item, agent and stage has left on this machine.
    fn session(&self, order: &AgentOrder) -> impl Future<Output = Option<KeptSession>> + Send;

    /// Notes how it went on with that session. One that failed twice in a row is forgotten.
    fn note_resume(&self, order: &AgentOrder, is_fine: bool) -> impl Future<Output = ()> + Send;

    /// Forgets that session, because the agent's program does not know it any more.
    fn forget_session(&self, order: &AgentOrder) -> impl Future<Output = ()> + Send;
}

/// A program at work.
pub trait AgentProgram: Send + Sync {
    /// Lets it live until a later deadline.
    fn extend(&self, deadline: BootTime);

    /// Asks it to stop, and makes it stop.
    fn stop(&self);

    /// Tells how far it is.
    fn numbers(&self) -> RunNumbers;

    /// Waits until it and all that it has started are gone.
    fn wait(&self) -> impl Future<Output = ProgramEnd> + Send;
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramEnd {
    /// What it printed, read.
    pub report: Report,
    /// How its process ended.
    pub exit: AgentExit,
    /// The last line of its standard error, without secrets.
    pub last_error: String,
}

/// Why a program was not started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotStarted {
    /// This machine or the lease is at fault, and the same may work later or elsewhere.
    #[error("the agent was not started: {0}")]
    NotItsFault(String),
    /// The agent's configuration or its program is at fault.
    #[error("the agent cannot be started: {0}")]
    ItsFault(String),
}
