//! Tables of pipelines and what is found in them.

use super::*;
use crate::pipeline::stage::{ApprovalWay, Instruction, ReviewAuthority};

fn working(name: &str, order: i64) -> Stage {
    let instruction = Some(Instruction::Prompt("work".to_owned()));
    Stage { name: name.to_owned(), order, instruction, ..Stage::default() }
}

fn other(name: &str, order: i64, kind: StageKind) -> Stage {
    Stage { name: name.to_owned(), order, kind, ..Stage::default() }
}

fn done() -> Stage {
    other("Done", 99, StageKind::Cleanup)
}

/// Says what was found: severity, stage, and the beginning of what is wrong.
#[track_caller]
fn check_findings(stages: Vec<Stage>, expected: &[(Severity, &str, &str)]) {
    let findings = check(&Pipeline::new(stages));
    let is_as_expected = findings.len() == expected.len()
        && findings.iter().zip(expected).all(|(finding, (severity, stage, what))| {
            finding.severity == *severity
                && finding.stage.as_deref().unwrap_or_default() == *stage
                && finding.what.contains(what)
                && !finding.do_this.is_empty()
        });
    assert!(is_as_expected, "{findings:#?}");
}

/// Checks one stage after another that builds, opens a pull request and declares it ready.
#[track_caller]
fn check_gate(stage: Stage, expected: &[(Severity, &str, &str)]) {
    let build = Stage { create_draft_pr: true, mark_pr_ready: true, ..working("Build", 1) };
    check_findings(vec![build, Stage { name: "Gate".to_owned(), order: 2, ..stage }, done()], expected);
}

use Severity::{Error, Warning};

#[test]
fn a_plain_pipeline_is_sane() {
    check_findings(vec![working("Build", 1), done()], &[]);
    let kept = [other("Backlog", -1, StageKind::Unmanaged), other("Queued", 6, StageKind::Holding)];
    check_findings([vec![working("Build", 1), done()], kept.to_vec()].concat(), &[]);
}

#[test]
fn a_pipeline_has_work_and_an_end() {
    check_findings(vec![], &[(Error, "", "no agent works")]);
    check_findings(vec![done()], &[(Error, "", "no agent works")]);
    check_findings(vec![working("A", 1), working("B", 2)], &[(Error, "B", "no stage cleans up")]);
    check_findings(
        vec![done(), working("Late", 100), working("A", 1)],
        &[(Error, "Late", "comes after `Done`")],
    );
    check_findings(
        vec![other("Done", 0, StageKind::Cleanup), working("A", 1)],
        &[(Error, "A", "never get to `Done`")],
    );
}

#[test]
fn stages_of_one_name_do_not_lead_in_a_circle_unnoticed() {
    let twin = Stage { model: Some("other".to_owned()), ..working("A", 2) };
    let findings = check(&Pipeline::new(vec![working("A", 1), twin, done()]));
    assert!(findings.iter().any(|finding| finding.severity == Error), "{findings:?}");
}

#[test]
fn gates_can_be_passed() {
    let gate = |stage: Stage| Stage { wait_for_reviews: true, ..stage };
    check_gate(gate(working("Gate", 2)), &[]);
    check_gate(Stage { wait_for_ci: true, ..working("Gate", 2) }, &[]);
    let named = Some(vec!["ann".to_owned()]);
    let approving = Stage { review_authority: ReviewAuthority::Authoritative, ..gate(working("Gate", 2)) };
    check_gate(Stage { expected_reviewers: named, ..approving.clone() }, &[]);
    check_gate(
        Stage { expected_reviewers: Some(Vec::new()), ..approving },
        &[(Error, "Gate", "says that nobody reviews")],
    );
    check_gate(Stage { expected_reviewers: Some(Vec::new()), ..gate(working("Gate", 2)) }, &[]);
}

#[test]
fn settings_of_reviews_need_reviews() {
    check_gate(
        Stage { review_authority: ReviewAuthority::Authoritative, ..working("Gate", 2) },
        &[(Warning, "Gate", "`review_authority: authoritative` means nothing")],
    );
    check_gate(
        Stage { expected_reviewers: Some(vec!["ann".to_owned()]), ..working("Gate", 2) },
        &[(Warning, "Gate", "`expected_reviewers` means nothing")],
    );
}

