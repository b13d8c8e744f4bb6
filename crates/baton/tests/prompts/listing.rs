//! `baton prompts list`: where each template comes from.

use baton_fixtures::TestEnv;
use serde_json::json;

fn templates() -> TestEnv {
    TestEnv::new().isolated().with_files(&[
        (".baton/prompts/stage.md", "general"),
        (".baton/prompts/review.md", "general review"),
        (".baton/prompts/acme/web/stage.md", "of web"),
        (".baton/prompts/notes.txt", "not a template"),
    ])
}

#[test]
fn the_templates_of_a_repository_come_before_those_of_all_and_the_built_in_ones() {
    let env = templates();
    let from = |arguments: &[&str]| {
        let listed = env.run(&[&["prompts", "list", "--json"], arguments].concat()).exits(0).json();
        let rows = listed["prompts"].as_array().unwrap().clone();
        assert_eq!(rows.len(), 7);
        ["stage", "review", "rebase"].map(|purpose| {
            let row = rows.iter().find(|row| row["purpose"] == purpose).unwrap();
            (row["origin"].clone(), row["file"].clone())
        })
    };
    let file = |path: &str| (json!("file"), json!(path));
    let built_in = (json!("built_in"), json!(null));
    let (general, review) = (file(".baton/prompts/stage.md"), file(".baton/prompts/review.md"));
    assert_eq!(from(&[]), [general.clone(), review.clone(), built_in.clone()]);
    assert_eq!(
        from(&["--repo", "acme/web"]),
        [file(".baton/prompts/acme/web/stage.md"), review.clone(), built_in.clone()]
    );
    assert_eq!(from(&["--repo", "acme/other"]), [general, review, built_in]);
}

#[test]
fn people_see_a_table() {
    let ran = templates().run(&["prompts", "list"]).exits(0);
    let first: Vec<_> =
        ran.out.lines().take(2).map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    assert_eq!(first[0], ["PURPOSE", "FROM", "FOR"]);
    assert_eq!(first[1][..2], ["stage", ".baton/prompts/stage.md"]);
    assert!(ran.out.lines().any(|line| line.starts_with("ci_fix") && line.contains("built in")), "{ran:?}");
}

#[test]
fn a_setting_says_where_the_templates_are() {
    let env =
        TestEnv::new().isolated().with_files(&[("baton.yaml", "prompts: words\n"), ("words/wake.md", "x")]);
    let ran = env.run(&["prompts", "list"]).exits(0);
    assert!(ran.out.contains("words/wake.md"), "{ran:?}");
}

#[test]
fn a_name_that_is_no_repository_is_refused() {
    let ran = templates().run(&["prompts", "list", "--repo", "../../etc"]).exits(2);
    assert!(ran.err.contains("does not name a repository"), "{ran:?}");
}
