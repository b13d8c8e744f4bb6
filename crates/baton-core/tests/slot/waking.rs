//! Waking: a request takes a free slot, merges into what has not started, waits, or is skipped.

use baton_core::slot::context::CONTEXT_BYTES_MAX;
use baton_core::slot::ids::{ItemId, RunId, WakeupId};
use baton_core::slot::situation::TransferReason;
use baton_core::slot::wake::WakeOutcome;
use baton_core::slot::{
    AgentName, Context, ContextError, Disposition, RunEnd, RunStatus, Skip, WakeupStatus,
};

use crate::slot::steps::ask;
use crate::slot::world::{Event, World};

const FIRST: RunId = RunId(1);

#[test]
fn a_free_slot_is_taken_with_a_new_fence() {
    let mut world = World::new();
    assert_eq!(world.wake("ada"), WakeOutcome::Queued { wakeup: WakeupId(1), run: FIRST });
    assert_eq!(world.slot(), Some(("ada", RunStatus::Queued)));
    let (run, transfer) = (world.owner().unwrap(), &world.transfers[0]);
    assert_eq!((run.fence, run.attempt, run.retry_of, run.stop), (1, 0, None, None));
    assert_eq!((transfer.from, transfer.to, transfer.fence), (None, Some(FIRST), 1));
    assert_eq!((transfer.reason, transfer.after), (TransferReason::Taken, None));
}

#[test]
fn a_wakeup_keeps_its_reason_beside_what_became_of_it() {
    let mut world = World::new();
    world.wake("ada");
    world.wake("ada");
    world.wake("bea");
    let shown = world.wakeups.values().map(|wakeup| (wakeup.reason.as_str(), wakeup.disposition));
    let [own, same, other] = shown.collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(own, ("issue_commented", None));
    assert_eq!(same, ("issue_commented", Some(Disposition::SameName)));
    assert_eq!(other, ("issue_commented", Some(Disposition::Deferred)));
    assert_eq!(Disposition::SameName.as_str(), "issue_execution_same_name");
    assert_eq!(Disposition::Deferred.as_str(), "issue_execution_deferred");
    assert_eq!(Disposition::Promoted.as_str(), "issue_execution_promoted");
}

#[test]
fn a_run_that_has_not_started_is_told_more() {
    let mut world = World::new();
    world.wake("ada");
    assert_eq!(world.wake(" ADA "), WakeOutcome::Coalesced { wakeup: WakeupId(2), run: FIRST });
    assert_eq!(world.owner().unwrap().context.comment_ids(), [1, 2]);
    let merged = &world.wakeups[&WakeupId(2)];
    assert_eq!((merged.merged_into, merged.run), (Some(WakeupId(1)), Some(FIRST)));
    assert_eq!((world.runs.len(), world.item.fence), (1, 1));
}

#[test]
fn a_retry_that_waits_for_its_time_is_told_more_and_waits_on() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    world.fail();
    let due = world.owner().unwrap().not_before;
    assert!(matches!(world.wake("ada"), WakeOutcome::Coalesced { run: RunId(2), .. }));
    let run = world.owner().unwrap();
    assert_eq!((run.status, run.not_before), (RunStatus::ScheduledRetry, due));
    assert_eq!(run.context.comment_ids(), [1, 2]);
}

#[test]
fn a_running_run_is_told_nothing_and_has_one_follow_up() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    let first = WakeOutcome::Deferred { wakeup: WakeupId(2), behind: FIRST, merged_into: None };
    assert_eq!(world.wake("ada"), first);
    let more = WakeOutcome::Deferred { wakeup: WakeupId(3), behind: FIRST, merged_into: Some(WakeupId(2)) };
    assert_eq!(world.wake("ada"), more);
    assert_eq!(world.owner().unwrap().context.comment_ids(), [1]);
    assert_eq!(world.wakeups[&WakeupId(2)].context.comment_ids(), [2, 3]);
    world.finish(RunEnd::Succeeded);
    assert_eq!(world.slot(), Some(("ada", RunStatus::Queued)));
    assert_eq!(world.owner().unwrap().context.comment_ids(), [2, 3]);
}

