//! What people and programs see of `baton`: every help, every exit code, every shape of JSON, and every command that a
//! document shows, by the real binary on a real forge.
//!
//! What is expected lies in `snapshots/`; `BATON_BLESS=1 cargo xtask test surface` writes it again. A command that is
//! added appears in `baton docs commands --json`, and tests here fail until it has its exit codes and shapes.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it starts processes, reads files, and fails where it stands"
)]

mod blocks;
mod completions;
mod exit_codes;
mod help;
mod manual;
mod markdown;
mod place;
mod shapes;
mod snapshot;
#[path = "../support/mod.rs"]
mod support;
mod tree;
