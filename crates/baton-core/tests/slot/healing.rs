//! Healing: a slot whose owner is over or lost becomes free, by the same routine as any other.

use baton_core::slot::heal::Healed;
use baton_core::slot::ids::{RunId, WakeupId, WorkerId};
use baton_core::slot::item::Gates;
use baton_core::slot::situation::Change;
use baton_core::slot::wake::WakeOutcome;
use baton_core::slot::{EndCause, RunEnd, RunStatus, Skip, Stop, WakeupStatus};

use crate::slot::world::{Event, TTL, World};

const FIRST: RunId = RunId(1);

fn running() -> World {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    world
}

/// A world whose slot names a run that is over, as no rule leaves it but a bug or a hand in the database may.
fn over_in_the_slot() -> World {
    let mut world = running();
    world.finish(RunEnd::Succeeded);
    world.item.owner = Some(FIRST);
    world
}

#[test]
fn a_slot_in_order_is_left_alone() {
    let free = World::new();
    let mut queued = World::new();
    queued.wake("ada");
    let mut waiting = running();
    waiting.wake("bea");
    let mut scheduled = running();
    scheduled.fail();
    for mut world in [free, queued, running(), waiting, scheduled] {
        assert_eq!((world.heal(), world.last.as_slice()), (Healed::Nothing, [].as_slice()));
    }
}

#[test]
fn an_owner_that_waits_for_a_worker_is_never_reaped() {
    let mut world = World::new();
    world.wake("ada");
    world.pass(1_000_000);
    assert_eq!(world.heal(), Healed::Nothing);
}

#[test]
fn an_owner_that_is_over_frees_the_slot() {
    let mut world = over_in_the_slot();
    assert_eq!((world.heal(), world.slot()), (Healed::Freed(FIRST), None));
    let freed = world.transfers.last().unwrap();
    assert_eq!((freed.agent.0.as_str(), freed.after), ("ada", Some(RunStatus::Succeeded)));
}

#[test]
fn an_owner_that_is_over_makes_room_for_a_wakeup() {
    let mut world = over_in_the_slot();
    assert!(matches!(world.wake("bea"), WakeOutcome::Queued { run: RunId(2), .. }));
    assert_eq!(world.slot(), Some(("bea", RunStatus::Queued)));
}

#[test]
fn an_owner_that_is_not_there_frees_the_slot() {
    let mut world = World::new();
    world.item.owner = Some(RunId(77));
    assert_eq!((world.heal(), world.item.owner), (Healed::Freed(RunId(77)), None));
}

#[test]
fn an_owner_that_is_not_there_leaves_nobody_waiting() {
    let mut world = running();
    world.wake("bea");
    world.finish(RunEnd::Succeeded);
    strand(&mut world);
    world.item.owner = Some(RunId(77));
    assert_eq!(world.heal(), Healed::Freed(RunId(77)));
    assert_eq!(world.slot(), Some(("bea", RunStatus::Queued)));
}

/// Undoes a promotion, as if whoever freed the slot had not drained.
fn strand(world: &mut World) {
    let run = world.runs.remove(&world.item.owner.unwrap()).unwrap();
    let wakeup = world.wakeups.get_mut(&run.wakeup).unwrap();
    (wakeup.status, wakeup.run) = (WakeupStatus::Deferred, None);
    world.item.owner = None;
    world.transfers.pop();
}

#[test]
fn nobody_is_left_waiting_for_a_free_slot() {
    let mut world = running();
    world.wake("bea");
    world.finish(RunEnd::Succeeded);
    strand(&mut world);
    assert_eq!((world.heal(), world.slot()), (Healed::Drained, Some(("bea", RunStatus::Queued))));
}

#[test]
fn those_left_waiting_for_a_closed_issue_are_skipped() {
    let mut world = running();
    world.wake("bea");
    world.finish(RunEnd::Succeeded);
    strand(&mut world);
    world.item.is_open = false;
    assert_eq!((world.heal(), world.slot()), (Healed::Drained, None));
    assert_eq!(world.wakeups[&WakeupId(2)].skip, Some(Skip::IssueClosed));
}

