//! Pull requests: drafts, bases, contents, branches brought up to date, and what pushes do to them.

use serde_json::{Value, json};

use crate::relay::world::{REPO, World};

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_shows_its_commits_its_files_and_its_difference() {
    let world = World::new().await;
    let pull = world.pull("topic", "text").await;
    let path = format!("{REPO}/pulls/{}", pull["number"]);
    let commits = world.get(&format!("{path}/commits")).await;
    assert_eq!((commits.as_array().unwrap().len(), &commits[0]["sha"]), (1, &pull["head"]["sha"]));
    let files = world.get(&format!("{path}/files")).await;
    let file = &files[0];
    assert_eq!((&file["filename"], &file["status"]), (&json!("topic.txt"), &json!("added")));
    assert_eq!(file["patch"], "@@ -0,0 +1,3 @@\n+one\n+two\n+three");
    assert_eq!((&pull["additions"], &pull["changed_files"]), (&json!(3), &json!(1)));
    let diff = world.text(&path, "application/vnd.github.diff").await;
    assert!(diff.starts_with("diff --git a/topic.txt b/topic.txt"), "{diff}");
    let patch = world.text(&path, "application/vnd.github.patch").await;
    assert!(patch.starts_with("From ") && patch.contains("Subject: [PATCH] write topic.txt"), "{patch}");
    let found = world.get(&format!("{REPO}/commits/{}/pulls", pull["head"]["sha"].as_str().unwrap())).await;
    assert_eq!(found[0]["number"], pull["number"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_is_brought_up_to_date_by_merging_its_base() {
    let world = World::new().await;
    let pull = world.pull("topic", "").await;
    let path = format!("{REPO}/pulls/{}/update-branch", pull["number"]);
    let (status, refusal) = world.ask(&world.ada, "PUT", &path, Value::Null).await;
    assert_eq!((status, &refusal["message"]), (422, &json!("There are no new commits on the base branch.")));
    let file = json!({ "message": "more", "content": "aGkK", "branch": "main" });
    world.ok(&world.admin, "PUT", &format!("{REPO}/contents/more.txt"), file).await;
    let stale = json!({ "expected_head_sha": "0".repeat(40) });
    assert_eq!(world.ask(&world.ada, "PUT", &path, stale).await.0, 422);
    assert_eq!(world.ask(&world.eve, "PUT", &path, Value::Null).await.0, 403);
    let head = json!({ "expected_head_sha": pull["head"]["sha"] });
    let (status, answer) = world.ask(&world.ada, "PUT", &path, head).await;
    assert_eq!((status, &answer["message"]), (202, &json!("Updating pull request branch.")));
    let after = world.get(&format!("{REPO}/pulls/{}", pull["number"])).await;
    assert_ne!(after["head"]["sha"], pull["head"]["sha"]);
    let commit = world.get(&format!("{REPO}/commits/{}", after["head"]["sha"].as_str().unwrap())).await;
    assert_eq!(commit["commit"]["message"], "Merge branch 'main' into topic");
    assert_eq!(commit["parents"][0]["sha"], pull["head"]["sha"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_base_is_written_down_and_changes_what_is_closed() {
    let world = World::new().await;
    world.ok(&world.ada, "POST", &format!("{REPO}/issues"), json!({ "title": "bug" })).await;
    let pull = world.pull("topic", "Closes #1").await;
    world.branch("other", "other.txt", "x\n");
    assert_eq!(closing(&world, &pull).await, json!([1]));
    let path = format!("{REPO}/pulls/{}", pull["number"]);
    let after = world.ok(&world.ada, "PATCH", &path, json!({ "base": "other" })).await;
    assert_eq!(after["base"]["ref"], "other");
    assert_eq!(closing(&world, &pull).await, json!([]));
    let events = world.get(&format!("{REPO}/issues/{}/events", pull["number"])).await;
    assert_eq!(events[0]["event"], "base_ref_changed");
    let (status, _) = world.ask(&world.ada, "PATCH", &path, json!({ "base": "none" })).await;
    assert_eq!(status, 422);
    world.ok(&world.ada, "PATCH", &path, json!({ "base": "main", "body": "Fixes acme/web#1" })).await;
    assert_eq!(closing(&world, &pull).await, json!([1]));
}

pub(crate) async fn closing(world: &World, pull: &Value) -> Value {
    let query = "query($id: ID!) { node(id: $id) { ... on PullRequest {
        closingIssuesReferences(first: 9) { nodes { number } } } } }";
    let data = world.data(&world.ada, query, json!({ "id": pull["node_id"] })).await;
    let nodes = data["node"]["closingIssuesReferences"]["nodes"].as_array().unwrap();
    nodes.iter().map(|node| node["number"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_to_the_base_that_brings_the_head_merges_the_pull_request() {
    let world = World::new().await;
    world.ok(&world.ada, "POST", &format!("{REPO}/issues"), json!({ "title": "bug" })).await;
    let pull = world.pull("topic", "Closes #1").await;
    let clone = world.clone_as("merger", &world.bob);
    clone.git(&["merge", "-q", "--no-ff", "-m", "by hand", "origin/topic"]);
    clone.git(&["push", "-q", "origin", "main"]);
    let after = world.get(&format!("{REPO}/pulls/{}", pull["number"])).await;
    assert_eq!((&after["merged"], &after["state"]), (&json!(true), &json!("closed")));
    assert_eq!(after["merged_by"]["login"], "bob");
    assert_eq!(after["merge_commit_sha"], clone.git(&["rev-parse", "HEAD"]));
    assert_eq!((&after["commits"], &after["changed_files"]), (&json!(1), &json!(1)));
    assert_eq!(world.get(&format!("{REPO}/issues/1")).await["state"], "closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_is_made_ready_and_a_draft_again() {
    let world = World::new().await;
    world.branch("topic", "a.txt", "x\n");
    let fields = json!({ "title": "t", "head": "topic", "base": "main", "draft": true });
    let pull = world.ok(&world.ada, "POST", &format!("{REPO}/pulls"), fields).await;
    assert_eq!(pull["draft"], true);
    let ready = "mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) {
        pullRequest { isDraft number } } }";
    let id = json!({ "id": pull["node_id"] });
    let refused = world.graph(&world.eve, ready, id.clone()).await;
    assert_eq!(refused["errors"][0]["type"], "FORBIDDEN");
    let data = world.data(&world.ada, ready, id.clone()).await;
    assert_eq!(data["markPullRequestReadyForReview"]["pullRequest"]["isDraft"], false);
    let draft = "mutation($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) {
        pullRequest { isDraft } } }";
    let data = world.data(&world.ada, draft, id).await;
    assert_eq!(data["convertPullRequestToDraft"]["pullRequest"]["isDraft"], true);
    let timeline = world.get(&format!("{REPO}/issues/{}/timeline", pull["number"])).await;
    let kinds: Vec<_> = timeline.as_array().unwrap().iter().map(|entry| entry["event"].clone()).collect();
    assert_eq!(kinds, ["ready_for_review", "convert_to_draft"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn pull_requests_are_listed_by_state_branch_and_order() {
    let world = World::new().await;
    let first = world.pull("one", "").await;
    let second = world.pull("two", "").await;
    let comments = format!("{REPO}/issues/{}/comments", first["number"]);
    world.ok(&world.bob, "POST", &comments, json!({ "body": "hm" })).await;
    let numbers = |list: Value| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|pull| pull["number"].clone()).collect()
    };
    let popular = world.get(&format!("{REPO}/pulls?sort=popularity&direction=desc")).await;
    assert_eq!(numbers(popular), [first["number"].clone(), second["number"].clone()]);
    assert_eq!(numbers(world.get(&format!("{REPO}/pulls?sort=long-running")).await), Vec::<Value>::new());
    assert_eq!(numbers(world.get(&format!("{REPO}/pulls?head=acme:two")).await), [second["number"].clone()]);
    let query = "query($states: [PullRequestState!], $head: String) { repository(owner: \"acme\", name: \"web\") {
        pullRequests(first: 5, states: $states, headRefName: $head, orderBy: { field: CREATED_AT, direction: DESC }) {
          totalCount nodes { number headRefName } } } }";
    world
        .ok(&world.ada, "PATCH", &format!("{REPO}/pulls/{}", first["number"]), json!({ "state": "closed" }))
        .await;
    let listed = async |variables: Value| {
        let data = world.data(&world.ada, query, variables).await;
        numbers(data["repository"]["pullRequests"]["nodes"].clone())
    };
    assert_eq!(listed(json!({ "states": ["OPEN"] })).await, [second["number"].clone()]);
    assert_eq!(listed(json!({ "states": ["CLOSED", "MERGED"] })).await, [first["number"].clone()]);
    assert_eq!(listed(json!({})).await, [second["number"].clone(), first["number"].clone()]);
    assert_eq!(listed(json!({ "head": "one" })).await, [first["number"].clone()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_is_opened_changed_and_closed_over_graphql() {
    let world = World::new().await;
    world.branch("topic", "a.txt", "x\n");
    let repo = world.get(REPO).await;
    let create = "mutation($i: CreatePullRequestInput!) { createPullRequest(input: $i) { pullRequest {
        id number title isDraft headRefName baseRefName isCrossRepository additions changedFiles
        headRepository { name } headRepositoryOwner { login } commits(last: 1) { totalCount nodes { commit { oid } } }
        files(first: 5) { nodes { path changeType } } potentialMergeCommit { oid } baseRef { name } } } }";
    let input = json!({ "i": { "repositoryId": repo["node_id"], "title": "t", "body": "b", "draft": true,
        "headRefName": "topic", "baseRefName": "main" } });
    let data = world.data(&world.ada, create, input).await;
    let pull = &data["createPullRequest"]["pullRequest"];
    assert_eq!((&pull["isDraft"], &pull["isCrossRepository"]), (&json!(true), &json!(false)));
    assert_eq!(pull["files"]["nodes"], json!([{ "path": "a.txt", "changeType": "ADDED" }]));
    assert_eq!((&pull["commits"]["totalCount"], &pull["baseRef"]["name"]), (&json!(1), &json!("main")));
    assert!(pull["potentialMergeCommit"]["oid"].is_string(), "{pull}");
    let update = "mutation($i: UpdatePullRequestInput!) { updatePullRequest(input: $i) { actor { login }
        pullRequest { title state labels(first: 5) { nodes { name } } } } }";
    let labels = world.get(&format!("{REPO}/labels/bug")).await;
    let input = json!({ "i": { "pullRequestId": pull["id"], "title": "new", "state": "CLOSED",
        "labelIds": [labels["node_id"]] } });
    let data = world.data(&world.ada, update, input).await;
    let expected = json!({ "title": "new", "state": "CLOSED", "labels": { "nodes": [{ "name": "bug" }] } });
    assert_eq!(data["updatePullRequest"]["pullRequest"], expected);
    let reopen =
        "mutation($id: ID!) { reopenPullRequest(input: { pullRequestId: $id }) { pullRequest { state } } }";
    let data = world.data(&world.ada, reopen, json!({ "id": pull["id"] })).await;
    assert_eq!(data["reopenPullRequest"]["pullRequest"]["state"], "OPEN");
}

