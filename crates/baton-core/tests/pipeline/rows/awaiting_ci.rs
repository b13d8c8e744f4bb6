//! Rows of the specification: see the catalogue.

use std::time::Duration;

use baton_core::pipeline::Step;
use baton_core::pipeline::checks::{Checks, Conclusion};
use baton_core::pipeline::item::{MergeState, ReviewState};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::{Cause, Hold, Pause, Repair, Rest};
use baton_core::pipeline::trail::{Answer, List};
use baton_core::pipeline::{Loop, item::LinkedPull};

use crate::pipeline::world::{World, check, issue_in, relabelled, review, said};

const COMPLETE: &str = "It does what was asked.\nBATON_STAGE_COMPLETE";
const SECOND: Duration = Duration::from_secs(1);

pub(crate) fn s3_2_15_completion_waits_for_checks() {
    let mut world = issue_in("Validate").locked().pull(|_| {});
    assert_eq!(
        relabelled(&world.end_stage(COMPLETE)),
        "+baton:awaiting-ci -baton:locked:ana -stage:Validate:in_progress"
    );
    assert!(!world.is_marked("Validate", StageMark::Complete));
}

pub(crate) fn s3_2_15b_reviews_are_not_awaited_before_checks() {
    let mut world = issue_in("Validate").locked().pull(running);
    assert!(world.pipeline.stage("Validate").unwrap().wait_for_reviews);
    world.end_stage(COMPLETE);
    world.look_until_rest();
    assert!(!world.has(Flag::AwaitingReview));
    world = world.pull(|pull| pull.checks = passed());
    assert_eq!(world.look(), Step::RepairLabels(Repair::ChecksPassed));
    assert_eq!(world.look(), Step::HoldAtGate(Hold::Reviews));
    assert!(world.has(Flag::AwaitingReview));
}

pub(crate) fn s3_2_15c_awaiting_checks_never_invokes_the_stage() {
    let unreadable = |pull: &mut LinkedPull| pull.checks = None;
    for world in [awaiting(running), awaiting(failed), awaiting(unreadable), awaiting(|_| {}), without_pull()]
    {
        assert_eq!(world.answer(List::Guards, "complete").answer, Answer::ToGates);
        assert!(!matches!(world.step(), Step::Invoke { .. }), "{:?}", world.item.pull);
    }
}

pub(crate) fn s3_2_16_pending_checks_hold_it() {
    let mut world = awaiting(running);
    assert_eq!(world.fact(List::Gates, "checks", "still running"), "build");
    assert_eq!(world.look(), Step::HoldAtGate(Hold::Checks));
    assert_eq!(world.performed, []);
}

pub(crate) fn s3_2_17_a_failed_check_keeps_it_and_asks_for_a_fix() {
    for conclusion in [Conclusion::Failure, Conclusion::TimedOut, Conclusion::ActionRequired] {
        let red =
            |pull: &mut LinkedPull| pull.checks = Some(vec![check(1, "build", Some(conclusion))].into());
        let mut world = awaiting(red);
        let (step, settlement) = world.look_closely();
        assert_eq!(step, Step::Reinvoke(Cause::CiFix), "{conclusion}");
        assert_eq!(relabelled(&settlement), "+baton:editing");
        let mut unlabelled = reviewed(issue_in("Validate").mark(StageMark::Complete)).pull(red);
        assert_eq!(relabelled(&unlabelled.look_closely().1), "+baton:awaiting-ci +baton:editing");
        let limit = world.policy.max_ci_fix_cycles;
        let spent = awaiting(red).with(|world| {
            world.item.memory.cycles.insert(Loop::CiFix.key("Validate"), limit);
        });
        assert_eq!(spent.step(), Step::Pause(Pause::CiFixCycles));
    }
}

pub(crate) fn s3_2_17b_only_the_latest_run_of_a_name_counts() {
    let red = check(1, "build", Some(Conclusion::Failure));
    let green = check(2, "build", Some(Conclusion::Success));
    for runs in [vec![red.clone(), green.clone()], vec![green, red]] {
        let world = awaiting(|pull| pull.checks = Some(runs.into()));
        assert_eq!(world.step(), Step::RepairLabels(Repair::ChecksPassed));
    }
}

pub(crate) fn s3_2_18_green_checks_complete_the_stage() {
    let mut world = reviewed(awaiting(|_| {})).flag(Flag::Yolo);
    completes(&mut world, "Validate");
    assert_eq!(world.look(), Step::Merge);
    let implement = issue_in("Implement").stage(|stage| stage.wait_for_ci = true).pull(|_| {});
    let mut world = implement.flag(Flag::AwaitingCi).flag(Flag::Yolo);
    completes(&mut world, "Implement");
    assert_eq!(world.look(), Step::Advance { to: "Review".to_owned() });
}

pub(crate) fn s3_2_18b_no_checks_at_all_complete_the_stage() {
    let dwell = issue_in("Validate").policy.post_push_dwell;
    let mut world = pushed_just_now().after(dwell);
    completes(&mut world, "Validate");
}

