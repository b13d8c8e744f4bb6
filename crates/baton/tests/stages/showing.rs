//! `baton stages show` and `baton config show`: where values come from, and what agents are told.

use baton_fixtures::TestEnv;
use serde_json::json;

use crate::stages::{BUILD, DONE};

fn two_stages() -> TestEnv {
    let build =
        format!("{BUILD}comment_skill: talk\nci_fix_skill: mend\nmax_turns: 0\nexpected_reviewers: []\n");
    TestEnv::new()
        .isolated()
        .with_files(&[(".baton/stages/build.yaml", &build), (".baton/stages/done.yaml", DONE)])
}

#[test]
fn a_stage_is_shown_with_the_sources_of_its_values() {
    let ran = two_stages().run(&["stages", "show", "build"]).exits(0);
    assert_eq!(ran.line(&["KEY"]), ["KEY", "VALUE", "SOURCE"]);
    assert_eq!(ran.line(&["name"]), ["name", "Build", ".baton/stages/build.yaml:1:7"]);
    assert_eq!(ran.line(&["max_turns"]), ["max_turns", "0", ".baton/stages/build.yaml:8:12"]);
    assert_eq!(
        ran.line(&["expected_reviewers"]),
        ["expected_reviewers", "[]", ".baton/stages/build.yaml:9:21"]
    );
    assert_eq!(ran.line(&["disable_adaptive_thinking"]), ["disable_adaptive_thinking", "true", "default"]);
    assert_eq!(ran.line(&["model"]), ["model", "–", "default"]);
}

#[test]
fn a_shipped_stage_is_shown_with_the_file_that_was_built_in() {
    let ran = TestEnv::new().isolated().run(&["stages", "show", "Review"]).exits(0);
    assert_eq!(ran.line(&["wait_for_reviews"]), ["wait_for_reviews", "true", "built-in/review.yaml:7:19"]);
    let prompt = ran.line(&["prompt"]);
    assert!(
        prompt[1].starts_with("You are the Review runner") && prompt[1].ends_with("lines)"),
        "{prompt:?}"
    );
}

#[test]
fn the_json_of_a_stage_has_the_documented_shape() {
    let shown = two_stages().run(&["stages", "show", "Build", "--json"]).exits(0).json();
    assert_eq!((&shown["name"], &shown["file"]), (&json!("Build"), &json!(".baton/stages/build.yaml")));
    let at = ".baton/stages/build.yaml:3:9";
    assert_eq!(
        shown["settings"][2],
        json!({ "key": "prompt", "value": "build it", "source": "file", "at": at })
    );
    let listed = two_stages().run(&["config", "show", "--json"]).exits(0).json();
    assert_eq!(listed["stages"][0], shown);
    assert_eq!(listed["stages"][1]["name"], "Done");
}

#[test]
fn the_configuration_lists_what_stage_files_say() {
    let ran = two_stages().run(&["config", "show"]).exits(0);
    assert_eq!(ran.line(&["stages"]), ["stages", ".baton/stages", "default"]);
    let shown = ["stages.Build.create_draft_pr", "true", ".baton/stages/build.yaml:4:18"];
    assert_eq!(ran.line(&["stages.Build.create_draft_pr"]), shown);
    assert!(!ran.out.contains("stages.Build.model"), "{ran:?}");
}

#[test]
fn what_an_agent_is_told_is_printed_as_it_is() {
    let env = two_stages();
    assert_eq!(env.run(&["stages", "show", "Build", "--prompt"]).exits(0).out, "build it");
    let shipped = TestEnv::new().isolated();
    let told = |arguments: &[&str]| shipped.run(&[&["stages", "show"], arguments].concat()).exits(0).out;
    assert!(told(&["Plan", "--prompt"]).contains("\n    BATON_DECOMPOSED\n"));
    assert!(
        told(&["Plan", "--prompt=comment"]).starts_with("People have written new comments on this issue.")
    );
    assert!(told(&["Review", "--prompt=comment"]).contains("or its pull request"));
    assert!(!told(&["Review", "--prompt=ci-fix"]).contains("BATON_STAGE_COMPLETE"));
}

#[test]
fn what_cannot_be_printed_is_told() {
    let env = two_stages();
    let refused = |arguments: &[&str]| env.run(&[&["stages", "show"], arguments].concat()).exits(1).err;
    assert_eq!(
        refused(&["Plan"]),
        "error: there is no stage `Plan` in the stages of .baton/stages: write one of Build, Done"
    );
    assert_eq!(
        refused(&["Build", "--prompt=ci-fix"]),
        "error: there is no prompt to print: the agent of `Build` follows its skill `mend`"
    );
    assert!(refused(&["Build", "--prompt=rebase"]).ends_with("its skill `talk`"));
    assert_eq!(refused(&["Done", "--prompt"]), "error: no agent works in the stage `Done`");
    env.run(&["stages", "show", "Build", "--prompt=nothing"]).exits(2);
}