/// The states of issues by their numbers.
async fn states(world: &World, paths: &[&str]) -> Vec<Value> {
    let mut found = Vec::new();
    for path in paths {
        found.push(world.ok(&world.admin, "GET", path, Value::Null).await["state"].clone());
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_closes_what_the_body_names_by_then_and_nothing_that_the_title_names() {
    let world = World::new().await;
    for title in ["one", "two", "three"] {
        world.issue(title).await;
    }
    let pull = world.pull("topic", "Closes #1").await;
    let path = format!("{REPO}/pulls/{}", pull["number"]);
    let edit = json!({ "title": "Fixes #3", "body": "Fixes #2" });
    world.ok(&world.ada, "PATCH", &path, edit).await;
    // The words of the merge close nothing themselves.
    let words = json!({ "merge_method": "squash", "commit_title": "t", "commit_message": "m" });
    let merged = world.ok(&world.ada, "PUT", &format!("{path}/merge"), words).await;
    let issues = [1, 2, 3].map(|number| format!("{REPO}/issues/{number}"));
    let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
    assert_eq!(states(&world, &issues).await, ["open", "closed", "open"]);
    assert_eq!(world.get(issues[1]).await["state_reason"], "completed");
    let events = world.get(&format!("{}/events", issues[1])).await;
    assert_eq!((&events[0]["event"], &events[0]["commit_id"]), (&json!("closed"), &merged["sha"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_closes_elsewhere_only_what_the_merger_may_close() {
    let world = World::new().await;
    world.ok(&world.admin, "POST", "/orgs/acme/repos", json!({ "name": "other" })).await;
    world.ok(&world.admin, "POST", "/repos/acme/other/issues", json!({ "title": "there" })).await;
    for (branch, token, state) in [("one", &world.ada, "open"), ("two", &world.admin, "closed")] {
        let pull = world.pull(branch, "Closes acme/other#1").await;
        assert_eq!(world.merge(token, pull["number"].as_u64().unwrap(), json!({})).await.0, 200);
        assert_eq!(states(&world, &["/repos/acme/other/issues/1"]).await, [state]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_turned_to_the_default_branch_closes_from_then_on() {
    let world = World::new().await;
    world.settings(json!({ "delete_branch_on_merge": true })).await;
    world.issue("bug").await;
    world.pull("ground", "").await;
    let clone = world.clone_as("stack", &world.ada);
    clone.git(&["checkout", "-q", "-b", "upper", "origin/ground"]);
    clone.commit("upper.txt", "u\n");
    clone.git(&["push", "-q", "origin", "upper"]);
    let fields = json!({ "title": "upper", "head": "upper", "base": "ground", "body": "Closes #1" });
    let upper = world.ok(&world.ada, "POST", &format!("{REPO}/pulls"), fields).await;
    assert_eq!(closing(&world, &upper).await, json!([]));
    assert_eq!(world.merge(&world.ada, 2, json!({})).await.0, 200);
    assert_eq!(closing(&world, &upper).await, json!([1]));
    world.branch("trunk", "trunk.txt", "t\n");
    world.settings(json!({ "default_branch": "trunk" })).await;
    assert_eq!(closing(&world, &upper).await, json!([]));
    world.settings(json!({ "default_branch": "main" })).await;
    assert_eq!(closing(&world, &upper).await, json!([1]));
}
