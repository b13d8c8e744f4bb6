//! `baton prompts check`: all that is wrong, at once.

use baton_fixtures::TestEnv;

#[test]
fn what_is_built_in_is_fine() {
    for yaml in ["", "dialect: fabrik\n"] {
        let ran =
            TestEnv::new().isolated().with_files(&[("baton.yaml", yaml)]).run(&["prompts", "check"]).exits(0);
        assert_eq!(ran.out, "0 files of templates and 6 stages: all fine");
    }
}

#[test]
fn everything_that_is_wrong_is_told_with_its_file_and_line() {
    let env = TestEnv::new().isolated().with_files(&[
        (".baton/prompts/stage.md", "fine {{ project.repo }}"),
        (".baton/prompts/wake.md", "\n{{ isue.number }}"),
        (".baton/prompts/acme/web/rebase.md", "{% if %}"),
        (".baton/prompts/acme/api/review.md", "a\nb\n{{ pull.number }}"),
        (".baton/prompts/stagee.md", "x"),
        (".baton/prompts/acme/stage.md", "x"),
        (
            ".baton/stages/a.yaml",
            "name: Build\norder: 1\nprompt: |\n  ok\n  {{ issue.titel }}\ncreate_draft_pr: true\n",
        ),
        (".baton/stages/done.yaml", "name: Done\norder: 99\ncleanup_worktree: true\n"),
    ]);
    let ran = env.run(&["prompts", "check"]).exits(1);
    for expected in [
        "error: .baton/prompts/wake.md:2: there is no variable `isue.number`; did you mean `issue.number`?",
        "error: .baton/prompts/acme/web/rebase.md:1: ",
        "error: .baton/prompts/stagee.md: `stagee` is not a purpose of prompts: write one of stage, comment",
        "error: .baton/prompts/acme/api/review.md:3: `pull.number` is nothing here",
        "error: .baton/stages/a.yaml: prompt of stage `Build`:2: there is no variable `issue.titel`",
        "error: .baton/prompts/acme/stage.md: nobody reads this; templates of one repository are in OWNER/NAME/",
    ] {
        assert!(ran.out.contains(expected), "{expected}: {ran:?}");
    }
}

#[test]
fn what_fails_only_with_some_issues_is_found_too() {
    let env = TestEnv::new().isolated().with_files(&[
        (".baton/prompts/acme/api/review.md", "a\nb\n{{ pull.number }}"),
        (
            ".baton/stages/a.yaml",
            "name: Build\norder: 1\nprompt: |\n  ok\n  {{ issue.titel }}\ncreate_draft_pr: true\n",
        ),
        (".baton/stages/done.yaml", "name: Done\norder: 99\ncleanup_worktree: true\n"),
    ]);
    let ran = env.run(&["prompts", "check"]).exits(1);
    let nothing = "error: .baton/prompts/acme/api/review.md:3: `pull.number` is nothing here; ask before with `{% if pull %}`";
    let stage = "error: .baton/stages/a.yaml: prompt of stage `Build`:2: there is no variable `issue.titel`; did you mean `issue.title`?";
    assert!(ran.out.contains(nothing) && ran.out.contains(stage), "{ran:?}");
}

#[test]
fn good_templates_are_counted() {
    let env = TestEnv::new().isolated().with_files(&[
        (".baton/prompts/stage.md", "{% include \"head\" %}{{ instruction }}"),
        (".baton/prompts/acme/web/stage.md", "{{ instruction }}"),
        (".baton/prompts/.hidden.md", "{{"),
    ]);
    let ran = env.run(&["prompts", "check"]).exits(0);
    assert_eq!(ran.out, "2 files of templates and 6 stages: all fine");
}
