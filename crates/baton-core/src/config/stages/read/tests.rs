//! Stage files, right and wrong, alone and together.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::pipeline::StageKind;
use crate::pipeline::stage::{ApprovalWay, Effort, Instruction, KillGrace, ReviewAuthority};

fn files(texts: &[&str]) -> Vec<TextFile> {
    let file = |(place, text): (usize, &&str)| {
        let name = char::from(b'a' + u8::try_from(place).unwrap());
        TextFile { path: format!("{name}.yaml"), text: (*text).to_owned() }
    };
    texts.iter().enumerate().map(file).collect()
}

fn read(texts: &[&str], dialect: PipelineDialect) -> Result<StageSet, Vec<String>> {
    let read = read_stages(&files(texts), dialect);
    read.map_err(|errors| errors.0.iter().map(ToString::to_string).collect())
}

fn one(text: &str) -> Stage {
    read(&[text], PipelineDialect::Baton).unwrap().pipeline.stages()[0].clone()
}

#[track_caller]
fn check_errors(texts: &[&str], expected: &[&str]) {
    assert_eq!(read(texts, PipelineDialect::Baton).unwrap_err(), expected, "{texts:?}");
}

const FULL: &str = "name: Plan
order: 2
prompt: |
  one
    two

skill: plan-it
comment_prompt: three
comment_skill: talk
ci_fix_skill: mend
rebase_skill: move
agent: Coder 2
model: sonnet
effort_level: max
disable_adaptive_thinking: false
allowed_tools: [Read, 'Bash(git log:*)']
max_turns: 70
comment_max_turns: 7
max_wall_time: 1h30m0s
kill_grace: {sigint: 0s, sigterm: 20s}
read_only: true
post_to_pr: true
create_draft_pr: true
mark_pr_ready_on_complete: true
auto_advance: false
wait_for_reviews: true
review_authority: authoritative
expected_reviewers: [ann]
wait_for_ci: true
approval: either
completion: {type: claude}
";

#[test]
fn a_stage_has_all_that_was_said() {
    let text = |text: &str| Some(text.to_owned());
    let expected = Stage {
        name: "Plan".to_owned(),
        order: 2,
        kind: StageKind::Working,
        instruction: Some(Instruction::Skill("plan-it".to_owned())),
        comment_instruction: Some(Instruction::Skill("talk".to_owned())),
        ci_fix_skill: text("mend"),
        rebase_skill: text("move"),
        agent: text("Coder 2"),
        model: text("sonnet"),
        allowed_tools: Some(vec!["Read".to_owned(), "Bash(git log:*)".to_owned()]),
        max_turns: Some(70),
        comment_max_turns: Some(7),
        max_wall_time: Some(Duration::from_mins(90)),
        effort: Some(Effort::Max),
        disable_adaptive_thinking: false,
        kill_grace: KillGrace { sigint: Some(Duration::ZERO), sigterm: Some(Duration::from_secs(20)) },
        read_only: true,
        post_to_pr: true,
        create_draft_pr: true,
        mark_pr_ready: true,
        auto_advance: Some(false),
        wait_for_reviews: true,
        wait_for_ci: true,
        review_authority: ReviewAuthority::Authoritative,
        expected_reviewers: Some(vec!["ann".to_owned()]),
        approval: Some(ApprovalWay::Either),
    };
    assert_eq!(one(FULL), expected);
}

#[test]
fn every_key_is_in_the_example_above() {
    let bare = |row: &StageKey| row.key.rsplit('.').next().unwrap().to_owned();
    let missing: Vec<_> =
        STAGE_KEYS.iter().map(bare).filter(|key| !FULL.contains(&format!("{key}: "))).collect();
    assert_eq!(missing, super::super::table::KINDS, "these are said in other tests");
}

#[test]
fn a_stage_that_says_little_has_the_defaults_of_the_table() {
    let stage = one("name: Plan\nprompt: plan it\n");
    let expected = Stage {
        name: "Plan".to_owned(),
        instruction: Some(Instruction::Prompt("plan it".to_owned())),
        effort: Some(Effort::High),
        disable_adaptive_thinking: true,
        ..Stage::default()
    };
    assert_eq!(stage, expected);
}

#[test]
fn nothing_and_zero_and_an_empty_list_are_told_apart() {
    let stage = |more: &str| one(&format!("name: A\nprompt: b\n{more}\n"));
    assert_eq!(stage("max_turns: 0").max_turns, None);
    assert_eq!(stage("max_turns: 9\ncomment_max_turns: 0").comment_turns(), 9);
    assert_eq!(stage("max_wall_time: 0s").max_wall_time, None);
    assert_eq!(stage("expected_reviewers: []").expected_reviewers, Some(Vec::new()));
    assert_eq!(stage("expected_reviewers:").expected_reviewers, None);
    assert_eq!(stage("auto_advance:").auto_advance, None);
}

