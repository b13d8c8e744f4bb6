//! What people and programs see of `baton`: every help, every exit code, every shape of JSON, and every command that a
//! document shows, by the real binary on a real forge.
//!
//! What is expected lies in `snapshots/`; `BATON_BLESS=1 cargo xtask test surface` writes it again. A command that is
//! added appears in `baton docs commands --json`, and tests here fail until it has its exit codes and shapes.

mod blocks;
mod checkout;
mod completions;
mod exit_codes;
mod help;
mod manual;
mod markdown;
mod shapes;
mod snapshot;
mod tree;
