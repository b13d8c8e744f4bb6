//! A coding agent as a program: what it is ordered to do, how its process ended, and what that comes to.
//!
//! What it prints is read in [`crate::agent_lines`]; what its words mean is the pipeline's. Deliberately absent: starting it,
//! which takes a process.

pub mod errand;
pub mod exit;
pub mod order;
pub mod record;
pub mod session;

pub use errand::{Errand, ErrandError};
pub use exit::{AgentExit, Limit};
pub use order::{AgentOrder, ContextFile, Desk, RunNumbers, Told};
pub use record::{AgentRecord, RecordedEnd, RecordedProcess};
pub use session::KeptSession;
