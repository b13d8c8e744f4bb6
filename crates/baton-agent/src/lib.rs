//! Processes that must not outlive a deadline: agents of runs, and commands that hold an issue.
//!
//! Each runs under a supervisor, a process of its own that ends the whole process group when the deadline comes or when
//! whoever extends it is gone; a second, smaller watcher ends the group when the supervisor itself is gone. An engine
//! [launches](launch) agents, at best from a [`StartingBlock`], and is told how far they are and how they ended; the
//! binary's hidden subcommands are the other side, [`supervisor`]. What a run may leave behind is in [`records`] and
//! [`remains`]; where an agent lives is in [`home`] and [`sandbox`].
//!
//! Deliberately absent: what an agent is asked and what its words mean, leases and trackers. Deadlines come in as
//! values of the boot clock, the environment as a list, and the clock through its port.

#![expect(
    clippy::disallowed_methods,
    reason = "the crate that owns agents: it starts processes, feeds and drains their pipes in threads, and writes their logs"
)]

mod agent_process;
mod environment;
mod graces;
mod held_process;
pub mod home;
mod launch;
mod processes;
pub mod records;
mod redactor;
pub mod remains;
pub mod sandbox;
pub mod script;
mod starting_block;
pub mod supervisor;
mod wire;

pub use agent_process::AgentProcess;
pub use environment::{ALWAYS_ALLOWED, Environment};
pub use graces::Graces;
pub use held_process::{HeldEnd, HeldLaunch, HeldProcess, HeldReins};
pub use launch::{Launch, LaunchError, launch};
pub use records::RecordTerms;
pub use redactor::Redactor;
pub use starting_block::StartingBlock;
pub use wire::{AgentEnd, StopHow};
