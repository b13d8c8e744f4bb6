//! Claim drivers: they perform what the rules of `baton-core` ask for, through the ports, and know nothing else.
//!
//! Deliberately absent: HTTP, files, processes, the environment and clocks. All of them come in through ports.

pub mod claims;
