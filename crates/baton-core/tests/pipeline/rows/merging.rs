//! Merging at the end: §5.4. A complete Validate with yolo, with and without `wait_for_ci`, where nothing is in the way
//! unless a row says so.

use std::time::Duration;

use baton_core::pipeline::checks::Conclusion;
use baton_core::pipeline::effect::{Effect, Job, Place, Wake};
use baton_core::pipeline::item::{MergeState, ReviewState};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::{Cause, Hold, Pause, Repair, Rest};
use baton_core::pipeline::{End, Loop, Step};
use baton_core::tracker::PullState;

use crate::pipeline::world::{World, added, check, ended, issue_in, relabelled, review, said};

pub(crate) fn s5_4_01_the_linked_pull_request_is_merged() {
    for world in finished() {
        let world = world.pull(|pull| (pull.number, pull.head_sha) = (31, "feed5".to_owned()));
        assert_eq!(world.step(), Step::Merge);
        let settlement = world.settlement(&Step::Merge);
        assert_eq!(settlement.effects, [Effect::MergePull { pull: 31, head_sha: "feed5".to_owned() }]);
        let memory = settlement.memory.unwrap();
        assert_eq!(memory.cycles[&Loop::Merge.key("Validate")], 1);
    }
}

pub(crate) fn s5_4_02_an_accepted_merge_state_skips_the_checks() {
    for state in [MergeState::Clean, MergeState::Unstable] {
        for world in finished() {
            let mut failed = world.flag(Flag::AwaitingCi).pull(|pull| pull.merge_state = state);
            let running = failed.clone().pull(|pull| pull.checks = Some(checks(None)));
            failed = failed.pull(|pull| pull.checks = Some(checks(Some(Conclusion::Failure))));
            assert_eq!(failed.look(), Step::RepairLabels(Repair::ChecksPassed));
            assert!(!failed.has(Flag::AwaitingCi));
            assert_eq!(failed.step(), Step::Merge, "{state}");
            assert_eq!(running.step(), Step::HoldAtGate(Hold::Checks), "{state}");
        }
    }
}

pub(crate) fn s5_4_03_other_merge_states_ask_the_checks() {
    let accepted = [MergeState::Clean, MergeState::Unstable];
    for state in MergeState::ALL.iter().filter(|state| !accepted.contains(state)) {
        for world in finished() {
            let world = world.pull(|pull| pull.merge_state = *state);
            let failed = world.clone().pull(|pull| pull.checks = Some(checks(Some(Conclusion::Failure))));
            let onward =
                if *state == MergeState::Behind { Step::Reinvoke(Cause::Rebase) } else { Step::Merge };
            assert_eq!(world.step(), onward, "{state}");
            assert_ne!(failed.step(), onward, "{state}");
        }
    }
}

pub(crate) fn s5_4_r2_pending_checks_postpone() {
    for world in finished() {
        // The head is old, and so is everything but this wait: a check that begins late has its whole time.
        let mut world = world.after(Duration::from_hours(10)).pull(|pull| pull.checks = Some(checks(None)));
        let (labels, half) = (world.item.labels.clone(), world.policy.ci_wait_timeout / 2);
        for wait in [Duration::ZERO, half, half.checked_sub(Duration::from_secs(1)).unwrap()] {
            world.wait(wait);
            assert_eq!(world.look_until_rest().last(), Some(&Step::HoldAtGate(Hold::Checks)));
            assert!(world.item.labels == labels && !is_merged(&world));
        }
        world.wait(Duration::from_secs(1));
        assert_eq!(world.step(), Step::Pause(Pause::CiTimeout), "the clock was set back");
    }
}

pub(crate) fn s5_4_r3_failed_checks_postpone_with_a_label() {
    let [repaired, mut left] =
        finished().map(|it| it.pull(|pull| pull.checks = Some(checks(Some(Conclusion::TimedOut)))));
    assert_eq!(left.look_until_rest().last(), Some(&Step::HoldAtGate(Hold::ChecksFailed)));
    assert!(left.has(Flag::AwaitingCi) && !is_merged(&left));
    assert_eq!(repaired.step(), Step::Reinvoke(Cause::CiFix));
    assert!(added(&repaired.settlement(&repaired.step())).contains(&"baton:awaiting-ci"));
}

pub(crate) fn s5_4_r4_green_checks_merge() {
    for world in finished() {
        let mut world = world.flag(Flag::AwaitingCi);
        assert_eq!(world.look(), Step::RepairLabels(Repair::ChecksPassed));
        assert!(!world.has(Flag::AwaitingCi));
        assert_eq!(world.look(), Step::Merge);
    }
}

