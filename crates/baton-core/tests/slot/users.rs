//! What users of another orchestrator met, and the acceptance list of the one slot, told as stories.

use baton_core::slot::item::Gates;
use baton_core::slot::start::{NotYours, StartOutcome};
use baton_core::slot::steer::Steered;
use baton_core::slot::wake::WakeOutcome;
use baton_core::slot::{Reason, RunEnd, RunId, RunStatus, WakeupStatus, WorkerId};

use crate::slot::world::World;

#[test]
fn a_mention_during_a_run_starts_no_second_run() {
    let mut world = World::new();
    world.wake("ada");
    let run = world.started().run;
    let mut mention = world.comment("CTO");
    mention.reason = Reason::IssueCommentMentioned;
    mention.asked_by.run = Some(run);
    assert!(matches!(world.wake_by(&mention), WakeOutcome::Deferred { .. }));
    world.enlist();
    assert_eq!(world.start_on(WorkerId(2)), StartOutcome::NotYours(NotYours::NothingQueued));
    world.finish(RunEnd::Succeeded);
    assert_eq!(world.slot(), Some(("CTO", RunStatus::Queued)));
    let wakeup = world.wakeups.values().last().unwrap();
    assert_eq!(wakeup.reason, Reason::IssueCommentMentioned);
}

#[test]
fn two_workers_never_start_one_issue_twice() {
    let mut world = World::new();
    world.wake("ada");
    world.wake("bea");
    world.enlist();
    assert!(matches!(world.start_on(WorkerId(1)), StartOutcome::Started(_)));
    assert!(matches!(world.start_on(WorkerId(2)), StartOutcome::NotYours(NotYours::NothingQueued)));
}

#[test]
fn an_agents_own_comments_do_not_keep_it_awake() {
    let mut world = World::new();
    world.wake("ada");
    let run = world.started().run;
    for _ in 0..30 {
        assert!(matches!(world.run_wakes(run, "ada"), WakeOutcome::OwnDoing { .. }));
    }
    world.finish(RunEnd::Succeeded);
    assert_eq!((world.slot(), world.runs.len()), (None, 1));
}

#[test]
fn what_happens_during_a_run_is_seen_by_the_next() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    let mut children = world.comment("ada");
    children.reason = Reason::ChildrenCompleted;
    world.wake_by(&children);
    world.finish(RunEnd::Succeeded);
    let run = world.owner().unwrap();
    assert_eq!(run.context, children.context);
    assert_eq!(world.wakeups[&run.wakeup].reason, Reason::ChildrenCompleted);
}

#[test]
fn an_operators_stop_starts_nothing_again() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    world.wake("ada");
    world.wake("bea");
    world.cancel(RunId(1), false);
    world.finish(RunEnd::Stopped);
    world.heal();
    assert_eq!((world.slot(), world.waiting()), (None, vec![]));
    assert!(world.wakeups.values().all(|wakeup| wakeup.status == WakeupStatus::Cancelled));
}

#[test]
fn a_crash_between_the_word_and_the_end_does_not_bring_a_cancelled_run_back() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    world.cancel(RunId(1), false);
    world.lose_workers();
    world.heal();
    assert_eq!(world.slot(), None);
}

#[test]
fn a_new_assignee_that_waits_is_woken_when_the_old_one_stops() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    let mut assigned = world.comment("bea");
    assigned.reason = Reason::IssueAssigned;
    world.wake_by(&assigned);
    assert_eq!(world.reassign(Some("bea")), Steered::AskedToStop(RunId(1)));
    world.finish(RunEnd::Stopped);
    assert_eq!((world.slot(), world.runs.len()), (Some(("bea", RunStatus::Queued)), 2));
}

#[test]
fn an_agent_with_one_place_that_queued_elsewhere_blocks_no_claim() {
    // A reservation is not a hold: what is queued can be released, and has no lease to conflict with.
    let mut world = World::new();
    world.wake("ada");
    world.pass(100_000);
    assert_eq!((world.release(), world.slot()), (Steered::Ended(RunId(1)), None));
}

#[test]
fn a_cancelled_issue_leaves_no_retry_alive() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    world.fail();
    world.set_open(false);
    world.pass(100_000);
    world.heal();
    assert_eq!((world.slot(), world.became("ada")), (None, vec![WakeupStatus::Cancelled]));
}

#[test]
fn a_gate_that_shuts_and_opens_a_hundred_times_charges_nothing_and_loses_nothing() {
    let mut world = World::new();
    world.wake("ada");
    let held = Gates { held: Some("by bob".to_owned()), ..Gates::default() };
    for _ in 0..100 {
        world.started();
        world.set_gates(&held);
        world.finish(RunEnd::Stopped);
        assert_eq!(world.not_yours(), NotYours::Gated("held: by bob".to_owned()));
        world.set_gates(&Gates::default());
    }
    let run = world.owner().unwrap();
    assert_eq!((run.attempt, run.status, run.context.comment_ids()), (0, RunStatus::Queued, vec![1]));
}