#[test]
fn stages_without_an_agent_need_nothing_to_tell_one() {
    for (key, kind) in [
        ("cleanup_worktree", StageKind::Cleanup),
        ("holding_stage", StageKind::Holding),
        ("unmanaged", StageKind::Unmanaged),
    ] {
        let stage = one(&format!("name: X\norder: -1\n{key}: true\n"));
        assert_eq!((stage.kind, stage.order, stage.instruction, stage.effort), (kind, -1, None, None));
    }
}

#[test]
fn every_value_keeps_its_place() {
    let set =
        read(&[FULL, "name: Done\norder: 99\ncleanup_worktree: true\n"], PipelineDialect::Baton).unwrap();
    let plan = set.stage("Plan").unwrap();
    assert_eq!((plan.path.as_str(), plan.settings.len()), ("a.yaml", STAGE_KEYS.len()));
    let row = |stage: &str, key: &str| {
        let found = set.stage(stage).unwrap().settings.iter().find(|it| it.key == key).unwrap();
        (found.value.clone(), found.source.to_string())
    };
    let shown = |value: &str, source: &str| (value.to_owned(), source.to_owned());
    assert_eq!(row("Plan", "order"), shown("2", "a.yaml:2:8"));
    assert_eq!(row("Plan", "prompt"), shown("one\n  two", "a.yaml:4:3"));
    assert_eq!(row("Plan", "kill_grace.sigterm"), shown("20s", "a.yaml:20:35"));
    assert_eq!(row("Plan", "max_wall_time"), shown("90min", "a.yaml:19:16"));
    assert_eq!(row("Plan", "unmanaged"), shown("false", "default"));
    assert_eq!(row("Done", "model"), shown("", "default"));
}

#[test]
fn stages_come_in_the_order_of_the_pipeline() {
    let set =
        read(&["name: B\norder: 2\nprompt: x\n", "name: A\norder: 1\nskill: x\n"], PipelineDialect::Baton)
            .unwrap();
    let names: Vec<_> = set.stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(set.pipeline.stages()[1].name, "B");
}

#[test]
fn unknown_keys_are_errors_with_the_nearest_one() {
    check_errors(
        &[
            "name: A\nprompt: x\nmax_turn: 3\nkill_grace: {sigtrem: 1s}\ncompletion: {value: x}\npager: less\n",
        ],
        &[
            "a.yaml:3:1: there is no setting `max_turn`; did you mean `max_turns`?",
            "a.yaml:4:14: there is no setting `kill_grace.sigtrem`; did you mean `kill_grace.sigterm`?",
            "a.yaml:5:14: there is no setting `completion.value`",
            "a.yaml:6:1: there is no setting `pager`",
        ],
    );
    check_errors(
        &["name: A\nprompt: x\nkillgrace: 3s\n"],
        &["a.yaml:3:1: there is no setting `killgrace`; did you mean `kill_grace`?"],
    );
}

#[test]
fn bad_values_are_told_with_their_place_and_what_is_allowed() {
    for (line, expected) in [
        ("order: first", "a.yaml:3:8: `order` cannot be `first`: write a whole number, such as 3"),
        ("max_turns: -1", "a.yaml:3:12: `max_turns` cannot be `-1`: write a whole number from 0"),
        ("read_only: maybe", "a.yaml:3:12: `read_only` cannot be `maybe`: write true or false"),
        (
            "max_wall_time: soon",
            "a.yaml:3:16: `max_wall_time` cannot be `soon`: write a duration such as 90s, 15min or 4h or 1h30m0s",
        ),
        ("approval: email", "a.yaml:3:11: `approval` cannot be `email`: write one of slack, tracker, either"),
        (
            "completion: {type: codex}",
            "a.yaml:3:20: `completion.type` cannot be `codex`: write one of marker, claude",
        ),
        (
            "allowed_tools: []",
            "a.yaml:3:16: `allowed_tools` cannot be `[]`: write a list of at least one tool, such as [Read, Grep]",
        ),
        ("model: [a]", "a.yaml:3:8: `model` cannot be `[a]`: write text on one line"),
        (
            "kill_grace: 3s",
            "a.yaml:3:13: `kill_grace` must hold settings, such as `kill_grace:` and below it, indented, `sigint: …`",
        ),
    ] {
        check_errors(&[&format!("name: A\nprompt: x\n{line}\n")], &[expected]);
    }
    for reviewers in ["['@ann']", "['helper[bot]']", "[ann, Ann]", "ann", "{ann: 1}"] {
        let text = format!("name: A\nprompt: x\nexpected_reviewers: {reviewers}\n");
        let [error] = read(&[&text], PipelineDialect::Baton).unwrap_err().try_into().unwrap();
        assert!(
            error.contains("`expected_reviewers` cannot be") && error.contains("bare handles"),
            "{error}"
        );
    }
}