pub(crate) fn s5_4_r5_no_checks_at_all_merge() {
    for world in finished() {
        let none = world.pull(|pull| pull.checks = Some(Vec::new().into()));
        assert_eq!(none.step(), Step::Merge);
        let fresh = none.clone().with(|it| it.item.pull.as_mut().unwrap().pushed_at = it.now.server);
        let had_some = none.clone().with(|it| _ = it.item.memory.checked_pulls.insert(7));
        let required = none.pull(|pull| pull.required_checks = vec!["build".to_owned()]);
        assert_eq!(fresh.clone().after(fresh.policy.post_push_dwell).step(), Step::Merge);
        for world in [fresh, had_some, required] {
            assert_eq!(world.step(), Step::HoldAtGate(Hold::NoChecksYet));
        }
    }
}

pub(crate) fn s5_4_r6_checks_that_stay_pending_pause() {
    for world in finished() {
        let mut world = world.flag(Flag::AwaitingCi).pull(|pull| pull.checks = Some(checks(None)));
        world.wait(world.policy.ci_wait_timeout);
        assert_eq!(world.step(), Step::Pause(Pause::CiTimeout));
        let settlement = world.settlement(&world.step());
        assert_eq!(relabelled(&settlement), "+baton:awaiting-input +baton:paused -baton:awaiting-ci");
        assert!(matches!(said(&settlement)[..], [(Place::Issue, body)] if body.contains("Checks")));
    }
}

pub(crate) fn s5_4_04_an_open_pull_request_is_merged() {
    for mut world in finished() {
        assert_eq!(world.look(), Step::Merge);
        assert!(is_merged(&world));
    }
}

pub(crate) fn s5_4_04b_an_already_merged_one_counts_as_merged() {
    for world in finished() {
        for is_closed in [false, true] {
            let mut world = world.clone().pull(|pull| pull.state = PullState::Merged);
            world.item.is_closed = is_closed;
            world.look_until_rest();
            assert_eq!(world.item.column, "Done");
            assert!(!world.performed.iter().any(|effect| matches!(effect, Effect::MergePull { .. })));
        }
    }
}

pub(crate) fn s5_4_05_a_conflict_asks_for_a_rebase() {
    for mut world in conflicting() {
        assert_eq!(world.step(), Step::Reinvoke(Cause::Rebase));
        let settlement = world.settlement(&world.step());
        assert_eq!(added(&settlement), ["baton:rebase-needed", "baton:editing"]);
        world.look();
        assert_eq!(world.view().cycles(Loop::Rebase), 1);
        assert!(matches!(world.performed.last(), Some(Effect::Wake(Wake { job: Job::Rebase, .. }))));
        assert_eq!(world.item.column, "Validate");
    }
}

pub(crate) fn s5_4_05b_a_conflict_at_the_limit_pauses() {
    for world in conflicting() {
        let max = world.policy.max_rebase_cycles;
        let mut world = world.with(|it| _ = it.item.memory.cycles.insert(Loop::Rebase.key("Validate"), max));
        assert_eq!(world.step(), Step::Pause(Pause::RebaseCycles));
        let settlement = world.settlement(&world.step());
        assert_eq!(added(&settlement), ["baton:paused", "baton:awaiting-input", "baton:rebase-needed"]);
        assert!(matches!(said(&settlement)[..], [(Place::Issue, body)] if body.contains("rebase")));
        world.look_until_rest();
        assert_eq!(world.view().cycles(Loop::Rebase), 0);
        assert!(!world.performed.iter().any(|effect| matches!(effect, Effect::Wake(_))));
    }
}

pub(crate) fn s5_4_05c_a_conflict_with_an_active_run_waits() {
    for world in conflicting() {
        let world = world.with(|it| it.item.runner = Some("coder".to_owned()));
        assert_eq!(world.step(), Step::Rest(Rest::Running));
        assert!(world.settlement(&world.step()).effects.is_empty());
    }
}

pub(crate) fn s5_4_06_another_refusal_is_tried_again() {
    for mut world in finished() {
        for _ in 0..3 {
            refuse(&mut world);
            assert_eq!(world.look_until_rest(), [Step::HoldAtGate(Hold::MergeCooldown)]);
            assert!(!world.has(Flag::RebaseNeeded) && world.item.column == "Validate");
            world.wait(world.policy.cooldown);
        }
        assert_eq!(world.look(), Step::Pause(Pause::MergeRefused));
        assert_eq!(world.view().cycles(Loop::Merge), 0);
    }
}

