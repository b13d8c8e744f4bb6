//! The rules of the core through its public interface, in one program: linking once costs less than linking six times.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test program: it owns what it starts and touches, and fails where it stands"
)]

mod claims_model;
mod grammars;
mod pipeline;
mod prompts;
mod slot;
mod watch;
