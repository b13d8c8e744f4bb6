//! Databases to stand on, with clocks that are moved by hand.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use baton_core::time::millis;
use baton_sim::conformance::Ground;
use baton_sim::{HandClock, MemoryStore};
use baton_store::{Locking, PostgresOptions, SqlStore, SqliteOptions};
use baton_testbed::shared::{TestDatabase, url_for_new_database};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tempfile::TempDir;

/// A memory store, to compare with.
pub(crate) struct InMemory {
    store: MemoryStore,
    clock: HandClock,
}

impl Ground for InMemory {
    type Store = MemoryStore;

    async fn fresh() -> Self {
        let clock = HandClock::default();
        Self { store: MemoryStore::new(clock.clone()), clock }
    }

    fn store(&self) -> MemoryStore {
        self.store.clone()
    }

    async fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }
}

/// A file of SQLite.
pub(crate) struct OnSqlite {
    store: SqlStore,
    clock: HandClock,
    _directory: TempDir,
}

impl Ground for OnSqlite {
    type Store = SqlStore;

    async fn fresh() -> Self {
        let directory = tempfile::Builder::new().prefix("baton").tempdir_in("/tmp").unwrap();
        let clock = HandClock::default();
        let (path, reader) = (directory.path().join("baton.db"), clock.clone());
        let options = SqliteOptions::default();
        let store = SqlStore::sqlite_with(&path, Arc::new(move || reader.now()), options).await.unwrap();
        Self { store, clock, _directory: directory }
    }

    fn store(&self) -> SqlStore {
        self.store.clone()
    }

    async fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }
}

/// A database of PostgreSQL, whose clock is a row.
pub(crate) struct OnPostgres {
    store: SqlStore,
    database: Arc<TestDatabase>,
}

thread_local! {
    /// The database of this test, whose grounds are all made on its own thread. Many histories are lived through on the
    /// same one, emptied in between.
    static DATABASE: RefCell<Option<Arc<TestDatabase>>> = const { RefCell::new(None) };
}

fn kept() -> Option<Arc<TestDatabase>> {
    DATABASE.with(|database| database.borrow().clone())
}

/// Keeps one database for all histories of a test, and drops it at its end.
pub(crate) struct KeptDatabase;

impl KeptDatabase {
    pub(crate) fn new() -> Self {
        let database = Arc::new(url_for_new_database("model").unwrap());
        DATABASE.with(|kept| kept.replace(Some(database)));
        Self
    }

    /// Returns how often transactions of this database waited for each other in a circle.
    pub(crate) fn deadlocks(&self) -> u64 {
        let asked = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        kept().unwrap().sql(asked).unwrap().trim().parse().unwrap()
    }
}

impl Drop for KeptDatabase {
    fn drop(&mut self) {
        DATABASE.with(RefCell::take);
    }
}

const CLOCK_IS_A_ROW: &str = "
    CREATE TABLE IF NOT EXISTS test_clock (ms bigint NOT NULL);
    CREATE OR REPLACE FUNCTION baton_now() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT ms FROM test_clock';
    TRUNCATE test_clock, items, runs, wakeups, workers, effects, deliveries, transfers, counters, item_memory
        RESTART IDENTITY CASCADE;
    ALTER SEQUENCE run_ids RESTART;
    ALTER SEQUENCE wakeup_ids RESTART;
    INSERT INTO test_clock VALUES (1777636800000);";

impl OnPostgres {
    pub(crate) async fn with(locking: Locking) -> Self {
        let database = kept().unwrap_or_else(|| Arc::new(url_for_new_database("suite").unwrap()));
        let options = PostgresOptions { locking, ..PostgresOptions::default() };
        let store = SqlStore::postgres_with(&database.url(), options).await.unwrap();
        let ground = Self { store, database };
        ground.sql(CLOCK_IS_A_ROW).await;
        ground
    }

    async fn sql(&self, statements: &str) {
        let mut connection = PgConnection::connect(&self.database.url()).await.unwrap();
        connection.execute(sqlx::raw_sql(AssertSqlSafe(statements))).await.unwrap();
        connection.close().await.unwrap();
    }
}

impl Ground for OnPostgres {
    type Store = SqlStore;

    async fn fresh() -> Self {
        Self::with(Locking::default()).await
    }

    fn store(&self) -> SqlStore {
        self.store.clone()
    }

    async fn advance(&self, by: Duration) {
        self.sql(&format!("UPDATE test_clock SET ms = ms + {}", millis(by))).await;
    }
}

macro_rules! broken_postgres {
    ($name:ident, $locking:expr) => {
        /// A store that leaves something out.
        pub(crate) struct $name(OnPostgres);

        impl Ground for $name {
            type Store = SqlStore;

            async fn fresh() -> Self {
                Self(OnPostgres::with($locking).await)
            }

            fn store(&self) -> SqlStore {
                self.0.store()
            }

            async fn advance(&self, by: Duration) {
                self.0.advance(by).await;
            }
        }
    };
}

broken_postgres!(WithoutRowLock, Locking { row_lock: false, ..Locking::default() });
broken_postgres!(RunBeforeItem, Locking { item_before_run: false, ..Locking::default() });
broken_postgres!(WithoutLockedCounters, Locking { locked_counters: false, ..Locking::default() });
