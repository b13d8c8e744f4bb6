//! What people do to runs: cancel, close, reassign, release, gate.

use baton_core::slot::finish::Fenced;
use baton_core::slot::steer::Steered;
use baton_core::slot::wake::WakeOutcome;
use baton_core::slot::{EndCause, Gates, RunEnd, RunStatus, Skip, Stop, WakeupStatus};
use baton_engine::relay::StartAnswer;

use super::Ground;
use super::desk::{Desk, TTL, deferred, issue, queued, seconds};

/// Nothing comes back by itself after an operator's word.
pub async fn a_cancel_is_final_for_the_run_its_retry_and_what_waits<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    let (wakeup, _) = queued(&desk.wake("dev", 1).await);
    let started = desk.start(worker).await;
    desk.finish(&started, RunEnd::Failed("x".to_owned())).await;
    let retry = desk.owner(1).await;
    let waiting = deferred(&desk.wake("cto", 1).await);
    assert_eq!(desk.relay.cancel(retry.id, false).await.unwrap(), Some(Steered::Ended(retry.id)));
    let ended = desk.run(retry.id).await;
    assert_eq!((ended.status, ended.cause), (RunStatus::Cancelled, Some(EndCause::Operator)));
    for id in [wakeup, waiting] {
        assert_eq!(desk.wakeup(id).await.status, WakeupStatus::Cancelled);
    }
    assert_eq!(desk.item(1).await.owner, None);
    desk.advance(seconds(3_600)).await;
    assert_eq!(desk.relay.heal(10).await.unwrap(), []);
    assert_eq!(desk.try_start(desk.worker().await).await, StartAnswer::Nothing);
    let over = desk.relay.cancel(retry.id, false).await.unwrap();
    assert_eq!(over, Some(Steered::WasOver(RunStatus::Cancelled)));
    assert_eq!(desk.relay.cancel(baton_core::slot::RunId(999), false).await.unwrap(), None);
}

/// What waits goes on, if the operator says so.
pub async fn a_cancel_can_keep_the_queue<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let (_, run) = queued(&desk.wake("dev", 1).await);
    let waiting = deferred(&desk.wake("cto", 1).await);
    assert_eq!(desk.relay.cancel(run, true).await.unwrap(), Some(Steered::Ended(run)));
    assert_eq!(desk.start(desk.worker().await).await.run.wakeup, waiting);
}

/// The slot is free when the agent is dead, and not before.
pub async fn a_running_run_is_asked_to_stop_and_keeps_the_slot_until_it_has<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    desk.wake("dev", 1).await;
    let started = desk.start(worker).await;
    let run = started.run.id;
    assert_eq!(desk.relay.cancel(run, false).await.unwrap(), Some(Steered::AskedToStop(run)));
    assert_eq!(desk.run(run).await.stop, Some(Stop::Cancelled));
    let waiting = deferred(&desk.wake("cto", 1).await);
    assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing);
    assert_eq!(desk.finish(&started, RunEnd::Stopped).await, Fenced::Done(RunStatus::Cancelled));
    assert_eq!(desk.start(worker).await.run.wakeup, waiting, "what came after the cancel is not cancelled");
}

/// The operator's word counts although nobody was there to hear it.
pub async fn a_cancelled_run_whose_worker_is_lost_is_not_tried_again<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    let started = desk.start(desk.worker().await).await;
    desk.relay.cancel(started.run.id, false).await.unwrap();
    desk.advance(TTL + seconds(10)).await;
    desk.relay.heal(10).await.unwrap();
    assert_eq!(desk.run(started.run.id).await.status, RunStatus::Cancelled);
    assert_eq!(desk.item(1).await.owner, None);
}

