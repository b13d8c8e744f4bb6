//! Who may do what, and what the others are told.

use baton_fixtures::{Client, TestForge};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_private_repository_does_not_exist_for_strangers() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    repo.client.must("POST", "/user/repos", &json!({ "name": "secret", "private": true }), 201).await;
    let other = forge.client(&forge.account("other", "write"));
    for client in [&other, &Client::new(&forge.url, None)] {
        let answer = client.ask("GET", "/repos/admin/secret", &Value::Null).await;
        assert_eq!((answer.status, answer.json()["message"].as_str()), (404, Some("Not Found")));
    }
    repo.client
        .must("PUT", "/repos/admin/secret/collaborators/other", &json!({ "permission": "pull" }), 204)
        .await;
    other.must("GET", "/repos/admin/secret", &Value::Null, 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_takes_part_but_does_not_label() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    repo.post("/issues", json!({ "title": "x" })).await;
    let other = forge.client(&forge.account("other", "write"));
    let created = other
        .must(
            "POST",
            "/repos/admin/web/issues",
            &json!({ "title": "mine", "labels": ["bug"], "assignees": ["admin"] }),
            201,
        )
        .await;
    assert_eq!(
        (&created["labels"], &created["assignees"]),
        (&json!([]), &json!([])),
        "left out without a word"
    );
    assert_eq!(created["author_association"], "NONE");
    other.must("POST", "/repos/admin/web/issues/1/comments", &json!({ "body": "hello" }), 201).await;
    other.must("POST", "/repos/admin/web/issues/1/labels", &json!(["bug"]), 403).await;
    other.must("PATCH", "/repos/admin/web/issues/1", &json!({ "state": "closed" }), 403).await;
    other.must("PATCH", "/repos/admin/web/issues/2", &json!({ "state": "closed" }), 200).await;
    other.must("DELETE", "/repos/admin/web", &Value::Null, 403).await;
    repo.client
        .must("PUT", "/repos/admin/web/collaborators/other", &json!({ "permission": "push" }), 204)
        .await;
    other.must("POST", "/repos/admin/web/issues/1/labels", &json!(["bug"]), 200).await;
    let permission =
        other.must("GET", "/repos/admin/web/collaborators/other/permission", &Value::Null, 200).await;
    assert_eq!((&permission["permission"], &permission["role_name"]), (&json!("write"), &json!("write")));
    let comment =
        other.must("POST", "/repos/admin/web/issues/1/comments", &json!({ "body": "again" }), 201).await;
    assert_eq!(comment["author_association"], "COLLABORATOR");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_may_only_read_writes_nothing_whoever_holds_it() {
    let (forge, _) = TestForge::start_with_repo("web").await;
    let reader = forge.client(&forge.token(&["--user", "admin", "--role", "read"]));
    let answer = reader.ask("POST", "/repos/admin/web/issues", &json!({ "title": "x" })).await;
    assert_eq!(
        (answer.status, answer.json()["message"].as_str()),
        (403, Some("Resource not accessible by personal access token"))
    );
    reader.must("POST", "/user/repos", &json!({ "name": "x" }), 403).await;
    reader.must("GET", "/repos/admin/web/issues", &Value::Null, 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_for_one_repository_is_a_stranger_in_others() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    repo.client.must("POST", "/user/repos", &json!({ "name": "api", "private": true }), 201).await;
    let narrow = forge.client(&forge.token(&["--user", "admin", "--repo", "admin/web"]));
    narrow.must("POST", "/repos/admin/web/issues", &json!({ "title": "x", "labels": ["bug"] }), 201).await;
    narrow.must("GET", "/repos/admin/api", &Value::Null, 404).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_issue_takes_comments_only_from_those_who_may_write() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    repo.post("/issues", json!({ "title": "x" })).await;
    repo.client.must("PUT", "/repos/admin/web/issues/1/lock", &Value::Null, 204).await;
    let other = forge.client(&forge.account("other", "write"));
    other.must("POST", "/repos/admin/web/issues/1/comments", &json!({ "body": "x" }), 403).await;
    repo.post("/issues/1/comments", json!({ "body": "x" })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archived_repository_is_read_only() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    repo.client.must("PATCH", "/repos/admin/web", &json!({ "archived": true }), 200).await;
    let answer = repo.client.ask("POST", "/repos/admin/web/issues", &json!({ "title": "x" })).await;
    assert_eq!(
        (answer.status, answer.json()["message"].as_str()),
        (403, Some("Repository was archived so is read-only."))
    );
    repo.client.must("PATCH", "/repos/admin/web", &json!({ "archived": false }), 200).await;
    repo.post("/issues", json!({ "title": "x" })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_narrow_token_stays_narrow_when_its_repository_is_gone() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    repo.client.must("POST", "/user/repos", &json!({ "name": "secret", "private": true }), 201).await;
    let narrow = forge.client(&forge.token(&["--user", "admin", "--repo", "admin/web"]));
    repo.client.must("DELETE", "/repos/admin/web", &Value::Null, 204).await;
    narrow.must("GET", "/repos/admin/secret", &Value::Null, 404).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_narrow_token_writes_nowhere_else_and_turns_no_knobs() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    repo.client.must("POST", "/user/repos", &json!({ "name": "public" }), 201).await;
    let narrow = forge.client(&forge.token(&["--user", "admin", "--role", "admin", "--repo", "admin/web"]));
    narrow.must("POST", "/repos/admin/public/issues", &json!({ "title": "x" }), 403).await;
    narrow.must("POST", "/user/repos", &json!({ "name": "x" }), 403).await;
    narrow.must("PATCH", "/_forge/knobs", &json!({ "seed": 2 }), 404).await;
    narrow.must("POST", "/repos/admin/web/issues", &json!({ "title": "x" }), 201).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_to_a_private_issue_shows_nothing_of_it() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    repo.client.must("POST", "/user/repos", &json!({ "name": "secret", "private": true }), 201).await;
    let hidden =
        repo.client.must("POST", "/repos/admin/secret/issues", &json!({ "title": "hidden plan" }), 201).await;
    repo.post("/issues", json!({ "title": "public" })).await;
    repo.post("/issues/1/sub_issues", json!({ "sub_issue_id": hidden["id"] })).await;
    repo.post("/issues/1/dependencies/blocked_by", json!({ "issue_id": hidden["id"] })).await;
    let stranger = Client::new(&forge.url, None);
    for path in ["", "/sub_issues", "/dependencies/blocked_by", "/events", "/timeline"] {
        let answer = stranger.ask("GET", &format!("/repos/admin/web/issues/1{path}"), &Value::Null).await;
        assert_eq!(answer.status, 200);
        assert!(
            !answer.text.contains("hidden plan") && !answer.text.contains("admin/secret"),
            "{path}: {}",
            answer.text
        );
    }
    assert_eq!(repo.get("/issues/1/sub_issues").await.as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_takes_anothers_issue_as_a_sub_issue() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    let theirs = repo.post("/issues", json!({ "title": "theirs" })).await;
    let other = forge.client(&forge.account("mallory", "write"));
    other.must("POST", "/user/repos", &json!({ "name": "mine" }), 201).await;
    other.must("POST", "/repos/mallory/mine/issues", &json!({ "title": "mine" }), 201).await;
    let body = json!({ "sub_issue_id": theirs["id"], "replace_parent": true });
    other.must("POST", "/repos/mallory/mine/issues/1/sub_issues", &body, 403).await;
    assert_eq!(repo.get("/issues/1/events").await, json!([]));
}
