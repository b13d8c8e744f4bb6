//! Whole runs: the real binary as forge and as engine, real git, the scripted agent and plain programs.
//!
//! A run is woken by hand and executed by `baton engine --idle`: a work tree is made, the agent is told what to do, works,
//! and its work is on the forge afterwards.

mod crashes;
mod refusals;
mod secrets;
mod setup;
mod turns;
mod work;
