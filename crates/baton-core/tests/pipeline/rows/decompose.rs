//! Decomposition, and which marker counts: §6.6, §2.6.

use baton_core::pipeline::effect::{Effect, Job};
use baton_core::pipeline::markers::{self, SubIssue, Why};
use baton_core::pipeline::names::Flag;
use baton_core::pipeline::step::Rest;
use baton_core::pipeline::{End, Settlement, Step};

use crate::pipeline::world::{World, ended, issue_in, relabelled};

pub(crate) fn s6_6_01_decomposed_completes_the_stage() {
    let settlement = in_progress().end_stage(TWO_SUB_ISSUES);
    assert_eq!(relabelled(&settlement), COMPLETED);
    assert!(settlement.effects.contains(&Effect::Release));
}

pub(crate) fn s6_6_02_decomposed_moves_to_the_column_done() {
    let renamed = in_progress().with(|it| {
        let mut stages = it.pipeline.stages().to_vec();
        stages.iter_mut().filter(|stage| stage.name == "Done").for_each(|stage| {
            (stage.name, stage.order) = ("Shipped".to_owned(), 77);
        });
        it.pipeline = baton_core::pipeline::Pipeline::new(stages);
    });
    for (mut world, column) in [(in_progress(), "Done"), (renamed, "Shipped")] {
        world.end_stage(TWO_SUB_ISSUES);
        assert_eq!(world.item.column, column);
    }
}

pub(crate) fn s6_6_03_decomposed_skips_the_stages_between() {
    let mut world = in_progress().flag(Flag::Yolo).pull(|_| {});
    world.end_stage(TWO_SUB_ISSUES);
    assert_eq!(world.look_until_rest(), [Step::CleanUp, Step::Rest(Rest::CleanedUp)]);
    let is_work = |effect: &Effect| matches!(effect, Effect::Wake(_) | Effect::MergePull { .. });
    assert!(!world.performed.iter().any(is_work), "{:?}", world.performed);
}

pub(crate) fn s6_6_04_sub_issues_are_made_by_the_engine() {
    let mut world = in_progress();
    let before = world.clone();
    let settlement = world.end_stage(TWO_SUB_ISSUES);
    let place = |is_it: fn(&Effect) -> bool| settlement.effects.iter().position(is_it).unwrap();
    let made = place(|effect| matches!(effect, Effect::CreateSubIssues { .. }));
    assert!(made < place(|effect| matches!(effect, Effect::MoveTo { .. })), "the parent moves first");
    let issue = |repo: Option<&str>, title: &str, body: &str| SubIssue {
        repo: repo.map(|repo| repo.parse().unwrap()),
        title: title.to_owned(),
        body: body.to_owned(),
    };
    let issues = vec![issue(None, "First", "Do it."), issue(Some("acme/api"), "Second", "Then that.")];
    assert_eq!(settlement.effects[made], Effect::CreateSubIssues { issues });
    assert_eq!(before.clone().end_stage(TWO_SUB_ISSUES), settlement, "after a crash it is the same again");
}

pub(crate) fn s2_6_01_complete_beats_decomposed_and_blocked() {
    for other in ["BATON_DECOMPOSED", "BATON_BLOCKED_ON_INPUT"] {
        for text in [format!("BATON_STAGE_COMPLETE\n{other}"), format!("{other}\nBATON_STAGE_COMPLETE")] {
            let mut world = in_progress();
            assert_eq!(relabelled(&world.end_stage(&text)), COMPLETED, "{text}");
            assert_eq!(world.item.column, "Plan");
        }
    }
}

pub(crate) fn s2_6_02_decomposed_beats_blocked() {
    let mut world = in_progress();
    let settlement = world.end_stage(&format!("BATON_BLOCKED_ON_INPUT\n{TWO_SUB_ISSUES}"));
    assert_eq!(relabelled(&settlement), COMPLETED);
    assert_eq!(world.item.column, "Done");
}

pub(crate) fn s2_6_03_decomposed_needs_a_run_without_error() {
    assert_needs_a_run_without_error(TWO_SUB_ISSUES);
}

pub(crate) fn s2_6_04_blocked_needs_a_run_without_error() {
    assert_needs_a_run_without_error("BATON_BLOCKED_ON_INPUT");
}

pub(crate) fn s2_6_05_complete_counts_in_spite_of_an_error() {
    for end in [End::FinishedWithError, End::TurnLimit, End::TimedOut, End::Failed, End::FailedForGood] {
        let settlement = in_progress().end_run(&ended(Job::Stage, end, "BATON_STAGE_COMPLETE"));
        assert_eq!(relabelled(&settlement), COMPLETED, "{end:?}");
    }
}

pub(crate) fn s2_6_06_no_marker_is_a_retry() {
    let mut world = in_progress().policy(|policy| policy.max_retries = Some(2));
    assert_retried(&world.end_stage("I looked around."));
    assert_eq!(world.step(), Step::Rest(Rest::Cooldown));
    world.wait(world.policy.cooldown);
    assert_eq!(world.look(), Step::Invoke { resume: true });
    let settlement = world.end_stage("I looked around again.");
    let given_up = "+baton:paused +stage:Plan:failed -baton:locked:ana -stage:Plan:in_progress";
    assert_eq!(relabelled(&settlement), given_up);
}

pub(crate) fn s2_6_07_a_marker_that_is_mentioned_does_not_count() {
    let table = [
        ("I do not say BATON_STAGE_COMPLETE yet.", Why::InProse),
        ("```\nBATON_STAGE_COMPLETE\n```", Why::InFence),
    ];
    for (text, why) in table {
        let mut world = in_progress();
        assert_retried(&world.end_stage(text));
        let mentions = markers::read(text, world.policy.names.dialect).mentions;
        assert!(matches!(&mentions[..], [mention] if mention.why == why), "{mentions:?}");
    }
}

const COMPLETED: &str = "+stage:Plan:complete -baton:locked:ana -stage:Plan:in_progress";

const TWO_SUB_ISSUES: &str = "\
BATON_SUB_ISSUE_BEGIN
TITLE: First
Do it.
BATON_SUB_ISSUE_END
BATON_SUB_ISSUE_BEGIN acme/api
TITLE: Second
Then that.
BATON_SUB_ISSUE_END
BATON_DECOMPOSED
";

/// Returns a Plan at work.
fn in_progress() -> World {
    issue_in("Plan").locked()
}

/// Says that a stage keeps its labels and is tried again later.
fn assert_retried(settlement: &Settlement) {
    assert_eq!(relabelled(settlement), "");
    let memory = settlement.memory.as_ref().unwrap();
    assert_eq!(memory.attempts["Plan"], 1);
    assert!(memory.cooldowns.contains_key("Plan"));
}

fn assert_needs_a_run_without_error(marker: &str) {
    for end in [End::FinishedWithError, End::TimedOut] {
        assert_retried(&in_progress().end_run(&ended(Job::Stage, end, marker)));
    }
    let mut crashed = in_progress();
    assert_eq!(relabelled(&crashed.end_run(&ended(Job::Stage, End::Failed, marker))), "");
    assert_eq!(crashed.item.column, "Plan");
}
