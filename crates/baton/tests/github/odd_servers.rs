//! Answers that the forge does not give: pages elsewhere, dates that are missing, nonsense, renamed repositories.

use std::time::Duration;

use baton_fixtures::TestServer;
use baton_github::{Auth, GitHub, Settings};
use baton_ports::{Tracker as _, TrackerErrorKind};
use serde_json::json;

use crate::github::{github, issue, refused, repo, settings};
use baton_fixtures::server::{Request, answer, dateless};

const ISSUE: &str = r#"{"number": 1, "state": "open", "created_at": "2026-05-01T19:42:33Z"}"#;

async fn asked(script: impl Fn(&Request) -> String + Send + Sync + 'static) -> (GitHub, TestServer) {
    let server = TestServer::start(script).await;
    (github(&server.url, "tok"), server)
}

#[tokio::test(flavor = "multi_thread")]
async fn links_are_followed_as_they_are_but_never_to_another_server() {
    let (github, server) = asked(|request| {
        let next = match request.target.as_str() {
            "/repositories/7/pages?after=x%2Fy" => "rel=\"prev\"".to_owned(),
            _ => "rel=\"next\"".to_owned(),
        };
        let link =
            format!("Link: <http://{}/repositories/7/pages?after=x%2Fy>; {next}", request.headers["host"]);
        answer(200, &[&link], "[]")
    })
    .await;
    assert_eq!(github.comments(&issue(1), None).await.unwrap().pages, 2);
    assert_eq!(server.seen()[0].target, "/repos/admin/web/issues/1/comments?per_page=100");
    let (github, server) =
        asked(|_| answer(200, &["Link: <http://127.0.0.1:1/steal>; rel=\"next\""], "[]")).await;
    let error = refused(github.comments(&issue(1), None).await, TrackerErrorKind::Malformed);
    assert!(error.answer.contains("not followed"), "{error}");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_date_of_several_pages_is_that_of_the_first() {
    let (github, _server) = asked(|request| match request.target.ends_with("page=2") {
        true => dateless(200, &["Date: Tue, 14 Nov 2023 22:20:00 GMT"], "[]"),
        false => {
            let link = format!("Link: <http://{}/x?page=2>; rel=\"next\"", request.headers["host"]);
            answer(200, &[&link], "[]")
        }
    })
    .await;
    let list = github.comments(&issue(1), None).await.unwrap();
    assert_eq!((list.date.0, list.pages), (1_700_000_000, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_without_a_date_or_sense_is_malformed_and_such_a_write_is_unclear() {
    let (github, _server) = asked(|_| dateless(200, &[], ISSUE)).await;
    let error = refused(github.issue(&issue(1)).await, TrackerErrorKind::Malformed);
    assert!(error.answer.contains("no Date"), "{error}");
    let (github, _server) = asked(|_| answer(200, &[], "<html>Welcome to the hotel")).await;
    refused(github.issue(&issue(1)).await, TrackerErrorKind::Malformed);
    refused(github.comments(&issue(1), None).await, TrackerErrorKind::Malformed);
    refused(github.post_comment(&issue(1), "x").await, TrackerErrorKind::Unclear);
    let (github, _server) = asked(|_| answer(302, &["Location: https://login.example/"], "")).await;
    refused(github.issue(&issue(1)).await, TrackerErrorKind::Malformed);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_breaks_off_is_a_lost_one() {
    let cut = |_: &Request| answer(200, &[], ISSUE).replace("Content-Length: 6", "Content-Length: 96");
    let (github, server) = asked(cut).await;
    refused(github.issue(&issue(1)).await, TrackerErrorKind::Unavailable);
    assert_eq!(server.seen().len(), 4);
    refused(github.post_comment(&issue(1), "x").await, TrackerErrorKind::Unclear);
    assert_eq!(server.seen().len(), 5, "the comment was sent once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_in_time_leaves_a_comment_unclear() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let patience = Duration::from_millis(300);
    let github = GitHub::new(Settings { timeout: patience, ..settings(&url, Auth::token("tok")) }).unwrap();
    // The operating system takes the connection and the request; nobody reads them.
    refused(github.post_comment(&issue(1), "x").await, TrackerErrorKind::Unclear);
    assert_eq!(github.requests_sent(), 1);
    refused(github.issue(&issue(1)).await, TrackerErrorKind::Unavailable);
    assert_eq!(github.requests_sent(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_repository_is_followed_with_the_method_kept() {
    let (github, server) = asked(|request| match request.target.starts_with("/repositories/7") {
        true => answer(201, &[], &comment()),
        false => answer(307, &["Location: /repositories/7/comments"], ""),
    })
    .await;
    github.post_comment(&issue(1), "x").await.unwrap();
    let seen = server.seen();
    assert_eq!(seen.iter().map(|request| request.method.as_str()).collect::<Vec<_>>(), ["POST", "POST"]);
    assert_eq!(seen[0].body, seen[1].body);
}

fn comment() -> String {
    let time = "2026-05-01T19:42:33Z";
    json!({ "id": 1, "user": null, "created_at": time, "updated_at": time, "body": "x" }).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_the_empty_tree_gets_that_of_its_default_branch_and_is_asked_once() {
    let (github, server) = asked(|request| match (request.method.as_str(), request.body.contains("4b825dc")) {
        ("POST", true) => answer(422, &[], r#"{"message": "Tree SHA does not exist"}"#),
        ("POST", false) => answer(
            201,
            &[],
            r#"{"sha": "c1", "message": "m", "parents": [], "committer": {"date": "2026-05-01T19:42:33Z"}}"#,
        ),
        _ => answer(
            200,
            &[],
            r#"{"sha": "c0", "commit": {"message": "", "committer": {"date": "2026-05-01T19:42:33Z"}, "tree": {"sha": "t0"}}}"#,
        ),
    })
    .await;
    for _ in 0..2 {
        assert_eq!(github.write_commit(&repo(), "m", None).await.unwrap().value.oid, "c1");
    }
    let targets: Vec<_> = server.seen().into_iter().map(|request| request.target).collect();
    let (commits, head) = ("/repos/admin/web/git/commits", "/repos/admin/web/commits/HEAD?per_page=1");
    assert_eq!(targets, [commits, head, commits, commits]);
    assert!(server.seen()[3].body.contains("t0"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_404_of_a_repository_that_is_there_means_no_such_ref() {
    let (github, _server) = asked(|request| match request.target.contains("/commits/") {
        true => answer(404, &[], r#"{"message": "Not Found"}"#),
        false => answer(200, &[], "{}"),
    })
    .await;
    assert_eq!(github.ref_tip(&repo(), "refs/baton/claims/1").await.unwrap().value, None);
}
