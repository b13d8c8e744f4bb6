//! Failures that were seen elsewhere: each shown without the rule that prevents it, and with it.

use std::path::Path;
use std::sync::Arc;

use baton_core::slot::limits::{self, Limit};
use baton_ports::{Store as _, StoreErrorKind};
use baton_sim::HandClock;
use baton_sim::conformance::{Desk, Ground};
use baton_store::{SqlStore, SqliteOptions};
use tokio::task::JoinSet;

use crate::suites::grounds::{KeptDatabase, OnPostgres, WithoutLockedCounters};

const LIMIT: i64 = 2;
const ASKING: u64 = 12;

/// Lets many workers ask at once, and returns how many runs they got.
async fn started_at_once<G: Ground + 'static>() -> usize {
    let desk = Arc::new(Desk::<G>::new().await);
    let limit = Limit { name: limits::ALL.to_owned(), max: Some(LIMIT) };
    desk.store().set_limits(&[limit]).await.unwrap();
    let mut asking = JoinSet::new();
    for number in 1..=ASKING {
        desk.wake("dev", number).await;
    }
    for _ in 1..=ASKING {
        let (desk, worker) = (Arc::clone(&desk), desk.worker().await);
        asking.spawn(async move {
            matches!(desk.try_start(worker).await, baton_engine::relay::StartAnswer::Started(_))
        });
    }
    asking.join_all().await.into_iter().filter(|started| *started).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_that_is_only_counted_is_overrun_and_a_locked_counter_is_not() {
    let _kept = KeptDatabase::new();
    let most = usize::try_from(LIMIT).unwrap();
    let mut overrun = 0;
    for _ in 0..20 {
        assert!(started_at_once::<OnPostgres>().await <= most);
        if started_at_once::<WithoutLockedCounters>().await > most {
            overrun += 1;
        }
    }
    assert!(overrun > 0, "nobody counted past another, so this test shows nothing");
}

/// Two processes, as it were: a connection each, and nothing but the file between them.
async fn two_handles(path: &Path, begin_immediate: bool) -> [SqlStore; 2] {
    let clock = HandClock::default();
    let open = || {
        let (path, clock) = (path.to_owned(), clock.clone());
        let options = SqliteOptions { begin_immediate, ..SqliteOptions::default() };
        async move { SqlStore::sqlite_with(&path, Arc::new(move || clock.now()), options).await.unwrap() }
    };
    [open().await, open().await]
}

/// Lets both write at once, and returns how many transactions were lost.
async fn lost(begin_immediate: bool) -> usize {
    let directory = tempfile::Builder::new().prefix("baton").tempdir_in("/tmp").unwrap();
    let handles = two_handles(&directory.path().join("baton.db"), begin_immediate).await;
    let mut writing = JoinSet::new();
    for (handle, at) in handles.into_iter().zip([0u64, 1]) {
        writing.spawn(async move {
            let mut lost = 0;
            for number in 0..120 {
                match enlist_and_wake(&handle, at * 1_000 + number).await {
                    Ok(()) => {}
                    Err(error) if error.kind == StoreErrorKind::Busy => lost += 1,
                    Err(error) => panic!("{error}"),
                }
            }
            lost
        });
    }
    writing.join_all().await.into_iter().sum()
}

async fn enlist_and_wake(store: &SqlStore, number: u64) -> Result<(), baton_ports::StoreError> {
    let relay = baton_engine::relay::Relay {
        store: store.clone(),
        entropy: baton_sim::conformance::FixedDice(1),
        policy: baton_core::slot::Policy::default(),
    };
    let item = format!("acme/web#{number}").parse().unwrap();
    relay.set_open(&item, true).await?;
    relay.set_open(&item, number.is_multiple_of(2)).await.map(|_| ())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_that_begins_deferred_is_lost_when_another_writes_and_an_immediate_one_is_not() {
    assert_eq!(lost(true).await, 0);
    assert!(lost(false).await > 0, "no transaction was lost, so this test shows nothing");
}
