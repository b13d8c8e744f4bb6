//! Rows of the specification: see the catalogue.

use std::time::Duration;

use baton_core::pipeline::effect::{Effect, Job, Place, Wake};
use baton_core::pipeline::item::Comment;
use baton_core::pipeline::names::Flag;
use baton_core::pipeline::step::Rest;
use baton_core::pipeline::{End, Settlement, Step};

use crate::pipeline::world::{World, comment, ended, issue_in, relabelled, said};

const BLOCKED: &str = "There are two ways.\nBATON_BLOCKED_ON_INPUT";

pub(crate) fn s3_2_09_blocked_on_input_waits_for_a_person() {
    let mut world = issue_in("Plan").locked();
    let settlement = world.end_stage(BLOCKED);
    assert_eq!(
        relabelled(&settlement),
        "+baton:awaiting-input +baton:paused -baton:locked:ana -stage:Plan:in_progress"
    );
    assert_eq!(settlement.effects.last(), Some(&Effect::Release));
    assert!(question(&settlement).contains("@ana"));
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingInput));
    for (end, other) in [
        (End::Finished, "BATON_STAGE_COMPLETE"),
        (End::Finished, "BATON_DECOMPOSED\nBATON_SUB_ISSUE_BEGIN\nTITLE: Half\nDo it.\nBATON_SUB_ISSUE_END"),
        (End::FinishedWithError, ""),
    ] {
        let mut world = issue_in("Plan").locked();
        world.end_run(&ended(Job::Stage, end, &format!("{BLOCKED}\n{other}")));
        assert!(!world.has(Flag::AwaitingInput), "{end:?} {other}");
    }
}

pub(crate) fn s3_2_09b_the_question_is_quoted() {
    let asked = format!("BATON_SUMMARY_BEGIN\nRed or blue?\nI like red.\nBATON_SUMMARY_END\n{BLOCKED}");
    let quoting = issue_in("Plan").locked().end_stage(&asked);
    assert!(question(&quoting).contains("\n> Red or blue?\n> I like red.\n"), "{quoting:?}");
    let alone = issue_in("Plan").locked().end_stage(BLOCKED);
    assert!(question(&alone).contains("@ana") && !question(&alone).contains('>'), "{alone:?}");
}

pub(crate) fn s3_2_10_a_comment_answers_and_resumes() {
    let mut world = asked().comment(comment(1, "rob", "Red."));
    let until = world.now.store.plus(world.policy.cooldown);
    world.item.memory.cooldowns.insert("Plan".to_owned(), until);
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::ProcessComments { resumes: true });
    assert_eq!(relabelled(&settlement), "+baton:editing -baton:awaiting-input -baton:paused");
    let woken = |effect: &Effect| matches!(effect, Effect::Wake(Wake { job: Job::Comments, comments, .. }) if comments[..] == [1]);
    assert!(settlement.effects.iter().any(woken), "{settlement:?}");
    assert!(world.item.memory.cooldowns.is_empty());
}

pub(crate) fn s3_2_10b_without_a_comment_it_keeps_waiting() {
    let strangers = Comment { may_write: false, ..comment(1, "eve", "Blue.") };
    let programs = Comment { is_bot: true, ..comment(1, "linter", "Blue.") };
    let processed = Comment { has_rocket: true, ..comment(1, "rob", "Blue.") };
    let waiting = [strangers, programs, processed].map(|comment| asked().comment(comment));
    for mut world in waiting.into_iter().chain([asked()]) {
        world.performed.clear();
        world.wait(Duration::from_hours(1000));
        assert_eq!(world.look_until_rest(), [Step::Rest(Rest::AwaitingInput)]);
        assert_eq!(world.performed, []);
    }
}

/// An issue whose agent has asked.
fn asked() -> World {
    issue_in("Plan").locked().with(|world| {
        world.end_stage(BLOCKED);
    })
}

/// Returns what the operator is asked: the last comment.
fn question(settlement: &Settlement) -> &str {
    let Some((Place::Issue, question)) = said(settlement).pop() else { panic!("{settlement:?}") };
    question
}
