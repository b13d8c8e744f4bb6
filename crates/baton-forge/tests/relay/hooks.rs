//! Webhooks from the change to the signed delivery: what is sent, to whom, in which order.

use serde_json::{Value, json};

use crate::relay::receiver::{Receiver, SECRET};
use crate::relay::world::{REPO, World};

async fn open_issue(world: &World, title: &str) -> Value {
    world.ok(&world.ada, "POST", &format!("{REPO}/issues"), json!({ "title": title })).await
}

fn names(received: &[crate::relay::receiver::Received]) -> Vec<String> {
    received.iter().map(crate::relay::receiver::Received::name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_is_greeted_and_told_what_happens_signed_and_in_order() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    let id = receiver.hook(&world, REPO, "/all", &["*"]).await;
    open_issue(&world, "first").await;
    let issue = format!("{REPO}/issues/1");
    world.ok(&world.ada, "POST", &format!("{issue}/labels"), json!({ "labels": ["bug", "new one"] })).await;
    world.ok(&world.ada, "PATCH", &issue, json!({ "title": "second", "body": "text" })).await;
    world.ok(&world.bob, "POST", &format!("{issue}/comments"), json!({ "body": "hello" })).await;
    world.ok(&world.ada, "PATCH", &issue, json!({ "state": "closed" })).await;
    let all = receiver.wait(&world, "/all", 7).await;
    let expected = [
        "issues.opened",
        "issues.labeled",
        "label.created",
        "issues.labeled",
        "issues.edited",
        "issue_comment.created",
        "issues.closed",
    ];
    assert_eq!(names(&all), expected);
    for received in &all {
        assert!(received.is_signed(), "{received:?}");
        assert!(received.header("user-agent").starts_with("GitHub-Hookshot/"));
        assert_eq!(received.header("x-github-hook-id"), id.to_string());
        assert_eq!(received.header("x-github-hook-installation-target-type"), "repository");
        assert_eq!(received.header("content-type"), "application/json");
    }
    let edited = all[4].json();
    assert_eq!(edited["changes"], json!({ "title": { "from": "first" }, "body": { "from": "" } }));
    assert_eq!((&edited["issue"]["title"], &edited["sender"]["login"]), (&json!("second"), &json!("ada")));
    assert_eq!(edited["repository"]["full_name"], "acme/web");
    assert_eq!(edited["organization"]["login"], "acme");
    assert_eq!(edited["issue"]["url"], format!("{}{issue}", world.forge.url()));
    let greeting = receiver.pings("/all");
    assert_eq!(greeting.len(), 1);
    assert_eq!(greeting[0].json()["hook"]["config"]["secret"], "********");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_is_told_only_what_it_asked_for_and_nothing_while_it_rests() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    receiver.hook(&world, REPO, "/comments", &["issue_comment"]).await;
    let resting = receiver.hook(&world, REPO, "/resting", &["issues"]).await;
    world.ok(&world.admin, "PATCH", &format!("{REPO}/hooks/{resting}"), json!({ "active": false })).await;
    open_issue(&world, "first").await;
    world.ok(&world.ada, "POST", &format!("{REPO}/issues/1/comments"), json!({ "body": "hello" })).await;
    let all = receiver.wait(&world, "/comments", 1).await;
    assert_eq!(names(&all), ["issue_comment.created"]);
    // Whatever was to be told before the comment has been told by now.
    assert!(receiver.all("/resting").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_tell_commits_and_branches_that_come_and_go() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    receiver.hook(&world, REPO, "/git", &["push", "create", "delete", "pull_request"]).await;
    let oid = world.branch("topic", "file.txt", "one\n");
    let fields = json!({ "title": "topic", "head": "topic", "base": "main" });
    world.ok(&world.ada, "POST", &format!("{REPO}/pulls"), fields).await;
    let write = json!({ "message": "more", "content": "aGVsbG8K", "branch": "topic", "committer": { "name": "x", "email": "none" } });
    world.ok(&world.ada, "PUT", &format!("{REPO}/contents/more.txt"), write).await;
    let merge = world.ok(&world.ada, "PUT", &format!("{REPO}/pulls/1/merge"), json!({})).await;
    world.ok(&world.ada, "DELETE", &format!("{REPO}/git/refs/heads/topic"), Value::Null).await;
    let all = world
        .eventually("the branch is told to be gone", async |_| {
            let all = receiver.all("/git");
            all.iter().any(|received| received.event() == "delete").then_some(all)
        })
        .await;
    let all: Vec<_> = all.into_iter().filter(|received| received.name() != "pull_request.opened").collect();
    assert_eq!(names(&all)[..2], ["create", "push"]);
    let push = all[1].json();
    assert_eq!((&push["ref"], &push["created"]), (&json!("refs/heads/topic"), &json!(true)));
    assert_eq!((&push["after"], &push["commits"][0]["id"]), (&json!(oid), &json!(oid)));
    assert_eq!(push["commits"].as_array().unwrap().len(), 1);
    assert_eq!(push["head_commit"]["added"], json!(["file.txt"]));
    assert_eq!(push["pusher"]["name"], "ada");
    let closed = all.iter().find(|received| received.name() == "pull_request.closed").unwrap().json();
    assert_eq!(closed["pull_request"]["merged"], true);
    assert_eq!(closed["pull_request"]["merge_commit_sha"], merge["sha"]);
    assert_eq!(
        (&closed["pull_request"]["commits"], &closed["pull_request"]["changed_files"]),
        (&json!(2), &json!(2))
    );
    let gone = all.iter().find(|received| received.event() == "delete").unwrap().json();
    assert_eq!((&gone["ref"], &gone["ref_type"]), (&json!("topic"), &json!("branch")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_carries_the_payload_in_a_field_and_is_signed_as_a_whole() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    let config = json!({ "url": receiver.url("/form"), "secret": SECRET });
    let fields = json!({ "config": config, "events": ["issues"] });
    world.ok(&world.admin, "POST", &format!("{REPO}/hooks"), fields).await;
    open_issue(&world, "a & b = c").await;
    let received = &receiver.wait(&world, "/form", 1).await[0];
    assert_eq!(received.header("content-type"), "application/x-www-form-urlencoded");
    assert!(received.is_signed());
    let text = String::from_utf8(received.body.clone()).unwrap();
    let payload = text.strip_prefix("payload=").unwrap();
    let payload = percent_encoding::percent_decode_str(payload).decode_utf8().unwrap();
    let payload: Value = serde_json::from_str(&payload).unwrap();
    assert_eq!(payload["issue"]["title"], "a & b = c");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organisations_hook_hears_of_each_of_its_repositories() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    receiver.hook(&world, "/orgs/acme", "/org", &["issues"]).await;
    world.ok(&world.admin, "POST", "/orgs/acme/repos", json!({ "name": "other" })).await;
    open_issue(&world, "here").await;
    world.ok(&world.admin, "POST", "/repos/acme/other/issues", json!({ "title": "there" })).await;
    let all = receiver.wait(&world, "/org", 2).await;
    let titles: Vec<Value> = all.iter().map(|received| received.json()["issue"]["title"].clone()).collect();
    assert_eq!(titles, ["here", "there"]);
    assert_eq!(all[0].header("x-github-hook-installation-target-type"), "organization");
    assert_eq!(receiver.pings("/org")[0].json()["hook"]["type"], "Organization");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_to_a_private_repository_is_told_without_what_is_in_it() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    world.ok(&world.admin, "POST", "/orgs/acme/repos", json!({ "name": "secret", "private": true })).await;
    let hidden =
        world.ok(&world.admin, "POST", "/repos/acme/secret/issues", json!({ "title": "hidden" })).await;
    let shown = open_issue(&world, "shown").await;
    receiver.hook(&world, REPO, "/links", &["sub_issues", "issue_dependencies"]).await;
    let add = |id: &Value| json!({ "sub_issue_id": id });
    world.ok(&world.admin, "POST", &format!("{REPO}/issues/1/sub_issues"), add(&hidden["id"])).await;
    open_issue(&world, "public child").await;
    let child = world.get(&format!("{REPO}/issues/2")).await;
    world.ok(&world.admin, "POST", &format!("{REPO}/issues/1/sub_issues"), add(&child["id"])).await;
    let all = receiver.wait(&world, "/links", 3).await;
    assert_eq!(
        names(&all),
        ["sub_issues.sub_issue_added", "sub_issues.sub_issue_added", "sub_issues.parent_issue_added"]
    );
    let first = all[0].json();
    assert_eq!((&first["parent_issue"]["id"], &first["sub_issue_id"]), (&shown["id"], &hidden["id"]));
    assert!(!String::from_utf8_lossy(&all[0].body).contains("hidden"), "{first}");
    assert_eq!(all[1].json()["sub_issue"]["title"], "public child");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_is_refused_tells_nothing() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    receiver.hook(&world, REPO, "/all", &["*"]).await;
    let refused = json!({ "title": "refused", "labels": ["bug"], "milestone": 99 });
    let (status, _) = world.ask(&world.ada, "POST", &format!("{REPO}/issues"), refused).await;
    assert_eq!(status, 422);
    open_issue(&world, "kept").await;
    let all = receiver.wait(&world, "/all", 1).await;
    assert_eq!(names(&all), ["issues.opened"]);
    assert_eq!(all[0].json()["issue"]["title"], "kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_deleted_is_shown_as_it_was() {
    let world = World::new().await;
    let receiver = Receiver::start().await;
    receiver.hook(&world, REPO, "/all", &["issue_comment", "label", "milestone"]).await;
    open_issue(&world, "first").await;
    let at = format!("{REPO}/issues/1/comments");
    let comment = world.ok(&world.ada, "POST", &at, json!({ "body": "to go" })).await;
    world.ok(&world.ada, "DELETE", &format!("{REPO}/issues/comments/{}", comment["id"]), Value::Null).await;
    world.ok(&world.ada, "DELETE", &format!("{REPO}/labels/bug"), Value::Null).await;
    world.ok(&world.ada, "POST", &format!("{REPO}/milestones"), json!({ "title": "soon" })).await;
    world.ok(&world.ada, "PATCH", &format!("{REPO}/milestones/1"), json!({ "state": "closed" })).await;
    world.ok(&world.ada, "DELETE", &format!("{REPO}/milestones/1"), Value::Null).await;
    let all = receiver.wait(&world, "/all", 6).await;
    let expected = [
        "issue_comment.created",
        "issue_comment.deleted",
        "label.deleted",
        "milestone.created",
        "milestone.closed",
        "milestone.deleted",
    ];
    assert_eq!(names(&all), expected);
    assert_eq!(all[1].json()["comment"]["body"], "to go");
    assert_eq!(all[2].json()["label"]["name"], "bug");
    assert_eq!(all[5].json()["milestone"]["title"], "soon");
}
