//! `baton prompts write`: a starting point for one's own templates.

use baton_fixtures::TestEnv;

#[test]
fn a_built_in_template_is_written_and_works_as_before() {
    let env = TestEnv::new().isolated();
    let before = env.run(&["prompts", "show", "stage"]).exits(0).out;
    let ran = env.run(&["prompts", "write", "stage", "ci-fix"]).exits(0);
    assert_eq!(ran.out, "wrote .baton/prompts/stage.md\nwrote .baton/prompts/ci_fix.md");
    assert_eq!(env.run(&["prompts", "show", "stage"]).exits(0).out, before);
    assert_eq!(env.run(&["prompts", "check"]).exits(0).out, "2 files of templates and 6 stages: all fine");
    let shown = env.run(&["prompts", "show", "ci_fix", "--template"]).exits(0).out;
    assert_eq!(shown, env.read(".baton/prompts/ci_fix.md").trim_end());
}

#[test]
fn a_file_that_is_there_is_left_alone() {
    let env = TestEnv::new().isolated().with_files(&[(".baton/prompts/acme/web/stage.md", "mine")]);
    let ran = env.run(&["prompts", "write", "stage", "wake", "--repo", "acme/web"]).exits(1);
    assert_eq!(ran.out, "wrote .baton/prompts/acme/web/wake.md");
    assert!(
        ran.err.contains(".baton/prompts/acme/web/stage.md is there already and was left alone"),
        "{ran:?}"
    );
    assert_eq!(env.read(".baton/prompts/acme/web/stage.md"), "mine");
}

#[test]
fn somebody_has_to_say_which() {
    TestEnv::new().isolated().run(&["prompts", "write"]).exits(2);
}
