//! Runs of agents.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::Stamp;

/// A run in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunLine {
    /// Its number.
    pub run: i64,
    /// The issue; nothing for a task without one.
    pub issue: Option<String>,
    /// The task, where there is no issue.
    pub task: Option<String>,
    /// The stage that it is for, where it is for one.
    pub stage: Option<String>,
    /// What it is for, in a few words.
    pub errand: String,
    /// Who works.
    pub agent: String,
    /// Where it stands.
    pub state: RunState,
    /// Why it ended as it did, in a word.
    pub cause: Option<String>,
    /// What went wrong.
    pub error: Option<String>,
    /// Which try it is, from 1.
    pub attempt: u32,
    /// The machine.
    pub host: Option<String>,
    /// When it got the slot.
    pub created_at: Stamp,
    /// When a worker took it.
    pub started_at: Option<Stamp>,
    /// When it ended.
    pub finished_at: Option<Stamp>,
    /// What it cost, in millionths of a US dollar.
    pub cost_micros: i64,
    /// How far it is, while it runs on a machine that can be seen.
    pub numbers: Option<Numbers>,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It waits for a worker.
    Queued,
    /// It waits for its time.
    ScheduledRetry,
    /// A worker executes it.
    Running,
    /// The agent did what it was asked.
    Succeeded,
    /// The agent failed.
    Failed,
    /// Somebody, or a change of the issue, ended it.
    Cancelled,
    /// It took too long.
    TimedOut,
    /// Its worker was lost, or had to give it back.
    Interrupted,
}

impl RunState {
    /// Returns whether it is not over.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Queued | Self::ScheduledRetry | Self::Running)
    }

    /// Returns it in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::ScheduledRetry => "tried again later",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed out",
            Self::Interrupted => "interrupted",
        }
    }
}

/// How far a run is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Numbers {
    /// The turn that it is at.
    pub turns: u64,
    /// How many turns it has, where that is known.
    pub turns_max: Option<u64>,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// What it has cost, in millionths of a US dollar.
    pub cost_micros: u64,
    /// The last thing that it said.
    pub last_line: String,
}

/// A run from near.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunView {
    /// When it was looked at.
    pub now: Stamp,
    /// The run.
    #[serde(flatten)]
    pub line: RunLine,
    /// The title of its issue.
    pub title: Option<String>,
    /// The run of which it is a retry.
    pub retry_of: Option<i64>,
    /// Whether its log can be read here.
    pub has_log: bool,
    /// Why it cannot, and where it can.
    pub log_elsewhere: Option<String>,
}

/// Which runs to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct RunQuery {
    /// Only of this issue: `owner/name#42`.
    pub issue: Option<String>,
    /// Only those that are not over.
    pub active: bool,
    /// At most so many, the newest.
    #[param(minimum = 1, maximum = 500)]
    pub limit: Option<u32>,
}
