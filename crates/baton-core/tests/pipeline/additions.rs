//! What Baton decides where its specification says nothing: approvals, budgets, rounds of comments, expected reviewers,
//! merges that are refused, and what a crash leaves behind.

use std::time::Duration;

use baton_core::config::{PipelineDialect, stages};
use baton_core::labels::dialect::Dialect;
use baton_core::pipeline::approval::plan_of;
use baton_core::pipeline::budget::{Spending, Unit};
use baton_core::pipeline::checks::{Checks, Conclusion};
use baton_core::pipeline::effect::{Effect, Job, Wake};
use baton_core::pipeline::item::{
    ApprovalState, Comment, LinkedPull, MergeState, Review, ReviewDecision, ReviewState, SlackSign, Usage,
    Via, Vote,
};
use baton_core::pipeline::names::{Flag, Names, StageMark};
use baton_core::pipeline::policy::Budget;
use baton_core::pipeline::stage::{ApprovalWay, ReviewAuthority};
use baton_core::pipeline::step::{Cause, Hold, Pause, Repair, Rest};
use baton_core::pipeline::{End, Pipeline, Step, can_repair, repairs};
use baton_core::slot::{EnginePause, SlackMessage};
use baton_core::tracker::PullState;

use crate::pipeline::world::{
    World, added, check, comment, ended, issue_in, removed, request, review, thread,
};

const PENDING: &str = "agent:plan-pending-approval";
const COMPLETE: &str = "Done.\nBATON_STAGE_COMPLETE";

/// An issue whose plan was just finished and has to be approved.
fn planned() -> World {
    let mut world = issue_in("Plan").stage(|stage| stage.approval = Some(ApprovalWay::Tracker)).locked();
    world.end_stage(COMPLETE);
    assert_eq!(world.look(), Step::HoldAtGate(Hold::AskApproval));
    world
}

fn decided(state: ApprovalState) -> World {
    planned().with(|world| world.item.approval.as_mut().unwrap().state = state)
}

#[test]
fn a_plan_is_complete_only_when_people_agree() {
    let mut world = planned();
    assert!(world.has_label(PENDING) && !world.is_marked("Plan", StageMark::Complete) && !world.is_locked());
    assert_eq!(world.look_until_rest(), [Step::HoldAtGate(Hold::Approval)]);
    let mut world = decided(ApprovalState::Approved);
    assert_eq!(world.look(), Step::RepairLabels(Repair::Decided));
    assert!(!world.has_label(PENDING) && world.is_marked("Plan", StageMark::Complete));
    assert_eq!(world.step(), Step::Advance { to: "Implement".to_owned() }, "who agrees wants it carried out");
}

#[test]
fn a_rejected_plan_is_made_again_and_asked_about_again() {
    let mut world = decided(ApprovalState::Rejected);
    world.look();
    assert!(!world.has_label(PENDING) && !world.is_marked("Plan", StageMark::Complete));
    assert_eq!(world.look(), Step::Invoke { resume: false });
    world.end_stage(COMPLETE);
    world.item.approval = None;
    assert_eq!(world.look(), Step::HoldAtGate(Hold::AskApproval));
    assert_eq!(world.step(), Step::HoldAtGate(Hold::Approval));
}

#[test]
fn a_plan_that_nobody_decides_about_goes_back_and_asks_a_person() {
    let mut world = planned().after(Duration::from_hours(24) - Duration::from_secs(1));
    assert_eq!(world.step(), Step::HoldAtGate(Hold::Approval));
    world.wait(Duration::from_secs(1));
    assert_eq!(world.look(), Step::Pause(Pause::ApprovalTimeout));
    assert!(!world.has_label(PENDING) && world.has_label("agent:implement") && world.has(Flag::Paused));
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingInput));
}

#[test]
fn people_are_asked_again_when_the_question_was_lost() {
    let mut world = planned().with(|world| world.item.approval = None);
    assert_eq!(world.look(), Step::HoldAtGate(Hold::AskApproval));
    assert_eq!(world.look_until_rest(), [Step::HoldAtGate(Hold::Approval)]);
}

