//! Locks, and the clock that is read behind them.

use std::time::Duration;

use baton_core::slot::{Decision, Situation};
use baton_core::time::StoreTime;
use baton_ports::Store as _;
use baton_ports::store::{Lookup, Target};
use baton_store::{Locking, PostgresOptions, SqlStore};
use baton_testbed::shared::{TestDatabase, url_for_new_database};
use sqlx::{Connection as _, PgConnection};

use crate::store::support::{ask, committed, key, woken};

const BOUND: Duration = Duration::from_secs(60);

/// Sets the clock by a table, which a statement that waits reads again; a number would become part of its plan.
fn set_clock(database: &TestDatabase, ms: i64) {
    let statements = format!(
        "CREATE TABLE IF NOT EXISTS test_clock (ms bigint); DELETE FROM test_clock; \
         INSERT INTO test_clock VALUES ({ms}); CREATE OR REPLACE FUNCTION baton_now() RETURNS bigint \
         LANGUAGE sql VOLATILE AS 'SELECT ms FROM test_clock'"
    );
    database.sql(&statements).unwrap();
}

async fn store(database: &TestDatabase, locking: Locking) -> SqlStore {
    let options = PostgresOptions { locking, ..PostgresOptions::default() };
    SqlStore::postgres_with(&database.url(), options).await.unwrap()
}

/// Somebody else who has the row of the item.
async fn holder(database: &TestDatabase) -> PgConnection {
    let mut holder = PgConnection::connect(&database.url()).await.unwrap();
    sqlx::raw_sql("BEGIN; SELECT 1 FROM items WHERE key = 'acme/web#1' FOR UPDATE")
        .execute(&mut holder)
        .await
        .unwrap();
    holder
}

async fn wait_for_a_waiter(database: &TestDatabase) {
    let waiting = async {
        let question = "SELECT count(*) FROM pg_stat_activity \
             WHERE wait_event_type = 'Lock' AND datname = current_database()";
        while database.sql(question).unwrap() == "0" {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(BOUND, waiting).await.unwrap();
}

/// Decides while somebody else has the row and the clock moves from 1000 to 2000, and returns the time that was seen.
async fn time_behind_a_lock(locking: Locking) -> StoreTime {
    let database = url_for_new_database("clock").unwrap();
    let store = store(&database, locking).await;
    woken(&store, &key(1), &ask("builder", "{}")).await;
    set_clock(&database, 1_000);
    let mut holder = holder(&database).await;
    let deciding = tokio::spawn(async move {
        let rule = |situation: &Situation| Decision { changes: Vec::new(), outcome: situation.now };
        committed(store.decide(&Target::Key(key(1)), &Lookup::default(), rule).await.unwrap())
    });
    wait_for_a_waiter(&database).await;
    set_clock(&database, 2_000);
    sqlx::raw_sql("COMMIT").execute(&mut holder).await.unwrap();
    tokio::time::timeout(BOUND, deciding).await.unwrap().unwrap()
}

#[tokio::test]
async fn the_time_is_from_after_the_wait_for_the_row() {
    assert_eq!(time_behind_a_lock(Locking::default()).await.ms, 2_000);
}

#[tokio::test]
async fn a_clock_that_is_read_at_the_beginning_is_behind() {
    let locking = Locking { clock_timestamp: false, ..Locking::default() };
    assert_eq!(time_behind_a_lock(locking).await.ms, 1_000);
}

#[tokio::test]
async fn a_lease_that_ran_out_while_its_row_was_waited_for_is_not_renewed() {
    let database = url_for_new_database("beat").unwrap();
    let store = store(&database, Locking::default()).await;
    set_clock(&database, 1_000);
    let worker = store.enlist("w", "h", Duration::from_millis(500)).await.unwrap().worker;
    let mut holder = PgConnection::connect(&database.url()).await.unwrap();
    sqlx::raw_sql("BEGIN; UPDATE workers SET name = 'x'").execute(&mut holder).await.unwrap();
    let beating =
        tokio::spawn(async move { store.heartbeat(worker, Duration::from_secs(45)).await.unwrap() });
    wait_for_a_waiter(&database).await;
    set_clock(&database, 2_000);
    sqlx::raw_sql("COMMIT").execute(&mut holder).await.unwrap();
    let beat = tokio::time::timeout(BOUND, beating).await.unwrap().unwrap();
    assert_eq!(beat, baton_ports::store::Heartbeat::Lost);
}

#[tokio::test]
async fn without_the_lock_of_the_row_a_decision_goes_ahead_of_the_one_before() {
    let database = url_for_new_database("norow").unwrap();
    let locking = Locking { row_lock: false, ..Locking::default() };
    let store = store(&database, locking).await;
    woken(&store, &key(1), &ask("builder", "{}")).await;
    let mut holder = holder(&database).await;
    let rule = |_: &Situation| Decision { changes: Vec::new(), outcome: () };
    let (target, lookup) = (Target::Key(key(1)), Lookup::default());
    let deciding = store.decide(&target, &lookup, rule);
    committed(tokio::time::timeout(BOUND, deciding).await.unwrap().unwrap());
    sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.unwrap();
}

#[tokio::test]
async fn who_looks_for_work_passes_by_what_somebody_else_has() {
    let database = url_for_new_database("skip").unwrap();
    let store = store(&database, Locking::default()).await;
    for number in 1..=2 {
        woken(&store, &key(number), &ask("builder", "{}")).await;
    }
    let _holder = holder(&database).await;
    let worker = crate::store::support::enlisted(&store).await;
    let starting = crate::store::support::started(&store, worker);
    let started = tokio::time::timeout(BOUND, starting).await.unwrap();
    assert_eq!(started.item.key, key(2));
}