#[test]
fn another_agent_waits_behind_every_kind_of_owner() {
    let queued = |_: &mut World| {};
    let running = |world: &mut World| {
        world.started();
    };
    let scheduled = |world: &mut World| {
        world.started();
        world.fail();
    };
    let cases: [(Event<'_>, _); 3] = [
        (&queued, RunStatus::Queued),
        (&running, RunStatus::Running),
        (&scheduled, RunStatus::ScheduledRetry),
    ];
    for (prepare, status) in cases {
        let mut world = World::new();
        world.wake("ada");
        prepare(&mut world);
        let behind = world.item.owner.unwrap();
        let deferred = WakeOutcome::Deferred { wakeup: WakeupId(2), behind, merged_into: None };
        assert_eq!(world.wake("cto"), deferred);
        assert_eq!((world.slot(), world.waiting()), (Some(("ada", status)), vec!["cto"]));
    }
}

#[test]
fn a_wakeup_with_a_known_key_does_nothing_whatever_became_of_the_first() {
    let mut world = World::new();
    let mut keyed = world.comment("ada");
    keyed.key = Some("comment-7@2026-05-01".to_owned());
    world.wake_by(&keyed);
    for expected in [WakeupStatus::Queued, WakeupStatus::Completed] {
        let duplicate = WakeOutcome::Duplicate { wakeup: WakeupId(1), status: expected };
        assert_eq!(world.wake_by(&keyed), duplicate);
        assert_eq!(world.last, []);
        if expected == WakeupStatus::Queued {
            world.started();
            world.finish(RunEnd::Succeeded);
        }
    }
    keyed.agent = AgentName::from("bea");
    assert!(matches!(world.wake_by(&keyed), WakeOutcome::Queued { .. }));
}

#[test]
fn the_doings_of_a_run_do_not_wake_its_agent_while_it_runs_and_afterwards() {
    let mut world = World::new();
    world.wake("ada");
    let run = world.started().run;
    assert!(matches!(world.run_wakes(run, "Ada"), WakeOutcome::OwnDoing { run: FIRST, .. }));
    world.finish(RunEnd::Succeeded);
    assert!(matches!(world.run_wakes(run, "ada"), WakeOutcome::OwnDoing { run: FIRST, .. }));
    world.set_open(false);
    assert!(matches!(world.run_wakes(run, "ada"), WakeOutcome::OwnDoing { run: FIRST, .. }));
    let own: Vec<_> = world.wakeups.values().skip(1).collect();
    let is_noted =
        |status, disposition| (status, disposition) == (WakeupStatus::Coalesced, Some(Disposition::SameName));
    assert!(own.iter().all(|wakeup| is_noted(wakeup.status, wakeup.disposition)), "{own:?}");
    assert_eq!((world.slot(), world.runs.len()), (None, 1));
}

#[test]
fn the_doings_of_a_run_wake_another_agent() {
    let mut world = World::new();
    world.wake("ada");
    let run = world.started().run;
    assert!(matches!(world.run_wakes(run, "cto"), WakeOutcome::Deferred { .. }));
}

#[test]
fn the_doings_of_a_run_wake_its_agent_on_another_item() {
    let mut world = World::new();
    world.wake("ada");
    let run = world.started().run;
    world.finish(RunEnd::Succeeded);
    world.runs.get_mut(&run).unwrap().item = ItemId(99);
    assert!(matches!(world.run_wakes(run, "ada"), WakeOutcome::Queued { .. }));
}

#[test]
fn a_run_that_nobody_knows_is_no_excuse_not_to_wake() {
    let mut world = World::new();
    assert!(matches!(world.run_wakes(RunId(77), "ada"), WakeOutcome::Queued { .. }));
}

#[test]
fn a_closed_issue_wakes_nobody() {
    let mut world = World::new();
    world.set_open(false);
    let skipped = WakeOutcome::Skipped { wakeup: WakeupId(1), skip: Skip::IssueClosed };
    assert_eq!(world.person_wakes("ada"), skipped);
    assert_eq!(world.slot(), None);
}

#[test]
fn an_unknown_agent_is_not_woken_and_ends_no_backoff() {
    let mut world = World::new();
    world.policy.agents = Some([AgentName::from("ada").key()].into());
    world.wake(" Ada ");
    world.started();
    world.fail();
    let skipped = WakeOutcome::Skipped { wakeup: WakeupId(2), skip: Skip::UnknownAgent };
    assert_eq!(world.person_wakes("zoe"), skipped);
    assert_eq!(world.slot(), Some((" Ada ", RunStatus::ScheduledRetry)));
}

#[test]
fn a_persons_word_brings_a_retry_forward_whoever_it_is_for() {
    for agent in ["ada", "cto"] {
        let mut world = World::new();
        world.wake("ada");
        world.started();
        world.fail();
        world.pass(1);
        world.person_wakes(agent);
        let run = world.owner().unwrap();
        assert_eq!((run.agent.0.as_str(), run.status, run.not_before), ("ada", RunStatus::Queued, world.now));
        assert_eq!((run.attempt, world.item.fence), (1, 2), "it is the same retry");
        world.started();
    }
}

#[test]
fn a_persons_word_brings_a_retry_forward_that_waits_behind_others() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    world.wake("bea");
    world.fail();
    assert_eq!((world.slot(), world.waiting()), (Some(("bea", RunStatus::Queued)), vec!["ada"]));
    world.wake("ada");
    assert!(world.deferred().next().unwrap().not_before > world.now, "a program ends no backoff");
    world.person_wakes("ada");
    let waiting = world.deferred().next().unwrap();
    assert_eq!((waiting.not_before, waiting.attempt), (world.now, 1));
    assert_eq!(waiting.context.comment_ids(), [1, 3, 4]);
}

