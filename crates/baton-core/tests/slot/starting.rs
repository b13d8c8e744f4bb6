//! Starting: what stands against it, and what it counts.

use baton_core::slot::effect::{Deed, NewEffect, SettleAsk};
use baton_core::slot::ids::WorkerId;
use baton_core::slot::item::Gates;
use baton_core::slot::situation::Change;
use baton_core::slot::start::{NotYours, StartOutcome};
use baton_core::slot::{AgentName, RunEnd, RunId, RunStatus};

use crate::slot::world::World;

fn queued() -> World {
    let mut world = World::new();
    world.wake("ada");
    world
}

#[test]
fn a_worker_gets_the_run_with_its_fence_and_context() {
    let mut world = queued();
    let StartOutcome::Started(started) = world.start() else { panic!() };
    assert_eq!((started.run.status, started.run.worker), (RunStatus::Running, Some(WorkerId(1))));
    assert_eq!((started.run.started_at, started.run.fence), (Some(world.now), 1));
    assert_eq!(started.run.context.comment_ids(), [1]);
    assert_eq!((&started.run, &started.item), (world.owner().unwrap(), &world.item));
}

#[test]
fn a_slot_that_is_free_or_whose_owner_runs_or_is_over_has_nothing_to_start() {
    assert_eq!(World::new().not_yours(), NotYours::NothingQueued);
    let mut world = queued();
    world.started();
    world.enlist();
    let second = world.start_on(WorkerId(2));
    assert_eq!(second, StartOutcome::NotYours(NotYours::NothingQueued));
    world.finish(RunEnd::Succeeded);
    world.item.owner = Some(RunId(1));
    assert_eq!(world.not_yours(), NotYours::NothingQueued, "a run that is over is not started again");
}

#[test]
fn a_worker_that_is_not_alive_starts_nothing() {
    let mut expired = queued();
    expired.pass(45);
    let mut buried = queued();
    buried.leases.get_mut(&WorkerId(1)).unwrap().is_buried = true;
    let mut unknown = queued();
    unknown.leases.clear();
    for mut world in [expired, buried, unknown] {
        assert_eq!((world.not_yours(), world.last.as_slice()), (NotYours::WorkerNotLive, [].as_slice()));
    }
}

#[test]
fn a_retry_starts_when_its_time_has_come_and_not_before() {
    let mut world = queued();
    world.started();
    world.policy.retry.base = std::time::Duration::from_secs(20);
    world.policy.dice = 250;
    world.fail();
    world.pass(19);
    assert_eq!(world.not_yours(), NotYours::NotDue);
    world.pass(1);
    assert!(matches!(world.start(), StartOutcome::Started(_)));
}

#[test]
fn a_closed_issue_is_not_started() {
    let mut world = queued();
    world.item.is_open = false;
    assert_eq!(world.not_yours(), NotYours::Closed);
}

#[test]
fn every_gate_keeps_a_run_from_starting_with_its_reason() {
    let why = || Some("by ada".to_owned());
    for (gates, expected) in [
        (Gates { paused: why(), ..Gates::default() }, "paused: by ada"),
        (Gates { held: why(), ..Gates::default() }, "held: by ada"),
        (Gates { blocked: why(), ..Gates::default() }, "blocked: by ada"),
    ] {
        let mut world = queued();
        world.set_gates(&gates);
        assert_eq!(world.not_yours(), NotYours::Gated(expected.to_owned()));
        world.set_gates(&Gates::default());
        assert!(matches!(world.start(), StartOutcome::Started(_)));
    }
}

#[test]
fn effects_are_performed_before_a_run_starts() {
    let mut world = queued();
    let comment = NewEffect::free(Deed::Comment {
        on: baton_core::pipeline::effect::Place::Issue,
        body: "hello".to_owned(),
    });
    world.settle(&SettleAsk { seen: 0, effects: vec![comment], memory: None, lease: None, settles: None });
    assert_eq!(world.not_yours(), NotYours::EffectsPending);
    world.perform();
    assert!(matches!(world.start(), StartOutcome::Started(_)));
}

#[test]
fn a_worker_that_does_not_know_the_agent_leaves_the_run() {
    let mut world = queued();
    world.policy.executes = Some([AgentName::from("bea").key()].into());
    assert_eq!(world.not_yours(), NotYours::OtherAgent);
}

#[test]
fn a_start_needs_room_everywhere_and_nothing_is_changed_without_counting() {
    let mut world = queued();
    world.start();
    let Some(Change::Count(counts)) = world.last.last() else { panic!("{:?}", world.last) };
    let shown: Vec<_> = counts.iter().map(|count| (count.name.as_str(), count.like.as_str())).collect();
    assert_eq!(shown, [("all", ""), ("agent:ada", ""), ("repo:acme/web", "repo:")]);
    assert!(counts.iter().all(|count| count.needs_room && count.add == 1));
}