#[test]
fn trouble_with_slack_decides_nothing_not_even_that_time_is_up() {
    for slack in [SlackSign::NotAsked, SlackSign::Unheard("it does not answer".to_owned())] {
        let world = planned().with(|world| world.item.approval.as_mut().unwrap().slack = slack.clone());
        assert_eq!(world.after(Duration::from_hours(48)).step(), Step::HoldAtGate(Hold::Approval));
    }
}

#[test]
fn what_was_decided_in_slack_is_written_down_on_the_tracker_and_told_there() {
    let message = SlackMessage {
        stage: "Plan".to_owned(),
        plan: "0".to_owned(),
        channel: "C1".to_owned(),
        ts: "1.5".to_owned(),
    };
    let vote =
        Vote { by: "slack:U1".to_owned(), is_for: false, reason: "Too large.".to_owned(), via: Via::Slack };
    let mut world = decided(ApprovalState::Rejected).with(|world| {
        world.item.memory.slack = Some(message.clone());
        world.item.approval.as_mut().unwrap().unrecorded = vec![vote.clone()];
    });
    assert_eq!(world.look(), Step::RepairLabels(Repair::Decided));
    let written = world.item.comments.last().unwrap();
    assert!(
        written.body.contains("> Too large.") && written.body.contains("by=slack:U1"),
        "{}",
        written.body
    );
    assert!(world.performed.iter().any(|effect| matches!(effect, Effect::TellOnSlack { .. })));
    assert_eq!(world.item.memory.slack, None);
}

#[test]
fn a_plan_that_changes_voids_the_question_in_slack() {
    let message = SlackMessage {
        stage: "Plan".to_owned(),
        plan: "old".to_owned(),
        channel: "C1".to_owned(),
        ts: "1.5".to_owned(),
    };
    let mut world = planned().with(|world| {
        world.item.memory.slack = Some(message);
        world.item.approval = None;
    });
    assert_eq!(world.look(), Step::HoldAtGate(Hold::AskApproval));
    let is_void =
        |effect: &Effect| matches!(effect, Effect::TellOnSlack { said, .. } if said.contains("void"));
    assert!(world.performed.iter().any(is_void) && world.item.memory.slack.is_none());
}

#[test]
fn an_approval_of_another_stage_does_not_count() {
    let world = decided(ApprovalState::Approved)
        .with(|world| world.item.approval.as_mut().unwrap().stage = "Specify".to_owned());
    assert_eq!(world.step(), Step::HoldAtGate(Hold::AskApproval));
}

/// An issue in whose stage people agreed to a plan, and that has not been moved on yet.
fn approved() -> World {
    let mut world = decided(ApprovalState::Approved);
    world.look();
    assert_eq!(world.step(), GOES_ON());
    world
}

const GOES_ON: fn() -> Step = || Step::Advance { to: "Implement".to_owned() };

#[test]
fn a_plan_that_changes_after_it_was_approved_is_asked_about_again_before_the_issue_goes_on() {
    let mut world = approved().with(|world| world.item.approval = None);
    assert_eq!(world.look(), Step::HoldAtGate(Hold::AskApproval));
    assert!(world.has_label(PENDING));
    assert_eq!(world.step(), Step::HoldAtGate(Hold::Approval));
    let mut again =
        world.clone().with(|it| it.item.approval.as_mut().unwrap().state = ApprovalState::Approved);
    again.look();
    assert_eq!((again.step(), again.has_label(PENDING)), (GOES_ON(), false));
    world.item.approval.as_mut().unwrap().state = ApprovalState::Rejected;
    assert_eq!(world.look(), Step::RepairLabels(Repair::Decided));
    assert!(!world.is_marked("Plan", StageMark::Complete) && !world.has_label(PENDING));
    assert_eq!(world.step(), Step::Invoke { resume: false });
}

#[test]
fn whoever_changes_their_mind_while_the_issue_waits_is_heard() {
    let mut world = approved().with(|it| it.item.approval.as_mut().unwrap().state = ApprovalState::Rejected);
    world.look();
    assert_eq!(world.step(), Step::Invoke { resume: false });
    let mut world = approved().with(|it| it.item.approval.as_mut().unwrap().state = ApprovalState::Pending);
    assert_eq!(world.look(), Step::HoldAtGate(Hold::AskApproval));
    assert!(world.has_label(PENDING));
}

