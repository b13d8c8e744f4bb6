//! The API answers as its document says, to good questions and to bad ones.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::support::{HERE, Reaction, TOKEN, access, dashboard, send};
use axum::Router;
use baton_core::tracker::IssueKey;
use baton_view::example::ExampleLookout;
use baton_view::{
    Board, Fleet, IssueView, LogPage, Lookout, LookoutError, Order, Period, Reply, Report, RunLine, RunQuery,
    RunView,
};
use baton_web::Dashboard;
use serde_json::{Value, json};

const JSON: (&str, &str) = ("Content-Type", "application/json");

fn document() -> Value {
    serde_json::to_value(baton_web::openapi()).unwrap()
}

/// Asks, and holds the answer to what the document says of it.
async fn ask(routes: &Router, line: &str, template: &str, body: Option<&str>) -> Reaction {
    let headers: &[_] = if body.is_some() { &[JSON] } else { &[] };
    let answer = send(routes, HERE, line, headers, body.unwrap_or_default()).await;
    conforms(&answer, line, template);
    answer
}

fn conforms(answer: &Reaction, line: &str, template: &str) {
    let document = document();
    let method = line.split(' ').next().unwrap().to_lowercase();
    let kind = answer.header("content-type").split(';').next().unwrap();
    let responses = &document["paths"][template][method]["responses"];
    let schema = &responses[answer.status.as_str()]["content"][kind]["schema"];
    assert!(schema.is_object(), "{line}: {} {kind} is not documented", answer.status);
    let mut schema = schema.clone();
    schema["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let body: Value = serde_json::from_str(&answer.text).unwrap();
    let errors: Vec<_> = validator.iter_errors(&body).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{line}: {errors:#?}\n{body:#}");
    if kind == "application/problem+json" {
        assert_eq!(body["status"], answer.status.as_u16());
        assert!(!body["detail"].as_str().unwrap().is_empty());
    }
}

const ISSUE: &str = "/api/v1/issues/{owner}/{name}/{number}";
const ORDERS: &str = "/api/v1/issues/{owner}/{name}/{number}/orders";
const RUN: &str = "/api/v1/runs/{run}";
const LOG: &str = "/api/v1/runs/{run}/log";
const RUNS: &str = "/api/v1/runs";
const REPORT: &str = "/api/v1/report";
const CHANGES: &str = "/api/v1/changes";

#[tokio::test]
async fn every_question_of_the_document_is_answered_as_it_says() {
    let routes = dashboard(None);
    let pause = Some(r#"{"order":"pause","reason":"not yet"}"#);
    let mut asked = BTreeSet::new();
    for (line, template, body, expected) in [
        ("GET /api/v1/board", "/api/v1/board", None, 200),
        ("GET /api/v1/fleet", "/api/v1/fleet", None, 200),
        ("GET /api/v1/report", REPORT, None, 200),
        ("GET /api/v1/report?days=366", REPORT, None, 200),
        ("GET /api/v1/changes", CHANGES, None, 200),
        ("GET /api/v1/changes?seen=7&wait_s=0", CHANGES, None, 200),
        ("GET /api/v1/issues/acme/web/15", ISSUE, None, 200),
        ("GET /api/v1/issues/acme/web/9", ISSUE, None, 200),
        ("GET /api/v1/issues/acme/web/999", ISSUE, None, 404),
        ("POST /api/v1/issues/acme/web/15/orders", ORDERS, pause, 200),
        ("POST /api/v1/issues/acme/web/7/orders", ORDERS, pause, 409),
        ("POST /api/v1/issues/acme/web/7/orders", ORDERS, Some(r#"{"order":"move","to":"Nowhere"}"#), 409),
        ("POST /api/v1/issues/acme/web/999/orders", ORDERS, pause, 404),
        ("GET /api/v1/runs", RUNS, None, 200),
        ("GET /api/v1/runs?issue=acme%2Fweb%2315&active=true&limit=500", RUNS, None, 200),
        ("GET /api/v1/runs/41", RUN, None, 200),
        ("GET /api/v1/runs/9999", RUN, None, 404),
        ("GET /api/v1/runs/41/log", LOG, None, 200),
        ("GET /api/v1/runs/41/log?from=300", LOG, None, 200),
        ("GET /api/v1/runs/9999/log", LOG, None, 404),
    ] {
        let answer = ask(&routes, line, template, body).await;
        assert_eq!(answer.status, expected, "{line}: {}", answer.text);
        asked.insert(template.to_owned());
    }
    let documented: BTreeSet<_> = document()["paths"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(asked, documented);
}

#[tokio::test]
async fn an_order_is_given_in_the_name_of_whoever_is_at_the_dashboard() {
    let order = Some(r#"{"order":"comment","text":"Go on."}"#);
    let answer = ask(&dashboard(None), "POST /api/v1/issues/acme/web/15/orders", ORDERS, order).await;
    let reply: Reply = serde_json::from_str(&answer.text).unwrap();
    assert_eq!((reply.is_done, &*reply.said), (true, "done for dana"));
}

#[tokio::test]
async fn what_is_not_as_the_document_says_is_refused_with_a_problem() {
    let routes = dashboard(None);
    let deep = format!(r#"{{"reason":{}1{},"order":"pause"}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let large = format!(r#"{{"order":"comment","text":"{}"}}"#, "x".repeat(600 * 1024));
    for (line, template, body, expected) in [
        ("GET /api/v1/report?days=0", REPORT, None, 400),
        ("GET /api/v1/report?days=367", REPORT, None, 400),
        ("GET /api/v1/report?days=-1", REPORT, None, 400),
        ("GET /api/v1/report?days=", REPORT, None, 400),
        ("GET /api/v1/report?days=1&days=2", REPORT, None, 400),
        ("GET /api/v1/report?day=1", REPORT, None, 400),
        ("GET /api/v1/changes?seen=-1", CHANGES, None, 400),
        ("GET /api/v1/changes?seen=9223372036854775808&wait_s=0", CHANGES, None, 400),
        ("GET /api/v1/changes?seen=1e3", CHANGES, None, 400),
        ("GET /api/v1/changes?wait_s=26", CHANGES, None, 400),
        ("GET /api/v1/runs?limit=0", RUNS, None, 400),
        ("GET /api/v1/runs?limit=501", RUNS, None, 400),
        ("GET /api/v1/runs?limit=99999999999999999999", RUNS, None, 400),
        ("GET /api/v1/runs?active=maybe", RUNS, None, 400),
        ("GET /api/v1/runs?issue=nonsense", RUNS, None, 400),
        ("GET /api/v1/runs?issue=%00", RUNS, None, 400),
        ("GET /api/v1/runs/x", RUN, None, 400),
        ("GET /api/v1/runs/0", RUN, None, 400),
        ("GET /api/v1/runs/-1", RUN, None, 400),
        ("GET /api/v1/runs/9223372036854775808", RUN, None, 400),
        ("GET /api/v1/runs/%FF", RUN, None, 400),
        ("GET /api/v1/runs/41/log?from=-1", LOG, None, 400),
        ("GET /api/v1/runs/41/log?from=x", LOG, None, 400),
        ("GET /api/v1/issues/acme/web/0", ISSUE, None, 400),
        ("GET /api/v1/issues/acme/web/x", ISSUE, None, 400),
        ("GET /api/v1/issues/acme/web/18446744073709551616", ISSUE, None, 400),
        ("GET /api/v1/issues/-acme/web/1", ISSUE, None, 400),
        ("GET /api/v1/issues/acme/..%2F..%2Fetc/1", ISSUE, None, 400),
        ("POST /api/v1/issues/acme/web/15/orders", ORDERS, Some(""), 400),
        ("POST /api/v1/issues/acme/web/15/orders", ORDERS, Some("{"), 400),
        ("POST /api/v1/issues/acme/web/15/orders", ORDERS, Some(&deep), 400),
        ("POST /api/v1/issues/acme/web/15/orders", ORDERS, Some("null"), 422),
        ("POST /api/v1/issues/acme/web/15/orders", ORDERS, Some("{}"), 422),
        ("POST /api/v1/issues/acme/web/15/orders", ORDERS, Some(r#"{"order":"explode"}"#), 422),
        ("POST /api/v1/issues/acme/web/15/orders", ORDERS, Some(r#"{"order":"reject"}"#), 422),
        ("POST /api/v1/issues/acme/web/15/orders", ORDERS, Some(r#"{"order":"pause","reason":7}"#), 422),
        ("POST /api/v1/issues/acme/web/15/orders", ORDERS, Some(r#"{"order":"hold","x":1}"#), 422),
        ("POST /api/v1/issues/acme/web/15/orders", ORDERS, Some(&large), 413),
    ] {
        let answer = ask(&routes, line, template, body).await;
        assert_eq!(answer.status, expected, "{line} {}", answer.text);
    }
    let orders = "POST /api/v1/issues/acme/web/15/orders";
    let answer = send(&routes, HERE, orders, &[("Content-Type", "text/plain")], "{}").await;
    assert_eq!(answer.status, 415);
    conforms(&answer, orders, ORDERS);
    let bearer = format!("Bearer {TOKEN}");
    let answer = send(&dashboard(Some(TOKEN)), HERE, orders, &[("Authorization", &bearer)], "{}").await;
    assert_eq!(answer.status, 415);
    conforms(&answer, orders, ORDERS);
}

#[tokio::test]
async fn what_is_not_there_and_what_cannot_be_done_is_told_as_a_problem() {
    let routes = dashboard(None);
    for line in [
        "GET /api",
        "GET /api/",
        "GET /api/v1",
        "GET /api/v2/board",
        "POST /api/v1/runs/1/stop",
        "GET /api/v1/runs/",
    ] {
        let answer = send(&routes, HERE, line, &[JSON], "").await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("content-type")),
            (404, "application/problem+json"),
            "{line}"
        );
    }
    for (line, allowed) in [
        ("DELETE /api/v1/board", "GET,HEAD"),
        ("POST /api/v1/runs/41", "GET,HEAD"),
        ("GET /api/v1/issues/acme/web/15/orders", "POST"),
        ("TRACE /api/v1/fleet", "GET,HEAD"),
    ] {
        let answer = send(&routes, HERE, line, &[JSON], "").await;
        assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, allowed), "{line}");
        assert_eq!(answer.header("content-type"), "application/problem+json", "{line}");
    }
}

/// A lookout that sees nothing.
struct Blind;

fn nothing<T>() -> Result<T, LookoutError> {
    Err(LookoutError::OutOfReach("the store does not answer".to_owned()))
}

impl Lookout for Blind {
    async fn board(&self) -> Result<Board, LookoutError> {
        nothing()
    }
    async fn issue(&self, _: &IssueKey) -> Result<IssueView, LookoutError> {
        nothing()
    }
    async fn runs(&self, _: &RunQuery) -> Result<Vec<RunLine>, LookoutError> {
        nothing()
    }
    async fn run(&self, _: i64) -> Result<RunView, LookoutError> {
        nothing()
    }
    async fn log(&self, _: i64, _: u64) -> Result<LogPage, LookoutError> {
        nothing()
    }
    async fn fleet(&self) -> Result<Fleet, LookoutError> {
        nothing()
    }
    async fn report(&self, _: Period) -> Result<Report, LookoutError> {
        nothing()
    }
    async fn order(&self, _: &IssueKey, _: &Order, _: &str) -> Result<Reply, LookoutError> {
        nothing()
    }
    async fn changed(&self, _: u64) -> u64 {
        std::future::pending().await
    }
}

#[tokio::test]
async fn what_cannot_be_seen_is_not_told_as_nothing() {
    let routes = Dashboard { lookout: Arc::new(Blind), access: access(None), forge: None }.routes();
    for (line, template) in [
        ("GET /api/v1/board", "/api/v1/board"),
        ("GET /api/v1/fleet", "/api/v1/fleet"),
        ("GET /api/v1/report", REPORT),
        ("GET /api/v1/runs", RUNS),
        ("GET /api/v1/runs/41", RUN),
        ("GET /api/v1/runs/41/log", LOG),
        ("GET /api/v1/issues/acme/web/15", ISSUE),
    ] {
        assert_eq!(ask(&routes, line, template, None).await.status, 503, "{line}");
    }
    let order = Some(r#"{"order":"hold"}"#);
    assert_eq!(ask(&routes, "POST /api/v1/issues/acme/web/15/orders", ORDERS, order).await.status, 503);
    let ready = send(&routes, HERE, "GET /readyz", &[], "").await;
    assert_eq!((ready.status.as_u16(), &*ready.text), (503, "there is no board to show yet\n"));
    let metrics = send(&routes, HERE, "GET /metrics", &[], "").await;
    assert!(metrics.text.contains("baton_view_up{part=\"fleet\"} 0"), "{}", metrics.text);
    assert!(!metrics.text.contains("baton_workers_live"), "{}", metrics.text);
}

#[tokio::test]
async fn the_relay_and_the_server_are_told_in_numbers() {
    let routes = Dashboard { lookout: Arc::new(ExampleLookout), access: access(None), forge: None }.routes();
    for line in ["GET /api/v1/runs/41", "GET /api/v1/runs/40", "GET /api/v1/runs/x"] {
        send(&routes, HERE, line, &[], "").await;
    }
    let answer = send(&routes, HERE, "GET /metrics", &[], "").await;
    assert!(answer.header("content-type").starts_with("application/openmetrics-text"));
    for line in [
        "baton_view_up{part=\"board\"} 1",
        "baton_issues{column=\"Implement\",state=\"running\"} 1",
        "baton_runs_running 1",
        "baton_runs_queued 0",
        "baton_wakeups_deferred 1",
        "baton_workers_live 1",
        "baton_tracker_budget_left_permille 874",
        "baton_webhooks_taken 1204",
        "baton_webhooks_unread 0",
        "baton_effects_dead 0",
        "baton_counter_in_use{counter=\"agent:claude\"} 1",
        "baton_counter_max{counter=\"agent:claude\"} 3",
        "baton_http_requests_total{method=\"GET\",route=\"/api/v1/runs/{run}\",status=\"2xx\"} 2",
        "baton_http_requests_total{method=\"GET\",route=\"/api/v1/runs/{run}\",status=\"4xx\"} 1",
        "baton_http_request_duration_seconds_count{method=\"GET\",route=\"/api/v1/runs/{run}\"} 3",
        "# EOF",
    ] {
        assert!(answer.text.lines().any(|found| found == line), "{line} is missing:\n{}", answer.text);
    }
    assert_eq!(send(&dashboard(Some(TOKEN)), HERE, "GET /metrics", &[], "").await.status, 401);
    assert_eq!(send(&dashboard(Some(TOKEN)), HERE, "GET /readyz", &[], "").await.status, 200);
}

#[tokio::test]
async fn the_document_asks_for_a_token_where_there_is_one() {
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("Authorization", &*bearer)];
    let answer = send(&dashboard(Some(TOKEN)), HERE, "GET /api/v1/openapi.json", &headers, "").await;
    let served: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(served, document());
    assert_eq!(served["security"], json!([{"token": []}, {"session": []}]));
    assert_eq!(served["openapi"], "3.1.0");
    let answer = send(&dashboard(None), HERE, "GET /api/v1/openapi.json", &[], "").await;
    let served: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(served.get("security"), None);
}

#[test]
fn the_document_allows_no_order_what_is_refused() {
    let document = document();
    let orders = document["components"]["schemas"]["Order"]["oneOf"].as_array().unwrap();
    assert_eq!(orders.len(), baton_view::OrderKind::ALL.len());
    assert!(orders.iter().all(|order| order["additionalProperties"] == json!(false)), "{orders:#?}");
}

#[test]
fn the_document_of_the_api_is_the_one_that_is_kept() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/openapi.json");
    let document = format!("{}\n", serde_json::to_string_pretty(&baton_web::openapi()).unwrap());
    if std::env::var_os("BATON_BLESS").is_some() {
        std::fs::write(&path, &document).unwrap();
    } else {
        assert!(
            document == std::fs::read_to_string(&path).unwrap_or_default(),
            "docs/reference/openapi.json is stale: run `BATON_BLESS=1 cargo xtask test the_document_of_the_api` and commit it"
        );
    }
}
