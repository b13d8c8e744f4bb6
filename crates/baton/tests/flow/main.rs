//! The commands of flow as people and agents use them: the real binary, real agents, on SQLite and on PostgreSQL.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test program: it starts and ends processes, waits for what they do, and fails where it stands"
)]

mod cancelling;
mod deaths;
mod desk;
mod logs;
mod mistakes;
mod own_claim;
mod stores;
mod waking;
