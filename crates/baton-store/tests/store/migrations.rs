//! Opening: new, again, by many at once, and what must not be opened.

use std::os::unix::fs::PermissionsExt as _;

use baton_ports::{Store as _, StoreErrorKind};
use baton_store::SqlStore;
use baton_testbed::shared::url_for_new_database;

use crate::store::support::{Ground, Place, ask, both, key, sqlite, still_clock, woken};

async fn open_again(ground: &Ground) -> Result<SqlStore, baton_ports::StoreError> {
    match ground {
        Ground::File(place) => SqlStore::sqlite(&place.file(), still_clock()).await,
        Ground::Server(database) => SqlStore::postgres(&database.url()).await,
    }
}

#[tokio::test]
async fn what_was_stored_is_there_when_it_is_opened_again() {
    for (store, ground) in both("again").await {
        woken(&store, &key(1), &ask("builder", "{}")).await;
        drop(store);
        let store = open_again(&ground).await.unwrap();
        assert!(store.item(&key(1)).await.unwrap().unwrap().owner.is_some());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_who_open_a_new_store_at_once_all_get_it() {
    let place = Place::new();
    let database = url_for_new_database("eight").unwrap();
    let mut opening = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (file, url) = (place.file(), database.url());
        opening.spawn(async move {
            let sqlite = SqlStore::sqlite(&file, still_clock()).await.unwrap();
            let postgres = SqlStore::postgres(&url).await.unwrap();
            for store in [sqlite, postgres] {
                woken(&store, &key(number), &ask("builder", "{}")).await;
            }
        });
    }
    while let Some(opened) = opening.join_next().await {
        opened.unwrap();
    }
    for store in [sqlite(&place).await, SqlStore::postgres(&database.url()).await.unwrap()] {
        for number in 0..8 {
            assert!(store.item(&key(number)).await.unwrap().is_some());
        }
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused_with_both_versions_and_left_alone() {
    for (store, ground) in both("newer").await {
        drop(store);
        ground.run("INSERT INTO baton_schema (version) VALUES (99)").await;
        let error = open_again(&ground).await.unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::NewerSchema);
        assert!(error.answer.contains("version 99") && error.answer.contains("up to 2"), "{error}");
        ground.run("DELETE FROM baton_schema WHERE version = 99").await;
        open_again(&ground).await.unwrap();
    }
}

#[tokio::test]
async fn a_schema_that_cannot_be_understood_is_told_as_such() {
    for (store, ground) in both("corrupt").await {
        drop(store);
        ground.run("DELETE FROM baton_schema").await;
        let error = open_again(&ground).await.unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::Corrupt, "{error}");
    }
}

#[tokio::test]
async fn a_row_that_cannot_be_understood_is_told_with_its_number() {
    for (store, ground) in both("badrow").await {
        woken(&store, &key(1), &ask("builder", "{}")).await;
        ground.run("UPDATE runs SET status = 'dancing'").await;
        let filter = baton_ports::store::RunFilter { limit: 5, ..Default::default() };
        let error = store.runs(&filter).await.unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::Corrupt);
        assert!(error.answer.starts_with("table runs, row 1: `dancing` is not"), "{error}");
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_not_touched() {
    let place = Place::new();
    std::fs::create_dir_all(place.file().parent().unwrap()).unwrap();
    let text = "a shopping list ".repeat(100);
    std::fs::write(place.file(), &text).unwrap();
    let error = SqlStore::sqlite(&place.file(), still_clock()).await.unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Corrupt, "{error}");
    assert_eq!(std::fs::read_to_string(place.file()).unwrap(), text);
}

#[tokio::test]
async fn the_file_and_its_directory_are_for_nobody_else() {
    let place = Place::new();
    let store = sqlite(&place).await;
    woken(&store, &key(1), &ask("builder", "{}")).await;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.file()), 0o600);
    assert_eq!(mode(&place.file().with_extension("db-wal")), 0o600);
    assert_eq!(mode(place.file().parent().unwrap()), 0o700);
    let names: Vec<_> = std::fs::read_dir(place.file().parent().unwrap()).unwrap().collect();
    assert!(names.iter().flatten().all(|name| !name.file_name().to_string_lossy().ends_with(".new")));
}
