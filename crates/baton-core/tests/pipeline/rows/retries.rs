//! Rows of the specification: see the catalogue.

use std::time::Duration;

use baton_core::pipeline::effect::{Effect, Job, Wake};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::Rest;
use baton_core::pipeline::{End, Loop, Settlement, Step};
use baton_core::slot::{EnginePause, ItemMemory};

use crate::pipeline::world::{World, comment, ended, issue_in, relabelled, said};

const COMPLETED: &str = "+stage:Plan:complete -baton:locked:ana -stage:Plan:in_progress";
const SECOND: Duration = Duration::from_secs(1);

pub(crate) fn s3_2_25_a_marker_before_the_wall_time_counts() {
    let text = "The plan is written.\nBATON_STAGE_COMPLETE";
    let stopped = running().end_run(&ended(Job::Stage, End::TimedOut, text));
    assert_eq!(relabelled(&stopped), COMPLETED);
    assert_eq!(stopped, running().end_stage(text), "as if it had ended by itself");
}

pub(crate) fn s3_2_26_the_wall_time_without_a_marker_cools_down() {
    let mut world = running();
    let settlement = world.end_run(&ended(Job::Stage, End::TimedOut, "I am nearly"));
    cools_down(&world, &settlement);
}

pub(crate) fn s3_2_27_a_marker_before_the_silence_counts() {
    let text = "The plan is written.\n\nBATON_STAGE_COMPLETE\n\nNow I wait for the watcher to end.";
    let mut world = running();
    assert_eq!(relabelled(&world.end_run(&ended(Job::Stage, End::TimedOut, text))), COMPLETED);
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingMove));
}

pub(crate) fn s3_2_28_silence_without_a_marker_cools_down() {
    let mut world = running();
    let settlement = world.end_run(&ended(Job::Stage, End::TimedOut, ""));
    cools_down(&world, &settlement);
}

pub(crate) fn s3_2_29_a_run_without_a_marker_cools_down() {
    for end in [End::Finished, End::FinishedWithError] {
        let mut world = running();
        let settlement = world.end_run(&ended(Job::Stage, end, "I looked around."));
        cools_down(&world, &settlement);
        let ten_polls = Duration::from_secs(10 * 30);
        assert_eq!(world.item.memory.cooldowns["Plan"], world.now.store.plus(ten_polls));
        let written = serde_json::to_string(&world.item.memory).unwrap();
        assert_eq!(serde_json::from_str::<ItemMemory>(&written).unwrap(), world.item.memory);
    }
}

pub(crate) fn s3_2_29b_a_crashed_run_follows_the_retry_policy() {
    let mut world = running();
    let crashed = world.end_run(&ended(Job::Stage, End::Failed, ""));
    assert_eq!(relabelled(&crashed), "");
    assert!(!crashed.effects.contains(&Effect::Release) && said(&crashed).is_empty());
    assert_eq!(crashed.memory, None, "nothing is charged to the stage");
    world.item.runner = Some("coder".to_owned());
    assert_eq!(world.step(), Step::Rest(Rest::Running), "until it is tried again");
    escalates(&mut world, End::FailedForGood);
}

pub(crate) fn s3_2_29c_an_agent_that_never_started_is_not_charged() {
    let mut world = running();
    for _ in 1..world.policy.max_retries.unwrap() {
        let settlement = world.end_run(&ended(Job::Stage, End::NotStarted, ""));
        assert!(settlement.effects.is_empty(), "{settlement:?}");
        assert_eq!(world.item.memory.attempts.get("Plan"), None, "the stage is not charged");
        assert_eq!(world.step(), Step::Rest(Rest::Cooldown));
        world.wait(Duration::from_secs(30));
        assert_eq!(world.look(), Step::Invoke { resume: false });
    }
    escalates(&mut world, End::NotStarted);
}

pub(crate) fn s3_2_29d_a_comment_is_answered_during_the_cooldown() {
    let mut world = cooling();
    assert_eq!(world.step(), Step::Rest(Rest::Cooldown));
    world = world.comment(comment(1, "rob", "Use the other library."));
    assert_eq!(world.look(), Step::ProcessComments { resumes: false });
}

pub(crate) fn s3_2_30_after_the_cooldown_the_session_is_resumed() {
    let cooldown = cooling().policy.cooldown;
    let mut world = cooling().after(cooldown);
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::Invoke { resume: true });
    assert!(world.is_locked() && world.is_marked("Plan", StageMark::InProgress));
    let resumed =
        |effect: &Effect| matches!(effect, Effect::Wake(Wake { job: Job::Stage, resume: true, .. }));
    assert!(settlement.effects.iter().any(resumed), "{settlement:?}");
    let mut failed = cooling().mark(StageMark::Failed).after(cooldown);
    assert_eq!(relabelled(&failed.look_closely().1), "-stage:Plan:failed");
    assert_eq!(failed.look(), Step::Invoke { resume: false });
}