#[test]
fn gates_need_a_pull_request_that_is_there_and_ready() {
    let one =
        |stage: Stage, expected: &[(Severity, &str, &str)]| check_findings(vec![stage, done()], expected);
    let draft = Stage { create_draft_pr: true, ..working("A", 1) };
    one(Stage { wait_for_reviews: true, ..working("A", 1) }, &[(Error, "A", "waits in vain")]);
    one(Stage { wait_for_reviews: true, ..draft.clone() }, &[(Warning, "A", "reviews of a draft")]);
    one(Stage { wait_for_reviews: true, mark_pr_ready: true, ..draft.clone() }, &[]);
    one(Stage { wait_for_ci: true, ..working("A", 1) }, &[(Warning, "A", "passed at once")]);
    one(Stage { wait_for_ci: true, ..draft.clone() }, &[]);
    one(Stage { post_to_pr: true, ..working("A", 1) }, &[(Warning, "A", "`post_to_pr` has no effect")]);
    let asks = Stage { approval: Some(ApprovalWay::Tracker), ..draft.clone() };
    one(asks.clone(), &[]);
    one(Stage { post_to_pr: true, ..asks }, &[(Warning, "A", "no effect with `approval`")]);
    one(
        Stage { mark_pr_ready: true, ..working("A", 1) },
        &[(Warning, "A", "`mark_pr_ready_on_complete` has")],
    );
}

#[test]
fn a_pull_request_that_is_opened_later_does_not_count() {
    let early = Stage { wait_for_reviews: true, ..working("Early", 1) };
    let late = Stage { create_draft_pr: true, mark_pr_ready: true, ..working("Late", 2) };
    check_findings(vec![early, late, done()], &[(Error, "Early", "waits in vain")]);
    // A column that nothing leads to opens nothing.
    let aside = Stage { create_draft_pr: true, ..other("Aside", 0, StageKind::Holding) };
    let gate = Stage { wait_for_reviews: true, ..working("Gate", 1) };
    check_findings(
        vec![aside, gate, done()],
        &[(Error, "Gate", "waits in vain"), (Warning, "Aside", "create_draft_pr")],
    );
}

#[test]
fn a_draft_needs_something_that_was_written() {
    let reading = |name, order| Stage { read_only: true, ..working(name, order) };
    let opening = |stage: Stage| Stage { create_draft_pr: true, ..stage };
    check_findings(vec![opening(reading("A", 1)), done()], &[(Error, "A", "cannot open a pull request")]);
    check_findings(
        vec![reading("A", 1), opening(reading("B", 2)), done()],
        &[(Error, "B", "cannot open a pull request")],
    );
    check_findings(vec![working("A", 1), opening(reading("B", 2)), done()], &[]);
    check_findings(vec![reading("A", 1), opening(working("B", 2)), done()], &[]);
}

#[test]
fn stages_without_an_agent_have_nothing_for_one() {
    for kind in [StageKind::Cleanup, StageKind::Holding, StageKind::Unmanaged] {
        let stages = |stage: Stage| match kind {
            StageKind::Cleanup => vec![working("A", 1), stage],
            _ => vec![working("A", 1), stage, done()],
        };
        let bare = other("X", 98, kind);
        check_findings(stages(bare.clone()), &[]);
        let asking = Stage { approval: Some(ApprovalWay::Either), ..bare.clone() };
        check_findings(stages(asking), &[(Error, "X", "nobody is ever asked")]);
        let advancing = Stage { auto_advance: Some(true), ..bare.clone() };
        check_findings(stages(advancing), &[(Warning, "X", "`auto_advance` means nothing")]);
        let busy = Stage { comment_max_turns: Some(5), model: Some("m".to_owned()), ..bare };
        check_findings(stages(busy), &[(Warning, "X", "mean nothing: model, comment_max_turns")]);
    }
}

#[test]
fn errors_come_before_warnings() {
    let odd = Stage { wait_for_ci: true, ..working("A", 1) };
    check_findings(vec![odd], &[(Error, "A", "no stage cleans up"), (Warning, "A", "passed at once")]);
}

#[test]
fn an_agent_that_a_stage_names_has_to_be_known() {
    let named = |agent: &str| Stage { agent: Some(agent.to_owned()), ..working("A", 1) };
    let found =
        |agent: &str| check_agents(&Pipeline::new(vec![named(agent), done()]), |name| name == "coder");
    assert!(found("coder").is_empty());
    let [finding] = found("codre").try_into().unwrap();
    assert_eq!((finding.severity, finding.stage.as_deref()), (Error, Some("A")));
    assert!(finding.what.contains("`codre`"));
}
