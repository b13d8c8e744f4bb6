//! Files that cannot be read as stages: exit code 2, all complaints at once, each with its place.

use baton_fixtures::TestEnv;

use crate::stages::{BUILD, DONE};

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let files: Vec<_> = files.iter().map(|(name, text)| (format!(".baton/stages/{name}"), *text)).collect();
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let ran = TestEnv::new().isolated().with_files(&files).run(&["stages", "check"]).exits(2);
    assert_eq!(ran.err.lines().collect::<Vec<_>>(), expected);
    assert!(ran.out.is_empty(), "{ran:?}");
}

#[test]
fn wrong_keys_and_values_of_several_files_come_at_once() {
    check(
        &[
            ("a.yaml", "name: Plan\norder: second\npromt: x\nskill: plan\n"),
            ("b.yaml", "name: Build\nprompt: x\nexpected_reviewers: ['@ann']\nkill_grace: {sigtrem: 3s}\n"),
            ("c.yaml", "name: plan\nskill: x\norder: 7\n"),
            ("d.yaml", "name: [Done\n"),
        ],
        &[
            "error: .baton/stages/a.yaml:2:8: `order` cannot be `second`: write a whole number, such as 3",
            ".baton/stages/a.yaml:3:1: there is no setting `promt`; did you mean `prompt`?",
            ".baton/stages/b.yaml:3:21: `expected_reviewers` cannot be `[@ann]`: write a list of different bare handles, such as [review-helper], without `@` and `[bot]`; or []",
            ".baton/stages/b.yaml:4:14: there is no setting `kill_grace.sigtrem`; did you mean `kill_grace.sigterm`?",
            ".baton/stages/d.yaml:1:7: unclosed bracket '['",
            ".baton/stages/c.yaml:1:7: `plan` is the same stage as `Plan` (.baton/stages/a.yaml:1:7), since labels do not tell them apart by case: rename one, or remove a file",
        ],
    );
}

#[test]
fn two_ends_and_two_stages_in_one_place_are_errors() {
    check(
        &[
            ("1.yaml", BUILD),
            ("2.yaml", "name: Test\nprompt: x\norder: 1\n"),
            ("3.yaml", DONE),
            ("4.yaml", "name: Closed\norder: 100\ncleanup_worktree: true\n"),
        ],
        &[
            "error: .baton/stages/2.yaml:3:8: `Test` has the order 1, as `Build` has (.baton/stages/1.yaml:2:8), so nobody can say which comes first: change one",
            ".baton/stages/4.yaml:3:19: `Closed` is a second end of the pipeline besides `Done` (.baton/stages/3.yaml:3:19): remove `cleanup_worktree` from one",
        ],
    );
}

#[test]
fn an_empty_directory_is_an_error() {
    check(
        &[("README.md", "# Stages\n")],
        &[
            "error: .baton/stages has no stage files: put one *.yaml for each stage there (docs/reference/stages.md), or remove the directory to use the shipped stages",
        ],
    );
}

#[test]
fn what_is_no_directory_and_what_is_no_text_is_told() {
    let ran = TestEnv::new()
        .isolated()
        .with_files(&[(".baton/stages", "name: Plan\n")])
        .run(&["stages", "check"])
        .exits(2);
    assert!(ran.err.starts_with("error: cannot read .baton/stages: "), "{ran:?}");
    let env = TestEnv::new().isolated().with_files(&[(".baton/stages/done.yaml", DONE)]);
    std::fs::write(env.path(".baton/stages/a.yaml"), [0xff, 0xfe]).unwrap();
    std::fs::create_dir(env.path(".baton/stages/b.yaml")).unwrap();
    let ran = env.run(&["stages", "check"]).exits(2);
    let lines: Vec<_> = ran.err.lines().collect();
    assert!(lines[0].starts_with("error: cannot read .baton/stages/a.yaml: "), "{ran:?}");
    assert!(lines[1].starts_with("cannot read .baton/stages/b.yaml: "), "{ran:?}");
}

#[test]
fn no_other_command_goes_on_with_wrong_stage_files() {
    let env = TestEnv::new().isolated().with_files(&[(".baton/stages/a.yaml", "name: A\n")]);
    for arguments in [&["stages", "show", "A"][..], &["config", "show"], &["stages", "check", "--json"]] {
        let ran = env.run(arguments).exits(2);
        assert!(ran.err.contains("nobody tells the agent of this stage what to do"), "{ran:?}");
    }
}

#[test]
fn wrong_stage_files_hide_no_settings() {
    let env = TestEnv::new()
        .isolated()
        .with_files(&[(".baton/stages/a.yaml", "name: A\n"), ("baton.yaml", "user: ann\n")]);
    let ran = env.run(&["config", "show"]).exits(2);
    assert!(ran.out.lines().any(|line| line.starts_with("user ") && line.contains("ann")), "{ran:?}");
    let shown = env.run(&["config", "show", "--json"]).exits(2).json();
    assert!(shown["stages"].is_null() && shown["settings"].is_array(), "{shown}");
}