/// The question about a plan of an agent that no engine drives.
fn asked_by_an_agent() -> Comment {
    let body = "🏃 **Baton — approval: agent plan 0f**\n\nThe plan waits.\n\n<!-- baton:approval=agent plan 0f plan=1a -->";
    Comment { is_own_account: true, has_rocket: true, ..comment(70, "baton", body) }
}

#[test]
fn nobody_is_asked_about_a_stage_while_an_agents_own_plan_waits_and_that_does_not_wait_for_ever() {
    let stage = |world: World| world.stage(|stage| stage.approval = Some(ApprovalWay::Tracker));
    for world in [stage(issue_in("Plan")), issue_in("Plan")] {
        let mut world = world.comment(asked_by_an_agent()).with(|world| {
            world.item.labels.push(PENDING.to_owned());
            world.item.labelled_at.insert(PENDING.to_owned(), world.now.server);
        });
        let waits = [Step::HoldAtGate(Hold::Approval), Step::Rest(Rest::ApprovalPending)];
        assert!(waits.contains(&world.step()), "{:?}", world.step());
        world.wait(Duration::from_hours(24));
        assert_eq!(world.clone().closed().step(), Step::Rest(Rest::Closed));
        assert_eq!(world.look(), Step::Pause(Pause::ApprovalTimeout));
        assert!(!world.has_label(PENDING) && world.has(Flag::Paused));
    }
}

#[test]
fn a_plan_that_is_made_again_without_a_word_is_another_plan() {
    for text in [COMPLETE, "BATON_STAGE_COMPLETE"] {
        let plan = |world: &World| plan_of(&world.item.comments, "Plan", world.policy.names).mark;
        let mut world = decided(ApprovalState::Rejected);
        world.look();
        let before = plan(&world);
        world.end_stage(text);
        assert_ne!(plan(&world), before, "{text}");
        let mut world = decided(ApprovalState::Rejected);
        world.look();
        world.end_run(&ended(Job::Comments, End::Finished, text));
        assert_ne!(plan(&world), before, "{text}");
    }
}

#[test]
fn an_issue_is_not_split_before_people_agreed() {
    let mut world = issue_in("Plan").stage(|stage| stage.approval = Some(ApprovalWay::Tracker)).locked();
    let text = "BATON_SUB_ISSUE_BEGIN\nTITLE: A part\n\nDo it.\nBATON_SUB_ISSUE_END\nBATON_DECOMPOSED";
    let settlement = world.end_stage(text);
    assert!(!settlement.effects.iter().any(|effect| matches!(effect, Effect::CreateSubIssues { .. })));
    assert!(!settlement.effects.iter().any(|effect| matches!(effect, Effect::MoveTo { .. })));
    assert!(world.has(Flag::Paused) && !world.is_marked("Plan", StageMark::Complete));
    let said: Vec<_> = world.item.comments.iter().map(|comment| comment.body.as_str()).collect();
    let said = said.join("\n");
    assert!(said.contains("was not created") && said.contains("wants to split the issue"), "{said}");
}

#[test]
fn a_plan_that_people_are_asked_about_is_on_the_issue() {
    let mut world = issue_in("Plan").pull(|_| {}).locked().stage(|stage| {
        stage.approval = Some(ApprovalWay::Tracker);
        stage.post_to_pr = true;
    });
    world.end_stage("Paint it.\nBATON_STAGE_COMPLETE");
    let plan = plan_of(&world.item.comments, "Plan", world.policy.names);
    assert!(plan.text.contains("Paint it."), "{plan:?}");
}

/// An issue whose comments were answered ten times within the window, with one more to answer.
fn answered_often() -> World {
    issue_in("Plan").comment(comment(50, "rob", "And now?")).with(|world| {
        world.item.memory.comment_runs = vec![world.now.store; 10];
        world.now.server.0 += 120;
        world.now.store = world.now.store.plus(Duration::from_mins(2));
    })
}

