//! Agents, as a worker sees them: started for a run, kept alive by a deadline, stopped, and over.

use std::future::Future;

use baton_core::agent::RunNumbers;
use baton_core::pipeline::outcome::Outcome;
use baton_core::slot::RunEnd;
use baton_core::slot::start::Started;
use baton_core::time::BootTime;
use baton_core::workspace::Closed;

use crate::WorkspaceError;

/// What starts agents.
pub trait Agents: Send + Sync {
    /// An agent at work.
    type Agent: Agent;

    /// Starts the agent of a run. Its whole process group is dead by the deadline, unless it is extended, whatever
    /// becomes of this process. One that was not started ends its run: as failed when that is the agent's fault, and
    /// given back when it is not. The deadline is asked for when the agent starts: what it needs may take long to get.
    fn launch(
        &self,
        started: &Started,
        deadline: &(dyn Fn() -> BootTime + Sync),
    ) -> impl Future<Output = Result<Self::Agent, RunEnd>> + Send;
}

/// An agent at work.
pub trait Agent: Send + Sync {
    /// Lets it live until a later deadline.
    fn extend(&self, deadline: BootTime);

    /// Asks it to stop, and makes it stop.
    fn stop(&self);

    /// Tells how far it is.
    fn numbers(&self) -> RunNumbers;

    /// Waits until it and all of its group are gone.
    fn wait(&self) -> impl Future<Output = AgentReport> + Send;
}

/// How an agent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentReport {
    /// How the run ended by it. [`RunEnd::Stopped`] when it was asked to stop.
    pub end: RunEnd,
    /// What it cost, in millionths of a dollar.
    pub cost_micros: i64,
    /// What it came to, if the agent was started.
    pub leg: Option<LegEnd>,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegEnd {
    /// What the agent said, and how it ended.
    pub outcome: Outcome,
    /// What became of the place where it worked; nothing if it had none.
    pub closed: Option<Result<Closed, WorkspaceError>>,
}

impl From<RunEnd> for AgentReport {
    /// The end of a run whose agent was not started.
    fn from(end: RunEnd) -> Self {
        Self { end, cost_micros: 0, leg: None }
    }
}
