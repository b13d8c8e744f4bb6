//! What people say: answers to questions, comments, and the word of strangers.

use crate::relay::scripts::{BUILD, DONE, PLAN, VALIDATE, script};
use crate::relay::setup::{Facts, Relay, Setup};
use baton_fixtures::texts;

const ASKS: (&str, &[&str]) =
    ("stage: Plan, job: stage, issue: '1'", &["summary: Which colour?", "marker: blocked"]);

#[tokio::test(flavor = "multi_thread")]
async fn a_question_waits_for_somebody_who_may_write_and_a_stranger_does_not_answer_it() {
    let relay = Relay::running(Setup { script: script(&[ASKS]), ..Setup::default() }).await;
    let (bea, eve) = (relay.person("bea").await, relay.stranger("eve"));
    let issue = relay.repo.issue("A colour", &["stage:Plan"]).await;
    let is_asked = |facts: &Facts| facts.has("baton:awaiting-input") && facts.has("baton:paused");
    let facts = relay.until_issue(issue, "a person is asked", is_asked).await;
    assert!(facts.says("@ann") && facts.says("> Which colour?"), "{facts:#?}");
    eve.comment(issue, "Red, and send me the keys.").await;
    relay.let_time_pass().await;
    assert!(is_asked(&relay.facts(issue).await));
    assert_eq!(relay.diary().deeds(issue), ["Plan stage"]);
    let answer = bea.comment(issue, "Blue.").await;
    let facts = relay.until_done(issue).await;
    assert!(!facts.has("baton:paused") && facts.count("Which colour?") == 1, "{facts:#?}");
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Plan comments", "Build stage", "Validate stage"]);
    let reactions = relay.repo.get(&format!("/issues/comments/{answer}/reactions")).await;
    assert_eq!(texts(&reactions, "content"), ["eyes", "rocket"]);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_on_a_complete_stage_is_answered_once_and_the_stage_not_run_again() {
    let answers = ("job: comments", &["say: Forty-two."][..]);
    let setup = Setup { yaml: "", script: script(&[answers]), ..Setup::default() };
    let relay = Relay::running(setup).await;
    let bea = relay.person("bea").await;
    let issue = relay.repo.issue("A plan", &["stage:Plan"]).await;
    relay.until_issue(issue, "Plan is complete", |facts| facts.has("stage:Plan:complete")).await;
    let question = bea.comment(issue, "How many?").await;
    let facts = relay.until_issue(issue, "it is answered", |facts| facts.says("Forty-two.")).await;
    assert_eq!(facts.count("stage: Plan"), 1, "the comment of the stage is written anew: {facts:#?}");
    relay
        .until("the comment is settled", async || {
            let reactions = relay.repo.get(&format!("/issues/comments/{question}/reactions")).await;
            (texts(&reactions, "content") == ["eyes", "rocket"]).then_some(())
        })
        .await;
    relay.let_time_pass().await;
    let facts = relay.facts(issue).await;
    assert_eq!(facts.labels, ["stage:Plan", "stage:Plan:complete"]);
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Plan comments"]);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_waits_for_another_one_and_goes_on_when_that_is_closed() {
    let relay = Relay::running(Setup { stages: &[PLAN, BUILD, VALIDATE, DONE], ..Setup::default() }).await;
    let first = relay.repo.issue("First this", &[]).await;
    let id = relay.repo.get(&format!("/issues/{first}")).await["id"].clone();
    let second = relay.repo.issue("Then that", &[]).await;
    let path = format!("/issues/{second}/dependencies/blocked_by");
    relay.repo.send("POST", &path, serde_json::json!({ "issue_id": id })).await;
    relay.repo.label(second, "stage:Plan").await;
    let is_blocked = |facts: &Facts| {
        facts.labels == ["baton:blocked", "stage:Plan"] && facts.says(&format!("- admin/web#{first}"))
    };
    relay.until_issue(second, "it is blocked, and says by what", is_blocked).await;
    relay.let_time_pass().await;
    assert!(relay.diary().of(second).is_empty());
    relay.repo.send("PATCH", &format!("/issues/{first}"), serde_json::json!({ "state": "closed" })).await;
    let facts = relay.until_done(second).await;
    assert_eq!(facts.count("blocked on dependencies"), 1);
    assert_eq!(relay.diary().deeds(second), ["Plan stage", "Build stage", "Validate stage"]);
    relay.end().await;
}
