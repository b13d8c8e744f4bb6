//! Whole runs: the real binary as forge and as engine, real git, the scripted agent and plain programs.
//!
//! A run is woken by hand and executed by `baton engine --idle`: a work tree is made, the agent is told what to do, works,
//! and its work is on the forge afterwards.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it starts processes, reads files, and fails where it stands"
)]

mod crashes;
mod desk;
mod refusals;
mod secrets;
#[path = "../support/mod.rs"]
mod support;
mod turns;
mod work;
