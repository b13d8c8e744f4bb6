//! Freeing: whoever ends a run gives the slot to the next in line, and nobody is lost.

use std::time::Duration;

use baton_core::slot::context::CONTEXT_BYTES_MAX;
use baton_core::slot::ids::{RunId, WakeupId};
use baton_core::slot::situation::TransferReason;
use baton_core::slot::{AgentName, Context, Disposition, RunEnd, RunStatus, Skip, WakeupStatus};

use crate::slot::steps::ask;
use crate::slot::world::World;

/// A world in which the first agent runs and the others wait.
fn behind(agents: &[&str]) -> World {
    let mut world = World::new();
    world.wake(agents[0]);
    world.started();
    agents[1..].iter().for_each(|agent| drop(world.wake(agent)));
    world
}

#[test]
fn a_slot_that_nobody_waits_for_becomes_free() {
    let mut world = behind(&["ada"]);
    world.finish(RunEnd::Succeeded);
    assert_eq!((world.slot(), world.item.fence), (None, 1));
    let freed = world.transfers.last().unwrap();
    assert_eq!((freed.from, freed.to, freed.agent.0.as_str()), (Some(RunId(1)), None, "ada"));
    assert_eq!((freed.reason, freed.after), (TransferReason::Freed, Some(RunStatus::Succeeded)));
}

#[test]
fn those_who_wait_are_promoted_oldest_first() {
    let mut world = behind(&["ada", "bea", "cto", "dan"]);
    for next in ["bea", "cto", "dan"] {
        world.finish(RunEnd::Succeeded);
        assert_eq!(world.slot(), Some((next, RunStatus::Queued)));
        let promoted = &world.wakeups[&world.owner().unwrap().wakeup];
        assert_eq!(
            (promoted.status, promoted.disposition),
            (WakeupStatus::Queued, Some(Disposition::Promoted))
        );
        assert_eq!(world.transfers.last().unwrap().reason, TransferReason::Promoted);
        world.started();
    }
}

#[test]
fn those_who_are_not_valid_are_skipped_with_the_reason_and_the_next_is_tried() {
    let mut world = behind(&["ada", "bea", "cto", "dan"]);
    world.policy.agents = Some(["ada", "dan"].map(|agent| AgentName::from(agent).key()).into());
    world.finish(RunEnd::Succeeded);
    assert_eq!(world.slot(), Some(("dan", RunStatus::Queued)));
    for id in [WakeupId(2), WakeupId(3)] {
        let skipped = &world.wakeups[&id];
        assert_eq!((skipped.status, skipped.skip), (WakeupStatus::Skipped, Some(Skip::UnknownAgent)));
    }
}

#[test]
fn when_nobody_is_valid_the_slot_becomes_free() {
    let mut world = behind(&["ada", "bea"]);
    world.policy.agents = Some([AgentName::from("ada").key()].into());
    world.finish(RunEnd::Succeeded);
    assert_eq!((world.slot(), world.became("bea")), (None, vec![WakeupStatus::Skipped]));
}

#[test]
fn a_retry_that_is_due_goes_first() {
    let mut world = behind(&["ada", "bea"]);
    world.finish(RunEnd::GivenBack);
    assert_eq!((world.slot(), world.waiting()), (Some(("ada", RunStatus::Queued)), vec!["bea"]));
    let (run, transfer) = (world.owner().unwrap(), world.transfers.last().unwrap());
    assert_eq!((run.retry_of, run.wakeup), (Some(RunId(1)), WakeupId(1)));
    assert_eq!((transfer.reason, transfer.after), (TransferReason::Retried, Some(RunStatus::Interrupted)));
}

#[test]
fn a_retry_that_is_due_goes_first_also_when_its_agent_has_a_follow_up_behind_others() {
    let mut world = behind(&["ada", "bea", "ada"]);
    world.finish(RunEnd::GivenBack);
    assert_eq!((world.slot(), world.waiting()), (Some(("ada", RunStatus::Queued)), vec!["bea"]));
    assert_eq!(world.owner().unwrap().context.comment_ids(), [1, 3]);
}

#[test]
fn a_retry_that_is_not_due_lets_the_others_go_first_and_then_has_its_turn() {
    let mut world = behind(&["ada", "bea", "cto"]);
    world.fail();
    assert_eq!((world.slot(), world.waiting()), (Some(("bea", RunStatus::Queued)), vec!["ada", "cto"]));
    let retry = &world.wakeups[&WakeupId(1)];
    assert_eq!((retry.attempt, retry.not_before > world.now), (1, true));
    world.started();
    world.finish(RunEnd::Succeeded);
    assert_eq!(world.slot(), Some(("cto", RunStatus::Queued)));
    world.started();
    world.finish(RunEnd::Succeeded);
    assert_eq!(world.slot(), Some(("ada", RunStatus::ScheduledRetry)), "the slot is kept for it");
    assert_eq!(world.owner().unwrap().attempt, 1);
    world.pass(3600);
    let worker = world.enlist();
    world.start_on(worker);
    world.finish(RunEnd::Succeeded);
    assert_eq!(world.became("ada"), [WakeupStatus::Completed]);
}