#[test]
fn too_many_rounds_of_comments_pause_and_what_led_to_it_does_not_resume() {
    let mut world = answered_often();
    assert_eq!(world.look(), Step::Pause(Pause::CommentCycles));
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::AwaitingInput)]);
    world.wait(Duration::from_mins(5));
    let mut later = comment(51, "rob", "Go on.");
    later.created_at = world.now.server;
    let mut world = world.comment(later);
    assert_eq!(world.look(), Step::ProcessComments { resumes: true });
    let woken = world.performed.iter().rev().find_map(|effect| match effect {
        Effect::Wake(Wake { comments, .. }) => Some(comments.clone()),
        _ => None,
    });
    assert_eq!(woken.unwrap(), [50, 51], "what was not heard before is heard now");
}

#[test]
fn rounds_of_comments_are_counted_within_the_window_alone() {
    let world = answered_often().after(Duration::from_mins(28));
    assert_eq!(world.step(), Step::ProcessComments { resumes: false });
}

fn spent(world: World) -> World {
    world.policy(|policy| policy.limits.issue_runs = Some(5)).with(|world| {
        world.item.usage = Usage { issue_runs: 5, ..Usage::default() };
    })
}

#[test]
fn a_spent_budget_pauses_before_every_kind_of_run() {
    let pause = Step::Pause(Pause::BudgetSpent(Budget::IssueRuns));
    let threads = |pull: &mut LinkedPull| pull.threads.push(thread("T1", "a.rs", 1));
    for world in [
        issue_in("Plan"),
        issue_in("Plan").comment(comment(1, "rob", "And this?")),
        issue_in("Implement").mark(StageMark::Complete).pull(threads),
    ] {
        assert!(world.step().is_invocation());
        assert_eq!(spent(world).step(), pause);
    }
}

#[test]
fn a_spent_budget_of_the_agent_pauses_with_a_comment_that_names_it() {
    let spending =
        |used| Spending { budget: "runs of the agent coder".to_owned(), unit: Unit::Runs, used, limit: 3 };
    let world = |used| issue_in("Plan").with(|it| it.item.agent_spending = vec![spending(used)]);
    assert_eq!(world(2).step(), Step::Invoke { resume: false });
    let mut spent = world(3);
    assert_eq!(spent.look(), Step::Pause(Pause::BudgetSpent(Budget::AgentRuns)));
    assert!(spent.has(Flag::Paused));
    let told = "runs of the agent coder, 3 of 3 (the setting `runs_per_day` of that agent)";
    assert!(
        spent.item.comments.iter().any(|comment| comment.body.contains(told)),
        "{:?}",
        spent.item.comments
    );
    let answered = world(3).comment(comment(1, "ana", "What about tests?"));
    assert_eq!(answered.step(), Step::Pause(Pause::BudgetSpent(Budget::AgentRuns)));
}

#[test]
fn a_person_who_answers_a_spent_budget_is_heard() {
    let mut world = spent(issue_in("Plan"));
    world.look();
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::AwaitingInput)]);
    world.wait(Duration::from_secs(10));
    let mut later = comment(51, "ana", "Go on all the same.");
    later.created_at = world.now.server;
    assert_eq!(world.comment(later).step(), Step::ProcessComments { resumes: true });
}

/// A finished Review stage.
fn reviewed(reviews: Vec<Review>) -> World {
    issue_in("Review").mark(StageMark::Complete).pull(|pull| pull.reviews = reviews)
}

#[test]
fn who_opened_the_pull_request_does_not_review_it_by_answering() {
    let world = reviewed(vec![review("baton-app[bot]", ReviewState::Commented)]);
    assert_eq!(world.step(), Step::HoldAtGate(Hold::Reviews));
    assert_eq!(reviewed(vec![review("rob", ReviewState::Commented)]).step(), Step::Rest(Rest::AwaitingMove));
}

#[test]
fn where_nobody_is_expected_nobody_is_waited_for() {
    let world = reviewed(Vec::new()).stage(|stage| stage.expected_reviewers = Some(Vec::new()));
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingMove));
    let asked = world.pull(|pull| pull.requests.push(request("rob", false)));
    assert_eq!(asked.step(), Step::HoldAtGate(Hold::Reviews), "who was asked is waited for all the same");
}

