//! `baton stages check`: what it shows, what it finds, and how it ends.

use baton_fixtures::TestEnv;
use serde_json::json;

use crate::stages::{BUILD, DONE};

#[test]
fn without_a_directory_the_shipped_stages_are_used_and_it_says_so() {
    let ran = TestEnv::new().isolated().run(&["stages", "check"]).exits(0);
    assert!(ran.out.starts_with("the shipped stages, since there is no .baton/stages\n"), "{ran:?}");
    assert_eq!(ran.line(&["ORDER"]), ["ORDER", "STAGE", "KIND", "AGENT", "GATES", "NEXT"]);
    assert_eq!(ran.line(&["0"]), ["0", "Specify", "working", "–", "–", "Research"]);
    assert_eq!(ran.line(&["4"]), ["4", "Review", "working", "–", "reviews", "Validate"]);
    assert_eq!(ran.line(&["5"]), ["5", "Validate", "working", "–", "reviews, ci", "Done"]);
    assert_eq!(ran.line(&["99"]), ["99", "Done", "cleanup", "–", "–", "–"]);
    assert!(ran.out.ends_with("every stage is reached, and every gate can be passed"), "{ran:?}");
    assert!(ran.err.is_empty(), "{ran:?}");
}

#[test]
fn a_directory_replaces_all_shipped_stages() {
    let env = TestEnv::new().isolated().with_files(&[
        (".baton/stages/build.yaml", BUILD),
        (".baton/stages/done.yml", DONE),
        (".baton/stages/.build.yaml", "not: [a stage"),
        (".baton/stages/notes.md", "not a stage"),
    ]);
    let shown = env.run(&["stages", "check", "--json"]).exits(0).json();
    let directory = env.path(".baton/stages");
    assert_eq!(
        shown,
        json!({
            "origin": "directory",
            "directory": directory,
            "dialect": "baton",
            "stages": [
                {
                    "name": "Build", "order": 1, "kind": "working", "agent": null, "gates": [], "next": "Done",
                    "file": ".baton/stages/build.yaml",
                },
                {
                    "name": "Done", "order": 99, "kind": "cleanup", "agent": null, "gates": [], "next": null,
                    "file": ".baton/stages/done.yml",
                },
            ],
            "findings": [],
            "warnings": [],
        })
    );
}

#[test]
fn a_pipeline_that_cannot_work_is_told_with_what_to_do() {
    let env = TestEnv::new().isolated().with_files(&[
        (".baton/stages/plan.yaml", "name: Plan\norder: 0\nskill: plan\nwait_for_reviews: true\n"),
        (".baton/stages/late.yaml", "name: Late\norder: 100\nprompt: x\nwait_for_ci: true\n"),
        (".baton/stages/done.yaml", "name: Done\norder: 99\ncleanup_worktree: true\nmax_turns: 5\n"),
    ]);
    let ran = env.run(&["stages", "check"]).exits(1);
    let end: Vec<_> = ran.out.lines().rev().take(4).collect();
    assert_eq!(
        end,
        [
            "2 errors, 1 warning",
            "warning: Done: no agent works here, so these mean nothing: max_turns; remove them",
            "error: Plan: `wait_for_reviews` waits in vain: no stage up to here opens a pull request; set `create_draft_pr: true` on it or on an earlier stage",
            "error: Late: no issue gets here: it comes after `Done`, where the pipeline ends; give it an `order` below 99, or remove it",
        ]
    );
    let shown = env.run(&["stages", "check", "--json"]).exits(1).json();
    assert_eq!(
        shown["findings"][2],
        json!({
            "severity": "warning",
            "stage": "Done",
            "what": "no agent works here, so these mean nothing: max_turns",
            "do": "remove them",
        })
    );
}

#[test]
fn warnings_alone_are_fine() {
    let env = TestEnv::new().isolated().with_files(&[
        (".baton/stages/build.yaml", "name: Build\nprompt: x\nwait_for_ci: true\n"),
        (".baton/stages/done.yaml", DONE),
    ]);
    let ran = env.run(&["stages", "check"]).exits(0);
    assert!(ran.out.ends_with("\n0 errors, 1 warning"), "{ran:?}");
}

#[test]
fn an_agent_that_a_stage_names_is_one_of_the_configuration() {
    let agents = "agents: {Coder: {adapter: command, command: [x]}}\n";
    let stage = |agent: &str| format!("{BUILD}agent: {agent}\n");
    let env =
        TestEnv::new().isolated().with_files(&[("baton.yaml", agents), (".baton/stages/done.yaml", DONE)]);
    env.write(".baton/stages/build.yaml", &stage("coder"));
    let ran = env.run(&["stages", "check"]).exits(0);
    assert_eq!(ran.line(&["1"])[3], "coder");
    env.write(".baton/stages/build.yaml", &stage("tester"));
    let ran = env.run(&["stages", "check"]).exits(1);
    assert!(ran.out.contains("error: Build: its agent `tester` is not under `agents`"), "{ran:?}");
}

#[test]
fn the_directory_is_a_setting_and_starts_where_the_configuration_is() {
    let env = TestEnv::new().isolated().with_files(&[
        ("deep/baton.yaml", "stages: steps\n"),
        ("deep/steps/build.yaml", BUILD),
        ("deep/steps/done.yaml", DONE),
    ]);
    let shown = env.run(&["stages", "check", "--json", "--config", "deep/baton.yaml"]).exits(0).json();
    assert_eq!(
        (&shown["origin"], &shown["stages"][0]["file"]),
        (&json!("directory"), &json!("deep/steps/build.yaml"))
    );
}

#[test]
fn a_directory_that_somebody_named_and_that_is_not_there_is_a_warning() {
    let env = TestEnv::new().isolated().with_files(&[("baton.yaml", "stages: steps\n")]);
    let ran = env.run(&["stages", "check"]).exits(0);
    assert_eq!(
        ran.err,
        "warning: baton.yaml:1:9: `stages` names steps, which is not there; the shipped stages are used"
    );
    let shown = env.run(&["stages", "check", "--json"]).exits(0).json();
    assert_eq!((&shown["origin"], shown["warnings"].as_array().unwrap().len()), (&json!("shipped"), 1));
}
