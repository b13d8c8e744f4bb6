//! Every label, who adds and who removes it, and what it holds up: §1.4. Labels that only modify: §1.2.

use std::time::Duration;

use baton_core::pipeline::checks::Conclusion;
use baton_core::pipeline::effect::{Effect, Job};
use baton_core::pipeline::item::{MergeState, ReviewState};
use baton_core::pipeline::names::{Flag, StageMark, modifier};
use baton_core::pipeline::stage::Effort;
use baton_core::pipeline::step::{Cause, Hold, Pause, Repair, Rest};
use baton_core::pipeline::{End, Loop, Stage, Step, repairs, turns};
use baton_core::tracker::PullState;

use crate::pipeline::world::{World, added, check, comment, ended, issue_in, request, review, thread};

const DECOMPOSED: &str = "BATON_DECOMPOSED\nBATON_SUB_ISSUE_BEGIN\nTITLE: Half\nDo it.\nBATON_SUB_ISSUE_END";

pub(crate) fn s1_4_01_locked() {
    let mut world = issue_in("Plan");
    world.look();
    assert!(world.is_locked());
    let other = world.clone().policy(|policy| policy.own_lock = policy.names.lock("ben"));
    assert_eq!(other.with(|it| it.item.runner = None).step(), Step::Rest(Rest::LockedByOther));
    let ends = [
        (End::Finished, "BATON_STAGE_COMPLETE", false),
        (End::FailedForGood, "", false),
        (End::Finished, "BATON_BLOCKED_ON_INPUT", false),
        (End::Finished, DECOMPOSED, false),
        (End::Finished, "It takes another run.", true),
    ];
    for (end, text, stays) in ends {
        let mut world = world.clone();
        world.end_run(&ended(Job::Stage, end, text));
        assert_eq!(world.is_locked(), stays, "{end:?} {text}");
        assert_eq!(world.performed.contains(&Effect::Release), !stays, "{end:?} {text}");
    }
    let mut lost = world.clone().label("baton:locked:ben");
    lost.end_run(&ended(Job::Stage, End::NotStarted, ""));
    assert!(!lost.is_locked() && lost.has_label("baton:locked:ben"));
    let long = world.policy.names.lock(&"a".repeat(39));
    let (head, tail) = long.rsplit_once('~').unwrap();
    assert!(long.len() == 50 && head.starts_with("baton:locked:aaa") && tail.len() == 6, "{long}");
}

pub(crate) fn s1_4_02_editing() {
    let mut world = issue_in("Plan").comment(comment(1, "rob", "And this?"));
    world.look();
    assert!(world.has(Flag::Editing));
    assert_eq!(world.clone().with(|it| it.item.runner = None).step(), Step::Rest(Rest::Editing));
    for end in [End::Finished, End::TimedOut, End::Failed, End::FailedForGood, End::NotStarted] {
        let mut world = world.clone();
        world.end_run(&ended(Job::Comments, end, ""));
        assert!(!world.has(Flag::Editing), "{end:?}");
    }
    for (runner, stays) in [(None, false), (Some("coder".to_owned()), true)] {
        let mut world = world.clone().with(|it| it.item.runner = runner);
        world.perform(repairs(&world.item, &world.pipeline, &world.policy, world.now));
        assert_eq!(world.has(Flag::Editing), stays);
    }
}

pub(crate) fn s1_4_03_paused() {
    for mut world in [asked(), vec![escalated()]].concat() {
        assert!(world.has(Flag::Paused), "{:?}", world.performed);
        let steps = world.look_until_rest();
        assert!(matches!(steps[..], [Step::Rest(Rest::Paused | Rest::AwaitingInput)]), "{steps:?}");
        let mut by_a_person = world.clone().with(|it| it.item.labels.retain(|label| label != "baton:paused"));
        assert_eq!(by_a_person.look(), Step::ClearFailure, "it goes on");
        let mut by_comment = answered(world);
        assert_eq!(by_comment.look(), Step::ProcessComments { resumes: true });
        assert!(!by_comment.has(Flag::Paused));
    }
}

pub(crate) fn s1_4_04_awaiting_input() {
    assert!(!escalated().has(Flag::AwaitingInput));
    for world in asked() {
        assert!(world.has(Flag::AwaitingInput), "{:?}", world.performed);
        assert_eq!(world.step(), Step::Rest(Rest::AwaitingInput));
        let (mut answered, mut closed) = (answered(world.clone()), world.closed());
        answered.look();
        closed.look_until_rest();
        assert!(!answered.has(Flag::AwaitingInput) && !closed.has(Flag::AwaitingInput));
    }
}