#[test]
fn a_retry_whose_time_has_come_while_it_waited_goes_before_younger_wakeups() {
    let mut world = behind(&["ada", "bea", "cto"]);
    world.policy.retry.base = Duration::from_secs(20);
    world.fail();
    world.started();
    world.pass(40);
    world.finish(RunEnd::Succeeded);
    assert_eq!((world.slot(), world.waiting()), (Some(("ada", RunStatus::Queued)), vec!["cto"]));
}

#[test]
fn a_retry_is_merged_into_the_follow_up_of_its_agent() {
    let mut world = behind(&["ada", "ada"]);
    world.fail();
    let run = world.owner().unwrap();
    assert_eq!((run.wakeup, run.retry_of, run.attempt), (WakeupId(2), Some(RunId(1)), 1));
    assert_eq!((run.status, run.context.comment_ids()), (RunStatus::Queued, vec![1, 2]));
    let merged = &world.wakeups[&WakeupId(1)];
    assert_eq!((merged.status, merged.merged_into), (WakeupStatus::Coalesced, Some(WakeupId(2))));
}

#[test]
fn a_retry_merged_into_a_follow_up_that_waits_is_kept_with_it() {
    let mut world = behind(&["ada", "bea", "ada"]);
    world.fail();
    assert_eq!((world.slot(), world.waiting()), (Some(("bea", RunStatus::Queued)), vec!["ada"]));
    let waiting = world.deferred().next().unwrap();
    assert_eq!((waiting.id, waiting.attempt), (WakeupId(3), 1));
    assert_eq!(waiting.context.comment_ids(), [1, 3]);
}

#[test]
fn a_follow_up_waits_for_the_reset_of_a_provider() {
    let mut world = behind(&["ada", "ada"]);
    let reset = world.now.plus(Duration::from_secs(7200));
    world.finish(RunEnd::ProviderLimit(Some(reset)));
    let run = world.owner().unwrap();
    assert_eq!((run.status, run.not_before, run.attempt), (RunStatus::ScheduledRetry, reset, 0));
    assert_eq!(run.context.comment_ids(), [1, 2]);
}

#[test]
fn when_all_must_wait_the_earliest_has_the_slot_reserved() {
    let mut world = behind(&["ada", "bea"]);
    let (late, early) =
        (world.now.plus(Duration::from_secs(9000)), world.now.plus(Duration::from_secs(4000)));
    world.finish(RunEnd::ProviderLimit(Some(late)));
    world.started();
    world.finish(RunEnd::ProviderLimit(Some(early)));
    assert_eq!((world.slot(), world.waiting()), (Some(("bea", RunStatus::ScheduledRetry)), vec!["ada"]));
    assert_eq!(world.owner().unwrap().not_before, early);
    assert_eq!(world.deferred().next().unwrap().not_before, late);
}

#[test]
fn a_retry_that_cannot_be_merged_does_not_wait_beside_the_follow_up() {
    let mut world = World::new();
    let large = |name: &str| {
        let text = format!(r#"{{"{name}":"{}"}}"#, "x".repeat(CONTEXT_BYTES_MAX - 100));
        ask("ada", Context::parse(&text).unwrap())
    };
    world.wake_by(&large("a"));
    world.started();
    world.wake("bea");
    world.wake_by(&large("b"));
    world.fail();
    assert_eq!((world.slot(), world.waiting()), (Some(("ada", RunStatus::Queued)), vec!["bea", "ada"]));
    assert!(world.owner().unwrap().context.get("a").is_some());
}

#[test]
fn a_retry_of_an_agent_that_is_no_longer_known_does_not_keep_the_slot() {
    let mut world = behind(&["ada", "bea"]);
    world.policy.agents = Some([AgentName::from("bea").key()].into());
    world.lose_workers();
    world.heal();
    assert_eq!(world.slot(), Some(("bea", RunStatus::Queued)));
    assert_eq!(world.became("ada"), [WakeupStatus::Skipped]);
    assert_eq!(world.wakeups[&WakeupId(1)].skip, Some(Skip::UnknownAgent));
}

#[test]
fn every_new_owner_has_a_larger_fence_also_after_the_slot_was_free() {
    let mut world = World::new();
    for fence in 1..4 {
        world.wake("ada");
        assert_eq!(world.started().fence, fence);
        world.finish(RunEnd::Succeeded);
    }
}
