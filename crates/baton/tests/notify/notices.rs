//! People are told once of what waits for them, and a receiver that fails costs no work.

use serde_json::Value;

use crate::notify::listener::listen;
use crate::notify::scripts::{BUILD, DONE, StageFile, VALIDATE, script};
use crate::notify::world::{Setup, World};
use crate::support::TOKEN;

const ASKS: (&str, &[&str]) =
    ("stage: Plan, job: stage, issue: '1'", &["summary: Which colour?", "marker: blocked"]);
const SAYS_NOTHING: (&str, &[&str]) = ("stage: Plan, job: stage, issue: '1'", &["say: I am not sure."]);

/// Writes each notice down, and what the command could see of the environment.
const TELLS: &str = "yolo: true\nnotify: {slack: true, command: 'cat >> notices.jsonl; env > notices.env'}\n";

fn told(world: &World) -> Vec<Value> {
    let text = std::fs::read_to_string(world.path("notices.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn started(setup: Setup<'_>, webhook: &str) -> World {
    let mut world = World::new(setup).await;
    std::fs::write(world.path(".env"), format!("BATON_SLACK_WEBHOOK_URL={webhook}\n")).unwrap();
    world.start_engine();
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_told_once_by_the_command_and_by_slack_also_over_a_restart() {
    let (webhook, heard) = listen("200 OK");
    let setup = Setup { yaml: TELLS, script: script(&[ASKS]), ..Setup::default() };
    let mut world = started(setup, &webhook).await;
    world.issue("A colour", &["stage:Plan"]).await;
    let first = world.until("the command is told", async |world| told(world).first().cloned()).await;
    let keys: Vec<_> = first.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["issue", "kind", "text", "title", "url", "when"]);
    assert_eq!(
        (&first["kind"], &first["issue"], &first["title"]),
        (&"input".into(), &"admin/web#1".into(), &"A colour".into())
    );
    assert!(first["url"].as_str().unwrap().ends_with("/admin/web/issues/1"), "{first}");
    assert!(first["text"].as_str().unwrap().contains("> Which colour?"), "{first}");
    world.until("slack is told", async |_| (!heard.all().is_empty()).then_some(())).await;
    assert!(heard.texts()[0].starts_with("*asks something* <"), "{:?}", heard.texts());
    world.stop_engines();
    world.start_engine();
    world.let_time_pass().await;
    assert_eq!((told(&world).len(), heard.all().len()), (1, 1));
    let environment = std::fs::read_to_string(world.path("notices.env")).unwrap();
    assert!(environment.contains("HOME=") && !environment.contains("BATON_"), "{environment}");
    assert!(!environment.contains(TOKEN) && !environment.contains("verysecretpath"), "{environment}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_is_given_up_is_told_and_receivers_that_fail_are_tried_a_few_times_beside_the_work() {
    let (webhook, heard) = listen("500 Internal Server Error");
    let yaml = "yolo: true\npoll: 300ms\nmax_retries: 1\nnotify: {slack: true, on: [failure], command: 'echo tried >> tries; exit 3'}\n";
    let setup = Setup { yaml, script: script(&[SAYS_NOTHING]), ..Setup::default() };
    let world = started(setup, &webhook).await;
    let issue = world.issue("Hard", &["stage:Plan"]).await;
    world.until_issue(issue, "it is given up", |facts| facts.says("stage failed")).await;
    world.let_time_pass().await;
    world.until("slack is tried three times", async |_| (heard.all().len() == 3).then_some(())).await;
    assert!(heard.texts()[0].starts_with("*failed* <"), "{:?}", heard.texts());
    let log = world.until("it is logged", async |world| {
        let log = std::fs::read_to_string(world.path("../engine.log")).unwrap();
        (log.contains("Slack's webhook was not told") && log.contains("`notify.command` was not told"))
            .then_some(log)
    });
    let log = log.await;
    assert!(log.contains("it answered 500") && !log.contains("verysecretpath"), "{log}");
    assert!(log.contains("it ended with exit status: 3"), "{log}");
    world.let_time_pass().await;
    assert_eq!(heard.all().len(), 3, "a notice is not tried for ever");
    assert_eq!(std::fs::read_to_string(world.path("tries")).unwrap().lines().count(), 3);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_waits_for_approval_is_told_and_what_is_not_asked_for_is_not() {
    let plan: StageFile<'_> = ("Plan", 1, "read_only: true\napproval: tracker");
    let yaml = "yolo: true\nnotify: {on: [approval, pause], command: 'cat >> notices.jsonl'}\n";
    let stages = &[plan, BUILD, VALIDATE, DONE];
    let mut world = World::new(Setup { yaml, stages, script: script(&[]), ..Setup::default() }).await;
    world.start_engine();
    world.issue("A plan", &["stage:Plan"]).await;
    let first = world.until("it is told", async |world| told(world).first().cloned()).await;
    assert_eq!((&first["kind"], &first["issue"]), (&"approval".into(), &"admin/web#1".into()));
    assert!(first["text"].as_str().unwrap().contains("The plan of Plan"), "{first}");
    world.stop_engines();
    assert_eq!(told(&world).len(), 1);
}
