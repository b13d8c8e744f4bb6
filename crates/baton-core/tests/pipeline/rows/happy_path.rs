//! Rows of the specification: see the catalogue.

use baton_core::pipeline::effect::{Effect, Job, Place, Wake};
use baton_core::pipeline::item::ReviewState;
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::{Repair, Rest};
use baton_core::pipeline::{Settlement, Step};
use baton_core::tracker::PullState;

use crate::pipeline::world::{World, comment, issue_in, relabelled, review, said};

const COMPLETE: &str = "It is done.\nBATON_STAGE_COMPLETE";
const DRAFT: Effect = Effect::CreateDraftPull { summary: None };

pub(crate) fn s3_1_01_an_idle_issue_is_invoked() {
    for column in ["Specify", "Research", "Plan", "Implement", "Review", "Validate"] {
        let mut world = issue_in(column);
        let (step, settlement) = world.look_closely();
        assert_eq!(step, Step::Invoke { resume: false }, "{column}");
        assert_eq!(relabelled(&settlement), format!("+baton:locked:ana +stage:{column}:in_progress"));
        assert_eq!(settlement.effects.last(), Some(&wake(column)));
    }
    for hindered in [
        issue_in("Backlog"),
        issue_in("Plan").flag(Flag::Paused),
        issue_in("Plan").label("baton:locked:bob"),
        issue_in("Plan").flag(Flag::Editing),
        issue_in("Plan").blocker("acme/web#1", true),
        issue_in("Plan").with(|world| {
            world
                .item
                .memory
                .cooldowns
                .insert("Plan".to_owned(), world.now.store.plus(world.policy.cooldown));
        }),
    ] {
        assert!(!hindered.step().is_invocation(), "{:?}", hindered.item);
    }
}

pub(crate) fn s3_1_02_a_complete_stage_waits_when_it_should_not_advance() {
    let mut world = issue_in("Research").locked();
    let settlement = world.end_stage(COMPLETE);
    assert_eq!(
        relabelled(&settlement),
        "+stage:Research:complete -baton:locked:ana -stage:Research:in_progress"
    );
    let said = said(&settlement);
    assert!(matches!(said[..], [(Place::Issue, body)] if body.contains("It is done.")), "{said:?}");
    assert_eq!(settlement.effects.last(), Some(&Effect::Release));
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::AwaitingMove)]);
    assert_eq!(world.item.column, "Research");
}

pub(crate) fn s3_1_02b_completion_takes_an_old_failure_away() {
    let mut world = issue_in("Research").locked().mark(StageMark::Failed);
    assert_eq!(
        relabelled(&world.end_stage(COMPLETE)),
        "+stage:Research:complete -baton:locked:ana -stage:Research:failed -stage:Research:in_progress"
    );
}

pub(crate) fn s3_1_02c_completion_opens_a_draft_where_the_stage_asks() {
    for asks in [true, false] {
        let mut world = issue_in("Implement").locked().stage(|stage| {
            stage.create_draft_pr = asks;
            stage.mark_pr_ready = false;
        });
        let settlement = world.end_stage(COMPLETE);
        assert_eq!(settlement.effects.contains(&DRAFT), asks);
        assert_eq!(world.item.pull.map(|pull| pull.is_draft), asks.then_some(true));
    }
}

pub(crate) fn s3_1_02d_completion_marks_the_pull_request_ready() {
    for (asks, is_draft) in [(true, false), (false, true)] {
        let mut world = issue_in("Implement").locked().stage(|stage| stage.mark_pr_ready = asks);
        let settlement = world.end_stage(COMPLETE);
        assert_eq!(world.item.pull.unwrap().is_draft, is_draft);
        let ready = place(&settlement, &Effect::MarkPullReady);
        assert_eq!(ready.is_some(), asks);
        assert!(ready.is_none_or(|ready| place(&settlement, &DRAFT).unwrap() < ready));
    }
}

pub(crate) fn s3_1_03_a_person_moves_a_complete_issue_on() {
    let mut world = issue_in("Research").mark(StageMark::Complete);
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::AwaitingMove)]);
    world.item.column = "Plan".to_owned();
    assert_eq!(world.look(), Step::Invoke { resume: false });
    assert!(world.is_marked("Research", StageMark::Complete));
}

pub(crate) fn s3_1_04_a_complete_stage_advances_when_it_should() {
    let mut world = issue_in("Implement").locked().mark(StageMark::Failed).flag(Flag::Yolo);
    let settlement = world.end_stage(COMPLETE);
    assert_eq!(
        relabelled(&settlement),
        "+stage:Implement:complete -baton:locked:ana -stage:Implement:failed -stage:Implement:in_progress"
    );
    assert!(said(&settlement).iter().any(|(on, body)| *on == Place::Pull && body.contains("It is done.")));
    assert!(world.item.pull.as_ref().is_some_and(|pull| !pull.is_draft));
    assert_eq!(settlement.effects.last(), Some(&Effect::Release));
    assert_eq!(world.look(), Step::Advance { to: "Review".to_owned() });
    assert_eq!((world.item.column.as_str(), world.step()), ("Review", Step::Invoke { resume: false }));
}

