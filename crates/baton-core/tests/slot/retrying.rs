//! Retries: what is charged, how long is waited, and when it is given up.

use std::time::Duration;

use baton_core::slot::{RunEnd, RunStatus, WakeupStatus};
use baton_core::time::StoreTime;

use crate::slot::world::World;

fn running() -> World {
    let mut world = World::new();
    world.policy.dice = 250;
    world.wake("ada");
    world.started();
    world
}

/// Waits until the retry may start, and starts it on a new worker.
fn again(world: &mut World) {
    world.now = world.now.max(world.owner().unwrap().not_before);
    let worker = world.enlist();
    world.start_on(worker);
    assert_eq!(world.owner().unwrap().status, RunStatus::Running);
}

fn wait_of(world: &World) -> u64 {
    world.owner().unwrap().not_before.since(world.now).as_secs()
}

#[test]
fn a_failing_agent_is_tried_three_times_more_and_given_up() {
    let mut world = running();
    for (attempt, seconds) in [(1, 60), (2, 120), (3, 240)] {
        world.fail();
        assert_eq!((world.owner().unwrap().attempt, wait_of(&world)), (attempt, seconds));
        again(&mut world);
    }
    world.fail();
    assert_eq!((world.slot(), world.runs.len()), (None, 4));
    assert_eq!(world.became("ada"), [WakeupStatus::Failed]);
}

#[test]
fn every_wait_is_spread_by_a_quarter() {
    for (dice, seconds) in [(0, 45), (250, 60), (500, 75), (501, 45), (u64::MAX - u64::MAX % 501, 45)] {
        let mut world = running();
        world.policy.dice = dice;
        world.fail();
        assert_eq!(wait_of(&world), seconds, "{dice}");
    }
}

#[test]
fn without_a_limit_a_failing_agent_is_tried_for_ever_with_the_longest_wait() {
    let mut world = running();
    world.policy.retry.max_retries = 0;
    for _ in 0..80 {
        world.fail();
        again(&mut world);
    }
    world.fail();
    assert_eq!((world.owner().unwrap().attempt, wait_of(&world)), (81, 1800));
}

#[test]
fn a_wall_time_is_charged_as_a_failure() {
    let mut world = running();
    world.policy.retry.max_retries = 1;
    world.finish(RunEnd::TimedOut("2 h".to_owned()));
    again(&mut world);
    world.finish(RunEnd::TimedOut("2 h".to_owned()));
    assert_eq!((world.slot(), world.became("ada")), (None, vec![WakeupStatus::Failed]));
}

#[test]
fn a_provider_limit_waits_for_the_reset_and_is_never_charged() {
    let mut world = running();
    for _ in 0..10 {
        let reset = world.now.plus(Duration::from_secs(7200));
        world.finish(RunEnd::ProviderLimit(Some(reset)));
        let run = world.owner().unwrap();
        assert_eq!((run.not_before, run.attempt, run.status), (reset, 0, RunStatus::ScheduledRetry));
        again(&mut world);
    }
}

#[test]
fn a_reset_that_is_unknown_past_or_too_near_waits_for_the_base() {
    let base = |world: &World| world.now.plus(Duration::from_secs(60));
    let near: fn(StoreTime) -> StoreTime = |now| now.plus(Duration::from_secs(1));
    for reset in
        [None, Some(near), Some(|now: StoreTime| StoreTime { ms: now.ms - 1 }), Some(|_| StoreTime { ms: 0 })]
    {
        let mut world = running();
        let reset = reset.map(|reset| reset(world.now));
        world.finish(RunEnd::ProviderLimit(reset));
        assert_eq!(world.owner().unwrap().not_before, base(&world), "{reset:?}");
    }
}

#[test]
fn what_was_out_of_reach_is_tried_again_later_uncharged_and_its_reason_is_kept() {
    let mut world = running();
    for _ in 0..10 {
        let due = world.now.plus(Duration::from_secs(60));
        world.finish(RunEnd::NotReady("no network".to_owned()));
        let run = world.owner().unwrap();
        assert_eq!((run.not_before, run.attempt, run.status), (due, 0, RunStatus::ScheduledRetry));
        again(&mut world);
    }
}

#[test]
fn a_provider_limit_keeps_what_was_charged_before() {
    let mut world = running();
    world.fail();
    again(&mut world);
    world.finish(RunEnd::ProviderLimit(None));
    assert_eq!(world.owner().unwrap().attempt, 1);
}

#[test]
fn the_first_interruption_is_free_and_at_once_and_the_next_ones_are_charged() {
    let mut world = running();
    let expected = [(0, 1, 0), (1, 2, 60), (2, 3, 120), (3, 4, 240)];
    for (attempt, interruptions, seconds) in expected {
        world.lose_workers();
        world.heal();
        let run = world.owner().unwrap();
        assert_eq!((run.attempt, run.interruptions, wait_of(&world)), (attempt, interruptions, seconds));
        again(&mut world);
    }
    world.lose_workers();
    world.heal();
    assert_eq!((world.slot(), world.became("ada")), (None, vec![WakeupStatus::Failed]));
}

#[test]
fn a_run_given_back_goes_on_at_once_as_often_as_it_takes() {
    let mut world = running();
    for _ in 0..10 {
        world.finish(RunEnd::GivenBack);
        let run = world.owner().unwrap();
        assert_eq!((run.attempt, run.interruptions, wait_of(&world)), (0, 0, 0));
        again(&mut world);
    }
}

#[test]
fn what_was_charged_outlives_a_wait_behind_others() {
    let mut world = running();
    world.lose_workers();
    world.heal();
    again(&mut world);
    world.wake("bea");
    world.fail();
    let waiting = world.deferred().next().unwrap();
    assert_eq!((waiting.attempt, waiting.interruptions), (1, 1));
    again(&mut world);
    world.finish(RunEnd::Succeeded);
    let run = world.owner().unwrap();
    assert_eq!((run.agent.0.as_str(), run.attempt, run.interruptions), ("ada", 1, 1));
}

#[test]
fn a_new_wakeup_after_a_giving_up_starts_afresh() {
    let mut world = running();
    world.policy.retry.max_retries = 1;
    world.fail();
    again(&mut world);
    world.fail();
    world.wake("ada");
    let run = world.owner().unwrap();
    assert_eq!((run.attempt, run.status, run.retry_of), (0, RunStatus::Queued, None));
}
