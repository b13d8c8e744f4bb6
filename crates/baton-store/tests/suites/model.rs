//! Random histories on both databases, compared with the memory store; and with things left out on purpose.

use baton_core::slot::{Policy, Safeguards};
use baton_sim::model::{Cases, expect_all_to_hold, expect_one_to_break, live, live_at_once, sequentially};

use crate::suites::grounds::{InMemory, KeptDatabase, OnPostgres, OnSqlite, RunBeforeItem, WithoutRowLock};

/// Fewer than in memory: each event is some transactions.
fn cases(histories: u32) -> Cases {
    let factor = if std::env::var_os("BATON_TEST_FULL").is_some() { 10 } else { 1 };
    Cases { histories: histories * factor, longest: 40, shrinks: 200 }
}

/// It is enough that there is one; it need not be short.
const UNTIL_ONE_BREAKS: Cases = Cases { histories: 400, longest: 60, shrinks: 0 };

#[test]
fn every_history_is_the_same_on_sqlite_as_in_memory() {
    let policy = Policy::default();
    expect_all_to_hold(cases(40), async |history| {
        sequentially::<OnSqlite, InMemory>(&history, &policy).await
    });
}

#[test]
fn every_history_is_the_same_on_postgres_as_in_memory() {
    let _kept = KeptDatabase::new();
    let policy = Policy::default();
    expect_all_to_hold(cases(30), async |history| {
        sequentially::<OnPostgres, InMemory>(&history, &policy).await
    });
}

#[test]
fn every_history_keeps_the_rules_on_sqlite_when_things_happen_at_once() {
    let policy = Policy::default();
    expect_all_to_hold(cases(30), async |history| live_at_once::<OnSqlite>(&history, &policy).await);
}

#[test]
fn every_history_keeps_the_rules_on_postgres_when_things_happen_at_once() {
    let kept = KeptDatabase::new();
    let policy = Policy::default();
    expect_all_to_hold(cases(30), async |history| live_at_once::<OnPostgres>(&history, &policy).await);
    assert_eq!(kept.deadlocks(), 0);
}

/// Leaves a rule out. A history that shows it is looked for in memory, where that is quick; both databases must show it
/// too.
fn breaks_without(leave_out: impl Fn(&mut Safeguards)) {
    let mut policy = Policy::default();
    leave_out(&mut policy.safeguards);
    let in_memory = Cases { histories: 4_000, ..UNTIL_ONE_BREAKS };
    let found =
        expect_one_to_break(in_memory, async |history| live::<InMemory>(&history, &policy).await.map(|_| ()));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let on_sqlite = live::<OnSqlite>(&found.history, &policy).await;
        let on_postgres = live::<OnPostgres>(&found.history, &policy).await;
        assert!(on_sqlite.is_err() && on_postgres.is_err(), "{found:?}: {on_sqlite:?}, {on_postgres:?}");
    });
}

#[test]
fn it_is_noticed_when_the_drain_is_skipped() {
    breaks_without(|safeguards| safeguards.drain = false);
}

#[test]
fn it_is_noticed_when_a_started_run_is_merged_into() {
    breaks_without(|safeguards| safeguards.merge_only_before_the_start = false);
}

#[test]
fn it_is_noticed_when_stale_effects_are_dropped() {
    breaks_without(|safeguards| safeguards.perform_stale_effects = false);
}

#[test]
fn it_is_noticed_when_fences_are_not_looked_at() {
    breaks_without(|safeguards| safeguards.fences = false);
}

#[test]
fn it_is_noticed_when_nothing_is_healed() {
    breaks_without(|safeguards| safeguards.heal = false);
}

#[test]
fn it_is_noticed_when_agents_wake_themselves() {
    breaks_without(|safeguards| safeguards.no_self_wake = false);
}

#[test]
fn it_is_noticed_when_the_row_lock_is_dropped() {
    let _kept = KeptDatabase::new();
    let policy = Policy::default();
    expect_one_to_break(UNTIL_ONE_BREAKS, async |history| {
        live_at_once::<WithoutRowLock>(&history, &policy).await
    });
}

#[test]
fn it_is_noticed_when_the_lock_order_is_reversed() {
    let kept = KeptDatabase::new();
    let policy = Policy::default();
    // A store that tries again after a deadlock hides it from its callers; the database counts it all the same.
    expect_one_to_break(UNTIL_ONE_BREAKS, async |history| {
        live_at_once::<RunBeforeItem>(&history, &policy).await?;
        match kept.deadlocks() {
            0 => Ok(()),
            many => Err(baton_sim::model::Broken(format!("{many} deadlocks"))),
        }
    });
}
