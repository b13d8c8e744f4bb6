//! The gate of reviews: §6.1. A complete stage with `wait_for_reviews` whose pull request nobody was asked to review,
//! unless a row says so.

use std::time::Duration;

use baton_core::pipeline::effect::{Effect, Place};
use baton_core::pipeline::item::ReviewState;
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::{Cause, Hold, Pause, Repair, Rest};
use baton_core::pipeline::{Settlement, Step};

use crate::pipeline::world::{World, added, check, issue_in, relabelled, request, review, said, thread};

pub(crate) fn s6_1_01_an_outstanding_reviewer_holds() {
    for has_label in [false, true] {
        let mut world =
            asking(&["rob"]).pull(|pull| pull.reviews = vec![review("eve", ReviewState::Approved)]);
        world = if has_label { world.flag(Flag::AwaitingReview) } else { world };
        let steps = world.look_until_rest();
        assert!(steps.iter().all(|step| *step == Step::HoldAtGate(Hold::Reviews)), "{steps:?}");
        assert!(world.has(Flag::AwaitingReview) && world.item.column == "Review");
    }
}

pub(crate) fn s6_1_02_no_review_at_all_holds() {
    let world = finished();
    assert_eq!(world.step(), Step::HoldAtGate(Hold::Reviews));
    assert_eq!(relabelled(&world.settlement(&world.step())), "+baton:awaiting-review");
}

pub(crate) fn s6_1_03_pure_bots_are_asked_again() {
    let world = late(asking(&["copilot-review", "acme-bot"]));
    assert_eq!(world.step(), Step::HoldAtGate(Hold::Reprompt));
    let settlement = world.settlement(&world.step());
    let logins = ["copilot-review", "acme-bot"].map(str::to_owned).to_vec();
    assert_eq!(settlement.effects[0], Effect::AskReviewersAgain { pull: 7, logins });
    let [(Place::Pull, body)] = said(&settlement)[..] else { panic!("{settlement:?}") };
    assert!(body.contains("@copilot-review") && body.contains("@acme-bot"), "{body}");
    assert_eq!(relabelled(&settlement), "+baton:bot-reprompted");
}

pub(crate) fn s6_1_03b_bots_are_asked_again_once() {
    let mut world = late(asking(&["acme-bot"]));
    world.look();
    world.wait(world.policy.review_wait_timeout.checked_sub(Duration::from_secs(1)).unwrap());
    assert_eq!(world.look_until_rest().last(), Some(&Step::HoldAtGate(Hold::Reviews)));
    let again =
        |effect: &&Effect| matches!(effect, Effect::AskReviewersAgain { .. } | Effect::Comment { .. });
    assert_eq!(world.performed.iter().filter(again).count(), 2, "one request and one comment");
}

pub(crate) fn s6_1_04_all_reviews_clear() {
    for state in [ReviewState::Approved, ReviewState::Commented, ReviewState::ChangesRequested] {
        let world = finished().flag(Flag::AwaitingReview).flag(Flag::BotReprompted);
        let mut world = world.pull(|pull| pull.reviews = vec![review("rob", state)]);
        assert_eq!(world.step(), Step::RepairLabels(Repair::Reviewed), "{state}");
        let settlement = world.settlement(&world.step());
        assert_eq!(relabelled(&settlement), "-baton:awaiting-review -baton:bot-reprompted");
        world.look();
        let discussed = world.clone().pull(|pull| pull.threads = vec![thread("t1", "src/a.rs", 3)]);
        assert_eq!(discussed.step(), Step::Reinvoke(Cause::Review));
        assert_eq!(world.flag(Flag::Yolo).step(), Step::Advance { to: "Validate".to_owned() });
    }
}

