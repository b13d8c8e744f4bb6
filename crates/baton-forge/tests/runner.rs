//! The forge through its handle and over real connections, in one program.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it owns what it starts and touches, and fails where it stands"
)]

mod handle;
mod relay;