#[test]
fn a_file_that_is_no_stage_is_told_as_such() {
    check_errors(
        &["- a\n"],
        &["a.yaml:1:1: a stage file holds keys, such as `name: Plan`, and below it `order: 2`"],
    );
    let [error] = read(&["name: [a\n"], PipelineDialect::Baton).unwrap_err().try_into().unwrap();
    assert!(error.starts_with("a.yaml:1:7: "), "{error}");
    check_errors(&["name: A\nskill: x\nname: B\n"], &["a.yaml:3:1: `name` is there twice; remove one"]);
}

#[test]
fn a_stage_has_a_name_and_somebody_who_tells_its_agent() {
    let untold = "nobody tells the agent of this stage what to do: write `prompt: |` and the words below it, indented, \
                  or `skill: NAME`; or, for a stage without an agent, one of `cleanup_worktree: true`, \
                  `holding_stage: true`, `unmanaged: true`";
    check_errors(
        &[""],
        &["a.yaml:1:1: `name` is missing: write `name: Plan`", &format!("a.yaml:1:1: {untold}")],
    );
    check_errors(&["order: 1\nname: A\n"], &[&format!("a.yaml:2:7: {untold}")]);
    // What was said wrongly was said.
    assert_eq!(read(&["name: A\nprompt: ''\n"], PipelineDialect::Baton).unwrap_err().len(), 1);
    assert_eq!(read(&["name: A\nunmanaged: maybe\n"], PipelineDialect::Baton).unwrap_err().len(), 1);
}

#[test]
fn a_stage_is_of_one_kind() {
    check_errors(
        &["name: A\nunmanaged: true\nholding_stage: true\n"],
        &[
            "a.yaml:2:12: `holding_stage` and `unmanaged` cannot be true at once: a stage is of one kind; remove all but one",
        ],
    );
}

#[test]
fn files_that_are_right_alone_can_be_wrong_together() {
    let stage = |name: &str, order: i64| format!("name: {name}\norder: {order}\nprompt: x\n");
    let end = |name: &str| format!("name: {name}\norder: 9\ncleanup_worktree: true\n");
    check_errors(
        &[&stage("Plan", 1), &stage("Plan", 2)],
        &["b.yaml:1:7: `Plan` is the same stage as `Plan` (a.yaml:1:7): rename one, or remove a file"],
    );
    check_errors(
        &[&stage("Plan", 1), &stage("plan", 2)],
        &[
            "b.yaml:1:7: `plan` is the same stage as `Plan` (a.yaml:1:7), since labels do not tell them apart by case: rename one, or remove a file",
        ],
    );
    check_errors(
        &[&stage("Plan", 1), "name: Build\nskill: x\norder: 1\n"],
        &[
            "b.yaml:3:8: `Build` has the order 1, as `Plan` has (a.yaml:2:8), so nobody can say which comes first: change one",
        ],
    );
    check_errors(
        &[&end("Done"), &end("Closed")],
        &[
            "b.yaml:3:19: `Closed` is a second end of the pipeline besides `Done` (a.yaml:3:19): remove `cleanup_worktree` from one",
        ],
    );
    let queued = "name: Queued\norder: 1\nholding_stage: true\n";
    assert!(read(&[&stage("Plan", 1), queued], PipelineDialect::Baton).is_ok());
}

#[test]
fn all_complaints_come_at_once() {
    let errors = read(
        &["name: A\norder: x\nfoo: 1\n", "- b\n", "name: a\nprompt: x\nmax_turns: x\n", "name: [\n"],
        PipelineDialect::Baton,
    );
    assert_eq!(errors.unwrap_err().len(), 7);
}

#[test]
fn what_fabrik_overlooks_is_overlooked_in_its_dialect() {
    let text = "name: Specify
order: 0
skill: fabrik-specify
prompt: ''
effort_level: \"\"
allowed_tools: []
max_wall_time: \"30m\"
persist_spec: true
max_turn: 5
completion:
  type: claude
  value: later
";
    let set = read(&[text], PipelineDialect::Fabrik).unwrap();
    let stage = &set.pipeline.stages()[0];
    assert_eq!(stage.instruction, Some(Instruction::Skill("fabrik-specify".to_owned())));
    assert_eq!((&stage.allowed_tools, stage.effort), (&None, Some(Effort::High)));
    assert_eq!(
        set.warnings,
        [
            "a.yaml:8:1: `persist_spec` is no key of stages here and is not used",
            "a.yaml:9:1: `max_turn` is no key of stages here and is not used; did you mean `max_turns`?",
            "a.yaml:12:3: `completion.value` is no key of stages here and is not used",
        ]
    );
    assert_eq!(read(&[text], PipelineDialect::Baton).unwrap_err().len(), 6);
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_fail(text in "((name|order|prompt|kill_grace|sigint|true|0s|-1|: |:|,|\\[|\\]|\\{|\\}|'|\n|  |@){0,30})") {
        for dialect in PipelineDialect::ALL {
            let _ = read(&[&text, "name: A\nskill: x\n"], *dialect);
        }
    }
}