#[test]
fn an_expected_reviewer_is_reminded_like_one_that_was_asked() {
    let expect =
        |world: World| world.stage(|stage| stage.expected_reviewers = Some(vec!["gemini-review".to_owned()]));
    let mut world = expect(reviewed(vec![review("rob", ReviewState::Approved)]));
    world.look();
    world.wait(Duration::from_mins(15));
    assert_eq!(world.step(), Step::HoldAtGate(Hold::Reprompt));
    let world = expect(reviewed(vec![review("gemini-review[bot]", ReviewState::Commented)]));
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingMove));
}

#[test]
fn authoritative_reviews_have_to_approve() {
    let with = |state, decision| {
        let world = reviewed(vec![review("rob", state)]);
        let world = world.stage(|stage| stage.review_authority = ReviewAuthority::Authoritative);
        world.pull(|pull| pull.decision = decision).step()
    };
    let waits = Step::HoldAtGate(Hold::Reviews);
    let passes = Step::Rest(Rest::AwaitingMove);
    assert_eq!(with(ReviewState::Commented, ReviewDecision::NoRule), passes);
    assert_eq!(with(ReviewState::ChangesRequested, ReviewDecision::NoRule), waits);
    assert_eq!(with(ReviewState::Approved, ReviewDecision::Approved), passes);
    for decision in
        [ReviewDecision::ChangesRequested, ReviewDecision::ReviewRequired, ReviewDecision::Unknown]
    {
        assert_eq!(with(ReviewState::Approved, decision), waits, "{decision}");
    }
}

#[test]
fn a_pause_of_ours_that_did_not_come_off_a_closed_issue_is_taken_off_again() {
    let mut world = issue_in("Plan").flag(Flag::Paused).with(|world| {
        let (stage, cause) = ("Plan".to_owned(), "review_timeout".to_owned());
        world.item.memory.paused_by_engine = Some(EnginePause { stage, cause, unheard_before: None });
        world.item.is_closed = true;
    });
    let swept = Step::RepairLabels(Repair::Closed);
    assert_eq!(world.step(), swept);
    // What was decided is remembered, and what was to be done was refused.
    if let Some(memory) = world.settlement(&swept).memory {
        world.item.memory = memory;
    }
    assert_eq!(world.step(), swept);
}

#[test]
fn what_somebody_else_has_is_put_right_later() {
    let can = |world: &World| can_repair(&world.item, &world.pipeline, &world.policy, world.now);
    assert!(can(&issue_in("Plan").flag(Flag::Editing)));
    assert!(!can(&issue_in("Plan").with(|world| world.item.foreign_claim = Some("ann".to_owned()))));
    assert!(!can(&issue_in("Plan").with(|world| world.item.runner = Some("coder".to_owned()))));
}

/// A finished Validate stage with yolo, everything passed.
fn ready() -> World {
    let reviews = vec![review("rob", ReviewState::Approved)];
    issue_in("Validate").mark(StageMark::Complete).flag(Flag::Yolo).pull(|pull| pull.reviews = reviews)
}

#[test]
fn a_branch_that_must_be_up_to_date_is_rebased() {
    let world = ready().pull(|pull| pull.merge_state = MergeState::Behind);
    assert_eq!(world.step(), Step::Reinvoke(Cause::Rebase));
    let world = ready().stage(|stage| stage.wait_for_ci = false);
    assert_eq!(
        world.pull(|pull| pull.merge_state = MergeState::Behind).step(),
        Step::Reinvoke(Cause::Rebase)
    );
}

#[test]
fn a_draft_is_declared_ready_before_it_is_merged() {
    let mut world = ready().pull(|pull| pull.is_draft = true);
    assert_eq!(world.look(), Step::HoldAtGate(Hold::Draft));
    assert_eq!(world.performed, [Effect::MarkPullReady]);
    assert_eq!(world.step(), Step::Merge);
}

#[test]
fn a_merge_that_is_refused_is_tried_three_times_with_rests_between() {
    let mut world = ready();
    for _ in 0..3 {
        assert_eq!(world.step(), Step::Merge);
        let settlement = world.settlement(&Step::Merge);
        world.item.memory = settlement.memory.unwrap();
        assert_eq!(world.step(), Step::HoldAtGate(Hold::MergeCooldown));
        world.wait(world.policy.cooldown);
    }
    assert_eq!(world.look(), Step::Pause(Pause::MergeRefused));
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::AwaitingInput)]);
}

