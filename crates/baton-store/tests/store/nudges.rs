//! Nudges: who listens hears of what others commit.

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use baton_ports::{Nudges as _, Store as _};
use baton_store::{SqlStore, StoreNudges};

use crate::store::support::{Ground, Place, ask, both, enlisted, key, sqlite, still_clock, woken};

const BOUND: Duration = Duration::from_secs(60);

async fn hear(nudges: &mut StoreNudges) {
    tokio::time::timeout(BOUND, nudges.nudged()).await.unwrap().unwrap();
}

async fn is_silent(nudges: &mut StoreNudges) -> bool {
    tokio::time::timeout(Duration::from_millis(50), nudges.nudged()).await.is_err()
}

#[tokio::test]
async fn news_of_one_handle_reach_the_listener_of_another() {
    for (store, ground) in both("nudge").await {
        let other = match &ground {
            Ground::File(place) => sqlite(place).await,
            Ground::Server(database) => SqlStore::postgres(&database.url()).await.unwrap(),
        };
        let (mut first, mut second) = (store.listen().await.unwrap(), store.listen().await.unwrap());
        woken(&other, &key(1), &ask("builder", "{}")).await;
        hear(&mut first).await;
        hear(&mut second).await;
        // An enlisted worker gives nobody anything to do.
        enlisted(&other).await;
        assert!(is_silent(&mut first).await);
    }
}

#[tokio::test]
async fn a_connection_that_was_lost_and_is_back_is_a_nudge() {
    let database = baton_testbed::shared::url_for_new_database("lost").unwrap();
    let store = SqlStore::postgres(&database.url()).await.unwrap();
    let mut nudges = store.listen().await.unwrap();
    assert!(database.cut_connections().unwrap() > 0);
    hear(&mut nudges).await;
    // The store's own idle connections are gone too, which its users do not notice.
    woken(&store, &key(1), &ask("builder", "{}")).await;
    hear(&mut nudges).await;
}

#[tokio::test]
async fn the_socket_of_a_dead_listener_is_removed() {
    let place = Place::new();
    let store = sqlite(&place).await;
    let directory = place.file().with_extension("db.nudges");
    let nudges = store.listen().await.unwrap();
    let dead = directory.join("1-1.sock");
    drop(UnixDatagram::bind(&dead).unwrap());
    woken(&store, &key(1), &ask("builder", "{}")).await;
    assert!(!dead.exists());
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1);
    drop(nudges);
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);
}

#[tokio::test]
async fn a_path_that_is_too_long_for_a_socket_has_nudges_too() {
    let place = Place::new();
    let file = place.directory.path().join("long/".repeat(30)).join("baton.db");
    let store = SqlStore::sqlite(&file, still_clock()).await.unwrap();
    let mut nudges = store.listen().await.unwrap();
    woken(&store, &key(1), &ask("builder", "{}")).await;
    hear(&mut nudges).await;
}
