//! A run: one execution of an agent on an item, from the queue to its end.

use super::context::Context;
use super::ids::{ItemId, RunId, WakeupId, WorkerId};
use super::item::AgentName;
use crate::time::StoreTime;
use crate::words::words;

words! {
    /// Where a run stands.
    RunStatus, "a status of runs" {
        /// It owns the slot and waits for a worker.
        Queued = "queued",
        /// It owns the slot and waits for its time.
        ScheduledRetry = "scheduled_retry",
        /// A worker executes it.
        Running = "running",
        /// The agent did what it was asked.
        Succeeded = "succeeded",
        /// The agent failed.
        Failed = "failed",
        /// Somebody, or a change of the issue, ended it.
        Cancelled = "cancelled",
        /// It took too long.
        TimedOut = "timed_out",
        /// Its worker was lost, or had to give it back.
        Interrupted = "interrupted",
    }
}

impl RunStatus {
    /// Returns whether it owns a slot.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Queued | Self::ScheduledRetry | Self::Running)
    }
}

words! {
    /// Why a run ended as it did, where its status does not say it all.
    EndCause, "a cause of an end" {
        /// An operator cancelled it.
        Operator = "operator",
        /// The issue was closed.
        IssueClosed = "issue_closed",
        /// The issue was given to somebody else.
        Reassigned = "reassigned",
        /// The slot was released by hand.
        Released = "released",
        /// A gate closed while it ran.
        Gated = "gated",
        /// Its worker's lease ran out.
        WorkerLost = "worker_lost",
        /// Its worker was asked to end.
        WorkerStopped = "worker_stopped",
        /// The provider's limit was reached.
        ProviderLimit = "provider_limit",
        /// What the agent needs was out of reach.
        NotReady = "not_ready",
        /// The agent failed.
        AgentFailed = "agent_failed",
        /// It took too long.
        WallTime = "wall_time",
    }
}

words! {
    /// Why a running run must stop. Its worker reads it with every heartbeat.
    Stop, "a reason to stop" {
        /// An operator cancelled it.
        Cancelled = "cancelled",
        /// The issue was closed.
        IssueClosed = "issue_closed",
        /// The issue was given to somebody else.
        Reassigned = "reassigned",
        /// The slot was released by hand.
        Released = "released",
        /// A gate closed; the run goes on when it opens.
        Gated = "gated",
    }
}

/// How a run ended, as its worker tells it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RunEnd {
    /// The agent did what it was asked.
    Succeeded,
    /// The agent failed, with what it said.
    Failed(String),
    /// The provider's limit was reached; nothing is charged, and it goes on at this time, when that is known.
    ProviderLimit(Option<StoreTime>),
    /// What the agent needs was out of reach, so it never began; nothing is charged, and it goes on later.
    NotReady(String),
    /// It took too long.
    TimedOut(String),
    /// The worker stopped it because it was told to, by the store.
    Stopped,
    /// The worker must end, and gives the run back.
    GivenBack,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Run {
    /// Its number.
    pub id: RunId,
    /// What it works on.
    pub item: ItemId,
    /// Who works.
    pub agent: AgentName,
    /// The wakeup that it follows.
    pub wakeup: WakeupId,
    /// Where it stands.
    pub status: RunStatus,
    /// What the agent is told.
    pub context: Context,
    /// The slot's fence while this run owns it.
    pub fence: i64,
    /// Who executes it.
    pub worker: Option<WorkerId>,
    /// How many failures were charged before it.
    pub attempt: u32,
    /// How many runs before it were interrupted.
    pub interruptions: u32,
    /// The run of which it is a retry.
    pub retry_of: Option<RunId>,
    /// Not to be started before.
    pub not_before: StoreTime,
    /// That it must stop, and why.
    pub stop: Option<Stop>,
    /// When it got the slot.
    pub created_at: StoreTime,
    /// When a worker took it.
    pub started_at: Option<StoreTime>,
    /// When it ended.
    pub finished_at: Option<StoreTime>,
    /// Why it ended.
    pub cause: Option<EndCause>,
    /// What went wrong, in words.
    pub error: Option<String>,
    /// What it cost, in millionths of a dollar.
    pub cost_micros: i64,
}
