//! The guards: §8.1. Each row is set up together with what later guards look for, so that their order is seen too.

use std::time::Duration;

use baton_core::labels::{DO_NOT_PICKUP, PLAN_PENDING_APPROVAL};
use baton_core::pipeline::effect::{Effect, Job, Wake};
use baton_core::pipeline::item::Repository;
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::policy::Budget;
use baton_core::pipeline::step::{Hold, Pause, Rest};
use baton_core::pipeline::trail::List;
use baton_core::pipeline::{Stage, StageKind, Step};
use baton_core::slot::EnginePause;

use crate::pipeline::world::{World, comment, issue_in, relabelled, said};

pub(crate) fn s8_1_01_no_stage_for_the_column() {
    assert_eq!(locked_by_ben(told(issue_in("Ideas"))).step(), Step::Rest(Rest::NoStage));
    for kind in [StageKind::Unmanaged, StageKind::Holding] {
        let kept = issue_in("Plan").stage(|stage: &mut Stage| stage.kind = kind);
        assert_eq!(told(kept).step(), Step::Rest(Rest::NoStage), "{kind:?}");
    }
}

pub(crate) fn s8_1_02_repository_not_ready() {
    let world = locked_by_ben(told(issue_in("Plan")));
    let world = world.with(|it| it.item.repository = Repository::NotReady("no access".to_owned()));
    assert_eq!(world.step(), Step::Rest(Rest::RepoNotReady));
    assert_eq!(world.fact(List::Guards, "repository-not-ready", "repository"), "no access");
}

pub(crate) fn s8_1_03_locked_by_another() {
    let world = told(issue_in("Plan")).label(DO_NOT_PICKUP).flag(Flag::Editing);
    let by_claim = world.clone().with(|it| it.item.foreign_claim = Some("ben".to_owned()));
    for world in [locked_by_ben(world), by_claim] {
        assert_eq!(world.step(), Step::Rest(Rest::LockedByOther));
        assert_eq!(world.closed().step(), Step::Rest(Rest::Closed));
    }
    assert_eq!(told(issue_in("Plan")).label(DO_NOT_PICKUP).step(), Step::Rest(Rest::Held));
}

pub(crate) fn s8_1_04_editing() {
    let world = issue_in("Plan").flag(Flag::Editing).flag(Flag::Paused);
    assert_eq!(told(world.clone()).step(), Step::Rest(Rest::Editing));
    assert_eq!(world.step(), Step::Rest(Rest::Editing));
}

pub(crate) fn s8_1_05_awaiting_input_with_a_comment() {
    let world = told(issue_in("Plan").flag(Flag::Paused).flag(Flag::AwaitingInput));
    assert_eq!(world.step(), Step::ProcessComments { resumes: true });
    let settlement = world.settlement(&world.step());
    assert_eq!(relabelled(&settlement), "+baton:editing -baton:awaiting-input -baton:paused");
    assert!(matches!(settlement.effects.last(), Some(Effect::Wake(Wake { job: Job::Comments, .. }))));
}

pub(crate) fn s8_1_06_awaiting_input_without_a_comment() {
    let world = issue_in("Plan").flag(Flag::Paused).flag(Flag::AwaitingInput).blocker("acme/web#1", true);
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingInput));
}

pub(crate) fn s8_1_07_paused_with_a_comment() {
    let mut world = told(issue_in("Plan").flag(Flag::Paused).mark(StageMark::Failed));
    let (step, settlement) = world.look_closely();
    assert_eq!(step, Step::ProcessComments { resumes: true });
    assert_eq!(relabelled(&settlement), "+baton:editing -baton:paused -stage:Plan:failed");
    let blocked = |is_open| told(issue_in("Plan").flag(Flag::Paused)).blocker("acme/web#1", is_open).step();
    assert_eq!(blocked(true), Step::Rest(Rest::Paused), "no agent works on a blocked issue");
    assert_eq!(blocked(false), Step::ProcessComments { resumes: true }, "nothing is lost by waiting");
}

pub(crate) fn s8_1_08_paused_without_a_comment() {
    let world = issue_in("Plan").flag(Flag::Paused).mark(StageMark::Failed).blocker("acme/web#1", true);
    assert_eq!(world.step(), Step::Rest(Rest::Paused));
    let by_a_stranger = world.clone().comment(comment(1, "eve", "Go on!")).with(|it| {
        it.item.comments[0].may_write = false;
    });
    let by_a_bot = world.comment(comment(1, "acme-bot", "Go on!"));
    for world in [by_a_stranger, by_a_bot] {
        assert_eq!(world.step(), Step::Rest(Rest::Paused));
    }
}

pub(crate) fn s8_1_09_open_dependencies() {
    for world in [issue_in("Plan"), told(issue_in("Plan")), issue_in("Done")] {
        let mut world = world.blocker("acme/web#1", true).mark(StageMark::Failed);
        assert_eq!(world.step(), Step::HoldAtGate(Hold::Dependencies));
        let settlement = world.settlement(&world.step());
        assert_eq!(relabelled(&settlement), "+baton:blocked");
        assert!(said(&settlement)[0].1.contains("acme/web#1"));
        world.look();
        assert!(world.settlement(&world.step()).is_empty(), "it is told once");
    }
}

