//! Finishing: only the holder of the fence ends a run, and what was asked of the run while it ran counts.

use std::time::Duration;

use baton_core::slot::finish::{Baton, Fenced};
use baton_core::slot::ids::{RunId, WorkerId};
use baton_core::slot::item::Gates;
use baton_core::slot::{EndCause, RunEnd, RunStatus, Stop, WakeupStatus};

use crate::slot::world::World;

fn running() -> (World, Baton) {
    let mut world = World::new();
    world.wake("ada");
    let baton = world.started();
    (world, baton)
}

fn stop(world: &mut World, stop: Stop) {
    match stop {
        Stop::Cancelled => world.cancel(world.item.owner.unwrap(), true),
        Stop::IssueClosed => world.set_open(false),
        Stop::Reassigned => world.reassign(None),
        Stop::Released => world.release(),
        Stop::Gated => world.set_gates(&Gates { held: Some("by bob".to_owned()), ..Gates::default() }),
    };
    assert_eq!(world.owner().unwrap().stop, Some(stop));
}

fn ends(world: &World) -> Vec<RunEnd> {
    let text = || "it broke".to_owned();
    let reset = Some(world.now.plus(Duration::from_secs(7200)));
    let limits = [RunEnd::ProviderLimit(None), RunEnd::ProviderLimit(reset)];
    let others = [RunEnd::Failed(text()), RunEnd::TimedOut(text()), RunEnd::Stopped, RunEnd::GivenBack];
    limits.into_iter().chain(others).chain([RunEnd::Succeeded]).collect()
}

#[test]
fn every_end_has_its_status_cause_and_next_try() {
    use EndCause::{AgentFailed, ProviderLimit, WallTime, WorkerStopped};
    use RunStatus::{Failed, Interrupted, Queued, ScheduledRetry, Succeeded, TimedOut};
    let expected = [
        (Failed, Some(ProviderLimit), Some((ScheduledRetry, 0))),
        (Failed, Some(ProviderLimit), Some((ScheduledRetry, 0))),
        (Failed, Some(AgentFailed), Some((ScheduledRetry, 1))),
        (TimedOut, Some(WallTime), Some((ScheduledRetry, 1))),
        (Interrupted, Some(WorkerStopped), Some((Queued, 0))),
        (Interrupted, Some(WorkerStopped), Some((Queued, 0))),
        (Succeeded, None, None),
    ];
    for (end, (status, cause, next)) in ends(&World::new()).into_iter().zip(expected) {
        let (mut world, _) = running();
        assert_eq!(world.finish(end.clone()), Fenced::Done(status));
        let run = &world.runs[&RunId(1)];
        assert_eq!((run.status, run.cause, run.finished_at), (status, cause, Some(world.now)), "{end:?}");
        assert_eq!(world.owner().map(|run| (run.status, run.attempt)), next, "{end:?}");
        let has_words = matches!(end, RunEnd::Failed(_) | RunEnd::TimedOut(_));
        assert_eq!(run.error.as_deref(), has_words.then_some("it broke"));
        let became = if next.is_some() { WakeupStatus::Queued } else { WakeupStatus::Completed };
        assert_eq!(world.became("ada"), [became]);
    }
}

#[test]
fn after_a_final_word_no_end_is_tried_again() {
    for (word, cause) in [
        (Stop::Cancelled, EndCause::Operator),
        (Stop::IssueClosed, EndCause::IssueClosed),
        (Stop::Reassigned, EndCause::Reassigned),
        (Stop::Released, EndCause::Released),
    ] {
        for end in ends(&World::new()) {
            let (mut world, _) = running();
            stop(&mut world, word);
            world.finish(end.clone());
            let run = &world.runs[&RunId(1)];
            let is_success = end == RunEnd::Succeeded;
            let expected =
                if is_success { (RunStatus::Succeeded, None) } else { (RunStatus::Cancelled, Some(cause)) };
            assert_eq!((run.status, run.cause), expected, "{word:?} {end:?}");
            assert_eq!(world.slot(), None, "{word:?} {end:?}");
            let became = if is_success { WakeupStatus::Completed } else { WakeupStatus::Cancelled };
            assert_eq!(world.became("ada"), [became]);
        }
    }
}

#[test]
fn a_gated_run_goes_on_uncharged_however_it_ended() {
    for end in ends(&World::new()) {
        let (mut world, _) = running();
        stop(&mut world, Stop::Gated);
        world.finish(end.clone());
        let next = world.owner().map(|run| (run.status, run.attempt, run.interruptions));
        let expected = (end != RunEnd::Succeeded).then_some((RunStatus::Queued, 0, 0));
        assert_eq!(next, expected, "{end:?}");
    }
}

#[test]
fn only_the_very_holder_ends_a_run() {
    let (world, baton) = running();
    for stale in [
        Baton { run: RunId(9), ..baton },
        Baton { worker: WorkerId(9), ..baton },
        Baton { fence: baton.fence - 1, ..baton },
        Baton { fence: baton.fence + 1, ..baton },
    ] {
        let mut world = world.clone();
        assert_eq!(world.finish_as(stale, RunEnd::Succeeded, Vec::new()), Fenced::LostSlot, "{stale:?}");
        assert_eq!(world.last, []);
    }
}

#[test]
fn a_fence_that_the_slot_has_left_behind_is_no_good() {
    let (mut world, baton) = running();
    world.item.fence += 1;
    world.collects = true;
    assert_eq!(world.finish_as(baton, RunEnd::Succeeded, Vec::new()), Fenced::LostSlot);
}

#[test]
fn a_run_ends_once() {
    let (mut world, baton) = running();
    assert_eq!(world.finish_as(baton, RunEnd::Succeeded, Vec::new()), Fenced::Done(RunStatus::Succeeded));
    assert_eq!(world.finish_as(baton, RunEnd::Succeeded, Vec::new()), Fenced::LostSlot);
}

#[test]
fn a_worker_that_was_lost_cannot_end_the_retry() {
    let (mut world, baton) = running();
    world.lose_workers();
    world.heal();
    assert_eq!(world.finish_as(baton, RunEnd::Succeeded, Vec::new()), Fenced::LostSlot);
    let worker = world.enlist();
    world.start_on(worker);
    assert_eq!(world.finish_as(baton, RunEnd::Succeeded, Vec::new()), Fenced::LostSlot);
    assert_eq!(world.slot(), Some(("ada", RunStatus::Running)));
}

#[test]
fn a_run_that_has_not_started_cannot_be_finished() {
    let mut world = World::new();
    world.wake("ada");
    let baton = Baton { run: RunId(1), worker: WorkerId(1), fence: 1 };
    assert_eq!(world.finish_as(baton, RunEnd::Succeeded, Vec::new()), Fenced::LostSlot);
}
