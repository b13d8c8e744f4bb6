//! The end-to-end tests of the binary, in one program: linking once costs less than linking thirty times.
//!
//! Each module is one part of the product as its users meet it; run one with `cargo xtask test storm::`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a test program: it starts processes, reads files, prints what it saw, and fails where it stands"
)]

mod adopt;
mod agents;
mod browser;
mod chain;
mod claims;
mod commands;
mod demo;
mod explain;
mod fencing;
mod fleet;
mod flow;
mod forge;
mod forge_contract;
mod github;
mod hook;
mod label_state;
mod legs;
mod mcp;
mod notify;
mod outbox;
mod programs;
mod prompts;
mod races;
mod relay;
mod rivals;
mod stages;
mod storm;
mod surface;
mod telemetry;
mod webhooks;
mod worktrees;