pub(crate) fn s1_4_05_awaiting_review() {
    let mut completed = issue_in("Review").locked().flag(Flag::Yolo).pull(|_| {});
    completed.end_stage("BATON_STAGE_COMPLETE");
    let mut gated = issue_in("Review").mark(StageMark::Complete).flag(Flag::Yolo).pull(|_| {});
    gated.look();
    for mut world in [completed, gated] {
        assert!(world.has(Flag::AwaitingReview));
        assert_eq!(world.look_until_rest().last(), Some(&Step::HoldAtGate(Hold::Reviews)));
        let reviewed = world.clone().pull(|pull| pull.reviews = vec![review("rob", ReviewState::Approved)]);
        let late = world.clone().after(world.policy.review_wait_timeout);
        for mut world in [reviewed, late, world.closed()] {
            world.look_until_rest();
            assert!(!world.has(Flag::AwaitingReview));
        }
    }
}

pub(crate) fn s1_4_06_awaiting_ci() {
    let mut world = issue_in("Validate").locked().pull(|pull| {
        pull.checks = Some(vec![check(1, "build", None)].into());
    });
    world.end_stage("BATON_STAGE_COMPLETE");
    assert!(world.has(Flag::AwaitingCi) && !world.is_marked("Validate", StageMark::Complete));
    assert_eq!(world.look_until_rest().last(), Some(&Step::HoldAtGate(Hold::Checks)));
    let green = world.clone().pull(|pull| {
        pull.checks = Some(vec![check(1, "build", Some(Conclusion::Success))].into());
    });
    let accepted = failing(world.clone()).pull(|pull| pull.merge_state = MergeState::Clean);
    let late = world.clone().after(world.policy.ci_wait_timeout);
    for mut world in [green, accepted, late, world.closed()] {
        world.look_until_rest();
        assert!(!world.has(Flag::AwaitingCi));
    }
    let mut failed = failing(issue_in("Validate").mark(StageMark::Complete)).pull(|pull| {
        pull.reviews = vec![review("rob", ReviewState::Approved)];
    });
    assert_eq!(failed.look(), Step::Reinvoke(Cause::CiFix));
    assert!(failed.has(Flag::AwaitingCi));
}

pub(crate) fn s1_4_07_rebase_needed() {
    let world = issue_in("Validate").flag(Flag::AwaitingCi);
    let mut unknown = world.clone().pull(|pull| pull.mergeable = None);
    unknown.look_until_rest();
    assert!(!unknown.has(Flag::RebaseNeeded));
    let mut world = world.pull(|pull| pull.mergeable = Some(false));
    assert_eq!(world.look(), Step::Reinvoke(Cause::Rebase), "checks and the next stage have to wait");
    assert!(world.has(Flag::RebaseNeeded));
    world.end_run(&ended(Job::Rebase, End::Finished, "Rebased."));
    let rebased = world.clone().pull(|pull| pull.mergeable = Some(true));
    let merged = world.clone().pull(|pull| pull.state = PullState::Merged);
    for mut world in [rebased, merged, world.closed()] {
        world.look_until_rest();
        assert!(!world.has(Flag::RebaseNeeded));
    }
}

pub(crate) fn s1_4_08_blocked() {
    let mut world = issue_in("Plan").blocker("acme/web#1", true);
    assert_eq!(world.look(), Step::HoldAtGate(Hold::Dependencies));
    assert!(world.has(Flag::Blocked));
    assert_eq!(world.look_until_rest(), [Step::HoldAtGate(Hold::Dependencies)]);
    for column in ["Plan", "Ideas", "Done"] {
        let mut freed = world.clone().with(|it| it.item.column = column.to_owned());
        freed.item.blockers[0].is_open = false;
        assert_eq!(freed.look(), Step::RepairLabels(Repair::Unblocked), "{column}");
        assert!(!freed.has(Flag::Blocked));
    }
}

pub(crate) fn s1_4_09_in_progress() {
    let mut world = issue_in("Plan").mark(StageMark::InProgress);
    assert_eq!(world.step(), issue_in("Plan").step(), "it only informs");
    world = issue_in("Plan");
    world.look();
    assert!(world.is_marked("Plan", StageMark::InProgress) && world.is_locked());
    for text in ["It takes another run.", "BATON_STAGE_COMPLETE"] {
        world.end_stage(text);
        assert_eq!(world.is_marked("Plan", StageMark::InProgress), world.is_locked(), "{text}");
    }
    assert!(!world.is_locked());
}