#[test]
fn a_pull_request_that_a_person_closed_or_that_is_missing_asks_a_person() {
    let closed = ready().pull(|pull| pull.state = PullState::Closed);
    assert_eq!(closed.step(), Step::Pause(Pause::PullClosed));
    let missing = ready().stage(|stage| stage.wait_for_reviews = false).with(|world| world.item.pull = None);
    assert_eq!(missing.step(), Step::Pause(Pause::NoPull));
    let stages = missing.pipeline.stages().iter().cloned().map(|mut stage| {
        stage.create_draft_pr = false;
        stage
    });
    let without_pulls = World { pipeline: Pipeline::new(stages.collect()), ..missing };
    assert_eq!(without_pulls.step(), Step::Advance { to: "Done".to_owned() });
}

#[test]
fn a_check_that_was_stopped_is_waited_for_and_then_a_person_is_asked() {
    let stopped = Checks::from(vec![check(1, "build", Some(Conclusion::Cancelled))]);
    let mut world = issue_in("Validate").flag(Flag::AwaitingCi).pull(|pull| pull.checks = Some(stopped));
    assert_eq!(world.look(), Step::HoldAtGate(Hold::Checks));
    world.wait(Duration::from_mins(30));
    assert_eq!(world.step(), Step::Pause(Pause::CiTimeout));
}

#[test]
fn a_check_that_runs_again_long_after_the_push_is_waited_for_from_then_on() {
    let running = Checks::from(vec![check(2, "build", None)]);
    let mut world = ready().pull(|pull| pull.checks = Some(running)).after(Duration::from_hours(400));
    world.item.pull.as_mut().unwrap().checks = Some(
        vec![baton_core::pipeline::checks::Check { changed_at: world.now.server, ..check(3, "build", None) }]
            .into(),
    );
    assert_eq!(world.look(), Step::HoldAtGate(Hold::Checks));
    world.wait(Duration::from_mins(29));
    assert_eq!(world.look(), Step::HoldAtGate(Hold::Checks));
    world.wait(Duration::from_mins(1));
    assert_eq!(world.step(), Step::Pause(Pause::CiTimeout));
}

#[test]
fn the_stage_that_merges_is_the_last_one_that_works_whatever_its_name() {
    let stages = ready().pipeline.stages().iter().filter(|stage| stage.name != "Validate").cloned().collect();
    let world = World { pipeline: Pipeline::new(stages), ..ready() };
    let world = world.with(|world| "Review".clone_into(&mut world.item.column)).mark(StageMark::Complete);
    assert_eq!(world.step(), Step::Merge);
}

#[test]
fn fabriks_dialect_has_fabriks_words() {
    let mut world = issue_in("Plan").policy(|policy| {
        policy.names = Names::of(Dialect::Fabrik);
        policy.own_lock = policy.names.lock("ana");
    });
    world.pipeline = stages::shipped(PipelineDialect::Fabrik).pipeline;
    world.look();
    assert_eq!(world.item.labels, ["fabrik:locked:ana", "stage:Plan:in_progress"]);
    let ours = world.clone().end_stage(COMPLETE);
    assert!(added(&ours).is_empty(), "our marker is none of theirs");
    let settlement = world.end_stage("Which?\nFABRIK_BLOCKED_ON_INPUT");
    assert_eq!(added(&settlement), ["fabrik:paused", "fabrik:awaiting-input"]);
    assert!(world.item.comments.iter().all(|comment| comment.body.starts_with("🏭 **Fabrik — ")));
}

#[test]
fn a_crash_leaves_nothing_behind_that_the_next_start_does_not_put_right() {
    let repaired = |world: World| {
        let settlement = repairs(&world.item, &world.pipeline, &world.policy, world.now);
        removed(&settlement).join(" ")
    };
    let crashed = || issue_in("Plan").locked().flag(Flag::Editing);
    assert_eq!(repaired(crashed()), "baton:editing baton:locked:ana stage:Plan:in_progress");
    assert_eq!(repaired(crashed().with(|world| world.item.runner = Some("coder".to_owned()))), "");
    assert_eq!(repaired(crashed().label("baton:locked:zoe")), "", "it is somebody else's");
    let mut between_tries = issue_in("Plan").locked();
    between_tries.end_run(&ended(Job::Stage, End::Finished, ""));
    assert_eq!(repaired(between_tries), "", "nobody else begins in the middle");
}

