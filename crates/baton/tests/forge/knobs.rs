//! Behaviour that tests can turn.

use baton_fixtures::{Answer, Client, TestForge, TestRepo};
use serde_json::{Value, json};

async fn comments(repo: &TestRepo) -> usize {
    repo.get("/issues/1/comments").await.as_array().unwrap().len()
}

async fn with_issue() -> (TestForge, TestRepo) {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    repo.post("/issues", json!({ "title": "x" })).await;
    (forge, repo)
}

fn fault(when: &str, kind: Value) -> Value {
    json!({ "faults": [{ "matching": { "method": "POST", "path_contains": "/comments" }, "when": when, "kind": kind, "times": 1 }] })
}

async fn comment(repo: &TestRepo) -> Option<Answer> {
    repo.client.send("POST", "/repos/admin/web/issues/1/comments", Some("{\"body\": \"x\"}"), &[]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_before_the_write_writes_nothing_and_one_after_it_does() {
    let (forge, repo) = with_issue().await;
    forge.turn(fault("before", json!({ "status": 502 }))).await;
    assert_eq!(comment(&repo).await.unwrap().status, 502);
    assert_eq!(comments(&repo).await, 0);
    forge.turn(fault("after", json!({ "status": 500 }))).await;
    assert_eq!(comment(&repo).await.unwrap().status, 500);
    assert_eq!(comments(&repo).await, 1);
    assert_eq!(comment(&repo).await.unwrap().status, 201, "the fault struck once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_connection_gives_no_answer_before_or_after_the_write() {
    let (forge, repo) = with_issue().await;
    forge.turn(fault("before", json!("drop"))).await;
    assert!(comment(&repo).await.is_none());
    assert_eq!(comments(&repo).await, 0);
    forge.turn(fault("after", json!("drop"))).await;
    assert!(comment(&repo).await.is_none());
    assert_eq!(comments(&repo).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secondary_limit_says_when_to_come_back() {
    let (forge, repo) = with_issue().await;
    forge.turn(fault("before", json!({ "secondary_limit": { "retry_after_s": 7 } }))).await;
    let answer = comment(&repo).await.unwrap();
    assert_eq!((answer.status, answer.header("retry-after")), (403, Some("7")));
    assert!(answer.json()["message"].as_str().unwrap().contains("secondary rate limit"));
    forge.turn(fault("before", json!({ "too_many_requests": { "retry_after_s": 9 } }))).await;
    let answer = comment(&repo).await.unwrap();
    assert_eq!((answer.status, answer.header("retry-after")), (429, Some("9")));
}

#[tokio::test(flavor = "multi_thread")]
async fn latency_is_added_to_every_request() {
    let (forge, repo) = with_issue().await;
    forge.turn(json!({ "latency": { "min_ms": 80, "max_ms": 90 } })).await;
    let started = std::time::Instant::now();
    repo.get("/issues/1").await;
    assert!(started.elapsed() >= std::time::Duration::from_millis(80), "{:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_meter_tells_requests_by_token_and_kind() {
    let (forge, repo) = with_issue().await;
    let other = forge.client(&forge.account("reader", "read"));
    forge.clear_meter().await;
    for _ in 0..3 {
        other.must("GET", "/repos/admin/web/issues/1", &Value::Null, 200).await;
    }
    other.must("GET", "/repos/admin/web/issues/9", &Value::Null, 404).await;
    let rows = repo.client.must("GET", "/_forge/meter", &Value::Null, 200).await;
    let count = |status: u64| {
        let of_reader = rows.as_array().unwrap().iter().filter(|row| row["login"] == "reader");
        let same =
            of_reader.filter(|row| row["endpoint"] == "GET /repos/{owner}/{repo}/issues/{issue_number}");
        same.filter(|row| row["status"] == status).map(|row| row["count"].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!((count(200), count(404)), (3, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_can_be_moved_and_moves_every_time_that_clients_see() {
    let (forge, repo) = with_issue().await;
    forge.freeze_clock(1_700_000_000).await;
    let answer = repo.client.ask("POST", "/repos/admin/web/issues", &json!({ "title": "then" })).await;
    assert_eq!(answer.json()["created_at"], "2023-11-14T22:13:20Z");
    assert_eq!(answer.header("date"), Some("Tue, 14 Nov 2023 22:13:20 GMT"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_but_the_administrator_turns_the_knobs() {
    let (forge, repo) = with_issue().await;
    let user = forge.client(&forge.account("plain", "admin"));
    let stranger = Client::new(&forge.url, None);
    assert_eq!(user.ask("PATCH", "/_forge/knobs", &json!({ "seed": 2 })).await.status, 404);
    assert_eq!(stranger.ask("GET", "/_forge/meter", &Value::Null).await.status, 401);
    assert_eq!(repo.client.ask("PATCH", "/_forge/knobs", &json!({ "sead": 2 })).await.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_that_has_struck_is_not_armed_again_by_another_knob() {
    let (forge, repo) = with_issue().await;
    forge.turn(fault("before", json!({ "status": 502 }))).await;
    assert_eq!(comment(&repo).await.unwrap().status, 502);
    forge.turn(json!({ "latency": { "min_ms": 1, "max_ms": 2 } })).await;
    assert_eq!(comment(&repo).await.unwrap().status, 201);
}
