//! Steering: cancel, release, reassign, close, open and gate, on every kind of owner.

use baton_core::slot::ids::{RunId, WakeupId};
use baton_core::slot::item::Gates;
use baton_core::slot::situation::Change;
use baton_core::slot::start::StartOutcome;
use baton_core::slot::steer::Steered;
use baton_core::slot::wake::WakeOutcome;
use baton_core::slot::{EndCause, RunEnd, RunStatus, Skip, Stop, WakeupStatus};

use crate::slot::world::{Event, World};

const FIRST: RunId = RunId(1);
const SECOND: RunId = RunId(2);

fn queued(others: &[&str]) -> World {
    let mut world = World::new();
    world.wake("ada");
    others.iter().for_each(|agent| drop(world.wake(agent)));
    world
}

fn running(others: &[&str]) -> World {
    let mut world = World::new();
    world.wake("ada");
    world.started();
    others.iter().for_each(|agent| drop(world.wake(agent)));
    world
}

fn paused() -> Gates {
    Gates { paused: Some("lunch".to_owned()), ..Gates::default() }
}

fn asks(world: &World) -> Vec<Stop> {
    let asked = |change: &Change| match change {
        Change::AskToStop { stop, .. } => Some(*stop),
        _ => None,
    };
    world.last.iter().filter_map(asked).collect()
}

#[test]
fn a_cancelled_run_that_has_not_started_is_over_with_all_that_waits() {
    let mut world = queued(&["bea", "cto"]);
    assert_eq!(world.cancel(FIRST, false), Steered::Ended(FIRST));
    assert_eq!((world.slot(), world.waiting()), (None, vec![]));
    assert!(world.wakeups.values().all(|wakeup| wakeup.status == WakeupStatus::Cancelled));
    let run = &world.runs[&FIRST];
    assert_eq!((run.status, run.cause), (RunStatus::Cancelled, Some(EndCause::Operator)));
}

#[test]
fn a_cancelled_run_gives_the_slot_on_when_the_queue_is_kept() {
    let mut world = queued(&["bea", "cto"]);
    assert_eq!(world.cancel(FIRST, true), Steered::Ended(FIRST));
    assert_eq!((world.slot(), world.waiting()), (Some(("bea", RunStatus::Queued)), vec!["cto"]));
}

#[test]
fn a_cancelled_retry_is_over() {
    let mut world = running(&[]);
    world.fail();
    assert_eq!(world.cancel(SECOND, false), Steered::Ended(SECOND));
    assert_eq!((world.slot(), world.became("ada")), (None, vec![WakeupStatus::Cancelled]));
}

#[test]
fn a_cancelled_run_that_runs_keeps_the_slot_until_its_agent_is_dead() {
    for keep_queue in [false, true] {
        let mut world = running(&["bea"]);
        assert_eq!(world.cancel(FIRST, keep_queue), Steered::AskedToStop(FIRST));
        assert_eq!(world.slot(), Some(("ada", RunStatus::Running)));
        assert_eq!(world.waiting().len(), usize::from(keep_queue));
        assert!(matches!(world.wake("cto"), WakeOutcome::Deferred { .. }));
        world.finish(RunEnd::Stopped);
        assert_eq!(world.runs[&FIRST].status, RunStatus::Cancelled);
        let next = if keep_queue { "bea" } else { "cto" };
        assert_eq!(
            world.slot(),
            Some((next, RunStatus::Queued)),
            "who came after the word is not meant by it"
        );
    }
}

#[test]
fn a_run_that_is_over_or_unknown_cannot_be_cancelled() {
    let mut world = running(&["bea"]);
    world.finish(RunEnd::Succeeded);
    assert_eq!(world.cancel(FIRST, false), Steered::WasOver(RunStatus::Succeeded));
    assert_eq!(world.cancel(RunId(77), false), Steered::Nothing);
    assert_eq!((world.slot(), world.last.as_slice()), (Some(("bea", RunStatus::Queued)), [].as_slice()));
}