pub(crate) fn s3_2_18c_checks_that_are_not_there_yet_hold_it() {
    let dwell = issue_in("Validate").policy.post_push_dwell;
    let ripe = || pushed_just_now().after(dwell);
    for mut world in [
        pushed_just_now().after(dwell - SECOND),
        ripe().pull(|pull| pull.required_checks = vec!["build".to_owned()]),
        ripe().policy(|policy| policy.required_checks = vec!["build".to_owned()]),
        ripe().with(|world| {
            world.item.memory.checked_pulls.insert(7);
        }),
    ] {
        assert_eq!(world.look_until_rest(), [Step::HoldAtGate(Hold::NoChecksYet)], "{:?}", world.item);
        assert_eq!(world.performed, []);
    }
}

pub(crate) fn s3_2_19_a_clean_or_unstable_merge_state_completes() {
    for state in [MergeState::Clean, MergeState::Unstable] {
        let red = |pull: &mut LinkedPull| {
            failed(pull);
            pull.merge_state = state;
        };
        let mut world = reviewed(awaiting(red)).flag(Flag::Yolo);
        completes(&mut world, "Validate");
        let narrow = awaiting(red).policy(|policy| policy.accept_states.retain(|other| *other != state));
        assert_eq!(narrow.step(), Step::Reinvoke(Cause::CiFix), "{state} is not in the list");
        let early = awaiting(running).pull(|pull| pull.merge_state = state);
        assert_eq!(early.step(), Step::HoldAtGate(Hold::Checks), "{state} while a check runs");
    }
}

pub(crate) fn s3_2_19b_other_merge_states_ask_the_checks() {
    use MergeState::{Behind, Blocked, Dirty, Draft, HasHooks, Unknown};
    for state in [Blocked, Behind, Dirty, Unknown, HasHooks, Draft] {
        let step =
            |checks: fn(&mut LinkedPull)| awaiting(checks).pull(|pull| pull.merge_state = state).step();
        assert_eq!(step(|_| {}), Step::RepairLabels(Repair::ChecksPassed), "{state}");
        assert_eq!(step(failed), Step::Reinvoke(Cause::CiFix), "{state}");
        assert_eq!(step(running), Step::HoldAtGate(Hold::Checks), "{state}");
    }
}

pub(crate) fn s3_2_20_checks_that_never_end_pause() {
    let timeout = issue_in("Validate").policy.ci_wait_timeout;
    let early = awaiting(running).after(timeout - SECOND);
    assert_eq!(early.step(), Step::HoldAtGate(Hold::Checks));
    times_out(awaiting(running).after(timeout));
    let moved = || awaiting(running).after(timeout).with(change_check).after(timeout - SECOND);
    assert_eq!(moved().step(), Step::HoldAtGate(Hold::Checks), "since the last change of a check");
    times_out(moved().after(SECOND));
}

pub(crate) fn s3_2_20b_the_backstop_pauses_whatever_moves() {
    let backstop = issue_in("Validate").policy.ci_backstop_timeout;
    let early = awaiting(running).after(backstop - SECOND).with(change_check);
    assert_eq!(early.step(), Step::HoldAtGate(Hold::Checks));
    times_out(early.after(SECOND));
}

pub(crate) fn s6_4_01_an_unreadable_gate_changes_nothing() {
    for (mut world, hold) in [
        (awaiting(|pull| pull.checks = None), Hold::ChecksUnknown),
        (awaiting(|pull| pull.mergeable = None), Hold::Mergeability),
    ] {
        world.item.memory.checked_pulls.insert(7);
        assert_eq!(world.look_until_rest(), [Step::HoldAtGate(hold)]);
        assert_eq!(world.performed, []);
        assert!(world.item.memory.cycles.is_empty());
    }
}

/// An issue that waits for checks since now; its pull request is as told.
fn awaiting(change: impl FnOnce(&mut LinkedPull)) -> World {
    issue_in("Validate").flag(Flag::AwaitingCi).pull(change)
}

fn without_pull() -> World {
    issue_in("Validate").flag(Flag::AwaitingCi)
}

fn pushed_just_now() -> World {
    let now = issue_in("Validate").now.server;
    awaiting(|pull| {
        pull.checks = Some(Checks::default());
        pull.pushed_at = now;
    })
}

fn reviewed(world: World) -> World {
    world.pull(|pull| pull.reviews = vec![review("rob", ReviewState::Approved)])
}

fn running(pull: &mut LinkedPull) {
    pull.checks = Some(vec![check(1, "build", None), check(2, "lint", Some(Conclusion::Success))].into());
}

fn failed(pull: &mut LinkedPull) {
    pull.checks = Some(vec![check(1, "build", Some(Conclusion::Failure))].into());
}

fn passed() -> Option<Checks> {
    Some(vec![check(1, "build", Some(Conclusion::Success))].into())
}

/// Something happens to the check that runs.
fn change_check(world: &mut World) {
    let mut moved = check(1, "build", None);
    moved.changed_at = world.now.server;
    world.item.pull.as_mut().unwrap().checks = Some(vec![moved].into());
}

/// Takes the step by which checks complete a stage.
fn completes(world: &mut World, stage: &str) {
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::RepairLabels(Repair::ChecksPassed));
    assert_eq!(relabelled(&settlement), format!("+stage:{stage}:complete -baton:awaiting-ci"));
}

fn times_out(mut world: World) {
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::Pause(Pause::CiTimeout));
    assert_eq!(relabelled(&settlement), "+baton:awaiting-input +baton:paused -baton:awaiting-ci");
    assert!(matches!(said(&settlement)[..], [(_, why)] if why.contains("Checks")), "{settlement:?}");
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::AwaitingInput)]);
}
