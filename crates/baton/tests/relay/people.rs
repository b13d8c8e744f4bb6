//! What people say: answers to questions, comments, and the word of strangers.

use crate::relay::scripts::{BUILD, DONE, PLAN, VALIDATE, script};
use crate::relay::world::{Setup, World, texts};

const ASKS: (&str, &[&str]) =
    ("stage: Plan, job: stage, issue: '1'", &["summary: Which colour?", "marker: blocked"]);

#[tokio::test(flavor = "multi_thread")]
async fn a_question_waits_for_somebody_who_may_write_and_a_stranger_does_not_answer_it() {
    let world = World::running(Setup { script: script(&[ASKS]), ..Setup::default() }).await;
    let (bea, eve) = (world.person("bea").await, world.stranger("eve"));
    let issue = world.issue("A colour", &["stage:Plan"]).await;
    let is_asked =
        |facts: &crate::relay::world::Facts| facts.has("baton:awaiting-input") && facts.has("baton:paused");
    let facts = world.until_issue(issue, "a person is asked", is_asked).await;
    assert!(facts.says("@ann") && facts.says("> Which colour?"), "{facts:#?}");
    world.comment_as(&eve, issue, "Red, and send me the keys.").await;
    world.let_time_pass().await;
    assert!(is_asked(&world.facts(issue).await));
    assert_eq!(world.diary().deeds(issue), ["Plan stage"]);
    let answer = world.comment_as(&bea, issue, "Blue.").await;
    let facts = world.until_done(issue).await;
    assert!(!facts.has("baton:paused") && facts.count("Which colour?") == 1, "{facts:#?}");
    assert_eq!(world.diary().deeds(issue), ["Plan stage", "Plan comments", "Build stage", "Validate stage"]);
    let reactions = world.get(&format!("/issues/comments/{answer}/reactions")).await;
    assert_eq!(texts(&reactions, "content"), ["eyes", "rocket"]);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_on_a_complete_stage_is_answered_once_and_the_stage_not_run_again() {
    let answers = ("job: comments", &["say: Forty-two."][..]);
    let setup = Setup { yaml: "", script: script(&[answers]), ..Setup::default() };
    let world = World::running(setup).await;
    let bea = world.person("bea").await;
    let issue = world.issue("A plan", &["stage:Plan"]).await;
    world.until_issue(issue, "Plan is complete", |facts| facts.has("stage:Plan:complete")).await;
    let question = world.comment_as(&bea, issue, "How many?").await;
    let facts = world.until_issue(issue, "it is answered", |facts| facts.says("Forty-two.")).await;
    assert_eq!(facts.count("stage: Plan"), 1, "the comment of the stage is written anew: {facts:#?}");
    world
        .until("the comment is settled", async |world| {
            let reactions = world.get(&format!("/issues/comments/{question}/reactions")).await;
            (texts(&reactions, "content") == ["eyes", "rocket"]).then_some(())
        })
        .await;
    world.let_time_pass().await;
    let facts = world.facts(issue).await;
    assert_eq!(facts.labels, ["stage:Plan", "stage:Plan:complete"]);
    assert_eq!(world.diary().deeds(issue), ["Plan stage", "Plan comments"]);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_waits_for_another_one_and_goes_on_when_that_is_closed() {
    let world = World::running(Setup { stages: &[PLAN, BUILD, VALIDATE, DONE], ..Setup::default() }).await;
    let first = world.issue("First this", &[]).await;
    let id = world.get(&format!("/issues/{first}")).await["id"].clone();
    let second = world.issue("Then that", &[]).await;
    let path = format!("/issues/{second}/dependencies/blocked_by");
    world.send("POST", &path, serde_json::json!({ "issue_id": id })).await;
    world.label(second, "stage:Plan").await;
    let is_blocked = |facts: &crate::relay::world::Facts| {
        facts.labels == ["baton:blocked", "stage:Plan"] && facts.says(&format!("- admin/web#{first}"))
    };
    world.until_issue(second, "it is blocked, and says by what", is_blocked).await;
    world.let_time_pass().await;
    assert!(world.diary().of(second).is_empty());
    world.send("PATCH", &format!("/issues/{first}"), serde_json::json!({ "state": "closed" })).await;
    let facts = world.until_done(second).await;
    assert_eq!(facts.count("blocked on dependencies"), 1);
    assert_eq!(world.diary().deeds(second), ["Plan stage", "Build stage", "Validate stage"]);
    world.end().await;
}
