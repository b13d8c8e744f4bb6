//! Turn limits of stages: how far a run is extended, and what the end of its turns comes to.

use baton_core::labels::dialect::Dialect;
use baton_core::pipeline::effect::{Effect, Job, Place};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::outcome::Effort;
use baton_core::pipeline::step::{Rest, Step};
use baton_core::pipeline::turns::{
    Budget, Extension, Progress, at_the_limit, first, has_progressed, is_cut_off,
};
use baton_core::pipeline::{End, Outcome, Stage};

use crate::pipeline::world::{World, ended, issue_in, relabelled, said};

pub(crate) fn s3_2_33_progress_extends_the_run() {
    for shares in [1, 2] {
        assert_eq!(extension("Implement", shares, true), granted(50, shares + 1));
    }
    let world = issue_in("Implement").locked().with(|world| world.item.runner = Some("coder".to_owned()));
    assert_eq!(world.step(), Step::Rest(Rest::Running));
    assert!(world.settlement(&world.step()).is_empty(), "something happens before the run is over");
}

pub(crate) fn s3_2_34_three_budgets_are_the_end() {
    for has_progress in [true, false] {
        assert_eq!(extension("Implement", 3, has_progress), Extension::AtTheCap);
    }
    assert_slice(issue_in("Implement").locked());
    let mut world = issue_in("Implement").locked().policy(|policy| policy.max_slices = 2);
    for is_over in [false, true] {
        world.end_run(&cut_off("Half of it is done."));
        assert_eq!(world.has(Flag::Paused), is_over, "max_slices bounds it");
    }
}

pub(crate) fn s3_2_35_no_progress_means_no_extension() {
    for shares in [1, 2] {
        assert_eq!(extension("Implement", shares, false), Extension::NoProgress);
    }
    for stage in ["Implement", "Review", "Validate"] {
        assert_slice(issue_in(stage).locked());
    }
}

pub(crate) fn s3_2_36_completion_in_an_extension_completes() {
    for end in [End::Finished, End::TurnLimit] {
        let mut world = issue_in("Implement").locked().flag(Flag::ExtendTurns);
        let text = "First half.\n\nSecond half.\n\nBATON_STAGE_COMPLETE";
        let settlement = world.end_run(&ended(Job::Stage, end, text));
        let expected = "+stage:Implement:complete -baton:locked:ana -stage:Implement:in_progress";
        assert_eq!(relabelled(&settlement), expected);
        assert!(world.has(Flag::ExtendTurns));
    }
}

pub(crate) fn s3_2_p01_implement_progresses_by_a_commit() {
    assert!(progresses("Implement", |_, after| after.head = "def".to_owned()));
    assert!(!progresses("Implement", |_, after| (after.comments, after.resolved_threads) = (9, 9)));
}

pub(crate) fn s3_2_p01b_implement_progresses_by_new_edits() {
    assert!(progresses("Implement", |_, after| after.is_dirty = true));
}

pub(crate) fn s3_2_p01c_edits_from_before_are_no_progress() {
    assert!(!progresses("Implement", |before, after| (before.is_dirty, after.is_dirty) = (true, true)));
}

pub(crate) fn s3_2_p02_review_progresses_by_a_commit() {
    assert!(progresses("Review", |_, after| after.head = "def".to_owned()));
}

pub(crate) fn s3_2_p02b_review_progresses_by_resolved_threads() {
    assert!(progresses("Review", |_, after| after.resolved_threads = 3));
    assert!(!progresses("Review", |before, _| before.resolved_threads = 3));
    assert!(!progresses("Review", |_, after| (after.is_dirty, after.comments) = (true, 9)));
}

pub(crate) fn s3_2_p03_validate_progresses_by_comments() {
    assert!(progresses("Validate", |_, after| after.comments = 3));
    assert!(!progresses("Validate", |before, _| before.comments = 3));
    assert!(!progresses("Validate", |_, after| {
        *after = Progress { comments: after.comments, ..everything() };
    }));
}

pub(crate) fn s3_2_p04_other_stages_have_no_progress() {
    for name in ["Specify", "Research", "Plan"] {
        assert!(!progresses(name, |_, after| *after = everything()), "{name}");
    }
    let own = Stage { name: "Docs".to_owned(), max_turns: Some(50), ..Stage::default() };
    assert!(!has_progressed(&own, &Progress::default(), &everything()));
    let like_review = Stage { wait_for_reviews: true, ..own };
    assert!(has_progressed(&like_review, &Progress::default(), &everything()));
}

