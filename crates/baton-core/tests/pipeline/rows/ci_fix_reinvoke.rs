//! Failed checks send the agent back.

use baton_core::config::PipelineDialect;
use baton_core::config::stages::prompts::{self, Purpose};
use baton_core::pipeline::Loop;
use baton_core::pipeline::checks::Conclusion;
use baton_core::pipeline::effect::{Job, Place};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::stage::Instruction;
use baton_core::pipeline::step::{Cause, Pause, Rest, Step};
use baton_core::pipeline::{Stage, report};

use crate::pipeline::world::{World, check, issue_in, pull, relabelled, said};

pub(crate) fn s3_2_42_failed_checks_reinvoke_the_stage() {
    for conclusion in [Conclusion::Failure, Conclusion::TimedOut, Conclusion::ActionRequired] {
        let mut world = failing(conclusion).flag(Flag::Yolo);
        assert_eq!(relabelled(&world.settlement(&world.step())), "+baton:editing");
        let steps = world.look_until_rest();
        assert_eq!(steps, [Step::Reinvoke(Cause::CiFix), Step::Rest(Rest::Running)], "{conclusion}");
        assert_eq!(world.jobs(), [Job::CiFix]);
        assert_eq!((world.view().cycles(Loop::CiFix), world.item.column.as_str()), (1, "Validate"));
        assert!(world.has(Flag::AwaitingCi) && !world.is_marked("Validate", StageMark::Complete));
    }
}

pub(crate) fn s3_2_42b_the_report_separates_new_regressions() {
    let mut pull = pull();
    let failed = |id, name| check(id, name, Some(Conclusion::Failure));
    pull.checks = Some(vec![failed(1, "lint"), failed(2, "build"), check(3, "docs", None)].into());
    pull.base_failures = vec!["lint".to_owned(), "docs".to_owned()];
    let report = report::failed_checks(&pull);
    let (new, older) = report.split_once("## Older than this change").unwrap();
    assert!(new.contains("- build (failure)") && !new.contains("lint"), "{report}");
    assert!(older.contains("- lint (failure)") && !older.contains("build"), "{report}");
    assert!(!report.contains("docs"), "it has not failed: {report}");
}

pub(crate) fn s3_2_42c_the_ci_skill_falls_back_to_that_of_comments() {
    let told = |ci_fix_skill: Option<&str>, comment_skill: Option<&str>| {
        let stage = Stage {
            ci_fix_skill: ci_fix_skill.map(str::to_owned),
            comment_instruction: comment_skill.map(skill),
            ..Stage::default()
        };
        prompts::instruction(&stage, Purpose::CiFix, PipelineDialect::Baton)
    };
    assert_eq!(told(Some("fix"), Some("answer")), skill("fix"));
    assert_eq!(told(None, Some("answer")), skill("answer"));
    assert_eq!(told(None, None), Instruction::Prompt(prompts::CI_FIX.to_owned()));
}

pub(crate) fn s3_2_43_the_ci_fix_limit_pauses() {
    let mut world = failing(Conclusion::Failure).with(|world| count(world, 4));
    assert_eq!(world.step(), Step::Reinvoke(Cause::CiFix), "the limit is five");
    count(&mut world, 5);
    assert_eq!(world.step(), Step::Pause(Pause::CiFixCycles));
    let settlement = world.settlement(&world.step());
    assert_eq!(relabelled(&settlement), "+baton:awaiting-input +baton:paused");
    let [(Place::Issue, why)] = said(&settlement)[..] else { panic!("not one comment: {settlement:?}") };
    assert!(why.contains("failing checks 5 times"), "{why}");
    world.perform(settlement);
    assert_eq!(world.view().cycles(Loop::CiFix), 0);
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingInput));
}

pub(crate) fn s3_2_44_an_active_run_defers_the_fix() {
    for cycles in [0, 5] {
        let world = failing(Conclusion::Failure).with(|world| count(world, cycles));
        let world = world.with(|world| world.item.runner = Some("coder".to_owned()));
        assert_eq!(world.step(), Step::Rest(Rest::Running));
        assert_eq!(world.settlement(&world.step()).effects, []);
    }
}

/// Returns a Validate that waits for checks, one of which ended so.
fn failing(conclusion: Conclusion) -> World {
    let checks = vec![check(1, "lint", Some(Conclusion::Success)), check(2, "build", Some(conclusion))];
    issue_in("Validate").flag(Flag::AwaitingCi).pull(|pull| pull.checks = Some(checks.into()))
}

fn count(world: &mut World, cycles: u32) {
    world.item.memory.cycles.insert(Loop::CiFix.key("Validate"), cycles);
}

fn skill(name: &str) -> Instruction {
    Instruction::Skill(name.to_owned())
}