pub(crate) fn s1_4_10_complete() {
    let world = whole_life(&["baton:yolo"]);
    for stage in world.pipeline.stages() {
        assert!(world.is_marked(&stage.name, StageMark::Complete), "{}", stage.name);
    }
    let complete = "stage:Validate:complete".to_owned();
    let at_the_gate = Step::RepairLabels(Repair::ChecksPassed);
    let green = issue_in("Validate").flag(Flag::AwaitingCi).pull(|_| {});
    assert_eq!((green.step(), added(&green.settlement(&at_the_gate))), (at_the_gate, vec![&*complete]));
    let mut decomposed = issue_in("Plan").locked();
    decomposed.end_stage(DECOMPOSED);
    decomposed.look_until_rest();
    assert!(decomposed.is_marked("Plan", StageMark::Complete));
    let taken_off =
        |effect: &Effect| matches!(effect, Effect::RemoveLabel { label } if label.ends_with(":complete"));
    assert!(![world, decomposed].iter().any(|world| world.performed.iter().any(taken_off)));
    let finished = issue_in("Plan").mark(StageMark::Complete);
    assert_eq!(finished.step(), Step::Rest(Rest::AwaitingMove), "the gates are asked, not the agent");
}

pub(crate) fn s1_4_11_failed() {
    let world = escalated();
    assert!(world.is_marked("Plan", StageMark::Failed) && world.has(Flag::Paused));
    let mut unpaused = world.clone().with(|it| it.item.labels.retain(|label| label != "baton:paused"));
    assert_eq!(unpaused.look(), Step::ClearFailure);
    let mut completed = world.clone();
    completed.end_stage("BATON_STAGE_COMPLETE");
    let mut tried = world;
    tried.perform(tried.settlement(&Step::Invoke { resume: false }));
    for world in [unpaused, completed, tried] {
        assert!(!world.is_marked("Plan", StageMark::Failed), "{:?}", world.performed);
    }
}

pub(crate) fn s1_4_12_yolo() {
    let world = whole_life(&["baton:yolo"]);
    assert_is_peoples(&world, "baton:yolo");
    assert!(world.item.pull.as_ref().unwrap().is_merged() && world.item.column == "Done");
    let kept = issue_in("Plan").mark(StageMark::Complete).stage(|stage| stage.auto_advance = Some(false));
    assert_eq!(kept.flag(Flag::Yolo).step(), onward());
}

pub(crate) fn s1_4_13_cruise() {
    let world = whole_life(&["baton:cruise"]);
    assert_is_peoples(&world, "baton:cruise");
    assert!(!world.item.pull.as_ref().unwrap().is_merged() && world.item.column == "Validate");
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingMerge));
    assert_eq!(whole_life(&["baton:yolo", "baton:cruise"]).item.column, "Done");
}

pub(crate) fn s1_4_14_unrestricted() {
    assert_is_peoples(&whole_life(&["baton:yolo", "baton:unrestricted"]), "baton:unrestricted");
    assert!(issue_in("Plan").flag(Flag::Unrestricted).view().has(Flag::Unrestricted));
}

pub(crate) fn s1_4_15_extend_turns() {
    let world = whole_life(&["baton:yolo", "baton:extend-turns"]);
    let is_removed =
        |effect: &Effect| matches!(effect, Effect::RemoveLabel { label } if label == "baton:extend-turns");
    let removed_at = world.performed.iter().position(is_removed).unwrap();
    let cleaned_at = world.performed.iter().position(|effect| *effect == Effect::RemoveWorktree).unwrap();
    assert!(removed_at > cleaned_at, "it stays to the end");
    let stage = Stage { max_turns: Some(20), comment_max_turns: Some(7), ..Stage::default() };
    let turns = |job, has_label| turns::first(&stage, job, has_label).turns;
    assert_eq!([turns(Job::Stage, false), turns(Job::Stage, true)], [Some(20), Some(40)]);
    assert_eq!([turns(Job::Comments, false), turns(Job::Comments, true)], [Some(7), Some(14)]);
}

pub(crate) fn s1_4_16_model() {
    let labels = ["baton:yolo", "model:opus", "model:haiku"];
    let world = whole_life(&labels);
    assert_is_peoples(&world, "model:opus");
    assert_eq!(modifier(&world.item.labels, "model"), Some("opus"));
}

pub(crate) fn s1_4_17_effort() {
    let world = whole_life(&["baton:yolo", "effort:low", "effort:high", "effort:medium"]);
    assert_is_peoples(&world, "effort:low");
    assert_eq!(baton_core::pipeline::names::effort(&world.item.labels), Some(Effort::High));
}