pub(crate) fn s3_2_x01_only_a_clean_capped_run_is_extended() {
    let table = [
        (End::TurnLimit, "Half of it is done.", true),
        (End::TurnLimit, "Done.\nBATON_STAGE_COMPLETE", false),
        (End::Finished, "Half of it is done.", false),
        (End::FinishedWithError, "Half of it is done.", false),
        (End::TimedOut, "Half of it is done.", false),
        (End::Failed, "Half of it is done.", false),
    ];
    for (end, text, is_extended) in table {
        assert_eq!(is_cut_off(&ended(Job::Stage, end, text), Dialect::Baton), is_extended, "{end:?}: {text}");
    }
    let unlimited = Stage { max_turns: None, ..stage("Implement") };
    let given = first(&unlimited, Job::Stage, true);
    assert_eq!(at_the_limit(&unlimited, Job::Stage, true, given, true), Extension::NoShares);
}

pub(crate) fn s3_2_x02_extend_turns_grants_two_budgets_first() {
    let given = |has_label| first(&stage("Implement"), Job::Stage, has_label);
    assert_eq!(given(false), Budget { turns: Some(50), shares: 1 });
    assert_eq!(given(true), Budget { turns: Some(100), shares: 2 });
}

pub(crate) fn s3_2_x03_extend_turns_beyond_two_asks_for_progress() {
    let implement = stage("Implement");
    let given = first(&implement, Job::Stage, true);
    let more = |given, has_progress| at_the_limit(&implement, Job::Stage, true, given, has_progress);
    assert_eq!(more(given, false), Extension::NoProgress);
    assert_eq!(more(given, true), granted(50, 3));
    assert_eq!(more(Budget { turns: Some(50), shares: 3 }, true), Extension::AtTheCap);
}

pub(crate) fn s3_2_x04_extend_turns_is_nothing_without_a_limit() {
    let unlimited = Stage { max_turns: None, ..stage("Implement") };
    for has_label in [true, false] {
        assert_eq!(first(&unlimited, Job::Stage, has_label).turns, None);
    }
}

pub(crate) fn s3_2_x05_extensions_post_one_comment() {
    let effort = Effort { turns: 120, turns_max: Some(150), ..Effort::default() };
    for (end, tail) in [(End::Finished, "BATON_STAGE_COMPLETE"), (End::TurnLimit, "")] {
        let mut world = issue_in("Plan").locked();
        let text = format!("First half.\n\nSecond half.\n\n{tail}");
        let settlement = world.end_run(&Outcome { effort, ..ended(Job::Stage, end, &text) });
        let [(Place::Issue, body)] = said(&settlement)[..] else { panic!("not one comment: {settlement:?}") };
        assert!(["First half.", "Second half.", "Used 120/150 turns"].iter().all(|it| body.contains(it)));
    }
}

/// Asserts that a run which was cut off leaves its stage in cooldown, with its labels, one slice older.
fn assert_slice(mut world: World) {
    let stage = world.item.column.clone();
    let settlement = world.end_run(&cut_off("Half of it is done."));
    assert_eq!(relabelled(&settlement), "");
    assert!(
        settlement.effects.contains(&Effect::PushBranch) && !settlement.effects.contains(&Effect::Release)
    );
    assert_eq!(
        (world.item.memory.slices.get(&stage), world.item.memory.attempts.get(&stage)),
        (Some(&1), None)
    );
    assert_eq!(world.step(), Step::Rest(Rest::Cooldown));
    assert!(world.is_locked() && world.is_marked(&stage, StageMark::InProgress));
    let cooldown = world.policy.cooldown;
    assert_eq!(world.after(cooldown).step(), Step::Invoke { resume: true });
}

fn cut_off(text: &str) -> Outcome {
    ended(Job::Stage, End::TurnLimit, text)
}

fn stage(name: &str) -> Stage {
    issue_in(name).view().stage.clone()
}

fn extension(name: &str, shares: u32, has_progress: bool) -> Extension {
    at_the_limit(&stage(name), Job::Stage, false, Budget { turns: Some(50), shares }, has_progress)
}

fn granted(turns: u32, shares: u32) -> Extension {
    Extension::Granted(Budget { turns: Some(turns), shares })
}

/// Returns whether a stage progressed, between two looks that only differ in what is changed.
fn progresses(name: &str, change: impl FnOnce(&mut Progress, &mut Progress)) -> bool {
    let seen = Progress { head: "abc".to_owned(), is_dirty: false, comments: 2, resolved_threads: 2 };
    let (mut before, mut after) = (seen.clone(), seen);
    change(&mut before, &mut after);
    has_progressed(&stage(name), &before, &after)
}

/// Returns signs of everything that can count.
fn everything() -> Progress {
    Progress { head: "def".to_owned(), is_dirty: true, comments: 9, resolved_threads: 9 }
}