#[test]
fn what_a_reviewer_says_during_a_run_keeps_its_thread_open() {
    let mut world = issue_in("Implement").mark(StageMark::Complete).pull(|pull| {
        pull.threads = vec![thread("T1", "a.rs", 1), thread("T2", "b.rs", 2)];
    });
    assert_eq!(world.look(), Step::Reinvoke(Cause::Review));
    world.item.pull.as_mut().unwrap().threads[1].comments.push(comment(77, "rob", "And its callers?"));
    world.end_run(&world.ended(End::Finished, "Renamed."));
    let open: Vec<_> = world.view().new_threads().map(|thread| thread.id.as_str()).collect();
    assert_eq!(open, ["T2"]);
    assert_eq!(world.step(), Step::Reinvoke(Cause::Review));
}

#[test]
fn a_run_that_asks_or_is_cut_off_settles_no_thread() {
    for (end, text) in [(End::Finished, "Which?\nBATON_BLOCKED_ON_INPUT"), (End::TimedOut, "I am nearly")] {
        let mut world = issue_in("Implement").mark(StageMark::Complete).pull(|pull| {
            pull.threads = vec![thread("T1", "a.rs", 1)];
        });
        world.look();
        world.end_run(&world.ended(end, text));
        assert_eq!(world.view().new_threads().count(), 1, "{end:?}");
    }
}

#[test]
fn comments_that_get_no_answer_are_tried_a_few_times_and_then_a_person_is_asked() {
    let mut world = issue_in("Plan").comment(comment(1, "rob", "And this?"));
    for _ in 0..3 {
        assert_eq!(world.look(), Step::ProcessComments { resumes: false });
        world.end_run(&world.ended(End::TimedOut, ""));
        world.wait(Duration::from_mins(20));
    }
    assert!(world.has(Flag::Paused) && world.is_marked("Plan", StageMark::Failed));
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::Paused)]);
}

#[test]
fn rounds_are_counted_however_content_the_agent_is() {
    let mut world = issue_in("Implement").mark(StageMark::Complete).pull(|_| {});
    for round in 0..5 {
        world.item.pull.as_mut().unwrap().threads.push(thread(&format!("T{round}"), "a.rs", round));
        assert_eq!(world.look(), Step::Reinvoke(Cause::Review), "{round}");
        world.end_run(&world.ended(End::Finished, COMPLETE));
    }
    world.item.pull.as_mut().unwrap().threads.push(thread("T9", "a.rs", 99));
    assert_eq!(world.step(), Step::Pause(Pause::ReviewCycles));
}

#[test]
fn a_push_gives_checks_time_to_appear() {
    let mut world =
        issue_in("Validate").flag(Flag::AwaitingCi).pull(|pull| pull.checks = Some(Checks::default()));
    world.item.memory.checked_pulls.insert(7);
    world.wait(Duration::from_mins(35));
    world.item.pull.as_mut().unwrap().pushed_at = world.now.server;
    assert_eq!(world.step(), Step::HoldAtGate(Hold::NoChecksYet));
    world.item.pull.as_mut().unwrap().checks = None;
    world.wait(Duration::from_mins(35));
    assert_eq!(world.step(), Step::HoldAtGate(Hold::ChecksUnknown), "what cannot be read is no time-out");
    world.wait(Duration::from_mins(240));
    assert_eq!(world.step(), Step::Pause(Pause::CiTimeout), "but it is not waited for without end");
}

#[test]
fn a_pause_over_night_is_not_followed_by_a_time_out() {
    let conflict = |pull: &mut LinkedPull| pull.mergeable = Some(false);
    let mut world = issue_in("Validate").flag(Flag::AwaitingCi).pull(conflict);
    world.item.memory.cycles.insert(baton_core::pipeline::Loop::Rebase.key("Validate"), 3);
    assert_eq!(world.look(), Step::Pause(Pause::RebaseCycles));
    world.wait(Duration::from_hours(10));
    let mut world = world.pull(|pull| {
        pull.mergeable = Some(true);
        pull.checks = Some(vec![check(9, "build", None)].into());
    });
    world.item.labels.retain(|label| label != "baton:paused");
    let steps = world.look_until_rest();
    assert_eq!(steps.last(), Some(&Step::HoldAtGate(Hold::Checks)), "{steps:?}");
    assert!(world.has(Flag::AwaitingCi));
}