#[test]
fn a_released_slot_goes_to_who_waits() {
    let mut world = queued(&["bea", "cto"]);
    assert_eq!(world.release(), Steered::Ended(FIRST));
    assert_eq!((world.slot(), world.waiting()), (Some(("bea", RunStatus::Queued)), vec!["cto"]));
    assert_eq!(world.runs[&FIRST].cause, Some(EndCause::Released));
    let mut world = running(&["bea"]);
    assert_eq!(world.release(), Steered::AskedToStop(FIRST));
    assert_eq!((world.slot(), world.waiting()), (Some(("ada", RunStatus::Running)), vec!["bea"]));
    assert_eq!(World::new().release(), Steered::Nothing);
}

#[test]
fn a_release_ends_a_lost_run_for_good_and_nobody_who_waited() {
    let mut world = running(&["bea", "cto"]);
    world.lose_workers();
    assert_eq!(world.release(), Steered::Ended(FIRST));
    assert_eq!((world.slot(), world.waiting()), (Some(("bea", RunStatus::Queued)), vec!["cto"]));
    assert_eq!(world.runs[&FIRST].cause, Some(EndCause::Released));
    assert_eq!(world.became("ada"), [WakeupStatus::Cancelled]);
}

#[test]
fn a_release_of_a_slot_whose_owner_was_over_ends_nobody_who_waited() {
    let mut world = running(&["bea"]);
    world.finish(RunEnd::Succeeded);
    // The slot still names the first run, as after a crash, and the promotion has not happened.
    let promoted = world.runs.remove(&SECOND).unwrap();
    world.wakeups.get_mut(&promoted.wakeup).unwrap().status = WakeupStatus::Deferred;
    world.item.owner = Some(FIRST);
    assert_eq!(world.release(), Steered::WasOver(RunStatus::Succeeded));
    assert_eq!(world.slot(), Some(("bea", RunStatus::Queued)));
}

#[test]
fn a_reassignment_ends_runs_of_other_agents_and_what_waits_goes_on() {
    for to in [None, Some("cto")] {
        let mut world = queued(&["bea", "cto"]);
        assert_eq!(world.reassign(to), Steered::Ended(FIRST));
        assert_eq!((world.slot(), world.waiting()), (Some(("bea", RunStatus::Queued)), vec!["cto"]));
        assert_eq!(world.runs[&FIRST].cause, Some(EndCause::Reassigned));
        let mut world = running(&["bea"]);
        assert_eq!((world.reassign(to), asks(&world)), (Steered::AskedToStop(FIRST), vec![Stop::Reassigned]));
    }
}

#[test]
fn a_reassignment_to_the_agent_that_has_it_changes_nothing() {
    for mut world in [queued(&["bea"]), running(&["bea"])] {
        assert_eq!((world.reassign(Some(" ADA ")), world.last.len()), (Steered::Nothing, 0));
    }
}

#[test]
fn a_reassignment_heals_and_ends_nobody_who_waited() {
    let mut world = running(&["bea"]);
    world.lose_workers();
    assert_eq!(world.reassign(Some("cto")), Steered::Ended(FIRST));
    assert_eq!(world.slot(), Some(("bea", RunStatus::Queued)));
    let mut world = running(&["bea"]);
    world.lose_workers();
    assert_eq!(world.reassign(Some("ada")), Steered::Nothing);
    assert_eq!(world.slot(), Some(("ada", RunStatus::Queued)), "its own run is tried again");
}