pub(crate) fn s3_1_05_a_look_catches_up_with_a_complete_stage() {
    for flag in [Flag::Yolo, Flag::Cruise] {
        let mut world = issue_in("Research").mark(StageMark::Complete).flag(flag);
        let (step, settlement) = world.look_closely();
        assert_eq!(step, Step::Advance { to: "Plan".to_owned() }, "{flag}");
        assert_eq!(settlement.effects, [Effect::MoveTo { column: "Plan".to_owned() }]);
        assert_eq!(world.item.column, "Plan");
    }
}

pub(crate) fn s3_1_05b_new_comments_are_answered_before_catching_up() {
    let mut world = issue_in("Research").mark(StageMark::Complete).flag(Flag::Yolo).comment(comment(
        1,
        "rob",
        "Look at the other module too.",
    ));
    assert_eq!(world.look(), Step::ProcessComments { resumes: false });
    assert_eq!(world.item.column, "Research");
}

pub(crate) fn s3_1_06_validate_with_yolo_merges_and_goes_to_done() {
    let mut world = reviewed("Validate").locked().flag(Flag::Yolo);
    world.end_stage(COMPLETE);
    assert!(!world.is_locked() && !world.is_marked("Validate", StageMark::InProgress));
    assert_eq!(world.look(), Step::RepairLabels(Repair::ChecksPassed));
    assert!(world.is_marked("Validate", StageMark::Complete));
    assert_eq!(world.look(), Step::Merge);
    assert_eq!(world.item.pull.as_ref().unwrap().state, PullState::Merged);
    assert_eq!(world.look(), Step::Advance { to: "Done".to_owned() });
    assert_eq!((world.item.column.as_str(), world.step()), ("Done", Step::CleanUp));
}

pub(crate) fn s3_1_07_a_look_merges_a_complete_validate_with_yolo() {
    let mut world = reviewed("Validate").mark(StageMark::Complete).flag(Flag::Yolo);
    let labels = world.item.labels.clone();
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::Merge);
    assert_eq!(settlement.effects, [Effect::MergePull { pull: 7, head_sha: "abc123".to_owned() }]);
    assert_eq!(world.look(), Step::Advance { to: "Done".to_owned() });
    assert_eq!((world.item.column.as_str(), world.item.labels), ("Done", labels));
}

pub(crate) fn s3_1_08_validate_with_cruise_stops_complete() {
    let mut world = reviewed("Validate").locked().flag(Flag::Cruise);
    world.end_stage(COMPLETE);
    let steps = world.look_until_rest();
    assert_eq!(steps[0], Step::RepairLabels(Repair::ChecksPassed));
    assert_eq!(steps.last(), Some(&Step::Rest(Rest::AwaitingMerge)));
    assert_eq!(world.item.labels, ["baton:cruise", "stage:Validate:complete"]);
    assert_eq!(world.item.pull.unwrap().state, PullState::Open);
    assert_eq!(world.item.column, "Validate");
}

pub(crate) fn s3_1_09_a_look_leaves_a_complete_validate_with_cruise() {
    let mut world = reviewed("Validate").mark(StageMark::Complete).flag(Flag::Cruise);
    let steps = world.look_until_rest();
    assert!(steps.iter().all(|step| *step == Step::Rest(Rest::AwaitingMerge)), "{steps:?}");
    assert_eq!(world.performed, []);
}

pub(crate) fn s3_1_10_done_with_a_worktree_is_cleaned_up() {
    let mut world = issue_in("Done");
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::CleanUp);
    assert_eq!(relabelled(&settlement), "+stage:Done:complete");
    assert!(settlement.effects.contains(&Effect::RemoveWorktree) && !world.item.has_worktree);
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::CleanedUp)]);
    let elsewhere = issue_in("Done").with(|world| world.item.has_worktree = false);
    assert_eq!(elsewhere.step(), Step::Rest(Rest::NothingToClean));
}

pub(crate) fn s3_1_x01_yolo_is_the_setting_or_the_label_read_afresh() {
    let to_plan = Step::Advance { to: "Plan".to_owned() };
    let run = || issue_in("Research").locked();
    assert_eq!(after_the_run(run().policy(|policy| policy.yolo = true)), to_plan);
    let mut running = run().with(|world| world.item.runner = Some("coder".to_owned()));
    assert_eq!(running.look(), Step::Rest(Rest::Running));
    assert_eq!(after_the_run(running.clone().flag(Flag::Yolo)), to_plan, "put on during the run");
    assert_eq!(after_the_run(running), Step::Rest(Rest::AwaitingMove));
}