pub(crate) fn s6_1_05_bots_time_out_after_two_windows() {
    let mut world = late(asking(&["acme-bot"]));
    world.look();
    world.wait(world.policy.review_wait_timeout);
    assert_eq!(world.step(), Step::Pause(Pause::ReviewTimeout { reprompted: true }));
    let settlement = world.settlement(&world.step());
    assert_eq!(relabelled(&settlement), format!("{PAUSED} -baton:bot-reprompted"));
    let body = told(&settlement);
    assert!(body.contains("acme-bot") && body.contains("once more"), "{body}");
}

pub(crate) fn s6_1_06_mixed_reviewers_time_out_after_one_window() {
    let world = late(asking(&["acme-bot", "rob"]));
    assert_eq!(world.step(), Step::Pause(Pause::ReviewTimeout { reprompted: false }));
    let settlement = world.settlement(&world.step());
    assert_eq!(relabelled(&settlement), PAUSED);
    assert!(!settlement.effects.iter().any(|effect| matches!(effect, Effect::AskReviewersAgain { .. })));
}

pub(crate) fn s6_1_07_people_time_out_after_one_window() {
    let world = late(asking(&["eve", "rob"]));
    assert_eq!(world.step(), Step::Pause(Pause::ReviewTimeout { reprompted: false }));
    assert_eq!(relabelled(&world.settlement(&world.step())), PAUSED);
}

pub(crate) fn s6_1_08_the_pause_names_bots_and_people() {
    let world = late(asking(&["acme-bot", "rob"]));
    let settlement = world.settlement(&world.step());
    let body = told(&settlement);
    assert!(body.contains("acme-bot (bot)") && body.contains("rob (human)"), "{body}");
}

pub(crate) fn s6_1_09_a_time_out_never_advances() {
    for column in ["Review", "Validate"] {
        let mut world = finished_in(column).flag(Flag::Yolo).flag(Flag::AwaitingReview);
        world.wait(world.policy.review_wait_timeout);
        let steps = world.look_until_rest();
        assert_eq!(steps.last(), Some(&Step::Rest(Rest::AwaitingInput)), "{steps:?}");
        let goes_on = |effect: &Effect| matches!(effect, Effect::MergePull { .. } | Effect::MoveTo { .. });
        assert!(world.has(Flag::Paused) && !world.performed.iter().any(goes_on));
    }
}

pub(crate) fn s6_1_10_a_dismissed_review_does_not_count() {
    let world = finished().pull(|pull| pull.reviews = vec![review("rob", ReviewState::Dismissed)]);
    assert_eq!(world.step(), Step::HoldAtGate(Hold::Reviews));
}

pub(crate) fn s6_1_11_a_review_after_a_dismissal_counts() {
    let reviews = vec![review("rob", ReviewState::Dismissed), review("eve", ReviewState::Commented)];
    let world = finished().pull(|pull| pull.reviews = reviews);
    assert_eq!(world.step(), CLEARED);
}

pub(crate) fn s6_1_12_a_bot_that_was_not_asked_clears() {
    let by = |author| finished().pull(|pull| pull.reviews = vec![review(author, ReviewState::Commented)]);
    assert_eq!(by("copilot-review").step(), CLEARED);
    assert_eq!(by("baton-app[bot]").step(), Step::HoldAtGate(Hold::Reviews), "the author's own");
}

pub(crate) fn s6_1_13_nobody_asked_and_nobody_came_times_out() {
    let world = late(finished());
    assert_eq!(world.step(), Step::Pause(Pause::ReviewTimeout { reprompted: false }));
    assert_eq!(relabelled(&world.settlement(&world.step())), PAUSED);
}

pub(crate) fn s6_1_14_bots_are_told_by_type_or_name() {
    let table = [
        ("reviewer", true, true),
        ("renovate[bot]", false, true),
        ("acme-bot", false, true),
        ("copilot-review", false, true),
        ("dependabot", false, true),
        ("gemini-code-assist", false, true),
        ("rob", false, false),
        ("robot", false, false),
        ("copilot", false, false),
    ];
    for (login, is_bot, expected) in table {
        let world = late(finished().pull(|pull| pull.requests = vec![request(login, is_bot)]));
        assert_eq!(world.step() == Step::HoldAtGate(Hold::Reprompt), expected, "{login}");
    }
}

