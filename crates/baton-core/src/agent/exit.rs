//! How the process of an agent ended, as its supervisor saw it. It says less than what the agent printed.

use serde::{Deserialize, Serialize};

/// Why an agent is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentExit {
    /// It ended by itself with this code.
    Exited(i32),
    /// Someone else's signal ended it.
    Signalled(i32),
    /// It never ran, for this reason.
    NotRun(String),
    /// It was ended because the deadline was not extended.
    DeadlinePassed,
    /// It was ended because it took too long.
    TimedOut(Limit),
    /// It was ended because that was asked for.
    Stopped,
    /// Its supervisor was gone or did not answer, so its group was killed without it.
    SupervisorLost,
}

/// A limit of time that is not the deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Since its start.
    WallTime,
    /// Since its last output.
    Inactivity,
}
