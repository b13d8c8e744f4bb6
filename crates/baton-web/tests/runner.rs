//! The server through its routes and over real connections, in one program.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test program: it owns what it starts and touches, and fails where it stands"
)]

mod access;
mod api;
mod contract;
mod forge_pages;
mod pages;
mod support;
mod webhooks;
