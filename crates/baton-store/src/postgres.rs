//! Opening a store on a PostgreSQL server.

use std::borrow::Cow;
use std::str::FromStr as _;
use std::time::Duration;

use baton_ports::{StoreError, StoreErrorKind};
use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;

use crate::pool::{Pool, Source};
use crate::session::{Link, Session};
use crate::sql::Sql;
use crate::store::{Backend, SqlStore};

/// How a server is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostgresOptions {
    /// How many connections at most; one more listens.
    pub connections_max: usize,
    /// How long a connection is waited for.
    pub acquire_timeout: Duration,
    /// How long an answer is waited for before the server counts as out of reach.
    pub answer_timeout: Duration,
    /// Which locks are taken. All of them, except in the tests that show what each is for.
    #[doc(hidden)]
    pub locking: Locking,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            connections_max: 16,
            acquire_timeout: Duration::from_secs(10),
            answer_timeout: Duration::from_secs(60),
            locking: Locking::default(),
        }
    }
}

/// Parts of the transactions that can be left out, so that tests can show that they notice.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locking {
    /// The item's row is locked.
    pub row_lock: bool,
    /// The item is locked before its run.
    pub item_before_run: bool,
    /// The clock is read after the lock was had, and not at the beginning.
    pub clock_timestamp: bool,
    /// Counters are looked at again when their rows are locked, and not only when work is looked for.
    pub locked_counters: bool,
}

impl Default for Locking {
    fn default() -> Self {
        Self { row_lock: true, item_before_run: true, clock_timestamp: true, locked_counters: true }
    }
}

impl Locking {
    /// Returns the statement for this connection, with its locks or without.
    pub(crate) fn apply(&self, sql: Sql, session: &Session) -> Cow<'static, str> {
        match &session.link {
            Link::Sqlite(_) => Cow::Borrowed(sql.sqlite),
            Link::Postgres(_) if self.row_lock => Cow::Borrowed(sql.postgres),
            Link::Postgres(_) => {
                let unlocked = sql.postgres.replace(" FOR UPDATE OF item", "").replace(" SKIP LOCKED", "");
                Cow::Owned(unlocked)
            }
        }
    }
}

/// How many prepared statements a connection keeps. Decisions are put together from few parts in few ways.
const STATEMENTS_MAX: usize = 256;

impl SqlStore {
    /// Connects to a PostgreSQL server, and brings its schema up to date.
    pub async fn postgres(url: &str) -> Result<Self, StoreError> {
        Self::postgres_with(url, PostgresOptions::default()).await
    }

    /// Connects to a PostgreSQL server in some other way than usual.
    pub async fn postgres_with(url: &str, options: PostgresOptions) -> Result<Self, StoreError> {
        let connect = PgConnectOptions::from_str(url).map_err(|_| unreadable())?;
        let connect = connect
            .application_name("baton")
            .statement_cache_capacity(STATEMENTS_MAX)
            .disable_statement_logging();
        let address = shown(&connect);
        let source = Source::Postgres(Box::new(connect.clone()));
        let pool = Pool::new(source, options.connections_max, options.acquire_timeout);
        let backend = Backend::Postgres { connect: Box::new(connect), locking: options.locking };
        let store = Self::new(backend, (pool.clone(), pool), address, options.answer_timeout);
        store.open().await?;
        Ok(store)
    }
}

/// The address may hold a password, so nothing of it is repeated.
pub(crate) fn unreadable() -> StoreError {
    let answer = "it is no address of a PostgreSQL server (it is not shown, as it may hold a password)";
    StoreError::new(StoreErrorKind::Address, "reading the address of the store", answer)
}

/// Returns the address without its password.
pub(crate) fn shown(connect: &PgConnectOptions) -> String {
    let place = match connect.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", connect.get_host(), connect.get_port()),
    };
    let database = connect.get_database().unwrap_or(connect.get_username());
    format!("postgres://{}@{place}/{database}", connect.get_username())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let connect = PgConnectOptions::from_str("postgres://ada:s3cret@db.example:5433/baton").unwrap();
        assert_eq!(shown(&connect), "postgres://ada@db.example:5433/baton");
    }
}
