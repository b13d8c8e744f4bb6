//! What people see.

use baton_fixtures::TestEnv;

use crate::explain::{examples, explain};

/// Example, what is decided, and something that is to be seen besides.
const EXAMPLES: [(&str, &str, &[&str]); 7] = [
    (
        "awaiting-review",
        "● waits at the gate: bots are asked for their review once more",
        &["ask copilot-pull-request-reviewer once more", "add the label baton:bot-reprompted"],
    ),
    (
        "blocked",
        "● waits at the gate: other issues come first",
        &["open blockers: acme/delivery#8", "add the label baton:blocked", "comment on the issue:"],
    ),
    (
        "failing-checks",
        "● sends the agent back: checks fail",
        &["rounds: 1 of 5", "wake the agent to repair what checks found"],
    ),
    ("held-by-another", "● rests: somebody else holds the issue", &["holder: bo", "nothing is done"]),
    ("paused-after-retries", "● rests: the issue is paused", &["new comment by a person: none"]),
    ("ready-to-merge", "● merges the pull request", &["merge #59, if its head is still 4f2a9c1d"]),
    (
        "waiting-for-ci",
        "● waits at the gate: checks have not ended",
        &["2 passed, 0 failed, 1 running, 0 void", "→ complete", "· not asked: merge, advance"],
    ),
];

#[test]
fn every_example_is_explained_on_one_screen() {
    let env = TestEnv::new().isolated();
    for (example, decided, shown) in EXAMPLES {
        let ran = explain(&env, example, &[]);
        assert_eq!(ran.err, "", "{example}");
        let lines: Vec<_> = ran.out.lines().collect();
        assert!(lines.len() <= 42, "{} lines:\n{}", lines.len(), ran.out);
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", ran.out);
        assert_eq!(lines[3], decided, "{}", ran.out);
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        for shown in shown {
            assert!(words.contains(shown), "{shown:?} is not in\n{}", ran.out);
        }
    }
    let mut found: Vec<_> =
        std::fs::read_dir(examples()).unwrap().map(|it| it.unwrap().file_name()).collect();
    found.sort();
    let shown = EXAMPLES.map(|(example, ..)| std::ffi::OsString::from(format!("{example}.json")));
    assert_eq!(found, shown, "each example is shown here");
}

#[test]
fn a_screen_is_as_it_is_documented() {
    const FENCE: &str = "```text\n";
    let screen = format!("{}\n", explain(&TestEnv::new().isolated(), "waiting-for-ci", &[]).out);
    let path = examples().join("../../explain.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(FENCE).unwrap();
    let (shown, after) = rest.split_once("```\n").unwrap();
    if std::env::var_os("BATON_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{FENCE}{screen}```\n{after}")).unwrap();
    } else {
        assert_eq!(
            shown, screen,
            "docs/explain.md is stale: run `BATON_BLESS=1 cargo xtask test a_screen_is_as` and commit it"
        );
    }
}

#[test]
fn the_configuration_and_stage_files_have_their_say() {
    let env = TestEnv::new().isolated().with_files(&[("baton.yaml", "review_wait_timeout: 1h\n")]);
    assert!(explain(&env, "awaiting-review", &[]).out.contains("reviewers have not looked yet"));
    let env = TestEnv::new().isolated().with_files(&[("other.yaml", "dialect: fabrik\n")]);
    let ran = explain(&env, "awaiting-review", &["--config", "other.yaml"]);
    assert!(ran.out.contains("add the label fabrik:awaiting-review"), "{}", ran.out);
    let env = TestEnv::new()
        .isolated()
        .with_files(&[(".baton/stages/intake.yaml", "name: Intake\norder: 1\nprompt: Look.\n")]);
    assert!(explain(&env, "blocked", &[]).out.contains("● rests: the column belongs to no stage"));
}

#[test]
fn nothing_is_coloured_in_a_pipe() {
    assert!(!explain(&TestEnv::new().isolated(), "blocked", &[]).out.contains('\u{1b}'));
}

#[test]
fn the_page_of_the_state_machine_is_printed() {
    let output = TestEnv::new().isolated().command(&["docs", "state-machine"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), include_str!("../../../../docs/state-machine.md"));
}
