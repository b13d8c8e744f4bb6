//! Confirmed conflicts send the agent back to rebase.

use baton_core::config::PipelineDialect;
use baton_core::config::stages::prompts::{self, Purpose};
use baton_core::pipeline::effect::{Job, Place};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::stage::Instruction;
use baton_core::pipeline::step::{Cause, Pause, Rest, Step};
use baton_core::pipeline::{Loop, Stage};

use crate::pipeline::world::{World, issue_in, relabelled, said};

pub(crate) fn s3_2_45_a_conflict_reinvokes_the_stage() {
    for mut world in [conflicting(), conflicting_without_ci()] {
        assert_eq!(relabelled(&world.settlement(&world.step())), "+baton:editing");
        assert_eq!(world.look_until_rest(), [Step::Reinvoke(Cause::Rebase), Step::Rest(Rest::Running)]);
        assert_eq!(world.jobs(), [Job::Rebase]);
        assert_eq!(world.view().cycles(Loop::Rebase), 1);
        let waits_for_ci = world.view().stage.wait_for_ci;
        assert_eq!(world.has(Flag::AwaitingCi), waits_for_ci);
        assert_eq!(world.is_marked("Validate", StageMark::Complete), !waits_for_ci);
    }
}

pub(crate) fn s3_2_45b_the_rebase_skill_falls_back_to_that_of_comments() {
    let told = |rebase_skill: Option<&str>, comment_skill: Option<&str>| {
        let stage = Stage {
            rebase_skill: rebase_skill.map(str::to_owned),
            comment_instruction: comment_skill.map(skill),
            ..Stage::default()
        };
        prompts::instruction(&stage, Purpose::Rebase, PipelineDialect::Baton)
    };
    assert_eq!(told(Some("rebase"), Some("answer")), skill("rebase"));
    assert_eq!(told(None, Some("answer")), skill("answer"));
    assert_eq!(told(None, None), Instruction::Prompt(prompts::REBASE.to_owned()));
}

pub(crate) fn s3_2_46_the_rebase_limit_pauses() {
    for mut world in [conflicting(), conflicting_without_ci()] {
        count(&mut world, 2);
        assert_eq!(world.step(), Step::Reinvoke(Cause::Rebase), "the limit is three");
        count(&mut world, 3);
        assert_eq!(world.step(), Step::Pause(Pause::RebaseCycles));
        let settlement = world.settlement(&world.step());
        assert_eq!(relabelled(&settlement), "+baton:awaiting-input +baton:paused");
        let [(Place::Issue, why)] = said(&settlement)[..] else { panic!("not one comment: {settlement:?}") };
        assert!(why.contains("rebase 3 times"), "{why}");
        world.perform(settlement);
        assert_eq!(world.view().cycles(Loop::Rebase), 0);
        assert_eq!(world.step(), Step::Rest(Rest::AwaitingInput));
        assert!(world.has(Flag::RebaseNeeded));
    }
}

pub(crate) fn s3_2_47_an_active_run_defers_the_rebase() {
    for mut world in [conflicting(), conflicting_without_ci()] {
        world.item.runner = Some("coder".to_owned());
        for cycles in [0, 3] {
            count(&mut world, cycles);
            assert_eq!(world.step(), Step::Rest(Rest::Running));
            assert_eq!(world.settlement(&world.step()).effects, []);
        }
    }
}

/// Returns a Validate that waits for checks, and whose branch is known not to merge.
fn conflicting() -> World {
    let world = issue_in("Validate").flag(Flag::AwaitingCi).flag(Flag::RebaseNeeded);
    world.pull(|pull| pull.mergeable = Some(false))
}

/// Returns a complete Validate that merges without waiting for checks, and whose branch is known not to merge.
fn conflicting_without_ci() -> World {
    let world = issue_in("Validate").mark(StageMark::Complete).flag(Flag::RebaseNeeded).flag(Flag::Yolo);
    let world = world.stage(|stage| (stage.wait_for_ci, stage.wait_for_reviews) = (false, false));
    world.pull(|pull| pull.mergeable = Some(false))
}

fn count(world: &mut World, cycles: u32) {
    world.item.memory.cycles.insert(Loop::Rebase.key("Validate"), cycles);
}

fn skill(name: &str) -> Instruction {
    Instruction::Skill(name.to_owned())
}
