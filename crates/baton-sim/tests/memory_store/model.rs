//! Random histories on the memory store, and what happens to them when a safeguard is left out.

use crate::memory_store::grounds::{InMemory, InMemoryWithoutRowLock};
use baton_core::slot::{Policy, Safeguards};
use baton_sim::model::{Cases, Found, expect_all_to_hold, expect_one_to_break, live, live_at_once};

const CASES: Cases = Cases { histories: 400, longest: 60, shrinks: 2_000 };
const UNTIL_ONE_BREAKS: Cases = Cases { histories: 4_000, longest: 60, shrinks: 2_000 };

#[test]
fn every_history_keeps_the_rules() {
    let policy = Policy::default();
    expect_all_to_hold(CASES, async |history| live::<InMemory>(&history, &policy).await.map(|_| ()));
}

#[test]
fn every_history_keeps_the_rules_when_things_happen_at_once() {
    let policy = Policy::default();
    expect_all_to_hold(CASES, async |history| live_at_once::<InMemory>(&history, &policy).await);
}

/// Leaves something out and returns the shortest history that shows it.
fn breaks_without(leave_out: impl Fn(&mut Safeguards)) -> Found {
    let mut policy = Policy::default();
    leave_out(&mut policy.safeguards);
    expect_one_to_break(UNTIL_ONE_BREAKS, async |history| {
        live::<InMemory>(&history, &policy).await.map(|_| ())
    })
}

#[test]
fn it_is_noticed_when_the_drain_is_skipped() {
    assert!(breaks_without(|safeguards| safeguards.drain = false).why.contains("waits"));
}

#[test]
fn it_is_noticed_when_a_started_run_is_merged_into() {
    let found = breaks_without(|safeguards| safeguards.merge_only_before_the_start = false);
    assert!(found.why.contains("never reached an agent"), "{found:?}");
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
fn it_is_noticed_when_stale_effects_are_dropped() {
    let found = breaks_without(|safeguards| safeguards.perform_stale_effects = false);
    assert!(found.why.contains("was committed"), "{found:?}");
}

#[test]
fn it_is_noticed_when_agents_wake_themselves() {
    breaks_without(|safeguards| safeguards.no_self_wake = false);
}

#[test]
fn it_is_noticed_when_the_row_lock_is_dropped() {
    let policy = Policy::default();
    expect_one_to_break(UNTIL_ONE_BREAKS, async |history| {
        live_at_once::<InMemoryWithoutRowLock>(&history, &policy).await
    });
}
