//! One pull request from its branch to its merge, and everything that a hook is told of it, each thing once.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::relay::receiver::{Received, Receiver};
use crate::relay::world::{REPO, World};

/// Leads a pull request through its life; returns the answer to its merge.
async fn live(world: &World) -> Value {
    world.branch("topic", "topic.txt", "one\n");
    let fields =
        json!({ "title": "topic", "head": "topic", "base": "main", "body": "Closes #1", "draft": true });
    let pull = world.ok(&world.ada, "POST", &format!("{REPO}/pulls"), fields).await;
    let clone = world.clone_as("more", &world.ada);
    clone.git(&["checkout", "-q", "topic"]);
    clone.commit("more.txt", "two\n");
    clone.git(&["push", "-q", "origin", "topic"]);
    let reviewers = json!({ "reviewers": ["bob"] });
    world.ok(&world.ada, "POST", &format!("{REPO}/pulls/2/requested_reviewers"), reviewers).await;
    world.ok(&world.ada, "POST", &format!("{REPO}/issues/2/labels"), json!({ "labels": ["bug"] })).await;
    let ready = json!({ "pullRequestId": pull["node_id"] });
    world.change(&world.ada, "markPullRequestReadyForReview", ready, "clientMutationId").await;
    let review = json!({ "event": "APPROVE" });
    world.ok(&world.bob, "POST", &format!("{REPO}/pulls/2/reviews"), review).await;
    world.ok(&world.ada, "PUT", &format!("{REPO}/pulls/2/merge"), json!({})).await
}

/// How often each thing was told. Pushes are told apart by their branch.
fn counts(all: &[Received]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for received in all {
        let name = match received.event() {
            "push" => format!("push {}", received.json()["ref"].as_str().unwrap()),
            _ => received.name(),
        };
        *counts.entry(name).or_default() += 1;
    }
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_in_the_life_of_a_pull_request_is_told_once() {
    let world = World::new().await;
    world.issue("bug").await;
    let receiver = Receiver::start().await;
    receiver.hook(&world, REPO, "/all", &["*"]).await;
    let merge = live(&world).await;
    // A start looks at everything anew, which is no news.
    let world = world.restart(|_| {}).await;
    world.issue("the end").await;
    let all = world
        .eventually("the last of it", async |_: &World| {
            let all = receiver.all("/all");
            all.iter().any(|received| received.name() == "issues.opened").then_some(all)
        })
        .await;
    let once = [
        "create",
        "push refs/heads/main",
        "pull_request.opened",
        "pull_request.synchronize",
        "pull_request.review_requested",
        "pull_request.labeled",
        "pull_request.ready_for_review",
        "pull_request_review.submitted",
        "pull_request.closed",
        "issues.closed",
        "issues.opened",
    ];
    let mut expected: BTreeMap<String, usize> = once.iter().map(|name| ((*name).to_owned(), 1)).collect();
    // The branch came, and moved.
    expected.insert("push refs/heads/topic".to_owned(), 2);
    assert_eq!(counts(&all), expected);
    let closed = all.iter().find(|received| received.name() == "pull_request.closed").unwrap().json();
    let pull = &closed["pull_request"];
    assert_eq!((&pull["merged"], &pull["merge_commit_sha"]), (&json!(true), &merge["sha"]));
    assert_eq!((&pull["merged_by"]["login"], &closed["sender"]["login"]), (&json!("ada"), &json!("ada")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_is_closed_without_a_merge_is_told_so_once() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    world.pull("topic", "").await;
    receiver.hook(&world, REPO, "/pulls", &["pull_request", "issues"]).await;
    world.ok(&world.ada, "PATCH", &format!("{REPO}/pulls/1"), json!({ "state": "closed" })).await;
    world.issue("the end").await;
    let all = receiver.wait(&world, "/pulls", 2).await;
    let names: Vec<String> = all.iter().map(Received::name).collect();
    assert_eq!(names, ["pull_request.closed", "issues.opened"]);
    assert_eq!(all[0].json()["pull_request"]["merged"], false);
}
