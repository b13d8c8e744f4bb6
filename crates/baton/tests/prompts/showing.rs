//! `baton prompts show`: a prompt as an agent would read it.

use baton_fixtures::TestEnv;

#[test]
fn an_example_is_shown_with_the_shipped_stages() {
    let env = TestEnv::new().isolated();
    for purpose in ["stage", "comment", "comment-on-pr", "review", "ci_fix", "rebase", "wake"] {
        let ran = env.run(&["prompts", "show", purpose]).exits(0);
        assert!(ran.out.starts_with("# acme/web, issue #7"), "{purpose}: {ran:?}");
        assert!(
            ran.out.contains("````data: title of issue #7 by ana\nAdd a --quiet flag\n````\n"),
            "{purpose}"
        );
    }
    let ran = env.run(&["prompts", "show", "stage", "--stage", "research"]).exits(0);
    assert!(
        ran.out.contains("You are the Research runner of a relay.") && ran.out.contains("stage Research\n"),
        "{ran:?}"
    );
    let ran = env.run(&["prompts", "show", "stage", "--stage", "Done"]).exits(1);
    assert!(
        ran.err.contains("there is no stage `Done` in which an agent works in the shipped stages"),
        "{ran:?}"
    );
}

#[test]
fn templates_of_users_and_prompts_of_stages_are_filled() {
    let env = TestEnv::new().isolated().with_files(&[
        (".baton/prompts/stage.md", "{{ project.repo }}: {{ instruction }}"),
        (".baton/prompts/acme/api/stage.md", "of api"),
        (
            ".baton/stages/a.yaml",
            "name: Build\norder: 1\nprompt: build {{ project.name }}\ncreate_draft_pr: true\n",
        ),
        (".baton/stages/b.yaml", "name: Follow\norder: 2\nskill: my-skill\n"),
        (".baton/stages/done.yaml", "name: Done\norder: 99\ncleanup_worktree: true\n"),
    ]);
    let shown =
        |arguments: &[&str]| env.run(&[&["prompts", "show", "stage"], arguments].concat()).exits(0).out;
    assert_eq!(shown(&[]), "acme/web: build web");
    assert_eq!(
        shown(&["--stage", "follow"]),
        "acme/web: You are the agent of the stage Follow. Follow the skill `my-skill` exactly."
    );
    assert_eq!(shown(&["--repo", "acme/api"]), "of api");
    assert_eq!(shown(&["--repo", "acme/api", "--template"]), "of api");
    assert_eq!(shown(&["--template"]), "{{ project.repo }}: {{ instruction }}");
}

#[test]
fn given_material_is_shown() {
    let material = r#"{"repo": "acme/api", "issue": {"number": 9, "title": "{{ 7*7 }} ````"},
        "stage": {"name": "Plan", "job": "comments"}, "new_comments": [4]}"#;
    let env = TestEnv::new()
        .isolated()
        .with_files(&[("given.json", material), (".baton/prompts/acme/api/comment.md", "{{ issue.title }}")]);
    let ran = env.run(&["prompts", "show", "comment", "--from", "given.json"]).exits(0);
    assert_eq!(ran.out.trim(), "`````data: title of issue #9 by somebody\n{{ 7*7 }} ````\n`````");
    let ran = env.run(&["prompts", "show", "review", "--from", "given.json"]).exits(2);
    assert!(ran.err.contains("given.json: this material is for `comment`, not for `review`"), "{ran:?}");
    let ran = env.run(&["prompts", "show", "comment", "--from", "none.json"]).exits(2);
    assert!(ran.err.contains("cannot read none.json"), "{ran:?}");
}

#[test]
fn a_purpose_that_is_none_is_refused_with_those_that_are() {
    let ran = TestEnv::new().isolated().run(&["prompts", "show", "plan"]).exits(2);
    assert!(ran.err.contains("write one of stage, comment, comment_on_pr"), "{ran:?}");
}

#[test]
fn the_words_of_fabrik_are_spoken_in_its_directory() {
    let env = TestEnv::new().isolated().with_files(&[("baton.yaml", "dialect: fabrik\n")]);
    let ran = env.run(&["prompts", "show", "stage", "--template"]).exits(0);
    assert!(!ran.out.to_lowercase().contains("baton"), "{ran:?}");
    let ran = env.run(&["prompts", "show", "rebase"]).exits(0);
    assert!(
        ran.out.contains("FABRIK_BLOCKED_ON_INPUT") && ran.out.contains("`.fabrik-context/issue.md`"),
        "{ran:?}"
    );
}
