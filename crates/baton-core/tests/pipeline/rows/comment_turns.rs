//! Turn limits of runs over comments: only a label extends them, and what was said is never lost.

use baton_core::labels::dialect::Dialect;
use baton_core::pipeline::effect::{Effect, Job, Place, Reaction};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::outcome::Effort;
use baton_core::pipeline::step::{Rest, Step};
use baton_core::pipeline::turns::{
    Budget, Extension, Progress, at_the_limit, first, has_progressed, is_cut_off,
};
use baton_core::pipeline::{End, Outcome, Stage};

use crate::pipeline::world::{World, comment, ended, issue_in, relabelled, said};

/// The jobs that have the turns of comments.
const JOBS: [Job; 4] = [Job::Comments, Job::Review, Job::CiFix, Job::Rebase];

pub(crate) fn s4_3_01_progress_extends_a_comment_run() {
    for job in JOBS {
        let more = Extension::Granted(Budget { turns: Some(20), shares: 3 });
        assert_eq!(at_the_limit(&implement(), job, true, twice(), true), more);
    }
    let world = answering("Implement");
    assert_eq!(world.step(), Step::Rest(Rest::Running));
    assert!(world.settlement(&world.step()).is_empty(), "something happens before the run is over");
}

pub(crate) fn s4_3_02_three_budgets_end_a_comment_run() {
    for has_progress in [true, false] {
        let given = Budget { turns: Some(20), shares: 3 };
        let end = at_the_limit(&implement(), Job::Comments, true, given, has_progress);
        assert_eq!(end, Extension::AtTheCap);
    }
    assert_processed_in_part("Implement");
}

pub(crate) fn s4_3_03_no_progress_ends_a_comment_run() {
    let end = at_the_limit(&implement(), Job::Comments, true, twice(), false);
    assert_eq!(end, Extension::NoProgress);
    for stage in ["Plan", "Review"] {
        assert_processed_in_part(stage);
    }
}

pub(crate) fn s4_3_04_completion_in_a_comment_extension_completes() {
    for end in [End::Finished, End::TurnLimit] {
        let mut world = answering("Implement");
        let text = "First half.\n\nSecond half.\n\nBATON_STAGE_COMPLETE";
        let settlement = world.end_run(&answer(end, text));
        assert_eq!(relabelled(&settlement), "+stage:Implement:complete -baton:editing");
        let [(Place::Issue, body)] = said(&settlement)[..] else { panic!("not one comment: {settlement:?}") };
        assert!(body.contains("First half.\n\nSecond half."), "{body}");
    }
}

pub(crate) fn s4_3_x01_without_the_label_comment_runs_are_not_extended() {
    for job in JOBS {
        let given = first(&implement(), job, false);
        assert_eq!(at_the_limit(&implement(), job, false, given, true), Extension::NotAskedFor);
    }
    assert_processed_in_part("Implement");
}

pub(crate) fn s4_3_x02_the_label_grants_two_comment_budgets_first() {
    for job in JOBS {
        assert_eq!(first(&implement(), job, true), twice());
        assert_eq!(first(&implement(), job, false), Budget { turns: Some(20), shares: 1 });
    }
}

pub(crate) fn s4_3_x03_comment_turns_have_a_default() {
    let table = [(Some(9), Some(30), 9), (Some(9), None, 9), (None, Some(30), 30), (None, None, 50)];
    for (comment_max_turns, max_turns, turns) in table {
        let stage = Stage { comment_max_turns, max_turns, ..implement() };
        assert_eq!(first(&stage, Job::Comments, false).turns, Some(turns));
    }
}

pub(crate) fn s4_3_x04_stages_without_a_signal_get_the_grant_only() {
    for name in ["Specify", "Research", "Plan", "Done"] {
        let stage = issue_in(name).view().stage.clone();
        let after = Progress { head: "def".to_owned(), is_dirty: true, comments: 9, resolved_threads: 9 };
        let has_progress = has_progressed(&stage, &Progress::default(), &after);
        let given = first(&stage, Job::Comments, true);
        assert_eq!(given, Budget { turns: Some(100), shares: 2 });
        let end = at_the_limit(&stage, Job::Comments, true, given, has_progress);
        assert_eq!(end, Extension::NoProgress, "{name}");
    }
}

pub(crate) fn s4_3_x05_only_a_clean_capped_comment_run_is_extended() {
    let ends = [End::Finished, End::FinishedWithError, End::TimedOut, End::Failed, End::TurnLimit];
    for end in ends {
        let is_extended = is_cut_off(&answer(end, "Half of it."), Dialect::Baton);
        assert_eq!(is_extended, end == End::TurnLimit, "{end:?}");
    }
}

pub(crate) fn s4_3_x06_a_comment_run_posts_once() {
    let mut world = answering("Implement");
    let effort = Effort { turns: 55, turns_max: Some(60), input_tokens: 7, output_tokens: 3 };
    let outcome = Outcome { effort, ..answer(End::TurnLimit, "First half.\n\nSecond half.") };
    let settlement = world.end_run(&outcome);
    let [(Place::Issue, body)] = said(&settlement)[..] else { panic!("not one comment: {settlement:?}") };
    assert!(body.contains("First half.\n\nSecond half."), "{body}");
    assert_eq!(body.matches("Used 55/60 turns, 7 input / 3 output tokens.").count(), 1, "{body}");
}

/// Returns an issue whose comment is being answered.
fn answering(column: &str) -> World {
    let mut world = issue_in(column).comment(comment(1, "ana", "Why?"));
    assert_eq!(world.look(), Step::ProcessComments { resumes: false });
    world
}

/// Asserts that an answer which was cut off is posted, and that its comment is done with; the stage is as before.
fn assert_processed_in_part(column: &str) {
    let mut world = answering(column);
    let settlement = world.end_run(&answer(End::TurnLimit, "Half of it."));
    assert!(said(&settlement)[0].1.contains("Half of it."), "{settlement:?}");
    assert_eq!(relabelled(&settlement), "-baton:editing");
    let rocket = Effect::React { on: Place::Issue, comments: vec![1], with: Reaction::Rocket };
    assert!(settlement.effects.contains(&rocket), "{settlement:?}");
    let memory = &world.item.memory;
    assert!(memory.slices.is_empty() && memory.attempts.is_empty() && memory.processed_comments.contains(&1));
    assert!(!world.is_marked(column, StageMark::Complete) && !world.has(Flag::Paused));
    assert_eq!(world.step(), Step::Invoke { resume: false });
}

fn answer(end: End, text: &str) -> Outcome {
    Outcome { comments: vec![1], ..ended(Job::Comments, end, text) }
}

/// Returns a stage that gives comments fewer turns than its own work.
fn implement() -> Stage {
    Stage { comment_max_turns: Some(20), ..issue_in("Implement").view().stage.clone() }
}

/// Returns what the label grants there.
fn twice() -> Budget {
    Budget { turns: Some(40), shares: 2 }
}
