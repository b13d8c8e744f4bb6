//! How far an issue goes by itself.

use serde_json::json;

use crate::relay::world::{Setup, World};

#[tokio::test(flavor = "multi_thread")]
async fn a_label_lets_one_issue_go_all_the_way_and_without_it_each_stage_waits() {
    let world = World::running(Setup { yaml: "", ..Setup::default() }).await;
    let plain = world.issue("By people", &["stage:Plan"]).await;
    let yolo = world.issue("By itself", &["stage:Plan", "baton:yolo"]).await;
    world.until_done(yolo).await;
    assert_eq!(world.diary().deeds(yolo), ["Plan stage", "Build stage", "Validate stage"]);
    let facts = world.until_issue(plain, "Plan is complete", |facts| facts.has("stage:Plan:complete")).await;
    assert!(facts.has("stage:Plan"), "{facts:?}");
    world.label(plain, "baton:yolo").await;
    world.until_done(plain).await;
    assert_eq!(world.diary().deeds(plain), ["Plan stage", "Build stage", "Validate stage"]);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cruising_ends_where_people_merge() {
    let world = World::running(Setup { yaml: "", ..Setup::default() }).await;
    let issue = world.issue("Let me merge it", &["stage:Plan", "baton:cruise"]).await;
    world.until_issue(issue, "Validate is complete", |facts| facts.has("stage:Validate:complete")).await;
    world.let_time_pass().await;
    let pull = world.pull(issue).await.unwrap();
    assert_eq!((&pull["state"], &pull["draft"]), (&json!("open"), &json!(false)));
    assert!(world.facts(issue).await.has("stage:Validate"));
    world.send("PUT", &format!("/pulls/{}/merge", pull["number"]), json!({})).await;
    world.until_done(issue).await;
    assert_eq!(world.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    world.end().await;
}
