//! Databases that cannot be reached, and addresses that name none.

use std::time::Duration;

use baton_ports::{Store as _, StoreErrorKind};
use baton_store::{PostgresOptions, SqlStore, SqliteOptions};
use baton_testbed::shared::url_for_new_database;

use crate::store::support::{Place, ask, key, sqlite, still_clock, woken};

const BOUND: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_server_that_is_not_there_is_told_soon_and_without_its_password() {
    let connecting = SqlStore::postgres("postgres://ada:s3cret@127.0.0.1:1/baton");
    let error = tokio::time::timeout(BOUND, connecting).await.unwrap().unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Unreachable);
    let text = format!("{error} {error:?}");
    assert!(text.contains("postgres://ada@127.0.0.1:1/baton") && !text.contains("s3cret"), "{text}");
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://ada@{}/baton", silent.local_addr().unwrap());
    let acquire_timeout = Duration::from_millis(200);
    let options = PostgresOptions { acquire_timeout, ..PostgresOptions::default() };
    let connecting = SqlStore::postgres_with(&url, options);
    let error = tokio::time::timeout(BOUND, connecting).await.unwrap().unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Unreachable, "{error}");
}

#[tokio::test]
async fn a_database_that_is_not_there_is_out_of_reach() {
    let database = url_for_new_database("missing").unwrap();
    let url = database.url().replace(database.name(), "nobody_made_this");
    let error = SqlStore::postgres(&url).await.unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Unreachable, "{error}");
}

#[tokio::test]
async fn what_is_no_address_is_not_repeated() {
    let error = SqlStore::postgres("postgres://ada:s3cret@host:notaport/x").await.unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Address);
    assert!(!format!("{error:?}").contains("s3cret"));
}

#[tokio::test]
async fn a_file_that_cannot_be_made_is_out_of_reach() {
    let place = Place::new();
    let blocked = place.directory.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    let clock = still_clock();
    let error = SqlStore::sqlite(&blocked.join("baton.db"), clock).await.unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Unreachable, "{error}");
}

#[tokio::test]
async fn a_file_that_stays_locked_is_busy() {
    use sqlx::Connection as _;
    let place = Place::new();
    drop(sqlite(&place).await);
    let options = SqliteOptions { busy_timeout: Duration::from_millis(100), ..SqliteOptions::default() };
    let store = SqlStore::sqlite_with(&place.file(), still_clock(), options).await.unwrap();
    let mut holder = sqlx::SqliteConnection::connect(&place.address()).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut holder).await.unwrap();
    let error = store.enlist("w", "h", Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Busy, "{error}");
    assert!(store.item(&key(1)).await.unwrap().is_none(), "readers go on");
    sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.unwrap();
    woken(&store, &key(1), &ask("builder", "{}")).await;
}