pub(crate) fn s3_2_30b_during_the_cooldown_it_rests() {
    let cooldown = cooling().policy.cooldown;
    for mut world in [cooling(), cooling().after(cooldown - SECOND)] {
        assert_eq!(world.look_until_rest(), [Step::Rest(Rest::Cooldown)]);
        assert_eq!(world.performed, []);
    }
}

pub(crate) fn s3_2_31_too_many_attempts_escalate() {
    let max = running().policy.max_retries.unwrap();
    let mut before = running().with(|world| tried(world, max - 2));
    before.end_stage("I looked around.");
    assert!(!before.has(Flag::Paused), "one attempt is left");
    escalates(&mut running().with(|world| tried(world, max - 1)), End::Finished);
}

pub(crate) fn s3_2_31b_no_limit_means_no_escalation() {
    let mut world = running().policy(|policy| policy.max_retries = None).with(|world| tried(world, 999));
    let settlement = world.end_stage("I looked around.");
    assert_eq!(relabelled(&settlement), "");
    assert_eq!(world.step(), Step::Rest(Rest::Cooldown));
}

pub(crate) fn s3_2_32_unpausing_clears_the_failure() {
    let by_label = || issue_in("Plan").mark(StageMark::Failed);
    let by_memory = || issue_in("Plan").with(remember_pause);
    for (mut world, labels) in [
        (by_label(), "-stage:Plan:failed"),
        (by_memory(), ""),
        (by_label().with(remember_pause), "-stage:Plan:failed"),
    ] {
        tried(&mut world, 2);
        let memory = &mut world.item.memory;
        memory.cooldowns.insert("Plan".to_owned(), world.now.store.plus(world.policy.cooldown));
        for turn in [Loop::Review, Loop::CiFix, Loop::Rebase] {
            memory.cycles.insert(turn.key("Plan"), 1);
        }
        let (step, settlement) = world.look_closely();
        assert_eq!((step, relabelled(&settlement).as_str()), (Step::ClearFailure, labels));
        assert_eq!(world.item.memory, ItemMemory::default());
        assert_eq!(world.look(), Step::Invoke { resume: false });
    }
}

/// An issue on which an agent works.
fn running() -> World {
    issue_in("Plan").locked().with(|world| world.item.runner = Some("coder".to_owned()))
}

/// An issue whose stage has just ended without a word.
fn cooling() -> World {
    running().with(|world| {
        world.end_stage("I looked around.");
        world.performed.clear();
    })
}

fn tried(world: &mut World, attempts: u32) {
    world.item.memory.attempts.insert("Plan".to_owned(), attempts);
}

fn remember_pause(world: &mut World) {
    let (stage, cause) = ("Plan".to_owned(), "stage_failed".to_owned());
    world.item.memory.paused_by_engine = Some(EnginePause { stage, cause, unheard_before: None });
}

/// The stage rests until it is tried again: labels and claim stay, and one attempt is charged.
fn cools_down(world: &World, settlement: &Settlement) {
    assert_eq!(relabelled(settlement), "");
    assert!(world.is_locked() && world.is_marked("Plan", StageMark::InProgress));
    assert!(!settlement.effects.contains(&Effect::Release));
    assert_eq!(world.item.runner, None);
    assert_eq!(world.item.memory.attempts["Plan"], 1);
    assert_eq!(world.step(), Step::Rest(Rest::Cooldown));
}

/// The run ends so that the stage is given up.
fn escalates(world: &mut World, end: End) {
    let settlement = world.end_run(&ended(Job::Stage, end, "I looked around."));
    assert_eq!(
        relabelled(&settlement),
        "+baton:paused +stage:Plan:failed -baton:locked:ana -stage:Plan:in_progress"
    );
    assert_eq!(settlement.effects.last(), Some(&Effect::Release));
    let (_, why) = said(&settlement).pop().unwrap();
    assert!(why.contains("@ana") && why.contains("**Plan**"), "{why}");
    let memory = &world.item.memory;
    assert_eq!(memory.paused_by_engine.as_ref().map(|pause| pause.cause.as_str()), Some("stage_failed"));
    assert!(memory.attempts.is_empty(), "a pause takes back what was counted towards it");
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::Paused)]);
}
