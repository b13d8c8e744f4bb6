//! A coding agent as a program: what it is ordered to do, how its process ended, and what that comes to.
//!
//! What it prints is read in [`crate::agent_lines`]; what its words mean is the pipeline's. Deliberately absent: starting it,
//! which takes a process.

pub mod command_line;
pub mod environment;
pub mod errand;
pub mod exit;
pub mod judge;
pub mod order;
pub mod record;
pub mod secrets;
pub mod session;
pub mod spending;
pub mod waking;

pub use command_line::{CommandLine, Places, command_line};
pub use errand::{Errand, ErrandError};
pub use exit::{AgentExit, Limit};
pub use judge::{Judgement, SessionFate, judge};
pub use order::{AgentOrder, Desk, RunNumbers, Told};
pub use record::{AgentRecord, RecordedEnd, RecordedProcess};
pub use session::KeptSession;
pub use spending::{Spent, spent};
pub use waking::RUN_VARIABLE;
