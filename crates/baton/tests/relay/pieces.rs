//! An issue that is taken apart.

use serde_json::Value;

use crate::relay::scripts::script;
use crate::relay::setup::{DONE_LABEL, Relay, Setup};
use baton_fixtures::texts;

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
    let relay = Relay::running(Setup { script: script(&[divides]), ..Setup::default() }).await;
    let parent = relay.repo.issue("All of it", &["stage:Plan"]).await;
    relay.until_issue(parent, "the parent is done", |facts| facts.has(DONE_LABEL)).await;
    let parts = relay.repo.get(&format!("/issues/{parent}/sub_issues")).await;
    assert_eq!(texts(&parts, "title"), ["First half", "Second half"]);
    let all = relay.repo.get("/issues?state=all").await;
    let is_issue = |issue: &&Value| issue["pull_request"].is_null();
    assert_eq!(all.as_array().unwrap().iter().filter(is_issue).count(), 3);
    for part in parts.as_array().unwrap() {
        let number = part["number"].as_u64().unwrap();
        let facts = relay.until_done(number).await;
        assert!(facts.has("baton:sub-issue"), "{facts:?}");
        assert_eq!(relay.diary().deeds(number), ["Plan stage", "Build stage", "Validate stage"]);
    }
    let facts = relay.facts(parent).await;
    assert!(!facts.has("stage:Plan:in_progress") && !facts.has("baton:locked:ann"), "{facts:?}");
    assert_eq!(relay.diary().deeds(parent), ["Plan stage"]);
    assert!(relay.pull(parent).await.is_none());
    relay.end().await;
}
