//! Work trees, by real git against bare repositories on the disk: what is opened, brought up to date, pushed and removed;
//! what hostile agents and crashes may not do; and that no work is lost in any of it.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test program: it owns its directories, is also the engine that is killed, and fails where it stands"
)]

mod closing;
mod crashes;
mod disks;
mod features;
mod hostile;
mod many;
mod opening;
mod reading;
mod removing;
mod shut;
mod updating;
mod world;
