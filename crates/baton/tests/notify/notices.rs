//! People are told once of what waits for them, and a receiver that fails costs no work.

use baton_fixtures::TOKEN;
use baton_fixtures::server::{TestServer, answer};
use serde_json::Value;

use crate::notify::scripts::{BUILD, DONE, StageFile, VALIDATE, script};
use crate::notify::setup::{Relay, Setup};

const ASKS: (&str, &[&str]) =
    ("stage: Plan, job: stage, issue: '1'", &["summary: Which colour?", "marker: blocked"]);
const SAYS_NOTHING: (&str, &[&str]) = ("stage: Plan, job: stage, issue: '1'", &["say: I am not sure."]);

/// Writes each notice down, and what the command could see of the environment.
const TELLS: &str = "yolo: true\nnotify: {slack: true, command: 'cat >> notices.jsonl; env > notices.env'}\n";

fn told(relay: &Relay) -> Vec<Value> {
    let text = std::fs::read_to_string(relay.env.path("notices.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What was posted to Slack's webhook.
fn heard(slack: &TestServer) -> Vec<String> {
    let text = |body: &str| serde_json::from_str::<Value>(body).unwrap()["text"].as_str().unwrap().to_owned();
    slack.seen().iter().map(|request| text(&request.body)).collect()
}

/// Starts a relay that knows Slack's webhook, whose address is a secret.
async fn started(setup: Setup<'_>, slack: &TestServer) -> Relay {
    let mut relay = Relay::new(setup).await;
    let webhook = format!("{}/services/T0/B0/verysecretpath", slack.url);
    relay.env.write(".env", &format!("BATON_SLACK_WEBHOOK_URL={webhook}\n"));
    relay.start_engine();
    relay
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_told_once_by_the_command_and_by_slack_also_over_a_restart() {
    let slack = TestServer::start(|_| answer(200, &[], "ok")).await;
    let setup = Setup { yaml: TELLS, script: script(&[ASKS]), ..Setup::default() };
    let mut relay = started(setup, &slack).await;
    relay.repo.issue("A colour", &["stage:Plan"]).await;
    let first = relay.until("the command is told", async || told(&relay).first().cloned()).await;
    let keys: Vec<_> = first.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["issue", "kind", "text", "title", "url", "when"]);
    assert_eq!(
        (&first["kind"], &first["issue"], &first["title"]),
        (&"input".into(), &"admin/web#1".into(), &"A colour".into())
    );
    assert!(first["url"].as_str().unwrap().ends_with("/admin/web/issues/1"), "{first}");
    assert!(first["text"].as_str().unwrap().contains("> Which colour?"), "{first}");
    relay.until("slack is told", async || (!heard(&slack).is_empty()).then_some(())).await;
    assert!(heard(&slack)[0].starts_with("*asks something* <"), "{:?}", heard(&slack));
    relay.stop_engine();
    relay.start_engine();
    relay.let_time_pass().await;
    assert_eq!((told(&relay).len(), heard(&slack).len()), (1, 1));
    let environment = relay.env.read("notices.env");
    assert!(environment.contains("HOME=") && !environment.contains("BATON_"), "{environment}");
    assert!(!environment.contains(TOKEN) && !environment.contains("verysecretpath"), "{environment}");
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_is_given_up_is_told_and_receivers_that_fail_are_tried_a_few_times_beside_the_work() {
    let slack = TestServer::start(|_| answer(500, &[], "ok")).await;
    let yaml = "yolo: true\npoll: 300ms\nmax_retries: 1\nnotify: {slack: true, on: [failure], command: 'echo tried >> tries; exit 3'}\n";
    let setup = Setup { yaml, script: script(&[SAYS_NOTHING]), ..Setup::default() };
    let relay = started(setup, &slack).await;
    let issue = relay.repo.issue("Hard", &["stage:Plan"]).await;
    relay.until_issue(issue, "it is given up", |facts| facts.says("stage failed")).await;
    relay.let_time_pass().await;
    relay.until("slack is tried three times", async || (heard(&slack).len() == 3).then_some(())).await;
    assert!(heard(&slack)[0].starts_with("*failed* <"), "{:?}", heard(&slack));
    let log = relay.until("it is logged", async || {
        let log = relay.engine_log();
        (log.contains("Slack's webhook was not told") && log.contains("`notify.command` was not told"))
            .then_some(log)
    });
    let log = log.await;
    assert!(log.contains("it answered 500") && !log.contains("verysecretpath"), "{log}");
    assert!(log.contains("it ended with exit status: 3"), "{log}");
    relay.let_time_pass().await;
    assert_eq!(heard(&slack).len(), 3, "a notice is not tried for ever");
    assert_eq!(relay.env.read("tries").lines().count(), 3);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_waits_for_approval_is_told_and_what_is_not_asked_for_is_not() {
    let plan: StageFile<'_> = ("Plan", 1, "read_only: true\napproval: tracker");
    let yaml = "yolo: true\nnotify: {on: [approval, pause], command: 'cat >> notices.jsonl'}\n";
    let stages = &[plan, BUILD, VALIDATE, DONE];
    let mut relay = Relay::new(Setup { yaml, stages, script: script(&[]), ..Setup::default() }).await;
    relay.start_engine();
    relay.repo.issue("A plan", &["stage:Plan"]).await;
    let first = relay.until("it is told", async || told(&relay).first().cloned()).await;
    assert_eq!((&first["kind"], &first["issue"]), (&"approval".into(), &"admin/web#1".into()));
    assert!(first["text"].as_str().unwrap().contains("The plan of Plan"), "{first}");
    relay.stop_engine();
    assert_eq!(told(&relay).len(), 1);
}
