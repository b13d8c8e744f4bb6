//! The narrow doors between the relay and the world: traits, and errors that tell what may be tried again.
//!
//! Adapters implement them, the engine uses them, and a simulation swaps them. Nothing here does anything: there is no
//! I/O, no default adapter and no policy.

mod agent_programs;
mod agents;
mod board;
mod clock;
mod memory;
mod messenger;
mod run_logs;
pub mod store;
mod store_error;
mod tracker;
mod tracker_error;
mod workspaces;

pub use agent_programs::{AgentProgram, AgentPrograms, NotStarted, ProgramEnd};
pub use agents::{Agent, AgentReport, Agents, LegEnd};
pub use board::Board;
pub use clock::{Clock, Entropy};
pub use memory::Memory;
pub use messenger::{Messenger, MessengerError, NoMessenger, PlanQuestion};
pub use run_logs::{RunLogError, RunLogs};
pub use store::{Nudges, Store};
pub use store_error::{StoreError, StoreErrorKind};
pub use tracker::Tracker;
pub use tracker_error::{TrackerError, TrackerErrorKind};
pub use workspaces::{WorkspaceError, Workspaces};