#[test]
fn a_question_before_there_is_a_pull_request_is_asked_on_the_issue() {
    let mut world = issue_in("Implement").locked();
    let settlement = world.end_stage("I read it all.\nBATON_BLOCKED_ON_INPUT");
    let said = crate::pipeline::world::said(&settlement);
    assert!(said.iter().all(|(on, _)| *on == baton_core::pipeline::effect::Place::Issue), "{said:?}");
    assert!(said[0].1.contains("I read it all."));
}

#[test]
fn an_issue_is_taken_apart_only_into_parts_that_can_be_made() {
    let bad = "BATON_SUB_ISSUE_BEGIN not a repository\nTITLE: Other half\nBATON_SUB_ISSUE_END";
    let good = "BATON_SUB_ISSUE_BEGIN\nTITLE: One half\nDo it.\nBATON_SUB_ISSUE_END";
    for text in ["BATON_DECOMPOSED".to_owned(), format!("BATON_DECOMPOSED\n{good}\n{bad}")] {
        let mut world = issue_in("Plan").locked();
        world.end_stage(&text);
        assert_eq!(world.item.column, "Plan", "{text}");
        assert_eq!(world.step(), Step::Rest(Rest::Cooldown));
    }
    let told = issue_in("Plan").locked().end_stage(&format!("BATON_DECOMPOSED\n{good}\n{bad}"));
    let body = crate::pipeline::world::said(&told)[0].1;
    assert!(
        body.contains("Not done:") && body.contains("One half") && body.contains("SUB_ISSUE_BEGIN"),
        "{body}"
    );
}

#[test]
fn what_a_person_cancels_stays_cancelled() {
    let mut world = issue_in("Plan").comment(comment(1, "rob", "And this?"));
    world.look();
    world.end_run(&world.ended(End::Cancelled, ""));
    assert!(world.has(Flag::Paused) && !world.has(Flag::Editing) && !world.is_locked());
    assert_eq!(world.look_until_rest(), [Step::Rest(Rest::Paused)]);
    let cancelled = issue_in("Implement").locked().end_run(&ended(Job::Stage, End::Cancelled, ""));
    assert!(cancelled.effects.contains(&Effect::PushBranch), "what was done is kept");
}

#[test]
fn a_lock_of_ours_does_not_stay_where_we_do_not_work() {
    let between_tries = || {
        let mut world = issue_in("Plan").locked();
        world.end_stage("I looked around.");
        world
    };
    assert_eq!(between_tries().step(), Step::Rest(Rest::Cooldown));
    let backlog = between_tries().with(|world| "Backlog".clone_into(&mut world.item.column));
    for mut world in [
        backlog,
        between_tries().flag(Flag::Paused),
        between_tries().label("do-not-pickup"),
        between_tries().blocker("acme/web#1", true),
    ] {
        world.look_until_rest();
        assert!(!world.is_locked() && world.performed.contains(&Effect::Release), "{:?}", world.item.labels);
    }
}

#[test]
fn a_word_that_decides_about_a_plan_is_no_news() {
    for body in ["/approve", "/reject too large", " /approve\nThanks."] {
        let world = planned().comment(comment(1, "rob", body));
        assert_eq!(world.step(), Step::HoldAtGate(Hold::Approval), "{body}");
    }
    let world = planned().comment(comment(1, "rob", "I would /approve it if it were shorter."));
    assert_eq!(world.step(), Step::ProcessComments { resumes: false });
}

#[test]
fn a_label_whose_time_nobody_knows_is_waited_for_all_the_same() {
    let mut world = reviewed(Vec::new()).flag(Flag::AwaitingReview);
    world.item.labelled_at.clear();
    assert_eq!(world.look(), Step::HoldAtGate(Hold::Reviews));
    world.wait(Duration::from_mins(15));
    assert_eq!(world.step(), Step::Pause(Pause::ReviewTimeout { reprompted: false }));
}
