//! Reads: pages, tags, budgets, links and lag.

use std::time::{Duration, Instant};

use baton_fixtures::{TestForge, TestRepo};
use serde_json::{Value, json};

async fn issues(repo: &TestRepo, count: usize) {
    for number in 1..=count {
        repo.post("/issues", json!({ "title": format!("issue {number}") })).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn following_link_headers_as_they_stand_visits_every_issue_once() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    issues(&repo, 25).await;
    for prefix in ["", "/api/v3"] {
        let mut seen = Vec::new();
        let mut next = Some(format!("{}{prefix}/repos/admin/web/issues?per_page=7&direction=asc", forge.url));
        while let Some(address) = next {
            let answer = repo.client.send("GET", &address, None, &[]).await.unwrap();
            seen.extend(
                answer.json().as_array().unwrap().iter().map(|issue| issue["number"].as_u64().unwrap()),
            );
            let link = answer.header("link").unwrap_or_default().to_owned();
            assert!(link.contains(&format!("{}{prefix}/repositories/", forge.url)), "{link}");
            let relation = link.split(", ").find(|part| part.ends_with("rel=\"next\""));
            next = relation.map(|part| part.split(['<', '>']).nth(1).unwrap().to_owned());
        }
        assert_eq!(seen, (1..=25).collect::<Vec<_>>());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unchanged_answer_is_a_304_that_costs_nothing() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    issues(&repo, 1).await;
    let path = "/repos/admin/web/issues/1";
    let first = repo.client.send("GET", path, None, &[]).await.unwrap();
    let tag = first.header("etag").unwrap().to_owned();
    let again = repo.client.send("GET", path, None, &[("if-none-match", &tag)]).await.unwrap();
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    assert_eq!(again.header("x-ratelimit-used"), first.header("x-ratelimit-used"));
    let modified = first.header("last-modified").unwrap().to_owned();
    let again = repo.client.send("GET", path, None, &[("if-modified-since", &modified)]).await.unwrap();
    assert_eq!(again.status, 304);

    repo.client.must("PATCH", path, &json!({ "title": "changed" }), 200).await;
    let changed = repo.client.send("GET", path, None, &[("if-none-match", &tag)]).await.unwrap();
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_budget_is_refused_until_it_is_renewed() {
    let forge = TestForge::start();
    forge.freeze_clock(1_800_000_000).await;
    let other = forge.client(&forge.account("poor", "read"));
    forge.turn(json!({ "rate_limit": 3 })).await;
    for used in 1..=3 {
        let answer = other.ask("GET", "/user", &Value::Null).await;
        assert_eq!(
            (answer.status, answer.header("x-ratelimit-used")),
            (200, Some(used.to_string().as_str()))
        );
    }
    let refused = other.ask("GET", "/user", &Value::Null).await;
    assert_eq!((refused.status, refused.header("x-ratelimit-remaining")), (403, Some("0")));
    assert!(refused.json()["message"].as_str().unwrap().starts_with("API rate limit exceeded for user ID"));
    let standing = other.ask("GET", "/rate_limit", &Value::Null).await.json();
    assert_eq!(standing["resources"]["core"]["reset"], 1_800_003_600);
    forge.freeze_clock(1_800_003_600).await;
    assert_eq!(other.ask("GET", "/user", &Value::Null).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lagging_read_misses_a_write_for_the_lag_and_no_longer_than_it_must() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    issues(&repo, 1).await;
    let main = repo.tip("heads/main").await.unwrap();
    forge.turn(json!({ "read_lag": { "min_ms": 2_000, "max_ms": 2_000 } })).await;
    let written = Instant::now();
    repo.post("/issues/1/comments", json!({ "body": "late" })).await;
    repo.post("/git/refs", json!({ "ref": "refs/heads/late", "sha": main })).await;
    assert_eq!(repo.get("/issues/1/comments").await, json!([]));
    assert_eq!(repo.client.ask("GET", "/repos/admin/web/git/ref/heads/late", &Value::Null).await.status, 404);
    while repo.get("/issues/1/comments").await == json!([]) {
        assert!(written.elapsed() < Duration::from_secs(60), "the write never appeared");
    }
    assert!(written.elapsed() >= Duration::from_millis(2_000), "it appeared after {:?}", written.elapsed());
    while repo.client.ask("GET", "/repos/admin/web/git/ref/heads/late", &Value::Null).await.status != 200 {
        assert!(written.elapsed() < Duration::from_secs(60), "the ref never appeared");
    }
    // Writes never lag: the second creation sees the first.
    repo.client
        .must("POST", "/repos/admin/web/git/refs", &json!({ "ref": "refs/heads/late", "sha": main }), 422)
        .await;
    forge.turn(json!({ "read_lag": { "min_ms": 0, "max_ms": 0 } })).await;
    repo.post("/issues/1/comments", json!({ "body": "at once" })).await;
    assert_eq!(repo.get("/issues/1/comments").await.as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_commits_under_lag_all_become_visible_in_order() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    issues(&repo, 1).await;
    forge.turn(json!({ "read_lag": { "min_ms": 50, "max_ms": 150 } })).await;
    for number in 0..200 {
        repo.post("/issues/1/comments", json!({ "body": format!("{number}") })).await;
        let seen = repo.get("/issues/1/comments?per_page=100").await;
        let bodies: Vec<&str> =
            seen.as_array().unwrap().iter().map(|comment| comment["body"].as_str().unwrap()).collect();
        let expected: Vec<String> = (0..bodies.len()).map(|at| at.to_string()).collect();
        assert_eq!(bodies, expected, "a lagging read is a prefix of what was written");
    }
    let started = Instant::now();
    while repo.get("/issues/1").await["comments"] != 200 {
        assert!(started.elapsed() < Duration::from_secs(60), "the last commit never became visible");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn times_have_whole_seconds_and_ids_only_grow() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    let mut last = 0;
    for _ in 0..5 {
        let issue = repo.post("/issues", json!({ "title": "x" })).await;
        let id = issue["id"].as_i64().unwrap();
        assert!(id > last);
        last = id;
        let created = issue["created_at"].as_str().unwrap();
        assert!(created.len() == 20 && created.ends_with('Z'), "{created}");
    }
    let comment = repo.post("/issues/1/comments", json!({ "body": "x" })).await;
    repo.client
        .must("DELETE", &format!("/repos/admin/web/issues/comments/{}", comment["id"]), &Value::Null, 204)
        .await;
    let next = repo.post("/issues/1/comments", json!({ "body": "y" })).await;
    assert!(next["id"].as_i64() > comment["id"].as_i64(), "an id was given out twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_lagging_read_has_shown_does_not_vanish_again() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    issues(&repo, 1).await;
    forge.turn(json!({ "read_lag": { "min_ms": 300, "max_ms": 300 } })).await;
    repo.post("/issues/1/comments", json!({ "body": "one" })).await;
    repo.post("/issues/1/comments", json!({ "body": "two" })).await;
    while repo.get("/issues/1/comments").await.as_array().unwrap().len() < 2 {}
    repo.post("/issues/1/comments", json!({ "body": "three" })).await;
    assert!(
        repo.get("/issues/1/comments").await.as_array().unwrap().len() >= 2,
        "a comment that was seen is gone"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_changes_of_different_fields_at_once_both_hold() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    for round in 0..10 {
        let text = format!("round {round}");
        let private = round % 2 == 0;
        let (hide, describe) = (json!({ "private": private }), json!({ "description": text }));
        let (one, other) = tokio::join!(
            repo.client.ask("PATCH", "/repos/admin/web", &hide),
            repo.client.ask("PATCH", "/repos/admin/web", &describe)
        );
        assert_eq!((one.status, other.status), (200, 200));
        let repo = repo.get("").await;
        assert_eq!((&repo["private"], repo["description"].as_str()), (&json!(private), Some(text.as_str())));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_of_every_order_is_the_same_slice_of_the_whole() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    issues(&repo, 23).await;
    for number in [2, 3, 5, 7, 11] {
        let closed = json!({ "state": "closed" });
        repo.client.must("PATCH", &format!("/repos/admin/web/issues/{number}"), &closed, 200).await;
    }
    for filter in
        ["state=open", "state=closed", "state=all", "state=all&creator=admin", "state=all&sort=updated"]
    {
        for direction in ["asc", "desc"] {
            let list = |page: String| {
                let path = format!("/issues?{filter}&direction={direction}&{page}");
                let repo = &repo;
                async move {
                    let found = repo.get(&path).await;
                    found
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|issue| issue["number"].as_u64().unwrap())
                        .collect::<Vec<_>>()
                }
            };
            let whole = list("per_page=100".to_owned()).await;
            let mut pages = Vec::new();
            for page in 1..=9 {
                pages.extend(list(format!("per_page=4&page={page}")).await);
            }
            assert_eq!(pages, whole, "{filter} {direction}");
        }
    }
}
