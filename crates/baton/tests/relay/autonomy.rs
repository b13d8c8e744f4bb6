//! How far an issue goes by itself.

use serde_json::json;

use crate::relay::setup::{Relay, Setup};

#[tokio::test(flavor = "multi_thread")]
async fn a_label_lets_one_issue_go_all_the_way_and_without_it_each_stage_waits() {
    let relay = Relay::running(Setup { yaml: "", ..Setup::default() }).await;
    let plain = relay.repo.issue("By people", &["stage:Plan"]).await;
    let yolo = relay.repo.issue("By itself", &["stage:Plan", "baton:yolo"]).await;
    relay.until_done(yolo).await;
    assert_eq!(relay.diary().deeds(yolo), ["Plan stage", "Build stage", "Validate stage"]);
    let facts = relay.until_issue(plain, "Plan is complete", |facts| facts.has("stage:Plan:complete")).await;
    assert!(facts.has("stage:Plan"), "{facts:?}");
    relay.repo.label(plain, "baton:yolo").await;
    relay.until_done(plain).await;
    assert_eq!(relay.diary().deeds(plain), ["Plan stage", "Build stage", "Validate stage"]);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cruising_ends_where_people_merge() {
    let relay = Relay::running(Setup { yaml: "", ..Setup::default() }).await;
    let issue = relay.repo.issue("Let me merge it", &["stage:Plan", "baton:cruise"]).await;
    relay.until_issue(issue, "Validate is complete", |facts| facts.has("stage:Validate:complete")).await;
    relay.let_time_pass().await;
    let pull = relay.pull(issue).await.unwrap();
    assert_eq!((&pull["state"], &pull["draft"]), (&json!("open"), &json!(false)));
    assert!(relay.facts(issue).await.has("stage:Validate"));
    relay.repo.send("PUT", &format!("/pulls/{}/merge", pull["number"]), json!({})).await;
    relay.until_done(issue).await;
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    relay.end().await;
}