pub(crate) fn s1_4_18_base() {
    let world = whole_life(&["baton:yolo", "base:release/2.0"]);
    assert_is_peoples(&world, "base:release/2.0");
    assert_eq!(modifier(&world.item.labels, "base"), Some("release/2.0"));
}

pub(crate) fn s1_4_19_sub_issue() {
    assert_is_peoples(&whole_life(&["baton:yolo", "baton:sub-issue"]), "baton:sub-issue");
    let text = "BATON_SUB_ISSUE_BEGIN\nTITLE: First\nDo it.\nBATON_SUB_ISSUE_END\nBATON_DECOMPOSED";
    let settlement = issue_in("Plan").locked().end_stage(text);
    let makes_some =
        |effect: &Effect| matches!(effect, Effect::CreateSubIssues { issues } if issues.len() == 1);
    assert!(settlement.effects.iter().any(makes_some));
    assert_eq!(issue_in("Plan").policy.names.flag(Flag::SubIssue), "baton:sub-issue");
}

pub(crate) fn s1_2_01_yolo_modifies() {
    assert_changes_no_state("baton:yolo");
    assert_eq!(issue_in("Plan").mark(StageMark::Complete).flag(Flag::Yolo).step(), onward());
    assert_eq!(ready_to_merge().flag(Flag::Yolo).step(), Step::Merge);
}

pub(crate) fn s1_2_02_cruise_modifies() {
    assert_changes_no_state("baton:cruise");
    assert_eq!(issue_in("Plan").mark(StageMark::Complete).flag(Flag::Cruise).step(), onward());
    assert_eq!(ready_to_merge().flag(Flag::Cruise).step(), ready_to_merge().step());
}

pub(crate) fn s1_2_03_unrestricted_modifies() {
    assert_changes_nothing("baton:unrestricted");
}

pub(crate) fn s1_2_04_extend_turns_modifies() {
    assert_changes_nothing("baton:extend-turns");
    for stage in issue_in("Plan").pipeline.stages().iter().filter(|stage| stage.is_working()) {
        for job in [Job::Stage, Job::Comments] {
            let turns = |has_label| turns::first(stage, job, has_label).turns.unwrap();
            assert_eq!(turns(true), 2 * turns(false), "{} {job}", stage.name);
        }
    }
    let boundless = Stage::default();
    assert_eq!(turns::first(&boundless, Job::Stage, true).turns, None);
    assert_eq!(turns::first(&boundless, Job::Comments, true).turns, Some(100));
}

pub(crate) fn s1_2_05_model_modifies() {
    assert_changes_nothing("model:opus");
    let stage = Stage { model: Some("sonnet".to_owned()), ..Stage::default() };
    assert_eq!(stage.model_for(&["model:opus".to_owned()]), Some("opus"));
    assert_eq!(stage.model_for(&["bug".to_owned()]), Some("sonnet"));
}

pub(crate) fn s1_2_06_effort_modifies() {
    assert_changes_nothing("effort:max");
    let stage = Stage { effort: Some(Effort::Max), ..Stage::default() };
    for (word, effort) in Effort::ALL.iter().map(|effort| (format!("effort:{effort}"), *effort)) {
        assert_eq!(stage.effort_for(&["effort:low".to_owned(), word]), Some(effort));
    }
    assert_eq!(stage.effort_for(&[]), Some(Effort::Max));
}

pub(crate) fn s1_2_07_base_modifies() {
    assert_changes_nothing("base:release/2.0");
    assert_eq!(modifier(&["bug".to_owned()], "base"), None);
    assert_eq!(modifier(&["Base:next".to_owned(), "base:old".to_owned()], "base"), Some("next"));
}

pub(crate) fn s1_2_08_sub_issue_modifies() {
    assert_changes_nothing("baton:sub-issue");
}

fn onward() -> Step {
    Step::Advance { to: "Implement".to_owned() }
}

