//! A team adopts the relay: `baton init` and `baton doctor` in a fresh repository against a forge, by flags and by a person
//! before a real terminal; and every fault that the doctor knows, planted for real and found.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it starts processes, reads files, and fails where it stands"
)]

#[path = "../support/mod.rs"]
mod support;

mod adopting;
mod faults;
mod mistakes;
mod people;
mod place;
mod planted;
mod terminal;
