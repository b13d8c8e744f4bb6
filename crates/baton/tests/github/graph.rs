//! GraphQL in every way that it can fail, and what is left of its budget.

use std::time::Duration;

use baton_core::pipeline::checks::Checks;
use baton_core::tracker::Scope;
use baton_fixtures::{TOKEN, TestServer};
use baton_ports::{Board as _, Tracker as _, TrackerErrorKind};
use serde_json::{Value, json};

use crate::github::{Setup, github, issue, refused};
use baton_fixtures::server::answer;

const BRANCH: &str = "baton/issue-1";

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_repeated_and_the_address_is_the_servers() {
    let setup = Setup::new().await;
    for (when, kind) in [("before", json!({ "status": 502 })), ("after", json!("drop"))] {
        setup.fault("POST", "/graphql", when, kind, 2).await;
        setup.github.sight(&issue(1), BRANCH).await.unwrap();
    }
    let versioned = github(&format!("{}/api/v3", setup.forge.url), TOKEN);
    versioned.sight(&issue(1), BRANCH).await.unwrap();
    setup.fault("POST", "/graphql", "before", json!({ "status": 502 }), 9).await;
    let error = refused(setup.github.sight(&issue(1), BRANCH).await, TrackerErrorKind::Unavailable);
    assert_eq!(error.tried, "POST /graphql (Sight)");
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_in_an_answer_are_errors_even_beside_data() {
    let check = async |body: Value, kind: TrackerErrorKind| {
        let text = body.to_string();
        let server = TestServer::start(move |_| answer(200, &[], &text)).await;
        refused(github(&server.url, "tok").sight(&issue(1), BRANCH).await, kind)
    };
    let data = json!({ "viewer": { "login": "ann" }, "repository": null });
    let error = |kind: &str| json!([{ "type": kind, "message": "because", "path": ["repository"] }]);
    let not_found = json!({ "data": data, "errors": error("NOT_FOUND") });
    assert_eq!(check(not_found, TrackerErrorKind::NotFound).await.answer, "because");
    check(json!({ "data": data, "errors": error("FORBIDDEN") }), TrackerErrorKind::Forbidden).await;
    let limited = TrackerErrorKind::RateLimited { retry_after: None };
    check(json!({ "errors": error("RATE_LIMITED") }), limited).await;
    check(json!({ "data": data }), TrackerErrorKind::NotFound).await;
    check(json!({ "data": null }), TrackerErrorKind::Malformed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_that_may_not_be_read_are_not_known_and_the_rest_is() {
    let setup = Setup::new().await;
    setup.commit_to(BRANCH, "work.txt").await;
    setup.open_pull(BRANCH).await;
    let seen = setup.github.sight(&issue(1), BRANCH).await.unwrap().value.pull.unwrap();
    assert_eq!(seen.checks.map(|checks| checks.as_slice().len()), Some(0), "nobody said anything");
    let mut told = sight_told(&setup).await;
    let rollup = json!(["repository", "open", "nodes", 0, "statusCheckRollup"]);
    told["errors"] = refusal(&rollup);
    assert_eq!(checks_told_by(&told).await, None, "all of them are refused");
    let one = json!({ "__typename": "StatusContext", "context": "ci", "state": "SUCCESS" });
    told["data"]["repository"]["open"]["nodes"][0]["statusCheckRollup"] =
        json!({ "id": "SCR_1", "contexts": { "pageInfo": { "hasNextPage": false }, "nodes": [one, null] } });
    let inside = json!(["repository", "open", "nodes", 0, "statusCheckRollup", "contexts", "nodes", 1]);
    told["errors"] = refusal(&inside);
    assert_eq!(checks_told_by(&told).await, None, "what is hidden may have failed");
    told["errors"] = json!([]);
    assert_eq!(checks_told_by(&told).await, None, "even if nothing is said of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn blockers_that_may_not_be_seen_are_waited_for() {
    let seen = json!({ "number": 2, "state": "CLOSED", "repository": { "nameWithOwner": "admin/web" } });
    let check = async |blocked_by: Value, errors: Value, expected: &[(&str, bool)]| {
        let subject = json!({
            "__typename": "Issue", "id": "I_1", "number": 1, "title": "first", "body": "", "url": "u", "closed": false,
            "createdAt": "2026-05-01T11:55:48Z", "comments": { "nodes": [] }, "labelled": { "nodes": [] },
            "blockedBy": blocked_by,
        });
        let empty = json!({ "nodes": [] });
        let repository =
            json!({ "viewerPermission": "WRITE", "subject": subject, "open": empty, "all": empty });
        let data = json!({ "viewer": { "login": "ann" }, "repository": repository });
        let text = json!({ "data": data, "errors": errors }).to_string();
        let server = TestServer::start(move |_| answer(200, &[], &text)).await;
        let seen = github(&server.url, "tok").sight(&issue(1), BRANCH).await.unwrap().value;
        let named = seen.blockers.iter().map(|blocker| (blocker.issue.to_string(), blocker.is_open));
        let expected = expected.iter().map(|(name, is_open)| ((*name).to_owned(), *is_open));
        assert_eq!(named.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    };
    let hidden = ("not_visible/to_this_token#1", true);
    let own = ("admin/web#2", false);
    check(json!({ "totalCount": 1, "nodes": [seen] }), json!([]), &[own]).await;
    check(json!({ "totalCount": 2, "nodes": [seen, null] }), json!([]), &[own, hidden]).await;
    check(json!({ "totalCount": 1, "nodes": [] }), json!([]), &[hidden]).await;
    let refused = refusal(&json!(["repository", "subject", "blockedBy", "nodes", 0]));
    check(json!({ "totalCount": 1, "nodes": [null] }), refused, &[hidden]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_that_rulesets_require_are_asked_for_once_in_a_while() {
    let setup = Setup::new().await;
    setup.commit_to(BRANCH, "work.txt").await;
    setup.open_pull(BRANCH).await;
    let mut told = sight_told(&setup).await;
    told["data"]["repository"]["open"]["nodes"][0]["baseRef"]["refUpdateRule"] =
        json!({ "requiredStatusCheckContexts": ["build"] });
    let checks = json!([{ "context": "lint" }, { "context": "build", "integration_id": 5 }]);
    let rule =
        json!({ "type": "required_status_checks", "parameters": { "required_status_checks": checks } });
    let rules = json!([{ "type": "deletion" }, rule]).to_string();
    for (status, rules, expected) in
        [(200, rules, &["build", "lint"][..]), (404, "{}".to_owned(), &["build"])]
    {
        let text = told.to_string();
        let server =
            TestServer::start(move |request| match request.target.contains("/rules/branches/main") {
                true => answer(status, &[], &rules),
                false => answer(200, &[], &text),
            })
            .await;
        let github = github(&server.url, "tok");
        for _ in 0..3 {
            let pull = github.sight(&issue(1), BRANCH).await.unwrap().value.pull.unwrap();
            assert_eq!(pull.required_checks, expected, "{status}");
        }
        assert_eq!(github.requests_sent(), 4, "three sights and one question about rulesets");
    }
    let text = told.to_string();
    let server = TestServer::start(move |request| match request.target.contains("/rules/") {
        true => answer(500, &[], "{}"),
        false => answer(200, &[], &text),
    })
    .await;
    refused(github(&server.url, "tok").sight(&issue(1), BRANCH).await, TrackerErrorKind::Unavailable);
}

/// Returns what the forge answers to the document of a sight.
async fn sight_told(setup: &Setup) -> Value {
    let query = baton_github::graphql_documents().into_iter().find(|known| known.name == "Sight").unwrap();
    let variables = json!({ "owner": "admin", "name": "web", "number": 1, "branch": BRANCH });
    let body = json!({ "query": query.text, "variables": variables });
    setup.forge.admin.must("POST", "/graphql", &body, 200).await
}

fn refusal(path: &Value) -> Value {
    json!([{ "type": "FORBIDDEN", "message": "Resource not accessible", "path": path }])
}

/// Returns the checks that a sight shows which is answered so.
async fn checks_told_by(told: &Value) -> Option<Checks> {
    let text = told.to_string();
    let server = TestServer::start(move |request| match request.target.contains("/rules/") {
        true => answer(404, &[], "{}"),
        false => answer(200, &[], &text),
    })
    .await;
    let seen = github(&server.url, "tok").sight(&issue(1), BRANCH).await.unwrap();
    seen.value.pull.unwrap().checks
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_budget_of_points_is_told_and_does_not_hold_up_the_rest() {
    let setup = Setup::new().await;
    setup.forge.turn(json!({ "rate_limit": 12 })).await;
    let mut sights = 0;
    let refusal = loop {
        match setup.github.sight(&issue(1), BRANCH).await {
            Ok(_) => sights += 1,
            Err(refusal) => break refusal,
        }
    };
    assert!((6..=12).contains(&sights), "{sights} sights for twelve points");
    let TrackerErrorKind::RateLimited { retry_after } = refusal.kind else { panic!("{refusal}") };
    assert!(retry_after.is_some_and(|wait| wait > Duration::from_mins(30)), "{retry_after:?}");
    assert_eq!(setup.github.left_permille(), Some(0));
    setup.github.issue(&issue(1)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hidden_repository_is_not_found_by_sights_and_surveys() {
    let setup = Setup::new().await;
    let body = json!({ "private": true });
    setup.forge.admin.must("PATCH", "/repos/admin/web", &body, 200).await;
    let stranger = setup.second("stranger", "write");
    refused(stranger.sight(&issue(1), BRANCH).await, TrackerErrorKind::NotFound);
    let stages = vec!["Plan".to_owned()];
    let dialect = baton_core::labels::dialect::Dialect::Baton;
    let board = baton_github::LabelBoard::new(stranger, vec![crate::github::repo()], stages, dialect);
    refused(board.survey(Scope::All).await, TrackerErrorKind::NotFound);
    refused(board.survey(Scope::News).await, TrackerErrorKind::NotFound);
}
