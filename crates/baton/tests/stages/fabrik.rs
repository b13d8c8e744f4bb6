//! A directory of a team that runs Fabrik, read as it is.

use baton_fixtures::TestEnv;
use serde_json::json;

/// Files in Fabrik's words, with one key that only Fabrik knows.
const FILES: [(&str, &str); 8] = [
    (".fabrik/stages/backlog.yaml", "name: Backlog\norder: -1\nunmanaged: true\n"),
    (
        ".fabrik/stages/specify.yaml",
        "name: Specify
order: 0
skill: fabrik-specify
comment_skill: fabrik-specify-comment
auto_advance: false
model: sonnet
max_turns: 50
read_only: true
persist_spec: true
allowed_tools:
  - Read
  - Grep
  - Bash(git log:*)
completion:
  type: claude
",
    ),
    (
        ".fabrik/stages/plan.yaml",
        "name: Plan\norder: 2\nprompt: |\n  Plan it.\n\n  Then say FABRIK_STAGE_COMPLETE.\nread_only: true\n",
    ),
    (
        ".fabrik/stages/implement.yaml",
        "name: Implement
order: 3
skill: fabrik-implement
max_turns: 100
comment_max_turns: 50
max_wall_time: \"30m\"
create_draft_pr: true
mark_pr_ready_on_complete: true
post_to_pr: true
kill_grace:
  sigint: 10s
  sigterm: 0s
completion:
  type: claude
",
    ),
    (
        ".fabrik/stages/validate.yaml",
        "name: Validate
order: 5
skill: fabrik-validate
max_wall_time: 1h30m0s
post_to_pr: true
wait_for_reviews: true
review_authority: authoritative
expected_reviewers:
  - some-reviewer
wait_for_ci: true
effort_level: \"\"
completion:
  type: claude
",
    ),
    (".fabrik/stages/queued.yaml", "name: Queued\norder: 6\nholding_stage: true\nmax_wall_time: \"30m\"\n"),
    (".fabrik/stages/done.yaml", "name: Done\norder: 99\ncleanup_worktree: true\n"),
    ("baton.yaml", "dialect: fabrik\n"),
];

#[test]
fn its_stages_are_read_unchanged() {
    let env = TestEnv::new().isolated().with_files(&FILES);
    let shown = env.run(&["stages", "check", "--json"]).exits(0).json();
    assert_eq!((&shown["origin"], &shown["dialect"]), (&json!("directory"), &json!("fabrik")));
    let stages: Vec<_> = shown["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| format!("{} {} {} -> {}", stage["order"], stage["name"], stage["kind"], stage["next"]))
        .collect();
    assert_eq!(
        stages,
        [
            r#"-1 "Backlog" "unmanaged" -> null"#,
            r#"0 "Specify" "working" -> "Plan""#,
            r#"2 "Plan" "working" -> "Implement""#,
            r#"3 "Implement" "working" -> "Validate""#,
            r#"5 "Validate" "working" -> "Done""#,
            r#"6 "Queued" "holding" -> null"#,
            r#"99 "Done" "cleanup" -> null"#,
        ]
    );
    let warning = ".fabrik/stages/specify.yaml:9:1: `persist_spec` is no key of stages here and is not used";
    assert_eq!(shown["warnings"], json!([warning]));
    assert_eq!(shown["findings"].as_array().unwrap().len(), 1, "only what Queued cannot use: {shown}");
}

#[test]
fn its_values_mean_what_they_mean_there() {
    let env = TestEnv::new().isolated().with_files(&FILES);
    let ran = env.run(&["stages", "show", "validate"]).exits(0);
    let line = |key: &'static str| ran.line(&[key]);
    assert_eq!(line("max_wall_time"), ["max_wall_time", "90min", ".fabrik/stages/validate.yaml:4:16"]);
    assert_eq!(line("effort_level"), ["effort_level", "high", "default"]);
    assert_eq!(line("completion.type"), ["completion.type", "claude", ".fabrik/stages/validate.yaml:13:9"]);
    let told = env.run(&["stages", "show", "Plan", "--prompt"]).exits(0);
    assert_eq!(told.out, "Plan it.\n\nThen say FABRIK_STAGE_COMPLETE.");
}

#[test]
fn without_its_directory_the_shipped_stages_speak_its_words() {
    let env = TestEnv::new().isolated().with_files(&[("baton.yaml", "dialect: fabrik\n")]);
    let ran = env.run(&["stages", "check"]).exits(0);
    assert!(ran.out.starts_with("the shipped stages, since there is no .fabrik/stages\n"), "{ran:?}");
    for arguments in [&["Implement", "--prompt"][..], &["Implement", "--prompt=rebase"]] {
        let told = env.run(&[&["stages", "show"], arguments].concat()).exits(0).out;
        assert!(told.contains("FABRIK_BLOCKED_ON_INPUT") && told.contains(".fabrik-context/"), "{told}");
        assert!(!told.to_lowercase().contains("baton"), "{told}");
    }
}

#[test]
fn in_our_own_dialect_keys_that_only_fabrik_knows_are_errors() {
    let env = TestEnv::new().isolated().with_files(&FILES);
    env.write("baton.yaml", "stages: .fabrik/stages\n");
    let ran = env.run(&["stages", "check"]).exits(2);
    assert!(ran.err.contains("specify.yaml:9:1: there is no setting `persist_spec`"), "{ran:?}");
}