pub(crate) fn s3_1_x02_cruise_counts_only_without_yolo() {
    let cruise = || reviewed("Validate").mark(StageMark::Complete).flag(Flag::Cruise);
    assert_eq!(cruise().step(), Step::Rest(Rest::AwaitingMerge));
    assert_eq!(cruise().flag(Flag::Yolo).step(), Step::Merge);
    assert_eq!(cruise().policy(|policy| policy.yolo = true).step(), Step::Merge);
}

pub(crate) fn s3_1_x03_yolo_or_cruise_advances() {
    let to_plan = Step::Advance { to: "Plan".to_owned() };
    let run = || issue_in("Research").locked();
    assert_eq!(after_the_run(run().flag(Flag::Yolo)), to_plan);
    assert_eq!(after_the_run(run().flag(Flag::Cruise)), to_plan);
    assert_eq!(after_the_run(run()), Step::Rest(Rest::AwaitingMove));
}

pub(crate) fn s3_1_x04_auto_advance_decides_without_either_label() {
    for yolo in [true, false] {
        for auto_advance in [true, false] {
            let run = stubborn(auto_advance).locked().policy(|policy| policy.yolo = yolo);
            assert_eq!(after_the_run(run), on_to_plan(auto_advance), "yolo of the configuration: {yolo}");
        }
    }
}

pub(crate) fn s3_1_x04b_a_label_beats_auto_advance_false() {
    for flag in [Flag::Yolo, Flag::Cruise] {
        assert_eq!(after_the_run(stubborn(false).locked().flag(flag)), on_to_plan(true), "{flag}");
    }
}

pub(crate) fn s3_1_x05_cruise_never_leaves_validate() {
    for auto_advance in [None, Some(true), Some(false)] {
        let cruise = || {
            let world = issue_in("Validate").mark(StageMark::Complete).flag(Flag::Cruise);
            world.stage(|stage| (stage.auto_advance, stage.wait_for_reviews) = (auto_advance, false))
        };
        assert_eq!(cruise().pull(|_| {}).step(), Step::Rest(Rest::AwaitingMerge), "{auto_advance:?}");
        assert_eq!(cruise().step(), Step::Rest(Rest::AwaitingMove), "without a pull request");
    }
}

pub(crate) fn s3_1_x06_catching_up_needs_yolo_cruise_or_auto_advance() {
    let complete = || issue_in("Research").mark(StageMark::Complete);
    assert_eq!(complete().step(), on_to_plan(false));
    assert_eq!(complete().flag(Flag::Yolo).step(), on_to_plan(true));
    assert_eq!(complete().flag(Flag::Cruise).step(), on_to_plan(true));
    assert_eq!(complete().policy(|policy| policy.yolo = true).step(), on_to_plan(true));
    assert_eq!(stubborn(true).mark(StageMark::Complete).step(), on_to_plan(true));
}

pub(crate) fn s3_1_x07_catching_up_respects_auto_advance_false() {
    let complete = || stubborn(false).mark(StageMark::Complete).policy(|policy| policy.yolo = true);
    assert_eq!(complete().step(), on_to_plan(false));
    for flag in [Flag::Yolo, Flag::Cruise] {
        assert_eq!(complete().flag(flag).step(), on_to_plan(true), "{flag}");
    }
}

fn wake(stage: &str) -> Effect {
    Effect::Wake(Wake {
        job: Job::Stage,
        agent: None,
        stage: stage.to_owned(),
        resume: false,
        comments: Vec::new(),
        threads: Vec::new(),
        thread_comments: Vec::new(),
    })
}

fn place(settlement: &Settlement, effect: &Effect) -> Option<usize> {
    settlement.effects.iter().position(|own| own == effect)
}

/// An issue whose pull request was approved and whose checks have passed.
fn reviewed(column: &str) -> World {
    issue_in(column).pull(|pull| pull.reviews = vec![review("rob", ReviewState::Approved)])
}

/// An issue in Research, where the stage says whether it goes on.
fn stubborn(auto_advance: bool) -> World {
    issue_in("Research").stage(|stage| stage.auto_advance = Some(auto_advance))
}

/// Lets the stage complete, and returns the next step.
fn after_the_run(mut world: World) -> Step {
    world.end_stage(COMPLETE);
    world.step()
}

fn on_to_plan(advances: bool) -> Step {
    match advances {
        true => Step::Advance { to: "Plan".to_owned() },
        false => Step::Rest(Rest::AwaitingMove),
    }
}
