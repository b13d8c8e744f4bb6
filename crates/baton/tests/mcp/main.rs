//! `baton mcp` as agents meet it: the real binary on a real forge, driven by a client library that nobody here wrote
//! (contract/mcp_flow.py), and by plain lines where a library would be too polite.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test program: it starts processes, prints what it saw, and fails where it stands"
)]

mod flow;
mod place;
mod plain;
#[path = "../support/mod.rs"]
mod support;
