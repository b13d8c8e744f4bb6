//! Budgets that are spent: of an issue and of an agent, for which issues are paused, and runs of an agent that wait.

use baton_fixtures::clock::wall_s;
use serde_json::Value;

use crate::notify::scripts::script;
use crate::notify::setup::{Relay, Setup};

/// How much of the day must be left, in seconds.
const REST_OF_DAY_S: i64 = 120;

/// Budgets are renewed at midnight, UTC, so nothing begins shortly before.
async fn relay_of_today(yaml: &'static str) -> Relay {
    let relay = Relay::running(Setup { yaml, script: script(&[]), ..Setup::default() }).await;
    let is_day_young = async || (86_400 - wall_s() % 86_400 > REST_OF_DAY_S).then_some(());
    relay.until("the day does not end soon", is_day_young).await;
    relay
}

/// Waits for the first notice.
async fn until_told(relay: &Relay) -> Value {
    relay
        .until("it is told", async || {
            serde_json::from_str(relay.env.note("notices.jsonl")?.lines().next()?).ok()
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_whose_budget_is_spent_is_paused_with_a_word_that_names_it_and_is_told() {
    let yaml = "yolo: true\nbudget: {issue_runs_per_day: 1, repo_cost_per_day: 5}\nnotify: {command: 'cat >> notices.jsonl'}\n";
    let relay = relay_of_today(yaml).await;
    let issue = relay.repo.issue("Dear", &["stage:Plan"]).await;
    let facts = relay
        .until_issue(issue, "it is paused", |facts| facts.has("baton:paused") && facts.says("— paused"))
        .await;
    assert!(facts.says("runs of the issue, 1 of 1 (the setting `budget.issue_runs_per_day`)"), "{facts:#?}");
    assert!(facts.says("Raise that setting in `baton.yaml`, or wait until the day ends"), "{facts:#?}");
    assert_eq!(until_told(&relay).await["kind"], "pause");
    let reference = format!("admin/web#{issue}");
    let screen = relay.env.run(&["explain", &reference]).exits(0).out;
    assert!(screen.contains("runs of the issue: 1 of 1 today, spent"), "{screen}");
    assert!(screen.contains("cost of the repository: $0.01 of $5.00 today"), "{screen}");
    assert!(!screen.contains("runs of the repository"), "what has no limit is not shown: {screen}");
    let shape = relay.env.run(&["explain", &reference, "--json"]).exits(0).json();
    let first = &shape["budgets"][0];
    assert_eq!(
        (&first["budget"], &first["used"], &first["limit"]),
        (&"runs of the issue".into(), &1.into(), &1.into())
    );
    relay.end().await;
}

const ONE_RUN: &str = "yolo: true\nagents:\n  coder: {adapter: script, script: coder.yaml, runs_per_day: 1}\n\
                       notify: {command: 'cat >> notices.jsonl'}\n";

/// Says what it waits for.
const WAITS: &str = "runs of the agent coder: 1 of 1 today, spent; its runs wait until midnight, UTC";

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_whose_agent_has_spent_its_budget_is_paused_with_a_word_that_names_it_and_is_told() {
    let relay = relay_of_today(ONE_RUN).await;
    let issue = relay.repo.issue("Slow", &["stage:Plan"]).await;
    let facts = relay
        .until_issue(issue, "it is paused", |facts| facts.has("baton:paused") && facts.says("— paused"))
        .await;
    let named = "runs of the agent coder, 1 of 1 (the setting `runs_per_day` of that agent)";
    assert!(facts.says(named), "{facts:#?}");
    let told = until_told(&relay).await;
    assert_eq!(told["kind"], "pause");
    assert!(told["text"].as_str().unwrap().contains(named), "{told}");
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_asked_for_when_its_agent_has_spent_its_budget_waits_and_explain_and_status_say_until_when()
 {
    let mut relay = relay_of_today(ONE_RUN).await;
    let issue = relay.repo.issue("Slow", &["stage:Plan"]).await;
    let reference = format!("admin/web#{issue}");
    relay.until_issue(issue, "it is paused", |facts| facts.has("baton:paused")).await;
    relay.env.run(&["wake", &reference, "--agent", "coder"]).exits(0);
    let is_queued = |run: &Value| run["status"] == "queued";
    relay.until("the run waits", async || relay.env.runs().iter().any(is_queued).then_some(())).await;
    relay.env.run(&["explain", &reference]).exits(0).says(WAITS);
    relay.env.run(&["status"]).exits(0).says(WAITS);
    let shape = relay.env.run(&["status", "--json"]).exits(0).json();
    assert_eq!(shape["issues"][0]["waits_because"], WAITS);
    assert_eq!(shape["spent_budgets"][0]["limit"], 1);
    relay.stop_engine();
}
