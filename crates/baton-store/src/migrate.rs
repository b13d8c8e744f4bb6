//! Schemas and their versions.
//!
//! A migration is a file that is never changed once it was released. They are applied when a store is opened, all in one
//! transaction, one process at a time. A schema that is newer than this program is left alone.

use sqlx::AssertSqlSafe;

use crate::arg::args;
use crate::fault::Fault;
use crate::session::{Link, Session};
use crate::sql::Sql;

/// The migrations in order; the first makes version 1.
const MIGRATIONS: [Sql; 2] = [
    Sql {
        sqlite: include_str!("../migrations/sqlite/0001_slots.sql"),
        postgres: include_str!("../migrations/postgres/0001_slots.sql"),
    },
    Sql {
        sqlite: include_str!("../migrations/sqlite/0002_dead_effects.sql"),
        postgres: include_str!("../migrations/postgres/0002_dead_effects.sql"),
    },
];

const EXISTS: Sql = Sql {
    sqlite: "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'baton_schema')",
    // Read from the catalogue: `to_regclass` may remember that there was no table before another process made it.
    postgres: "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class \
         WHERE relname = 'baton_schema' AND pg_catalog.pg_table_is_visible(oid))",
};
const VERSION: &str = "SELECT max(version) FROM baton_schema";
const ADD_VERSION: &str = "INSERT INTO baton_schema (version) VALUES ($1)";
const MAKE: Sql = Sql {
    sqlite: "CREATE TABLE baton_schema (version INTEGER PRIMARY KEY)",
    postgres: "CREATE TABLE baton_schema (version bigint PRIMARY KEY)",
};

/// Any number that no other program uses on the same database.
const ADVISORY_LOCK: &str = "SELECT pg_advisory_xact_lock(742108550316)";

/// Returns the version that this program brings a store to.
pub(crate) fn latest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Returns whether there is nothing to do, or why nothing may be done.
pub(crate) async fn is_current(session: &mut Session) -> Result<bool, Fault> {
    let version = version(session).await?;
    refuse_newer(version)?;
    Ok(version == latest())
}

/// Brings the schema up to date.
pub(crate) async fn migrate(session: &mut Session) -> Result<(), Fault> {
    if is_current(session).await? {
        return Ok(());
    }
    let begin = if session.is_postgres() { "BEGIN" } else { "BEGIN IMMEDIATE" };
    session.simple(begin).await?;
    let applied = apply(session).await;
    session.simple(if applied.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
    applied
}

async fn apply(session: &mut Session) -> Result<(), Fault> {
    if session.is_postgres() {
        session.simple(ADVISORY_LOCK).await?;
    }
    // Somebody else may have done it in the meantime.
    let version = version(session).await?;
    refuse_newer(version)?;
    if version == 0 {
        session.execute(MAKE, Vec::new()).await?;
    }
    for (number, migration) in (1..).zip(&MIGRATIONS).filter(|(number, _)| *number > version) {
        let text = match session.link {
            Link::Sqlite(_) => migration.sqlite,
            Link::Postgres(_) => migration.postgres,
        };
        session.simple(AssertSqlSafe(text)).await?;
        session.execute(ADD_VERSION, args![number]).await?;
    }
    Ok(())
}

fn refuse_newer(version: i64) -> Result<(), Fault> {
    if version <= latest() {
        return Ok(());
    }
    let known = latest();
    Err(Fault::Newer(format!("its schema has version {version}, and this program knows up to {known}")))
}

/// Returns the version; 0 for a store without a schema.
pub(crate) async fn version(session: &mut Session) -> Result<i64, Fault> {
    let missing = || Fault::Corrupt("table baton_schema: there is no version in it".to_owned());
    let exists = session.row(EXISTS, Vec::new()).await?.ok_or_else(missing)?;
    if !exists.columns("baton_schema").bool()? {
        return Ok(0);
    }
    let row = session.row(VERSION, Vec::new()).await?.ok_or_else(missing)?;
    let version = row.columns("baton_schema").opt_int()?.ok_or_else(missing)?;
    if version < 1 { Err(missing()) } else { Ok(version) }
}
