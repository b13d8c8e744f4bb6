//! Rows of the specification: see the catalogue.

use std::time::Duration;

use baton_core::pipeline::Step;
use baton_core::pipeline::effect::Effect;
use baton_core::pipeline::item::ReviewState;
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::{Cause, Hold, Pause, Repair, Rest};
use baton_core::pipeline::trail::List;

use crate::pipeline::world::{World, issue_in, relabelled, request, review, said, thread};

pub(crate) fn s3_2_11_completion_waits_for_reviews() {
    let autonomous = issue_in("Review").locked().flag(Flag::Yolo);
    let reviewed =
        |world: World| world.pull(|pull| pull.reviews = vec![review("rob", ReviewState::Approved)]);
    for mut world in [autonomous.clone(), issue_in("Review").locked(), reviewed(autonomous)] {
        let settlement = world.end_stage("It is fine.\nBATON_STAGE_COMPLETE");
        assert_eq!(
            relabelled(&settlement),
            "+baton:awaiting-review +stage:Review:complete -baton:locked:ana -stage:Review:in_progress"
        );
        assert_eq!(settlement.effects.last(), Some(&Effect::Release));
        assert_eq!(world.item.column, "Review");
    }
}

pub(crate) fn s3_2_12_outstanding_reviewers_hold_it() {
    let waiting = awaiting("rob");
    assert_eq!(waiting.fact(List::Gates, "reviews", "outstanding"), "rob (human)");
    for (mut world, labels) in [(waiting, ""), (awaiting("rob").with(forget_label), "+baton:awaiting-review")]
    {
        let (step, settlement) = world.look_closely();
        assert_eq!(step, Step::HoldAtGate(Hold::Reviews));
        assert_eq!(relabelled(&settlement), labels);
        assert!(world.has(Flag::AwaitingReview) && said(&settlement).is_empty());
    }
}

pub(crate) fn s3_2_13_the_last_review_clears_the_gate() {
    let arrived = || {
        awaiting("rob").flag(Flag::Yolo).pull(|pull| {
            pull.requests.clear();
            pull.reviews = vec![review("rob", ReviewState::Commented)];
        })
    };
    let mut world = arrived();
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::RepairLabels(Repair::Reviewed));
    assert_eq!(relabelled(&settlement), "-baton:awaiting-review");
    assert_eq!(world.look(), Step::Advance { to: "Validate".to_owned() });
    let mut world = arrived().pull(|pull| pull.threads = vec![thread("T1", "src/lib.rs", 3)]);
    assert_eq!(world.look(), Step::RepairLabels(Repair::Reviewed));
    assert_eq!(world.look(), Step::Reinvoke(Cause::Review));
    let dismissed = arrived().pull(|pull| pull.reviews[0].state = ReviewState::Dismissed);
    assert_eq!(dismissed.step(), Step::HoldAtGate(Hold::Reviews), "no review that counts");
}

pub(crate) fn s3_2_14_a_review_that_never_comes_pauses() {
    let timeout = awaiting("rob").policy.review_wait_timeout;
    let early = awaiting("rob").after(timeout - Duration::from_secs(1));
    assert_eq!(early.step(), Step::HoldAtGate(Hold::Reviews));
    let mut world = awaiting("rob").after(timeout);
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::Pause(Pause::ReviewTimeout { reprompted: false }));
    assert_eq!(relabelled(&settlement), "+baton:awaiting-input +baton:paused -baton:awaiting-review");
    assert!(matches!(said(&settlement)[..], [(_, why)] if why.contains("rob")), "{settlement:?}");
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::AwaitingInput)]);
}

/// An issue whose review stage is complete, and whose pull request waits for one person.
fn awaiting(login: &str) -> World {
    let world = issue_in("Review").mark(StageMark::Complete).flag(Flag::AwaitingReview);
    world.pull(|pull| pull.requests = vec![request(login, false)])
}

fn forget_label(world: &mut World) {
    let label = world.policy.names.flag(Flag::AwaitingReview);
    world.item.labels.retain(|own| *own != label);
    world.item.labelled_at.remove(&label);
}
