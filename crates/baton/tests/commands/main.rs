//! The commands that people watch and steer an engine with, as they use them: the real binary, a forge, and the scripted agent.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it starts processes, reads files, and fails where it stands"
)]

mod boards;
mod desk;
mod endings;
mod looks;
mod pauses;
mod reloads;
#[path = "../support/mod.rs"]
mod support;
