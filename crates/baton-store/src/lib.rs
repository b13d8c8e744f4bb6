//! SQLite and PostgreSQL behind the store port.
//!
//! A decision is one transaction: lock the item's row, read what is known about it in a second statement, let the rule of
//! the core decide, write its changes, commit. The same statements serve both databases; where they differ, [`sql`] says so
//! once. PostgreSQL gets the changes of a decision as one statement where it can, because a round trip costs more than
//! the work.
//!
//! | module | what it holds |
//! |---|---|
//! | `sql`, `arg`, `row`, `session`, `pool` | texts, values in and out, connections |
//! | `find`, `load`, `plan`, `write`, `count`, `decide` | a decision, step by step |
//! | `effects`, `workers`, `deliveries`, `lists` | the rest of the port |
//! | `sqlite`, `postgres`, `migrate`, `fault` | opening, schemas, and how it fails |
//! | `nudges`, `sockets` | telling others that there is news |
//! | `examine` | looking at a store without changing it |
//!
//! Deliberately absent: rules. What may follow what is decided in the core; indexes refuse what no rule may do.

#![expect(clippy::disallowed_methods, reason = "it owns the store's file and the sockets beside it")]

mod arg;
mod count;
mod decide;
mod deliveries;
mod effects;
mod examine;
mod fault;
mod find;
#[cfg(test)]
mod index_use;
mod lists;
mod load;
mod migrate;
mod nudges;
mod plan;
mod pool;
mod postgres;
mod row;
mod session;
mod sockets;
mod sql;
mod sqlite;
mod store;
mod workers;
mod write;

pub use examine::{Examined, examine_postgres, examine_sqlite};
pub use nudges::StoreNudges;
pub use postgres::{Locking, PostgresOptions};
pub use sqlite::{Clock, SqliteOptions};
pub use store::SqlStore;
