//! Looking at a store without changing it: whether it answers, which schema it has, and whether it could be written.
//!
//! Opening a store makes its file and brings its schema up to date; a doctor must leave both as they are. Whether it can be
//! written is asked by a transaction that writes nothing and is taken back.

use std::io;
use std::path::Path;
use std::str::FromStr as _;
use std::time::Duration;

use baton_ports::StoreError;
use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;

use crate::fault::Fault;
use crate::migrate;
use crate::pool::Source;
use crate::postgres::{shown, unreadable};
use crate::session::Session;

/// A store, as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// The version of its schema; 0 for a store without one.
    pub version: i64,
    /// The version that this program brings a store to.
    pub known: i64,
    /// Whether it could be written, or why not.
    pub write: Result<(), String>,
}

/// Looks at a file of SQLite; nothing when it is not there.
pub async fn examine_sqlite(path: &Path, wait: Duration) -> Result<Option<Examined>, StoreError> {
    let address = format!("sqlite:{}", path.display());
    let told = |fault: Fault| fault.told("looking at the file", &address);
    let is_there = path.try_exists().map_err(|error| told(unreadable_path(error)))?;
    if !is_there {
        return Ok(None);
    }
    let connect = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .busy_timeout(wait)
        .disable_statement_logging();
    let source = Source::Sqlite(Box::new(connect));
    let looking = async {
        let mut session = source.connect().await?;
        examined(&mut session, "BEGIN IMMEDIATE").await
    };
    within(wait * 2, looking).await.map(Some).map_err(told)
}

/// Looks at a database of PostgreSQL.
pub async fn examine_postgres(url: &str, wait: Duration) -> Result<Examined, StoreError> {
    let connect = PgConnectOptions::from_str(url).map_err(|_| unreadable())?;
    let connect = connect.application_name("baton doctor").disable_statement_logging();
    let address = shown(&connect);
    let source = Source::Postgres(Box::new(connect));
    let looking = async {
        let mut session = source.connect().await?;
        // A server that only reads refuses to begin like this.
        examined(&mut session, "BEGIN READ WRITE").await
    };
    within(wait, looking).await.map_err(|fault| fault.told("looking at the database", &address))
}

async fn examined(session: &mut Session, begin: &'static str) -> Result<Examined, Fault> {
    let version = migrate::version(session).await?;
    let write = match session.simple(begin).await {
        Ok(()) => session.simple("ROLLBACK").await.map_err(|fault| fault.told("writing", "").answer),
        Err(fault) => Err(fault.told("writing", "").answer),
    };
    Ok(Examined { version, known: migrate::latest(), write })
}

async fn within<T>(wait: Duration, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let late = |_| Fault::Unreachable(format!("there was no answer for {} s", wait.as_secs()));
    tokio::time::timeout(wait, work).await.map_err(late)?
}

fn unreadable_path(error: io::Error) -> Fault {
    Fault::Sql(sqlx::Error::Io(error))
}
