//! Closed issues: §2.8, §7.4.

use baton_core::pipeline::Step;
use baton_core::pipeline::checks::Conclusion;
use baton_core::pipeline::effect::Effect;
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::{Repair, Rest};
use baton_core::tracker::PullState;

use crate::pipeline::world::{World, check, comment, issue_in, relabelled, thread};

pub(crate) fn s2_8_01_a_closed_issue_is_never_invoked() {
    let pipeline = issue_in("Plan").pipeline;
    for stage in pipeline.stages().iter().filter(|stage| stage.is_working()) {
        for world in [issue_in(&stage.name), issue_in(&stage.name).flag(Flag::Paused)] {
            let world = world.closed();
            assert_eq!(world.step(), Step::Rest(Rest::Closed), "{}", stage.name);
            let told = world.comment(comment(1, "rob", "And this?"));
            assert_eq!(told.step(), Step::Rest(Rest::Closed), "{}", stage.name);
        }
    }
}

pub(crate) fn s2_8_02_a_closed_issue_is_still_cleaned_up() {
    let world = issue_in("Done").closed();
    assert_eq!(world.step(), Step::CleanUp);
    let settlement = world.settlement(&world.step());
    assert!(settlement.effects.contains(&Effect::RemoveWorktree));
    assert_eq!(relabelled(&settlement), "+stage:Done:complete");
}

pub(crate) fn s2_8_03_a_closed_complete_issue_still_advances() {
    let merged = issue_in("Validate").pull(|pull| pull.state = PullState::Merged).closed();
    let complete = merged.clone().mark(StageMark::Complete);
    for world in [merged, complete.clone(), complete.flag(Flag::Yolo)] {
        assert_eq!(world.step(), Step::Advance { to: "Done".to_owned() });
        let effects = world.settlement(&world.step()).effects;
        assert_eq!(effects, [Effect::MoveTo { column: "Done".to_owned() }]);
    }
}

pub(crate) fn s7_4_01_a_stale_lock_goes_with_the_issue() {
    for column in ["Ideas", "Plan", "Validate", "Done"] {
        let world = issue_in(column).locked().closed();
        assert_eq!(world.step(), Step::RepairLabels(Repair::Closed), "{column}");
        let settlement = world.settlement(&world.step());
        assert_eq!(relabelled(&settlement), format!("-baton:locked:ana -stage:{column}:in_progress"));
    }
    let foreign = issue_in("Plan").label("baton:locked:ben").closed();
    assert_eq!(foreign.step(), Step::Rest(Rest::Closed), "it is the other's to remove");
}

pub(crate) fn s7_4_02_transient_labels_go_with_the_issue() {
    for flag in TRANSIENT {
        let mut world = issue_in("Validate").mark(StageMark::Complete).flag(flag).closed();
        assert_eq!(world.step(), Step::RepairLabels(Repair::Closed), "{flag}");
        assert_eq!(relabelled(&world.settlement(&world.step())), format!("-baton:{flag}"));
        world.look_until_rest();
        assert!(world.is_marked("Validate", StageMark::Complete) && !world.has(flag));
    }
}

pub(crate) fn s7_4_03_the_sweep_is_idempotent() {
    let mut world = TRANSIENT.into_iter().fold(issue_in("Plan").locked(), World::flag).closed();
    let sweep = world.settlement(&world.step());
    world.perform(sweep.clone());
    world.perform(sweep);
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::Closed)]);
    assert!(world.item.labels.is_empty(), "{:?}", world.item.labels);
}

pub(crate) fn s7_4_04_a_closed_complete_issue_reinvokes_nothing() {
    let troubles = [
        issue_in("Validate").pull(|pull| pull.threads = vec![thread("t1", "src/a.rs", 3)]),
        issue_in("Validate").pull(|pull| {
            pull.checks = Some(vec![check(1, "build", Some(Conclusion::Failure))].into());
        }),
        issue_in("Validate").pull(|pull| pull.mergeable = Some(false)),
    ];
    for (world, flag) in troubles.into_iter().zip([Flag::Yolo, Flag::Cruise, Flag::Yolo]) {
        let mut world = world.mark(StageMark::Complete).flag(flag).flag(Flag::AwaitingCi).closed();
        let steps = world.look_until_rest();
        assert!(!steps.iter().any(Step::is_invocation), "{steps:?}");
        let is_about_agents = |effect: &Effect| matches!(effect, Effect::Wake(_) | Effect::MergePull { .. });
        assert!(!world.performed.iter().any(is_about_agents));
    }
}

/// What means nothing on a closed issue.
const TRANSIENT: [Flag; 7] = [
    Flag::AwaitingReview,
    Flag::AwaitingCi,
    Flag::AwaitingInput,
    Flag::RebaseNeeded,
    Flag::BotReprompted,
    Flag::Blocked,
    Flag::Editing,
];