/// Queued, waiting or running: all of it ends.
pub async fn closing_an_issue_ends_all_that_waits<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    for number in [1, 2] {
        desk.wake("dev", number).await;
    }
    let started = desk.start(worker).await;
    let queued_run = desk.owner(2).await.id;
    let waiting = [deferred(&desk.wake("cto", 1).await), deferred(&desk.wake("cto", 2).await)];
    let asked = desk.relay.set_open(&issue(1), false).await.unwrap();
    assert_eq!(asked, Steered::AskedToStop(started.run.id));
    let ended = desk.relay.set_open(&issue(2), false).await.unwrap();
    assert_eq!(ended, Steered::Ended(queued_run));
    for id in waiting {
        let skipped = desk.wakeup(id).await;
        assert_eq!((skipped.status, skipped.skip), (WakeupStatus::Skipped, Some(Skip::IssueClosed)));
    }
    desk.finish(&started, RunEnd::Stopped).await;
    for number in [1, 2] {
        let run = desk.runs(number).await.remove(0);
        assert_eq!((run.status, run.cause), (RunStatus::Cancelled, Some(EndCause::IssueClosed)));
        assert_eq!(desk.item(number).await.owner, None);
    }
}

/// A wakeup for a closed issue is skipped, and can be listed.
pub async fn a_closed_issue_wakes_nobody_until_it_is_open_again<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.relay.set_open(&issue(1), false).await.unwrap();
    let outcome = desk.wake("dev", 1).await;
    let WakeOutcome::Skipped { wakeup, skip } = outcome else { panic!("{outcome:?}") };
    assert_eq!((skip, desk.wakeup(wakeup).await.skip), (Skip::IssueClosed, Some(Skip::IssueClosed)));
    desk.relay.set_open(&issue(1), true).await.unwrap();
    queued(&desk.wake("dev", 1).await);
}

/// The new assignee's wakeup is not behind the old one's run.
pub async fn reassigning_ends_a_run_of_another_agent_and_drains<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    let (_, run) = queued(&desk.wake("dev", 1).await);
    let waiting = deferred(&desk.wake("cto", 1).await);
    assert_eq!(desk.relay.reassign(&issue(1), Some(&"dev".into())).await.unwrap(), Steered::Nothing);
    assert_eq!(desk.relay.reassign(&issue(1), Some(&"CTO".into())).await.unwrap(), Steered::Ended(run));
    let cto = desk.start(worker).await;
    assert_eq!(cto.run.wakeup, waiting);
    let asked = desk.relay.reassign(&issue(1), None).await.unwrap();
    assert_eq!(asked, Steered::AskedToStop(cto.run.id));
    assert_eq!(desk.finish(&cto, RunEnd::Stopped).await, Fenced::Done(RunStatus::Cancelled));
}

/// No path frees a slot without giving it to the next.
pub async fn releasing_a_slot_drains<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let (_, run) = queued(&desk.wake("dev", 1).await);
    let waiting = deferred(&desk.wake("cto", 1).await);
    assert_eq!(desk.relay.release(&issue(1)).await.unwrap(), Steered::Ended(run));
    assert_eq!(desk.owner(1).await.wakeup, waiting);
    assert_eq!(desk.relay.release(&issue(2)).await.unwrap(), Steered::Nothing);
}

/// A pause is not a failure: nothing is charged, and the same wakeup goes on.
pub async fn a_gate_stops_a_run_which_goes_on_when_it_opens<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    let (wakeup, _) = queued(&desk.wake("dev", 1).await);
    let started = desk.start(worker).await;
    let shut = Gates { paused: Some("lunch".to_owned()), ..Gates::default() };
    let asked = desk.relay.set_gates(&issue(1), &shut).await.unwrap();
    assert_eq!(asked, Steered::AskedToStop(started.run.id));
    assert_eq!(desk.finish(&started, RunEnd::Stopped).await, Fenced::Done(RunStatus::Interrupted));
    assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing);
    desk.relay.set_gates(&issue(1), &Gates::default()).await.unwrap();
    let again = desk.start(worker).await;
    assert_eq!((again.run.wakeup, again.run.attempt, again.run.interruptions), (wakeup, 0, 0));
}
