//! What is known of a run when its last line was read.

use serde::{Deserialize, Serialize};

/// A run, by what its program printed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The session that a later run may resume.
    pub session: Option<String>,
    /// The turns it took.
    pub turns: u64,
    /// The final answer. After an error it may be the program's words instead of the agent's. Of a plain program it is all
    /// that it printed.
    pub text: Option<String>,
    /// All that the agent itself said, each message on a line of its own; the end of it, if it was too much. Agents that it
    /// started are not in it.
    pub assistant_text: String,
    /// Whether the beginning of that is missing.
    pub is_text_cut: bool,
    /// What was read and written.
    pub usage: Usage,
    /// What the usage covers.
    pub usage_scope: Scope,
    /// What the session has cost so far, the runs that it resumes included, in millionths of a US dollar.
    pub cost_micros: Option<u64>,
    /// The tools that it wanted to use and may not, each once. That is no error: it may have found another way.
    pub denied_tools: Vec<String>,
    /// What went wrong.
    pub error: Option<AgentError>,
    /// Whether the program printed a result. A plain program never does: its exit code judges.
    pub saw_result: bool,
    /// Lines that could not be read.
    pub broken_lines: u64,
}

/// Tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Read, with those from a cache.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Read from a cache.
    pub cached: u64,
}

/// What a sum covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This run.
    #[default]
    Run,
    /// All runs of the session so far, so that adding them up would count twice.
    Session,
}

/// Why a run failed, by the fields of its result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentError {
    /// It used up its turns.
    #[error("the agent reached the limit of its turns")]
    MaxTurns,
    /// It used up its money.
    #[error("the agent reached the limit of what it may cost")]
    MaxBudget,
    /// The account may not do more for now.
    #[error("the account of the agent has reached its limit of use")]
    UsageLimit {
        /// When it may again, in seconds of Unix time, if that was told.
        resets_at: Option<u64>,
    },
    /// The model could not be reached, or refused.
    #[error("the agent's model could not be reached{}", status.map(|status| format!(": HTTP status {status}")).unwrap_or_default())]
    ApiError {
        /// The status of HTTP, if there was an answer.
        status: Option<u16>,
    },
    /// There is no session to resume.
    #[error("the session that was to be resumed is not known to the agent's program")]
    SessionUnknown,
    /// Something else; the words are the program's own.
    #[error("the agent's program failed: {0}")]
    Other(String),
}

impl Report {
    /// Returns whether there was a result without an error. Exit codes are no substitute: a stopped agent may end with 0.
    pub fn is_success(&self) -> bool {
        self.saw_result && self.error.is_none()
    }
}

/// Returns what was spent between two sums of one session. One that has become smaller was begun anew.
pub fn spent_since(earlier: u64, now: u64) -> u64 {
    now.checked_sub(earlier).unwrap_or(now)
}
