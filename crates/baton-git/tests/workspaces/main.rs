//! Work trees, by real git against bare repositories on the disk: what is opened, brought up to date, pushed and removed;
//! what hostile agents and crashes may not do; and that no work is lost in any of it.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests: a failure is a panic, and they own their directories"
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
mod updating;
mod world;