pub(crate) fn s5_4_07_a_merge_advances() {
    for world in finished() {
        let by_us = world.flag(Flag::RebaseNeeded);
        let before = by_us.clone().pull(|pull| pull.state = PullState::Merged);
        for mut world in [by_us, before.clone().closed(), before] {
            let steps = world.look_until_rest();
            assert!(steps.contains(&Step::Advance { to: "Done".to_owned() }), "{steps:?}");
            assert!(!world.has(Flag::RebaseNeeded));
            assert!(world.is_marked("Done", StageMark::Complete));
        }
    }
}

pub(crate) fn s5_4_x01_completion_comes_before_the_merge() {
    let mut world = in_progress();
    let settlement = world.end_stage("BATON_STAGE_COMPLETE");
    assert!(!settlement.effects.iter().any(|effect| matches!(effect, Effect::MergePull { .. })));
    assert!(world.is_marked("Validate", StageMark::Complete));
    refuse(&mut world);
    world.wait(world.policy.cooldown);
    assert_eq!(world.step(), Step::Merge, "Validate is not run again");
}

pub(crate) fn s5_4_x02_a_conflict_right_after_the_run_still_completes() {
    let mut world = in_progress().pull(|pull| pull.mergeable = Some(false));
    world.end_stage("BATON_STAGE_COMPLETE");
    assert_eq!(world.look(), Step::Reinvoke(Cause::Rebase));
    assert!(world.is_marked("Validate", StageMark::Complete));
    world.end_run(&ended(Job::Rebase, End::Finished, "Rebased."));
    let steps = world.pull(|pull| pull.mergeable = Some(true)).look_until_rest();
    assert!(steps.contains(&Step::Merge) && !steps.iter().any(Step::is_invocation), "{steps:?}");
}

pub(crate) fn s5_4_x03_a_conflict_at_a_look_keeps_complete() {
    for mut world in conflicting() {
        world.look();
        world.end_run(&ended(Job::Rebase, End::Finished, "Rebased."));
        assert!(world.is_marked("Validate", StageMark::Complete));
        assert_eq!(world.step(), Step::Reinvoke(Cause::Rebase));
        world = world.pull(|pull| pull.mergeable = Some(true));
        assert_eq!(world.look(), Step::RepairLabels(Repair::Mergeable));
        assert_eq!(world.look(), Step::Merge);
    }
}

pub(crate) fn s5_4_x04_without_yolo_nothing_is_merged() {
    for world in finished() {
        let plain = world.with(|it| it.item.labels.retain(|label| label != "baton:yolo"));
        let cruising = plain.clone().flag(Flag::Cruise);
        let by_its_file = plain.clone().stage(|stage| stage.auto_advance = Some(true));
        let kept = plain.clone().policy(|policy| policy.yolo = true);
        let kept = kept.stage(|stage| stage.auto_advance = Some(false));
        for mut world in [plain, cruising, by_its_file, kept] {
            assert_eq!(world.look_until_rest().last(), Some(&Step::Rest(Rest::AwaitingMerge)));
            assert!(!is_merged(&world));
        }
    }
}

/// Returns a complete Validate with yolo that waits for checks, and one that does not.
fn finished() -> [World; 2] {
    let world = issue_in("Validate").flag(Flag::Yolo).mark(StageMark::Complete);
    let world = world.pull(|pull| pull.reviews = vec![review("rob", ReviewState::Approved)]);
    [world.clone(), world.stage(|stage| stage.wait_for_ci = false)]
}

fn conflicting() -> [World; 2] {
    finished().map(|world| world.pull(|pull| pull.mergeable = Some(false)))
}

/// Returns a Validate with yolo at work, without gates.
fn in_progress() -> World {
    let world = issue_in("Validate").flag(Flag::Yolo).locked().pull(|_| {});
    world.stage(|stage| (stage.wait_for_ci, stage.wait_for_reviews) = (false, false))
}

fn checks(conclusion: Option<Conclusion>) -> baton_core::pipeline::checks::Checks {
    vec![check(1, "build", Some(Conclusion::Success)), check(2, "lint", conclusion)].into()
}

fn is_merged(world: &World) -> bool {
    world.item.pull.as_ref().unwrap().is_merged()
}

/// Tries to merge, and the tracker will not.
fn refuse(world: &mut World) {
    assert_eq!(world.step(), Step::Merge);
    world.item.memory = world.settlement(&Step::Merge).memory.unwrap();
}
