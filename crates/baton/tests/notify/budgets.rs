//! Budgets that are spent: of an issue and of an agent, for which issues are paused, and runs of an agent that wait.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::notify::scripts::script;
use crate::notify::world::{Setup, World};
use crate::support::TOKEN;

/// How much of the day must be left, in seconds.
const REST_OF_DAY_S: u64 = 30;

/// Budgets are renewed at midnight, UTC, so nothing begins shortly before.
async fn world_of_today(yaml: &'static str) -> World {
    let world = World::running(Setup { yaml, script: script(&[]), ..Setup::default() }).await;
    let is_day_young = async |_: &World| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        (86_400 - now % 86_400 > REST_OF_DAY_S).then_some(())
    };
    world.until("the day does not end soon", is_day_young).await;
    world
}

fn baton(world: &World, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_baton"))
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("BATON_TOKEN", TOKEN)
        .current_dir(world.path(""))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_whose_budget_is_spent_is_paused_with_a_word_that_names_it_and_is_told() {
    let yaml = "yolo: true\nbudget: {issue_runs_per_day: 1, repo_cost_per_day: 5}\nnotify: {command: 'cat >> notices.jsonl'}\n";
    let world = world_of_today(yaml).await;
    let issue = world.issue("Dear", &["stage:Plan"]).await;
    let facts = world
        .until_issue(issue, "it is paused", |facts| facts.has("baton:paused") && facts.says("— paused"))
        .await;
    assert!(facts.says("runs of the issue, 1 of 1 (the setting `budget.issue_runs_per_day`)"), "{facts:#?}");
    assert!(facts.says("Raise that setting in `baton.yaml`, or wait until the day ends"), "{facts:#?}");
    let told = world.until("it is told", async |world| {
        let text = std::fs::read_to_string(world.path("notices.jsonl")).ok()?;
        serde_json::from_str::<Value>(text.lines().next()?).ok()
    });
    assert_eq!(told.await["kind"], "pause");
    let reference = format!("admin/web#{issue}");
    let screen = baton(&world, &["explain", &reference]);
    assert!(screen.contains("runs of the issue: 1 of 1 today, spent"), "{screen}");
    assert!(screen.contains("cost of the repository: $0.01 of $5.00 today"), "{screen}");
    assert!(!screen.contains("runs of the repository"), "what has no limit is not shown: {screen}");
    let shape: Value = serde_json::from_str(&baton(&world, &["explain", &reference, "--json"])).unwrap();
    let first = &shape["budgets"][0];
    assert_eq!(
        (&first["budget"], &first["used"], &first["limit"]),
        (&"runs of the issue".into(), &1.into(), &1.into())
    );
    world.end().await;
}

const ONE_RUN: &str = "yolo: true\nagents:\n  coder: {adapter: script, script: coder.yaml, runs_per_day: 1}\n\
                       notify: {command: 'cat >> notices.jsonl'}\n";

/// Says what it waits for.
const WAITS: &str = "runs of the agent coder: 1 of 1 today, spent; its runs wait until midnight, UTC";

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_whose_agent_has_spent_its_budget_is_paused_with_a_word_that_names_it_and_is_told() {
    let world = world_of_today(ONE_RUN).await;
    let issue = world.issue("Slow", &["stage:Plan"]).await;
    let facts = world
        .until_issue(issue, "it is paused", |facts| facts.has("baton:paused") && facts.says("— paused"))
        .await;
    let named = "runs of the agent coder, 1 of 1 (the setting `runs_per_day` of that agent)";
    assert!(facts.says(named), "{facts:#?}");
    let told = world.until("it is told", async |world| {
        let text = std::fs::read_to_string(world.path("notices.jsonl")).ok()?;
        serde_json::from_str::<Value>(text.lines().next()?).ok()
    });
    let told = told.await;
    assert_eq!(told["kind"], "pause");
    assert!(told["text"].as_str().unwrap().contains(named), "{told}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_asked_for_when_its_agent_has_spent_its_budget_waits_and_explain_and_status_say_until_when()
 {
    let mut world = world_of_today(ONE_RUN).await;
    let issue = world.issue("Slow", &["stage:Plan"]).await;
    let reference = format!("admin/web#{issue}");
    world.until_issue(issue, "it is paused", |facts| facts.has("baton:paused")).await;
    baton(&world, &["wake", &reference, "--agent", "coder"]);
    world
        .until("the run waits", async |world| {
            let runs = baton(world, &["runs", "--json"]);
            runs.contains("\"queued\"").then_some(())
        })
        .await;
    let screen = baton(&world, &["explain", &reference]);
    assert!(screen.contains(WAITS), "{screen}");
    let status = baton(&world, &["status"]);
    assert!(status.contains(WAITS), "{status}");
    let shape: Value = serde_json::from_str(&baton(&world, &["status", "--json"])).unwrap();
    assert_eq!(shape["issues"][0]["waits_because"], WAITS);
    assert_eq!(shape["spent_budgets"][0]["limit"], 1);
    world.stop_engines();
}