/// Returns issues that the engine paused to ask a person: a question, time-outs, and limits.
fn asked() -> Vec<World> {
    let mut question = issue_in("Plan").locked();
    question.end_stage("BATON_BLOCKED_ON_INPUT");
    let reviewed = issue_in("Review").mark(StageMark::Complete).pull(|pull| {
        pull.requests = vec![request("rob", false)];
    });
    let day = Duration::from_hours(24);
    let checked = issue_in("Validate").flag(Flag::AwaitingCi);
    let at_limit = |world: World, turn: Loop| {
        let key = turn.key(&world.item.column);
        world.with(|it| _ = it.item.memory.cycles.insert(key, 99))
    };
    let discussed = issue_in("Implement").mark(StageMark::Complete).pull(|pull| {
        pull.threads = vec![thread("t1", "src/a.rs", 3)];
    });
    let stuck = checked.clone().pull(|pull| pull.checks = Some(vec![check(1, "build", None)].into()));
    let conflicting = checked.clone().pull(|pull| pull.mergeable = Some(false));
    let paused = [
        (reviewed.flag(Flag::AwaitingReview).after(day), Pause::ReviewTimeout { reprompted: false }),
        (stuck.after(day), Pause::CiTimeout),
        (at_limit(discussed, Loop::Review), Pause::ReviewCycles),
        (at_limit(failing(checked), Loop::CiFix), Pause::CiFixCycles),
        (at_limit(conflicting, Loop::Rebase), Pause::RebaseCycles),
    ];
    let paused = paused.into_iter().map(|(mut world, pause)| {
        assert_eq!(world.look(), Step::Pause(pause));
        world
    });
    [question].into_iter().chain(paused).collect()
}

/// Returns an issue whose stage was given up.
fn escalated() -> World {
    let mut world = issue_in("Plan").locked().policy(|policy| policy.max_retries = Some(1));
    world.end_stage("I looked around.");
    world
}

fn answered(world: World) -> World {
    world.comment(comment(50, "rob", "Go on."))
}

fn failing(world: World) -> World {
    world.pull(|pull| pull.checks = Some(vec![check(1, "build", Some(Conclusion::Failure))].into()))
}

/// Lives through all stages, with agents that complete and a reviewer who approves, as far as the labels lead.
fn whole_life(labels: &[&str]) -> World {
    let mut world = labels.iter().fold(issue_in("Specify"), |world, label| world.label(label));
    for _ in 0..20 {
        world.look_until_rest();
        if world.item.runner.is_some() {
            world.end_stage("Done it.\n\nBATON_STAGE_COMPLETE");
        }
        if let Some(pull) = &mut world.item.pull {
            pull.reviews = vec![review("rob", ReviewState::Approved)];
        }
    }
    world
}

/// Says that a label is there, and that no effect was about it.
fn assert_is_peoples(world: &World, label: &str) {
    assert!(world.has_label(label), "{:?}", world.item.labels);
    let is_about = |effect: &Effect| match effect {
        Effect::AddLabel { label: own } | Effect::RemoveLabel { label: own } => own == label,
        _ => false,
    };
    assert!(world.performed.len() > 20 && !world.performed.iter().any(is_about), "{:?}", world.performed);
}

/// Returns a complete Validate where nothing is in the way of a merge.
fn ready_to_merge() -> World {
    issue_in("Validate").mark(StageMark::Complete).pull(|pull| {
        pull.reviews = vec![review("rob", ReviewState::Approved)];
    })
}

/// Returns issues in all states but those where only a person's word is missing.
fn states() -> Vec<World> {
    let idle = issue_in("Plan");
    let cooling = idle.clone().with(|it| {
        it.item.memory.cooldowns.insert("Plan".to_owned(), it.now.store.plus(Duration::from_mins(5)));
    });
    vec![
        idle.clone(),
        cooling,
        idle.clone().flag(Flag::Paused),
        idle.clone().flag(Flag::Editing),
        idle.clone().label("baton:locked:ben"),
        idle.clone().mark(StageMark::Failed),
        idle.clone().blocker("acme/web#1", true),
        idle.clone().comment(comment(1, "rob", "And this?")),
        idle.closed(),
        issue_in("Ideas"),
        issue_in("Done"),
        issue_in("Review").mark(StageMark::Complete).pull(|_| {}),
        failing(issue_in("Validate").flag(Flag::AwaitingCi)),
    ]
}

fn assert_changes_no_state(label: &str) {
    for world in states() {
        let (step, labelled) = (world.step(), world.clone().label(label));
        assert_eq!(labelled.step(), step);
        if step != Step::CleanUp {
            assert_eq!(labelled.settlement(&step), world.settlement(&step));
        }
    }
}

fn assert_changes_nothing(label: &str) {
    assert_changes_no_state(label);
    for world in [issue_in("Plan").mark(StageMark::Complete), ready_to_merge()] {
        for world in [world.clone(), world.clone().flag(Flag::Yolo), world.flag(Flag::Cruise)] {
            assert_eq!(world.clone().label(label).step(), world.step());
        }
    }
}
