//! Rows of the specification: see the catalogue.

use baton_core::pipeline::checks::Conclusion;
use baton_core::pipeline::effect::{Effect, Job, Wake};
use baton_core::pipeline::item::ReviewState;
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::{Cause, Hold, Pause, Repair, Rest};
use baton_core::pipeline::trail::{Answer, List};
use baton_core::pipeline::{Loop, Step};

use crate::pipeline::world::{World, check, issue_in, relabelled, review, said};

pub(crate) fn s3_2_21_a_conflict_asks_for_a_rebase() {
    let mut world = awaiting(Some(false));
    assert_eq!(world.answer(List::Gates, "checks").answer, Answer::NotAsked);
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::Reinvoke(Cause::Rebase));
    assert_eq!(relabelled(&settlement), "+baton:editing +baton:rebase-needed");
    let woken = |effect: &Effect| matches!(effect, Effect::Wake(Wake { job: Job::Rebase, .. }));
    assert!(settlement.effects.iter().any(woken), "{settlement:?}");
    assert_eq!(world.item.memory.cycles[&Loop::Rebase.key("Validate")], 1);
    assert_eq!(awaiting(Some(false)).with(spend_cycles).step(), Step::Pause(Pause::RebaseCycles));
}

pub(crate) fn s3_2_22_a_landed_rebase_goes_on_to_ci() {
    let mut world = awaiting(Some(true)).flag(Flag::RebaseNeeded);
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::RepairLabels(Repair::Mergeable));
    assert_eq!(relabelled(&settlement), "-baton:rebase-needed");
    assert!(world.has(Flag::AwaitingCi));
    assert_eq!(world.step(), Step::Reinvoke(Cause::CiFix), "the gate of checks is next");
}

pub(crate) fn s3_2_23_unknown_mergeability_waits_without_labels() {
    for mut world in [awaiting(None), awaiting(None).flag(Flag::RebaseNeeded)] {
        assert_eq!(world.answer(List::Gates, "checks").answer, Answer::NotAsked);
        assert_eq!(world.look(), Step::HoldAtGate(Hold::Mergeability));
        assert_eq!(world.performed, []);
    }
}

pub(crate) fn s3_2_24_the_rebase_limit_pauses_and_keeps_the_label() {
    let mut world = awaiting(Some(false)).flag(Flag::RebaseNeeded).with(spend_cycles);
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::Pause(Pause::RebaseCycles));
    assert_eq!(relabelled(&settlement), "+baton:awaiting-input +baton:paused");
    assert!(world.has(Flag::RebaseNeeded));
    assert!(matches!(said(&settlement)[..], [(_, why)] if why.contains("rebase")), "{settlement:?}");
    assert!(world.item.memory.cycles.is_empty());
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::AwaitingInput)]);
    assert!(world.has(Flag::RebaseNeeded));
}

pub(crate) fn s6_5_01_no_pull_request_is_no_conflict() {
    let mut world = issue_in("Validate").flag(Flag::AwaitingCi).flag(Flag::RebaseNeeded);
    assert_eq!(relabelled(&world.look_closely().1), "-baton:rebase-needed");
    assert_eq!(world.answer(List::Gates, "mergeability").answer, Answer::Passed);
}

pub(crate) fn s6_5_02_stages_without_ci_skip_the_gate() {
    let conflicting = |column: &str| {
        let world = issue_in(column).mark(StageMark::Complete).stage(|stage| stage.wait_for_ci = false);
        world.flag(Flag::Yolo).pull(|pull| {
            pull.mergeable = Some(false);
            pull.reviews = vec![review("rob", ReviewState::Approved)];
        })
    };
    let review = conflicting("Review");
    assert_eq!(review.answer(List::Gates, "mergeability").answer, Answer::Passed);
    assert_eq!(review.step(), Step::Advance { to: "Validate".to_owned() });
    let validate = conflicting("Validate");
    assert_eq!(validate.answer(List::Gates, "mergeability").answer, Answer::Passed);
    assert_eq!(validate.answer(List::Gates, "merge").answer, Answer::Decided);
    assert_eq!(validate.step(), Step::Reinvoke(Cause::Rebase));
}

/// An issue that waits for checks, of which one has failed.
fn awaiting(mergeable: Option<bool>) -> World {
    issue_in("Validate").flag(Flag::AwaitingCi).pull(|pull| {
        pull.mergeable = mergeable;
        pull.checks = Some(vec![check(1, "build", Some(Conclusion::Failure))].into());
    })
}

fn spend_cycles(world: &mut World) {
    let limit = world.policy.max_rebase_cycles;
    world.item.memory.cycles.insert(Loop::Rebase.key("Validate"), limit);
}
