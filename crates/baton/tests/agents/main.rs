//! Agents under their supervisor, with real processes: how they end, what they see and what is kept of them, and that
//! nothing of them is left when the engine or the supervisor is killed or stopped.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it starts and ends processes, waits for what they do, and fails where it stands"
)]

mod deaths;
mod desk;
mod endings;
mod engine;
mod floods;
mod logs;
mod remains;
mod reports;
mod sandboxes;
mod starts;
mod stops;