#[test]
fn a_context_that_would_become_too_large_leaves_no_change() {
    let large = |name: &str| {
        let text = format!(r#"{{"{name}":"{}"}}"#, "x".repeat(CONTEXT_BYTES_MAX - 100));
        ask("ada", Context::parse(&text).unwrap())
    };
    for is_running in [false, true] {
        let mut world = World::new();
        world.wake("ada");
        if is_running {
            world.started();
        }
        world.wake_by(&large("a"));
        let mut word = large("b");
        word.asked_by.is_person = true;
        let outcome = world.wake_by(&word);
        assert!(matches!(outcome, WakeOutcome::Refused(ContextError::TooLarge { .. })), "{outcome:?}");
        assert_eq!((world.last.as_slice(), world.wakeups.len()), ([].as_slice(), 2));
    }
}

#[test]
fn what_is_refused_does_not_even_heal() {
    let mut world = World::new();
    let fill = |name: &str| format!(r#"{{"{name}":"{}"}}"#, "x".repeat(CONTEXT_BYTES_MAX - 100));
    world.wake_by(&ask("ada", Context::parse(&fill("a")).unwrap()));
    world.started();
    world.lose_workers();
    let outcome = world.wake_by(&ask("ada", Context::parse(&fill("b")).unwrap()));
    assert!(matches!(outcome, WakeOutcome::Refused(_)), "{outcome:?}");
    assert_eq!(world.last, []);
}

#[test]
fn a_wakeup_heals_first_and_meets_what_is_then_there() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    world.lose_workers();
    assert!(matches!(world.wake("ada"), WakeOutcome::Coalesced { run: RunId(2), .. }));
    assert_eq!(world.slot(), Some(("ada", RunStatus::Queued)));
    assert_eq!(world.owner().unwrap().context.comment_ids(), [1, 2]);
}

#[test]
fn a_wakeup_that_heals_merges_into_what_its_agent_has_waiting() {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    world.wake("bea");
    world.lose_workers();
    let merged_into = Some(WakeupId(2));
    let deferred = WakeOutcome::Deferred { wakeup: WakeupId(3), behind: RunId(2), merged_into };
    assert_eq!(world.wake("bea"), deferred);
    assert_eq!(world.waiting(), ["bea"]);
}

#[test]
fn a_wakeup_without_an_issue_takes_no_issues_slot() {
    let mut world = World::of_task();
    assert!(matches!(world.wake("ada"), WakeOutcome::Queued { .. }));
    assert!(matches!(world.wake("ada"), WakeOutcome::Coalesced { .. }));
    world.started();
    assert_eq!(world.counters.keys().collect::<Vec<_>>(), ["agent:ada", "all"]);
    assert!(matches!(world.wake("ada"), WakeOutcome::Deferred { .. }));
}
