//! `baton mcp` as agents meet it: the real binary on a real forge, driven by a client library that nobody here wrote
//! (contract/mcp_flow.py), and by plain lines where a library would be too polite.

mod flow;
mod place;
mod plain;
