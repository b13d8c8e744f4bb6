//! An issue that is taken apart.

use serde_json::Value;

use crate::relay::scripts::script;
use crate::relay::world::{DONE_LABEL, Setup, World, texts};

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_is_taken_apart_once_and_its_parts_go_their_own_way() {
    let divides = (
        "stage: Plan, job: stage, issue: '1'",
        &[
            "say: This is too much for one.",
            "sub_issue: {title: First half, body: Do the first half.}",
            "sub_issue: {title: Second half, body: Do the second half.}",
            "marker: decomposed",
        ][..],
    );
    let world = World::running(Setup { script: script(&[divides]), ..Setup::default() }).await;
    let parent = world.issue("All of it", &["stage:Plan"]).await;
    world.until_issue(parent, "the parent is done", |facts| facts.has(DONE_LABEL)).await;
    let parts = world.get(&format!("/issues/{parent}/sub_issues")).await;
    assert_eq!(texts(&parts, "title"), ["First half", "Second half"]);
    let all = world.get("/issues?state=all").await;
    let is_issue = |issue: &&Value| issue["pull_request"].is_null();
    assert_eq!(all.as_array().unwrap().iter().filter(is_issue).count(), 3);
    for part in parts.as_array().unwrap() {
        let number = part["number"].as_u64().unwrap();
        let facts = world.until_done(number).await;
        assert!(facts.has("baton:sub-issue"), "{facts:?}");
        assert_eq!(world.diary().deeds(number), ["Plan stage", "Build stage", "Validate stage"]);
    }
    let facts = world.facts(parent).await;
    assert!(!facts.has("stage:Plan:in_progress") && !facts.has("baton:locked:ann"), "{facts:?}");
    assert_eq!(world.diary().deeds(parent), ["Plan stage"]);
    assert!(world.pull(parent).await.is_none());
    world.end().await;
}
