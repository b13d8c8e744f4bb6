//! The JSON schema for editors says what the reader says, wherever one file alone can be judged.

use baton_core::config::stages::{defaults, read_stages};
use baton_core::config::{PipelineDialect, TextFile};
use baton_fixtures::TestEnv;
use jsonschema::Validator;
use serde_json::Value;

fn validator() -> Validator {
    let schema = TestEnv::new().isolated().run(&["stages", "schema"]).exits(0).json();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("{error}"));
    jsonschema::validator_for(&schema).unwrap()
}

fn is_read(yaml: &str) -> bool {
    let file = TextFile { path: "a.yaml".to_owned(), text: yaml.to_owned() };
    read_stages(&[file], PipelineDialect::Baton).is_ok()
}

#[track_caller]
fn check(validator: &Validator, yaml: &str, expected: bool) {
    let value: Value = serde_saphyr::from_str(yaml).unwrap();
    assert_eq!(is_read(yaml), expected, "the reader on {yaml}");
    let problems: Vec<_> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert_eq!(problems.is_empty(), expected, "the schema on {yaml}: {problems:?}");
}

#[test]
fn the_shipped_stages_are_valid() {
    let validator = validator();
    defaults::FILES.iter().for_each(|(_, yaml)| check(&validator, yaml, true));
}

#[test]
fn reader_and_schema_agree() {
    let validator = validator();
    let working = |more: &str| format!("name: A\nprompt: x\n{more}\n");
    for more in [
        "order: -3",
        "max_turns: 0",
        "comment_max_turns: 7",
        "max_wall_time: 1h30m0s",
        "max_wall_time: 1.5h",
        "max_wall_time: 90",
        "max_wall_time: 1h 30min",
        "kill_grace: {sigint: 0s, sigterm: 10s}",
        "allowed_tools: [Read, 'Bash(git log:*)']",
        "expected_reviewers: []",
        "expected_reviewers: [ann, bob-2]",
        "effort_level: max",
        "approval: either",
        "completion: {type: claude}",
        "agent: Coder 2",
        "auto_advance: false",
        "unmanaged: false",
    ] {
        check(&validator, &working(more), true);
    }
    for more in [
        "order: 1.5",
        "max_turns: -1",
        "max_wall_time: soon",
        "max_wall_time: -1h",
        "max_wall_time: 4x",
        "kill_grace: 10s",
        "kill_grace: {sigkill: 1s}",
        "allowed_tools: []",
        "allowed_tools: Read",
        "expected_reviewers: ['@ann']",
        "expected_reviewers: ['helper[bot]']",
        "expected_reviewers: [ann, ann]",
        "effort_level: huge",
        "approval: email",
        "completion: {type: tests}",
        "agent: a/b",
        "read_only: maybe",
        "pager: less",
        "unmanaged: true\nholding_stage: true",
        "skill: ''",
    ] {
        check(&validator, &working(more), false);
    }
    for (yaml, expected) in [
        ("name: Done\ncleanup_worktree: true\n", true),
        ("name: Queued\nholding_stage: true\n", true),
        ("name: Backlog\nunmanaged: true\n", true),
        ("name: A\nskill: x\n", true),
        ("name: A\n", false),
        ("name: A\nunmanaged: false\n", false),
        ("prompt: x\n", false),
        ("name: a/b\nprompt: x\n", false),
        ("name: .a\nprompt: x\n", false),
        ("name: abcdefghijklmnopqrstuvwxyzabcdefg\nprompt: x\n", false),
        ("- a\n", false),
    ] {
        check(&validator, yaml, expected);
    }
}
