//! Labels in combinations that nobody planned: §8.2.

use std::time::Duration;

use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::{Repair, Rest};
use baton_core::pipeline::trail::{Answer, List};
use baton_core::pipeline::{Step, repairs};

use crate::pipeline::world::{comment, issue_in, relabelled};

pub(crate) fn s8_2_01_editing_without_a_run_rests_until_healed() {
    let mut world = issue_in("Plan").flag(Flag::Editing).locked();
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::Editing)]);
    let at_start = repairs(&world.item, &world.pipeline, &world.policy, world.now);
    assert_eq!(relabelled(&at_start), "-baton:editing -baton:locked:ana -stage:Plan:in_progress");
    world.perform(at_start);
    assert_eq!(world.step(), Step::Invoke { resume: false });
    let running = issue_in("Plan").flag(Flag::Editing).with(|it| it.item.runner = Some("coder".to_owned()));
    assert!(repairs(&running.item, &running.pipeline, &running.policy, running.now).is_empty());
}

pub(crate) fn s8_2_01b_editing_by_hand_rests_until_removed() {
    let mut world = issue_in("Plan").flag(Flag::Editing).comment(comment(1, "rob", "And this?"));
    world.wait(Duration::from_hours(400));
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::Editing)]);
    world.item.labels.clear();
    assert_eq!(world.step(), Step::ProcessComments { resumes: false });
}

pub(crate) fn s8_2_02_complete_in_its_own_column_waits_or_advances() {
    let world = issue_in("Plan").mark(StageMark::Complete);
    let onward = Step::Advance { to: "Implement".to_owned() };
    for flag in [Flag::Yolo, Flag::Cruise] {
        assert_eq!(world.clone().flag(flag).step(), onward);
    }
    assert_eq!(world.clone().stage(|stage| stage.auto_advance = Some(true)).step(), onward);
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingMove));
}

pub(crate) fn s8_2_03_paused_and_complete_stays() {
    let mut world = issue_in("Plan").mark(StageMark::Complete).flag(Flag::Yolo).flag(Flag::Paused);
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::Paused)]);
    let trail = world.assessment().trail;
    let mut gates = trail.entries.iter().filter(|entry| entry.list == List::Gates);
    assert!(gates.all(|entry| entry.answer == Answer::NotAsked));
    world.item.labels.retain(|label| label != "baton:paused");
    assert_eq!(world.step(), Step::Advance { to: "Implement".to_owned() });
}

pub(crate) fn s8_2_04_awaiting_review_without_complete_means_nothing() {
    let mut world = issue_in("Review").flag(Flag::AwaitingReview).pull(|_| {});
    assert_eq!(world.look(), Step::RepairLabels(Repair::Stale));
    assert!(!world.has(Flag::AwaitingReview));
    assert_eq!(world.look(), Step::Invoke { resume: false });
}

pub(crate) fn s8_2_05_failed_without_paused_is_an_unpause() {
    let mut world = issue_in("Plan").mark(StageMark::Failed);
    world.item.memory.attempts.insert("Plan".to_owned(), 3);
    assert_eq!(world.look(), Step::ClearFailure);
    assert!(!world.is_marked("Plan", StageMark::Failed) && world.item.memory.attempts.is_empty());
    assert_eq!(world.look(), Step::Invoke { resume: false });
}

pub(crate) fn s8_2_06_several_in_progress_labels_are_independent() {
    let others = ["stage:Specify:in_progress", "stage:Plan:in_progress"];
    let world = others.into_iter().fold(issue_in("Implement"), |world, label| world.label(label));
    assert_eq!(world.step(), Step::Invoke { resume: false });
    let settlement = world.settlement(&world.step());
    assert_eq!(relabelled(&settlement), "+baton:locked:ana +stage:Implement:in_progress");
}