pub(crate) fn s6_1_15_completion_seeds_the_label_without_ci_only() {
    let seeded = |column| {
        let mut world = issue_in(column).locked().pull(|_| {});
        let settlement = world.end_stage("BATON_STAGE_COMPLETE");
        (added(&settlement).contains(&"baton:awaiting-review"), world)
    };
    assert!(seeded("Review").0 && !seeded("Implement").0);
    let (is_seeded, mut world) = seeded("Validate");
    assert!(!is_seeded);
    world.look_until_rest();
    assert!(world.is_marked("Validate", StageMark::Complete) && world.has(Flag::AwaitingReview));
}

pub(crate) fn s6_1_16_the_gate_is_not_asked_before_complete() {
    let world = issue_in("Validate").flag(Flag::AwaitingCi);
    let mut world = world.pull(|pull| {
        pull.requests = vec![request("rob", false)];
        pull.checks = Some(vec![check(1, "build", None)].into());
    });
    assert_eq!(world.look_until_rest().last(), Some(&Step::HoldAtGate(Hold::Checks)));
    assert!(!world.has(Flag::AwaitingReview));
}

pub(crate) fn s6_1_17_stages_without_the_key_have_no_gate() {
    let world = finished_in("Implement").flag(Flag::Yolo);
    let world = world.pull(|pull| pull.requests = vec![request("rob", false)]);
    assert_eq!(world.step(), Step::Advance { to: "Review".to_owned() });
}

pub(crate) fn s6_1_18_awaiting_review_lives_until_clear_or_time_out() {
    let mut world = asking(&["rob"]);
    world.look();
    assert!(world.has(Flag::AwaitingReview));
    let cleared = world.clone().pull(|pull| {
        (pull.requests, pull.reviews) = (Vec::new(), vec![review("rob", ReviewState::Approved)]);
    });
    let timed_out = world.clone().after(world.policy.review_wait_timeout);
    for mut world in [cleared, timed_out, world.closed()] {
        world.look_until_rest();
        assert!(!world.has(Flag::AwaitingReview), "{:?}", world.performed);
    }
}

pub(crate) fn s6_1_19_bot_reprompted_lives_within_one_ladder() {
    let mut world = late(asking(&["acme-bot"]));
    world.look();
    assert!(world.has(Flag::BotReprompted));
    let cleared = world.clone().pull(|pull| {
        (pull.requests, pull.reviews) = (Vec::new(), vec![review("acme-bot", ReviewState::Commented)]);
    });
    let timed_out = world.clone().after(world.policy.review_wait_timeout);
    for mut world in [cleared, timed_out, world.closed()] {
        world.look_until_rest();
        assert!(!world.has(Flag::BotReprompted), "{:?}", world.performed);
    }
}

/// What a time-out does to labels.
const PAUSED: &str = "+baton:awaiting-input +baton:paused -baton:awaiting-review";

/// Past the gate, where the next one leaves it to people to go on.
const CLEARED: Step = Step::Rest(Rest::AwaitingMove);

fn finished_in(column: &str) -> World {
    issue_in(column).mark(StageMark::Complete).pull(|_| {})
}

fn finished() -> World {
    finished_in("Review")
}

fn asking(logins: &[&str]) -> World {
    finished().pull(|pull| pull.requests = logins.iter().map(|login| request(login, false)).collect())
}

/// Lets the time of reviewers pass.
fn late(world: World) -> World {
    let timeout = world.policy.review_wait_timeout;
    world.flag(Flag::AwaitingReview).after(timeout)
}

fn told(settlement: &Settlement) -> &str {
    let [(Place::Issue, body)] = said(settlement)[..] else { panic!("{settlement:?}") };
    body
}
