//! Agents, as a worker sees them: started for a run, kept alive by a deadline, stopped, and over.

use std::future::Future;

use baton_core::slot::RunEnd;
use baton_core::slot::start::Started;
use baton_core::time::BootTime;

/// What starts agents.
pub trait Agents: Send + Sync {
    /// An agent at work.
    type Agent: Agent;

    /// Starts the agent of a run. Its whole process group is dead by the deadline, unless it is extended, whatever
    /// becomes of this process. One that was not started ends its run: as failed when that is the agent's fault, and
    /// given back when it is not.
    fn launch(
        &self,
        started: &Started,
        deadline: BootTime,
    ) -> impl Future<Output = Result<Self::Agent, RunEnd>> + Send;
}

/// An agent at work.
pub trait Agent: Send + Sync {
    /// Lets it live until a later deadline.
    fn extend(&self, deadline: BootTime);

    /// Asks it to stop, and makes it stop.
    fn stop(&self);

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
}
