//! Rows of the specification: see the catalogue.

use baton_core::pipeline::effect::{Effect, Job};
use baton_core::pipeline::names::StageMark;
use baton_core::pipeline::step::Rest;
use baton_core::pipeline::{End, Step};

use crate::pipeline::world::{World, ended, issue_in, relabelled};

pub(crate) fn s3_2_04_of_two_claimants_one_goes_on() {
    let (mut ana, mut bob) = (engine_of("ana"), engine_of("bob"));
    for engine in [&mut ana, &mut bob] {
        let (step, settlement) = engine.look_closely();
        assert_eq!(step, Step::Invoke { resume: false });
        let lock = &engine.policy.own_lock;
        assert_eq!(relabelled(&settlement), format!("+{lock} +stage:Plan:in_progress"));
    }
    // Both labels are on the issue, the protocol of claims has named Ana, and Bob's agent does not begin.
    bob.item.labels.push(ana.policy.own_lock.clone());
    bob.item.foreign_claim = Some("ana".to_owned());
    let settlement = bob.end_run(&ended(Job::Stage, End::NotStarted, ""));
    assert_eq!(settlement.effects, [Effect::RemoveLabel { label: bob.policy.own_lock.clone() }]);
    assert_eq!(settlement.memory, None, "a lost race is no attempt");
    assert_eq!(bob.look_until_rest(), [Step::Rest(Rest::LockedByOther)]);
    assert!(bob.is_marked("Plan", StageMark::InProgress), "that is the winner's");
    assert_eq!(ana.step(), Step::Rest(Rest::Running));
}

pub(crate) fn s3_2_05_an_issue_locked_by_another_is_left_alone() {
    for world in stations() {
        left_alone(world.label("baton:locked:bob"));
    }
}

pub(crate) fn s3_2_05b_a_live_foreign_claim_counts_as_a_lock() {
    for world in stations() {
        left_alone(world.with(|world| world.item.foreign_claim = Some("bob".to_owned())));
    }
}

fn engine_of(user: &str) -> World {
    issue_in("Plan").policy(|policy| policy.own_lock = policy.names.lock(user))
}

/// Issues with which something would be done, were they nobody's.
fn stations() -> [World; 4] {
    [
        issue_in("Plan"),
        issue_in("Plan").mark(StageMark::Complete).label("baton:yolo"),
        issue_in("Plan").label("baton:blocked"),
        issue_in("Done"),
    ]
}

fn left_alone(mut world: World) {
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::LockedByOther)], "{:?}", world.item.labels);
    assert_eq!(world.performed, []);
}
