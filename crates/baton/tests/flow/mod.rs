//! The commands of flow as people and agents use them: the real binary, real agents, on SQLite and on PostgreSQL.

mod cancelling;
mod deaths;
mod logs;
mod mistakes;
mod own_claim;
mod setup;
mod stores;
mod waking;
