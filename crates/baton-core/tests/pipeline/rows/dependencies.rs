//! Rows of the specification: see the catalogue.

use baton_core::pipeline::Step;
use baton_core::pipeline::effect::Place;
use baton_core::pipeline::names::Flag;
use baton_core::pipeline::step::{Hold, Repair, Rest};

use crate::pipeline::world::{World, issue_in, relabelled, said};

const FIRST: &str = "acme/web#1";
const SECOND: &str = "acme/api#2";

pub(crate) fn s3_2_06_open_blockers_block() {
    let mut world = issue_in("Plan").blocker(FIRST, true).blocker(SECOND, true).blocker("acme/web#3", false);
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::HoldAtGate(Hold::Dependencies));
    assert_eq!(relabelled(&settlement), "+baton:blocked");
    let [(Place::Issue, list)] = said(&settlement)[..] else { panic!("{settlement:?}") };
    assert!(list.contains(FIRST) && list.contains(SECOND) && !list.contains("acme/web#3"), "{list}");
}

pub(crate) fn s3_2_06b_blockers_are_listed_once() {
    let mut world = blocked("Plan").blocker(FIRST, true);
    assert_eq!(world.look_until_rest(), [Step::HoldAtGate(Hold::Dependencies)]);
    assert_eq!(world.performed, []);
}

pub(crate) fn s3_2_07_the_last_blocker_that_closes_frees_at_once() {
    for column in ["Specify", "Plan", "Validate", "Done"] {
        let mut world = blocked(column).blocker(FIRST, false).blocker(SECOND, true);
        assert_eq!(world.look(), Step::HoldAtGate(Hold::Dependencies), "{column}");
        world.item.blockers[1].is_open = false;
        freed(&mut world);
    }
    freed(&mut blocked("Plan").flag(Flag::Paused).blocker(FIRST, false));
}

pub(crate) fn s3_2_07b_one_blocker_of_two_that_closes_frees_nothing() {
    let mut world = blocked("Plan").blocker(FIRST, true).blocker(SECOND, true);
    world.look_until_rest();
    world.item.blockers[0].is_open = false;
    assert_eq!(world.look_until_rest(), [Step::HoldAtGate(Hold::Dependencies)]);
    assert_eq!(world.performed, []);
}

pub(crate) fn s3_2_07c_columns_without_a_stage_are_freed_too() {
    let mut world = blocked("Backlog").blocker(FIRST, true);
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::NoStage)]);
    world.item.blockers[0].is_open = false;
    freed(&mut world);
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::NoStage)]);
}

pub(crate) fn s3_2_08_a_look_frees_what_an_event_missed() {
    let mut world = blocked("Plan").blocker(FIRST, false);
    freed(&mut world);
    assert_eq!(world.look(), Step::Invoke { resume: false });
}

fn blocked(column: &str) -> World {
    issue_in(column).flag(Flag::Blocked)
}

/// Takes the step that frees an issue: the label goes, and nobody says anything.
fn freed(world: &mut World) {
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::RepairLabels(Repair::Unblocked));
    assert_eq!(relabelled(&settlement), "-baton:blocked");
    assert_eq!(settlement.effects.len(), 1);
}