#[test]
fn closing_ends_the_run_its_retry_and_all_that_waits() {
    let mut scheduled = running(&[]);
    scheduled.fail();
    scheduled.wake("bea");
    let mut lost = running(&["bea"]);
    lost.lose_workers();
    for mut world in [queued(&["bea"]), scheduled, lost] {
        let run = world.item.owner.unwrap();
        assert_eq!(world.set_open(false), Steered::Ended(run));
        assert_eq!((world.slot(), world.item.is_open), (None, false));
        assert_eq!(
            (world.runs[&run].status, world.runs[&run].cause),
            (RunStatus::Cancelled, Some(EndCause::IssueClosed))
        );
        let bea = &world.wakeups[&WakeupId(2)];
        assert_eq!((bea.status, bea.skip), (WakeupStatus::Skipped, Some(Skip::IssueClosed)));
    }
}

#[test]
fn closing_asks_a_running_run_to_stop_and_opening_again_lets_others_wait_for_its_end() {
    let mut world = running(&["bea"]);
    assert_eq!(world.set_open(false), Steered::AskedToStop(FIRST));
    assert_eq!((asks(&world), world.waiting()), (vec![Stop::IssueClosed], vec![]));
    assert_eq!((world.set_open(true), world.item.is_open), (Steered::Nothing, true));
    world.wake("ada");
    world.finish(RunEnd::Stopped);
    assert_eq!(world.runs[&FIRST].status, RunStatus::Cancelled);
    assert_eq!(world.slot(), Some(("ada", RunStatus::Queued)));
    assert_eq!(world.owner().unwrap().context.comment_ids(), [3]);
}

#[test]
fn what_is_said_again_changes_nothing() {
    let mut world = queued(&[]);
    world.set_open(true);
    assert_eq!(world.last, []);
    world.set_gates(&Gates::default());
    assert_eq!(world.last, []);
    world.set_open(false);
    world.set_open(false);
    assert_eq!(world.last, []);
}

#[test]
fn a_shut_gate_asks_only_a_running_run_to_stop() {
    let mut world = queued(&["bea"]);
    assert_eq!(
        (world.set_gates(&paused()), world.slot()),
        (Steered::Nothing, Some(("ada", RunStatus::Queued)))
    );
    let mut world = running(&["bea"]);
    assert_eq!((world.set_gates(&paused()), asks(&world)), (Steered::AskedToStop(FIRST), vec![Stop::Gated]));
    world.finish(RunEnd::Stopped);
    assert_eq!((world.slot(), world.waiting()), (Some(("ada", RunStatus::Queued)), vec!["bea"]));
    world.set_gates(&Gates::default());
    assert!(matches!(world.start(), StartOutcome::Started(_)));
    assert_eq!(world.owner().unwrap().attempt, 0);
}

#[test]
fn a_final_word_takes_the_place_of_a_gate_and_not_the_other_way_round() {
    let finals: [(Event<'_, Steered>, Stop); 4] = [
        (&|world| world.cancel(FIRST, true), Stop::Cancelled),
        (&World::release, Stop::Released),
        (&|world| world.reassign(None), Stop::Reassigned),
        (&|world| world.set_open(false), Stop::IssueClosed),
    ];
    for (say, stop) in finals {
        let mut world = running(&[]);
        world.set_gates(&paused());
        assert_eq!((say(&mut world), asks(&world)), (Steered::AskedToStop(FIRST), vec![stop]));
        world.set_gates(&Gates::default());
        assert_eq!((world.set_gates(&paused()), asks(&world)), (Steered::AskedToStop(FIRST), vec![]));
        assert_eq!(
            (world.release(), asks(&world)),
            (Steered::AskedToStop(FIRST), vec![]),
            "the first is kept"
        );
        assert_eq!(world.owner().unwrap().stop, Some(stop));
    }
}

#[test]
fn steering_a_slot_that_nobody_has_does_nothing() {
    let mut world = World::new();
    let steered = [world.release(), world.reassign(None), world.set_gates(&paused()), world.set_open(false)];
    assert_eq!(steered, [Steered::Nothing; 4]);
    assert_eq!((world.runs.len(), world.transfers.len()), (0, 0));
}