#[test]
fn a_worker_is_lost_only_after_its_lease_and_the_grace() {
    let lost_after = (TTL + World::new().policy.stop_grace).as_secs();
    for (seconds, expected) in [
        (TTL.as_secs(), Healed::Nothing),
        (lost_after - 1, Healed::Nothing),
        (lost_after, Healed::Freed(FIRST)),
    ] {
        let mut world = running();
        world.pass(seconds);
        assert_eq!(world.heal(), expected, "after {seconds} s");
    }
}

#[test]
fn a_worker_that_beats_keeps_its_run() {
    let mut world = running();
    for _ in 0..20 {
        world.pass(40);
        world.beat(WorkerId(1));
        assert_eq!(world.heal(), Healed::Nothing);
    }
}

#[test]
fn a_lost_worker_is_buried_and_its_run_tried_again_at_once() {
    let mut world = running();
    let lease = world.leases[&WorkerId(1)];
    world.lose_workers();
    assert_eq!(world.heal(), Healed::Freed(FIRST));
    assert_eq!(world.last[0], Change::BuryWorker(lease), "before anything else is decided");
    let (reaped, retry) = (&world.runs[&FIRST], world.owner().unwrap());
    assert_eq!((reaped.status, reaped.cause), (RunStatus::Interrupted, Some(EndCause::WorkerLost)));
    assert!(reaped.error.as_ref().unwrap().contains("lease ran out"));
    assert_eq!((retry.status, retry.attempt, retry.interruptions), (RunStatus::Queued, 0, 1));
    assert_eq!((retry.retry_of, retry.wakeup), (Some(FIRST), WakeupId(1)));
}

#[test]
fn a_worker_that_was_buried_over_another_run_is_not_buried_again() {
    let mut world = running();
    world.leases.get_mut(&WorkerId(1)).unwrap().is_buried = true;
    assert_eq!(world.heal(), Healed::Freed(FIRST));
    assert!(!world.last.iter().any(|change| matches!(change, Change::BuryWorker(_))));
}

#[test]
fn a_run_whose_worker_has_no_lease_is_reaped() {
    let mut world = running();
    world.leases.clear();
    assert_eq!((world.heal(), world.slot()), (Healed::Freed(FIRST), Some(("ada", RunStatus::Queued))));
}

#[test]
fn a_run_that_had_to_stop_when_its_worker_was_lost_is_over() {
    let asks: [(Event<'_>, EndCause); 4] = [
        (
            &|world| {
                world.cancel(FIRST, true);
            },
            EndCause::Operator,
        ),
        (
            &|world| {
                world.release();
            },
            EndCause::Released,
        ),
        (
            &|world| {
                world.reassign(Some("bea"));
            },
            EndCause::Reassigned,
        ),
        (
            &|world| {
                world.set_open(false);
            },
            EndCause::IssueClosed,
        ),
    ];
    for (ask, cause) in asks {
        let mut world = running();
        ask(&mut world);
        world.lose_workers();
        assert_eq!((world.heal(), world.slot()), (Healed::Freed(FIRST), None));
        let run = &world.runs[&FIRST];
        assert_eq!((run.status, run.cause), (RunStatus::Cancelled, Some(cause)));
        assert_eq!(world.became("ada"), [WakeupStatus::Cancelled]);
    }
}

#[test]
fn a_gated_run_whose_worker_was_lost_goes_on_later_and_is_charged_nothing() {
    let mut world = running();
    world.set_gates(&Gates { paused: Some("lunch".to_owned()), ..Gates::default() });
    assert_eq!(world.owner().unwrap().stop, Some(Stop::Gated));
    world.lose_workers();
    world.heal();
    let retry = world.owner().unwrap();
    assert_eq!((retry.status, retry.attempt, retry.interruptions), (RunStatus::Queued, 0, 0));
    assert_eq!(world.runs[&FIRST].cause, Some(EndCause::Gated));
}

#[test]
fn a_run_reaped_on_a_closed_issue_is_not_tried_again() {
    let mut world = running();
    world.item.is_open = false;
    world.lose_workers();
    world.heal();
    assert_eq!((world.slot(), world.became("ada")), (None, vec![WakeupStatus::Failed]));
}
