//! The acceptance list of issue-run orchestration, each line a test.

use baton_core::slot::heal::Healed;
use baton_core::slot::wake::{WakeAsk, WakeOutcome};
use baton_core::slot::{Asker, Disposition, ItemKey, Reason, RunEnd, RunStatus, WakeupStatus};
use baton_engine::relay::StartAnswer;
use baton_ports::Store as _;

use super::Ground;
use super::desk::{Desk, TTL, ask, deferred, queued, seconds};

/// At no time has an issue more than one run that is queued or running.
pub async fn never_more_than_one_queued_or_running_owner<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    for agent in ["dev", "cto", "dev", "qa", "cto"] {
        desk.wake(agent, 1).await;
        assert_eq!(active(&desk).await, 1);
    }
    for _ in 0..3 {
        let started = desk.start(worker).await;
        desk.wake("dev", 1).await;
        assert_eq!(active(&desk).await, 1);
        desk.finish(&started, RunEnd::Succeeded).await;
        assert!(active(&desk).await <= 1);
    }
}

async fn active<G: Ground>(desk: &Desk<G>) -> usize {
    desk.runs(1).await.iter().filter(|run| run.status.is_active()).count()
}

/// What an agent does in a run does not wake it again, neither while the run lasts nor after.
pub async fn same_name_self_wakes_are_suppressed_and_not_spawned<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("Dev", 1).await;
    let started = desk.start(worker).await;
    let own =
        |run| WakeAsk { asked_by: Asker { who: "dev".to_owned(), is_person: false, run }, ..ask(" dev ") };
    let outcome = desk.wake_with(1, &own(Some(started.run.id))).await;
    let WakeOutcome::OwnDoing { wakeup, run } = outcome else { panic!("{outcome:?}") };
    assert_eq!(run, started.run.id);
    let wakeup = desk.wakeup(wakeup).await;
    assert_eq!((wakeup.status, wakeup.disposition), (WakeupStatus::Coalesced, Some(Disposition::SameName)));
    desk.finish(&started, RunEnd::Succeeded).await;
    let late = desk.wake_with(1, &own(Some(started.run.id))).await;
    assert!(matches!(late, WakeOutcome::OwnDoing { .. }), "{late:?}");
    assert_eq!(desk.runs(1).await.len(), 1);
    // On another issue it is news.
    queued(&desk.wake_with(2, &own(Some(started.run.id))).await);
}

/// Wakeups of other agents wait, and get the slot in the order in which they came.
pub async fn other_names_are_deferred_then_promoted_oldest_first<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    let mut started = desk.start(worker).await;
    let cto = deferred(&desk.wake("cto", 1).await);
    let qa = deferred(&desk.wake("qa", 1).await);
    assert_eq!(desk.wakeup(cto).await.disposition, Some(Disposition::Deferred));
    for (agent, wakeup) in [("cto", cto), ("qa", qa)] {
        desk.finish(&started, RunEnd::Succeeded).await;
        let promoted = desk.wakeup(wakeup).await;
        assert_eq!(
            (promoted.status, promoted.disposition),
            (WakeupStatus::Queued, Some(Disposition::Promoted))
        );
        started = desk.start(worker).await;
        assert_eq!((started.run.agent.0.as_str(), Some(started.run.id)), (agent, promoted.run));
    }
    desk.finish(&started, RunEnd::Succeeded).await;
    assert_eq!(desk.wakeup(qa).await.status, WakeupStatus::Completed);
    assert_eq!(desk.item(1).await.owner, None);
}

/// A comment that mentions another agent while the assignee works starts nothing until the assignee is done.
pub async fn mentioning_the_cto_mid_run_starts_no_second_run<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let (one, two) = (desk.worker().await, desk.worker().await);
    desk.wake("dev", 1).await;
    let started = desk.start(one).await;
    let mention = WakeAsk { reason: Reason::IssueCommentMentioned, ..ask("CTO") };
    let wakeup = deferred(&desk.wake_with(1, &mention).await);
    assert_eq!(desk.try_start(two).await, StartAnswer::Nothing);
    assert_eq!(desk.runs(1).await.len(), 1);
    desk.finish(&started, RunEnd::Succeeded).await;
    let cto = desk.start(two).await;
    assert_eq!((cto.run.wakeup, cto.run.agent.0.as_str()), (wakeup, "CTO"));
    assert_eq!(desk.wakeup(wakeup).await.reason, Reason::IssueCommentMentioned);
}

/// A slot whose worker is gone is freed by the next wakeup, or by a scan.
pub async fn stale_locks_heal<G: Ground>() {
    let desk = Desk::<G>::new().await;
    for number in [1, 2] {
        desk.wake("dev", number).await;
    }
    let gone = desk.worker().await;
    let (first, second) = (desk.start(gone).await, desk.start(gone).await);
    desk.advance(TTL + desk.relay.policy.stop_grace).await;
    deferred(&desk.wake("cto", 1).await);
    assert_eq!(desk.run(first.run.id).await.status, RunStatus::Interrupted);
    assert_eq!(desk.owner(1).await.retry_of, Some(first.run.id));
    assert_eq!(desk.relay.heal(10).await.unwrap(), [Healed::Freed(second.run.id)]);
    assert_eq!(desk.owner(2).await.status, RunStatus::Queued);
}

/// An agent can be woken without an issue, whatever is going on with issues.
pub async fn wakeups_without_an_issue_need_none<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    desk.start(worker).await;
    let nightly = ItemKey::task(&"dev".into(), "nightly");
    let (_, run) = queued(&desk.relay.wake(&nightly, &ask("dev")).await.unwrap());
    let started = desk.start(worker).await;
    assert_eq!((started.run.id, &started.item.key), (run, &nightly));
    assert_eq!(desk.owner(1).await.status, RunStatus::Running);
    desk.finish(&started, RunEnd::Succeeded).await;
    assert!(desk.store().item(&nightly).await.unwrap().unwrap().owner.is_none());
}

/// Two issues are worked on at the same time, by the same agent too.
pub async fn parallelism_stays_available_through_separate_issues<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    for number in 1..=3 {
        queued(&desk.wake("dev", number).await);
        desk.start(worker).await;
    }
    for number in 1..=3 {
        assert_eq!(desk.owner(number).await.status, RunStatus::Running);
    }
}

/// Success, failure, a time-out and the rest: each frees the slot and promotes who waits.
pub async fn the_slot_is_released_and_the_next_promoted_on_every_terminal_outcome<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    let ends = [
        (RunEnd::Succeeded, RunStatus::Succeeded),
        (RunEnd::Failed("exit 1".to_owned()), RunStatus::Failed),
        (RunEnd::TimedOut("60 min".to_owned()), RunStatus::TimedOut),
        (RunEnd::ProviderLimit(None), RunStatus::Failed),
    ];
    for (number, (end, status)) in (1..).zip(ends) {
        desk.wake("dev", number).await;
        let started = desk.start(worker).await;
        let waiting = deferred(&desk.wake("cto", number).await);
        desk.finish(&started, end).await;
        assert_eq!(desk.run(started.run.id).await.status, status);
        let next = desk.start(worker).await;
        assert_eq!(next.run.wakeup, waiting, "after {status}");
        desk.finish(&next, RunEnd::Succeeded).await;
        desk.advance(seconds(1)).await;
    }
}
