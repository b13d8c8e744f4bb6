//! What went wrong elsewhere because a store let it.

use std::sync::Arc;

use baton_core::slot::effect::AfterTry;
use baton_core::slot::wake::WakeOutcome;
use baton_core::slot::{Change, Decision, RunEnd, RunId, RunStatus};
use baton_engine::relay::StartAnswer;
use baton_ports::store::{Lookup, Target};
use baton_ports::{Store as _, StoreErrorKind};

use super::Ground;
use super::desk::{Desk, comment, issue, queued};

/// A rule that would seat a second run is refused, and nothing of it is kept.
pub async fn the_store_refuses_a_second_owner_even_if_the_rules_are_wrong<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let (_, first) = queued(&desk.wake("dev", 1).await);
    let run = desk.run(first).await;
    let wrong = |situation: &baton_core::slot::Situation| {
        let second = baton_core::slot::Run { id: situation.next_run, ..run.clone() };
        Decision { changes: vec![Change::SetVersion(9), Change::AddRun(Box::new(second))], outcome: () }
    };
    let answer = desk.store().decide(&Target::Key(issue(1)), &Lookup::default(), wrong).await;
    assert_eq!(answer.unwrap_err().kind, StoreErrorKind::Refused);
    assert_eq!((desk.runs(1).await.len(), desk.item(1).await.version), (1, 0));
    // An ended run is in nobody's way.
    desk.relay.cancel(first, false).await.unwrap();
    queued(&desk.wake("dev", 1).await);
}

/// Two are never sent at once for the same item, whoever asks and how often.
pub async fn the_store_refuses_a_second_sending_effect_of_an_item<G: Ground + 'static>() {
    let desk = Arc::new(Desk::<G>::new().await);
    desk.wake("dev", 1).await;
    desk.settle(1, &["one", "two", "three"]).await;
    let worker = desk.worker().await;
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let desk = Arc::clone(&desk);
        let grace = desk.relay.policy.stop_grace;
        asking.spawn(async move { desk.store().take_effect(worker, grace).await.unwrap() });
    }
    let taken = asking.join_all().await.into_iter().flatten().count();
    assert_eq!(taken, 1);
}

/// Dropping effects because their run no longer has the slot would lose a finished run's last words.
pub async fn the_last_effects_of_a_finished_run_are_handed_out_after_the_slot_has_passed_on<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    let started = desk.start(worker).await;
    desk.wake("cto", 1).await;
    desk.finish_with(&started, RunEnd::Succeeded, vec![comment("bye")], 0).await;
    let item = desk.item(1).await;
    assert!(item.fence > started.run.fence, "the slot has passed on");
    assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing, "the next waits for the effects");
    let taken = desk.store().take_effect(worker, desk.relay.policy.stop_grace).await.unwrap().unwrap();
    assert_eq!(taken.effect.fence, started.run.fence);
    assert!(desk.store().effect_tried(taken.effect.id, worker, &AfterTry::Done).await.unwrap());
    desk.start(worker).await;
}

/// Thirty-two at once: one run, and all others are merged into it.
pub async fn many_wakes_at_once_make_one_run<G: Ground + 'static>() {
    let desk = Arc::new(Desk::<G>::new().await);
    let mut waking = tokio::task::JoinSet::new();
    for comment in 0..32 {
        let desk = Arc::clone(&desk);
        waking.spawn(async move { desk.wake_with(1, &super::desk::ask_about("dev", &[comment])).await });
    }
    let outcomes = waking.join_all().await;
    let queued = outcomes.iter().filter(|outcome| matches!(outcome, WakeOutcome::Queued { .. })).count();
    let merged = outcomes.iter().filter(|outcome| matches!(outcome, WakeOutcome::Coalesced { .. })).count();
    assert_eq!((queued, merged, desk.runs(1).await.len()), (1, 31, 1));
    let mut comments = desk.owner(1).await.context.comment_ids();
    comments.sort_unstable();
    assert_eq!(comments, (0..32).collect::<Vec<_>>(), "no comment is forgotten");
}

/// Eight workers and twenty runs: each run is started by one of them.
pub async fn many_workers_at_once_start_each_run_once<G: Ground + 'static>() {
    let desk = Arc::new(Desk::<G>::new().await);
    for number in 1..=20 {
        desk.wake("dev", number).await;
    }
    let mut working = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (desk, worker) = (Arc::clone(&desk), desk.worker().await);
        working.spawn(async move {
            let mut started = Vec::new();
            // A start may find nothing while others look at what there is; so it asks until all run.
            while running(&desk).await < 20 {
                if let StartAnswer::Started(run) = desk.try_start(worker).await {
                    started.push(run.run.id);
                }
                tokio::task::yield_now().await;
            }
            started
        });
    }
    let mut started: Vec<RunId> = working.join_all().await.into_iter().flatten().collect();
    started.sort();
    started.dedup();
    assert_eq!(started.len(), 20);
}

async fn running<G: Ground>(desk: &Desk<G>) -> usize {
    let filter = baton_ports::store::RunFilter {
        statuses: vec![RunStatus::Running],
        limit: 100,
        ..baton_ports::store::RunFilter::default()
    };
    desk.store().runs(&filter).await.unwrap().len()
}
