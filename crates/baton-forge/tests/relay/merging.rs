//! Trial merges, merge states, and merging.

use serde_json::{Value, json};

use crate::relay::world::{Clone, REPO, World};

impl World {
    /// Reads a pull request until its trial merge is known.
    pub(crate) async fn judged(&self, number: u64) -> Value {
        let path = format!("{REPO}/pulls/{number}");
        self.eventually("a trial merge", async |world: &Self| {
            let pull = world.get(&path).await;
            (!pull["mergeable"].is_null()).then_some(pull)
        })
        .await
    }

    pub(crate) async fn merge(&self, token: &str, number: u64, body: Value) -> (u16, Value) {
        self.ask(token, "PUT", &format!("{REPO}/pulls/{number}/merge"), body).await
    }

    pub(crate) async fn settings(&self, body: Value) {
        self.ok(&self.admin, "PATCH", REPO, body).await;
    }
}

fn commit_on_main(world: &World, name: &str, file: &str, content: &str) -> Clone {
    let clone = world.clone_as(name, &world.admin);
    clone.commit(file, content);
    clone.git(&["push", "-q", "origin", "main"]);
    clone
}

#[tokio::test(flavor = "multi_thread")]
async fn mergeable_is_unknown_first_and_again_after_a_push_to_either_side() {
    let world = World::new().await;
    let made = world.pull("feature", "").await;
    assert_eq!((&made["mergeable"], &made["mergeable_state"]), (&Value::Null, &json!("unknown")));
    let pull = world.judged(1).await;
    assert_eq!((&pull["mergeable"], &pull["mergeable_state"]), (&json!(true), &json!("clean")));
    commit_on_main(&world, "other", "feature.txt", "something else\n");
    assert_eq!(world.get(&format!("{REPO}/pulls/1")).await["mergeable"], Value::Null);
    let pull = world.judged(1).await;
    assert_eq!((&pull["mergeable"], &pull["mergeable_state"]), (&json!(false), &json!("dirty")));
    let (status, answer) = world.merge(&world.ada, 1, json!({})).await;
    assert_eq!((status, &answer["message"]), (405, &json!("Pull Request is not mergeable")));
    let query = "{ repository(owner: \"acme\", name: \"web\") { pullRequest(number: 1) { mergeable mergeStateStatus reviewDecision isInMergeQueue } } }";
    let data = world.data(&world.ada, query, json!({})).await;
    let expected = json!({ "mergeable": "CONFLICTING", "mergeStateStatus": "DIRTY", "reviewDecision": null, "isInMergeQueue": false });
    assert_eq!(data["repository"]["pullRequest"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_is_refused_for_a_moved_head_a_draft_and_a_method_that_is_not_allowed() {
    let world = World::new().await;
    world.pull("feature", "").await;
    world.settings(json!({ "allow_squash_merge": false, "allow_rebase_merge": false })).await;
    let (status, answer) = world.merge(&world.ada, 1, json!({ "sha": "1".repeat(40) })).await;
    assert_eq!(
        (status, &answer["message"]),
        (409, &json!("Head branch was modified. Review and try the merge again."))
    );
    let (status, answer) = world.merge(&world.ada, 1, json!({ "merge_method": "squash" })).await;
    assert_eq!(
        (status, &answer["message"]),
        (405, &json!("Squash merges are not allowed on this repository."))
    );
    let (status, _) = world.ask(&world.admin, "PATCH", REPO, json!({ "allow_merge_commit": false })).await;
    assert_eq!(status, 422);
    world.branch("later", "later.txt", "x\n");
    let draft = json!({ "title": "d", "head": "later", "base": "main", "draft": true });
    world.ok(&world.ada, "POST", &format!("{REPO}/pulls"), draft).await;
    assert_eq!(world.judged(2).await["mergeable_state"], "draft");
    let (status, answer) = world.merge(&world.ada, 2, json!({})).await;
    assert_eq!((status, &answer["message"]), (405, &json!("Pull Request is still a draft")));
    assert_eq!(world.merge(&world.eve, 1, json!({})).await.0, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merged_branch_goes_where_the_repository_wants_that_and_what_stood_on_it_turns() {
    let world = World::new().await;
    world.settings(json!({ "delete_branch_on_merge": true })).await;
    let first = world.pull("feature", "").await;
    let clone = world.clone_as("stack", &world.ada);
    clone.git(&["checkout", "-q", "-b", "next", "origin/feature"]);
    clone.commit("next.txt", "n\n");
    clone.git(&["push", "-q", "origin", "next"]);
    let stacked = json!({ "title": "next", "head": "next", "base": "feature" });
    world.ok(&world.ada, "POST", &format!("{REPO}/pulls"), stacked).await;
    let mutation = "mutation($i: MergePullRequestInput!) { mergePullRequest(input: $i) { actor { login } pullRequest { merged state } } }";
    let input = json!({ "i": { "pullRequestId": first["node_id"], "mergeMethod": "SQUASH", "expectedHeadOid": first["head"]["sha"], "commitHeadline": "All of it" } });
    let data = world.data(&world.ada, mutation, input).await;
    let merged = json!({ "actor": { "login": "ada" }, "pullRequest": { "merged": true, "state": "MERGED" } });
    assert_eq!(data["mergePullRequest"], merged);
    assert_eq!(world.ask(&world.ada, "GET", &format!("{REPO}/branches/feature"), Value::Null).await.0, 404);
    let main = world.get(&format!("{REPO}/commits/main")).await;
    assert!(main["commit"]["message"].as_str().unwrap().starts_with("All of it"));
    let turned = world.get(&format!("{REPO}/pulls/2")).await;
    assert_eq!((&turned["state"], &turned["base"]["ref"]), (&json!("open"), &json!("main")));
}

#[tokio::test(flavor = "multi_thread")]
async fn branches_are_merged_without_a_pull_request() {
    let world = World::new().await;
    world.branch("feature", "a.txt", "a\n");
    let merges = format!("{REPO}/merges");
    let body = json!({ "base": "main", "head": "feature" });
    let made = world.ok(&world.ada, "POST", &merges, body.clone()).await;
    assert_eq!(
        (&made["commit"]["message"], made["parents"].as_array().unwrap().len()),
        (&json!("Merge feature into main"), 2)
    );
    assert_eq!(world.ask(&world.ada, "POST", &merges, body).await.0, 204);
    let clone = world.clone_as("far", &world.ada);
    clone.git(&["checkout", "-q", "-b", "far", "HEAD~1"]);
    clone.commit("a.txt", "b\n");
    clone.git(&["push", "-q", "origin", "far"]);
    let (status, answer) =
        world.ask(&world.ada, "POST", &merges, json!({ "base": "main", "head": "far" })).await;
    assert_eq!((status, &answer["message"]), (409, &json!("Merge conflict")));
    assert_eq!(world.ask(&world.ada, "POST", &merges, json!({ "base": "none", "head": "far" })).await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_is_refused_for_a_missing_review_and_for_requested_changes() {
    let world = World::new().await;
    let rule = json!({ "required_pull_request_reviews": { "required_approving_review_count": 1 } });
    world.protect(rule).await;
    world.pull("feature", "").await;
    let refused = async |why: &str| {
        let (status, answer) = world.merge(&world.ada, 1, json!({})).await;
        assert_eq!((status, &answer["message"]), (405, &json!(why)));
        assert_eq!(world.judged(1).await["mergeable_state"], "blocked");
    };
    let review = async |token: &str, event: &str| {
        let review = json!({ "event": event, "body": "words" });
        world.ok(token, "POST", &format!("{REPO}/pulls/1/reviews"), review).await;
    };
    let missing = "At least 1 approving review is required by reviewers with write access.";
    refused(missing).await;
    // Eve may only read, so her approval does not count.
    review(&world.eve, "APPROVE").await;
    review(&world.bob, "COMMENT").await;
    refused(missing).await;
    review(&world.bob, "REQUEST_CHANGES").await;
    refused("Changes have been requested by reviewers with write access.").await;
    review(&world.bob, "APPROVE").await;
    assert_eq!(world.judged(1).await["mergeable_state"], "clean");
    assert_eq!(world.merge(&world.ada, 1, json!({})).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_is_refused_for_a_conversation_that_is_not_resolved_where_that_is_asked() {
    let world = World::new().await;
    let pull = world.pull("feature", "").await;
    let comment =
        json!({ "path": "feature.txt", "line": 1, "body": "why?", "commit_id": pull["head"]["sha"] });
    world.ok(&world.bob, "POST", &format!("{REPO}/pulls/1/comments"), comment).await;
    assert_eq!(world.judged(1).await["mergeable_state"], "clean");
    world.protect(json!({ "required_conversation_resolution": true })).await;
    let (status, answer) = world.merge(&world.ada, 1, json!({})).await;
    assert_eq!((status, &answer["message"]), (405, &json!("All comments must be resolved.")));
    let query = "query($id: ID!) { node(id: $id) { ... on PullRequest { reviewThreads(first: 1) { nodes { id } } } } }";
    let data = world.data(&world.ada, query, json!({ "id": pull["node_id"] })).await;
    let thread = json!({ "threadId": data["node"]["reviewThreads"]["nodes"][0]["id"] });
    world.change(&world.ada, "resolveReviewThread", thread, "clientMutationId").await;
    assert_eq!(world.merge(&world.ada, 1, json!({})).await.0, 200);
}
