//! The terminal board, drawn and in a real terminal, in one program.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it owns what it starts and touches, and fails where it stands"
)]

mod screens;
mod tmux;
