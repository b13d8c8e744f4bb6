//! What an agent has printed, readable: what it said, which tools it used, what came back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A part of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogPage {
    /// The run.
    pub run: i64,
    /// What was printed, oldest first.
    pub entries: Vec<LogEntry>,
    /// Where this part begins, in bytes.
    pub from: u64,
    /// Where the next part begins. It is the same as `from` when nothing was printed since.
    pub next: u64,
    /// Whether nothing more will be printed.
    pub is_over: bool,
}

/// Something that was printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogEntry {
    /// Where it begins in the log, in bytes; its name in a page.
    pub at: u64,
    /// What kind of thing it is.
    pub kind: LogKind,
    /// A few words: the tool, or who speaks.
    pub head: String,
    /// What was said, or given to the tool, or came back.
    pub text: String,
    /// Whether the text was cut.
    pub is_cut: bool,
}

/// What kind of thing was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogKind {
    /// The session began.
    Session,
    /// The agent said something.
    Said,
    /// The agent thought about something.
    Thought,
    /// The agent used a tool.
    Tool,
    /// A tool answered.
    Answer,
    /// The program warned, or could not go on.
    Trouble,
    /// The result.
    End,
    /// A line that is nothing of these, as it was printed.
    Line,
}
