//! Whole relays: the real binary as forge and as engine, real git and scripted agents, and an issue that goes its way or off it.
//!
//! Each test is one flow. It looks at the tracker's end state as people see it, and at what the agents themselves wrote down:
//! never two of them on one issue, and one run for each stage where nothing went wrong.

mod approvals;
mod autonomy;
mod boards;
mod checks;
mod conflicts;
mod dialects;
pub(crate) mod diary;
mod hands;
mod happy;
mod hooks;
mod people;
mod pieces;
mod reviews;
pub(crate) mod scripts;
pub(crate) mod setup;
mod slack;
mod tries;