pub(crate) fn s8_1_10_the_cleanup_stage() {
    let mut world = told(issue_in("Done")).mark(StageMark::Failed);
    assert_eq!(world.step(), Step::CleanUp);
    let settlement = world.settlement(&world.step());
    assert!(settlement.effects.contains(&Effect::RemoveWorktree));
    world.look();
    assert!(world.is_marked("Done", StageMark::Complete));
    assert_eq!(world.look(), Step::Rest(Rest::CleanedUp));
    let nothing_here = told(issue_in("Done")).with(|it| it.item.has_worktree = false);
    assert_eq!(nothing_here.step(), Step::Rest(Rest::NothingToClean));
}

pub(crate) fn s8_1_11_failed_after_unpause() {
    let pause =
        EnginePause { stage: "Plan".to_owned(), cause: "review_cycles".to_owned(), unheard_before: None };
    let remembered = issue_in("Plan").with(|it| it.item.memory.paused_by_engine = Some(pause));
    for world in [remembered, issue_in("Plan").mark(StageMark::Failed)] {
        let mut world = told(world).with(|it| _ = it.item.memory.attempts.insert("Plan".to_owned(), 3));
        assert_eq!(world.look(), Step::ClearFailure);
        assert!(!world.is_marked("Plan", StageMark::Failed));
        assert!(world.item.memory.attempts.is_empty() && world.item.memory.paused_by_engine.is_none());
        assert_eq!(world.step(), Step::ProcessComments { resumes: false }, "the later guards are asked");
    }
}

pub(crate) fn s8_1_12_new_comments() {
    let finished = issue_in("Plan").mark(StageMark::Complete).flag(Flag::Yolo);
    let pending = issue_in("Plan").label(PLAN_PENDING_APPROVAL);
    let pull = issue_in("Plan").with(|it| it.item.is_pull = true);
    for world in [issue_in("Plan"), finished, cooling(), pending, pull] {
        let world = told(world);
        assert_eq!(world.step(), Step::ProcessComments { resumes: false });
        let settlement = world.settlement(&world.step());
        assert!(matches!(settlement.effects.last(), Some(Effect::Wake(Wake { job: Job::Comments, .. }))));
    }
}

pub(crate) fn s8_1_13_a_pull_request() {
    let finished = issue_in("Plan").mark(StageMark::Complete).flag(Flag::Yolo);
    for world in [issue_in("Plan"), finished, cooling()] {
        assert_eq!(world.with(|it| it.item.is_pull = true).step(), Step::Rest(Rest::IsPull));
    }
}

pub(crate) fn s8_1_14_stage_complete() {
    let finished = cooling().mark(StageMark::Complete);
    assert_eq!(finished.step(), Step::Rest(Rest::AwaitingMove));
    assert_eq!(finished.clone().flag(Flag::Yolo).step(), Step::Advance { to: "Implement".to_owned() });
    let pending = finished.flag(Flag::Yolo).label(PLAN_PENDING_APPROVAL);
    assert_eq!(pending.step(), Step::Rest(Rest::ApprovalPending));
    let checked = issue_in("Validate").flag(Flag::AwaitingCi).pull(|pull| pull.checks = None);
    assert_eq!(checked.step(), Step::HoldAtGate(Hold::ChecksUnknown));
}

pub(crate) fn s8_1_15_cooldown() {
    let world = cooling().policy(|policy| policy.limits.issue_runs = Some(0));
    assert_eq!(world.step(), Step::Rest(Rest::Cooldown));
    assert_eq!(cooling().after(COOLDOWN).step(), Step::Invoke { resume: false });
}

pub(crate) fn s8_1_16_all_guards_pass() {
    let world = issue_in("Plan");
    assert_eq!(world.step(), Step::Invoke { resume: false });
    let settlement = world.settlement(&world.step());
    assert_eq!(relabelled(&settlement), "+baton:locked:ana +stage:Plan:in_progress");
    assert!(matches!(settlement.effects.last(), Some(Effect::Wake(Wake { job: Job::Stage, .. }))));
    let spent = world.policy(|policy| policy.limits.issue_runs = Some(0));
    assert_eq!(spent.step(), Step::Pause(Pause::BudgetSpent(Budget::IssueRuns)));
}

const COOLDOWN: Duration = Duration::from_mins(5);

/// Returns an issue whose stage ended without a word a moment ago.
fn cooling() -> World {
    issue_in("Plan").with(|it| {
        it.item.memory.cooldowns.insert("Plan".to_owned(), it.now.store.plus(COOLDOWN));
    })
}

/// Adds something that a person said.
fn told(world: World) -> World {
    world.comment(comment(1, "rob", "And this?"))
}

fn locked_by_ben(world: World) -> World {
    world.label("baton:locked:ben")
}
