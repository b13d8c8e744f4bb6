//! Whole relays: the real binary as forge and as engine, real git and scripted agents, and an issue that goes its way or off it.
//!
//! Each test is one flow. It looks at the tracker's end state as people see it, and at what the agents themselves wrote down:
//! never two of them on one issue, and one run for each stage where nothing went wrong.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test program: it starts processes, reads files, tells what happened, and fails where it stands"
)]

mod approvals;
mod autonomy;
mod boards;
mod checks;
mod conflicts;
mod dialects;
mod diary;
mod hands;
mod happy;
mod hooks;
mod people;
mod pieces;
mod reviews;
mod scripts;
mod slack;
#[path = "../support/mod.rs"]
mod support;
mod tries;
mod world;
