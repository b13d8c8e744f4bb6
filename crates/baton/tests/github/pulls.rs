//! Pull requests of a branch: found, opened once, and changed.

use baton_core::tracker::{NewPull, PullEdit, PullOpening, PullState};
use baton_fixtures::TestServer;
use baton_ports::{Tracker as _, TrackerErrorKind};
use serde_json::{Value, json};

use crate::github::reads::pull_request;
use crate::github::{Setup, github, refused, repo};
use baton_fixtures::server::answer;

fn new(head: &str, base: &str) -> NewPull {
    NewPull {
        head: head.into(),
        base: base.into(),
        title: "Log in".into(),
        body: "Why.\r\n".into(),
        is_draft: false,
    }
}

async fn pulls(setup: &Setup) -> usize {
    setup.repo.get("/pulls?state=all").await.as_array().unwrap().len()
}

/// A pull request as a list shows it.
fn entry(number: u64, head_repo: &Value, branch: &str) -> Value {
    let end = |name: &str, repo: &Value| json!({ "ref": name, "sha": "0", "repo": repo });
    let base = json!({ "full_name": "acme/renamed" });
    json!({
        "number": number, "state": "open", "html_url": "https://x.example", "head": end(branch, head_repo),
        "base": end("main", &base),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pull_requests_of_a_branch_are_found_in_every_state() {
    let setup = Setup::new().await;
    let first = pull_request(&setup, "topic").await;
    pull_request(&setup, "other").await;
    let close = json!({ "state": "closed" });
    setup.forge.admin.must("PATCH", &format!("/repos/admin/web/pulls/{first}"), &close, 200).await;
    let PullOpening::Opened(second) = setup.github.open_pull(&repo(), &new("topic", "main")).await.unwrap()
    else {
        panic!("there is no other open one");
    };
    let found = setup.github.pulls_by_head(&repo(), "topic").await.unwrap();
    let seen: Vec<_> = found.iter().map(|pull| (pull.number, pull.state)).collect();
    assert_eq!(seen, [(first, PullState::Closed), (second.number, PullState::Open)]);
    assert_eq!((second.title.as_str(), second.body.as_str()), ("Log in", "Why.\r\n"));
    assert!(setup.github.pulls_by_head(&repo(), "none").await.unwrap().is_empty());
    let nowhere = "admin/nothing".parse().unwrap();
    refused(setup.github.pulls_by_head(&nowhere, "topic").await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn forks_and_other_branches_are_left_out_of_all_pages() {
    let server = TestServer::start(|request| {
        let own = json!({ "full_name": "acme/renamed" });
        let fork = json!({ "full_name": "acme/fork" });
        let first =
            json!([entry(7, &own, "topic"), entry(3, &fork, "topic"), entry(4, &Value::Null, "topic")]);
        let second = json!([entry(5, &own, "topic"), entry(6, &own, "other"), entry(7, &own, "topic")]);
        match request.target.contains("page=2") {
            true => answer(200, &[], &second.to_string()),
            false => answer(200, &["Link: </x?page=2>; rel=\"next\""], &first.to_string()),
        }
    })
    .await;
    let found = github(&server.url, "t").pulls_by_head(&"acme/web".parse().unwrap(), "topic").await.unwrap();
    assert_eq!(found.iter().map(|pull| pull.number).collect::<Vec<_>>(), [5, 7]);
    let asked = &server.seen()[0].target;
    assert!(asked.contains("state=all") && asked.contains("head=acme%3Atopic"), "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_one_between_the_same_branches_is_told_apart_from_other_refusals() {
    let setup = Setup::new().await;
    pull_request(&setup, "topic").await;
    assert_eq!(setup.github.open_pull(&repo(), &new("topic", "main")).await.unwrap(), PullOpening::Exists);
    for (head, base) in [("none", "main"), ("topic", "none"), ("main", "main")] {
        refused(setup.github.open_pull(&repo(), &new(head, base)).await, TrackerErrorKind::Invalid);
    }
    assert_eq!(pulls(&setup).await, 1);
    let reader = setup.second("reader", "read");
    refused(reader.open_pull(&repo(), &new("topic", "main")).await, TrackerErrorKind::Forbidden);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_opening_without_a_clear_answer_is_unclear_and_never_sent_twice() {
    for (when, kind, made) in [
        ("before", json!({ "status": 502 }), 1),
        ("before", json!("drop"), 1),
        ("after", json!({ "status": 500 }), 2),
        ("after", json!("drop"), 2),
    ] {
        let setup = Setup::new().await;
        let number = pull_request(&setup, "topic").await;
        let close = json!({ "state": "closed" });
        setup.forge.admin.must("PATCH", &format!("/repos/admin/web/pulls/{number}"), &close, 200).await;
        setup.fault("POST", "/pulls", when, kind.clone(), 1).await;
        let before = setup.github.requests_sent();
        refused(setup.github.open_pull(&repo(), &new("topic", "main")).await, TrackerErrorKind::Unclear);
        assert_eq!(setup.github.requests_sent() - before, 1, "{when} {kind}");
        assert_eq!(pulls(&setup).await, made, "{when} {kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_changes_what_it_names_and_is_repeated_when_its_answer_is_lost() {
    let setup = Setup::new().await;
    let number = pull_request(&setup, "topic").await;
    let before = setup.github.pull(&repo(), number).await.unwrap();
    setup.fault("PATCH", "/pulls", "after", json!("drop"), 1).await;
    let edit = PullEdit { title: None, body: Some("Új szöveg\r\n".into()) };
    let edited = setup.github.edit_pull(&repo(), number, &edit).await.unwrap();
    assert_eq!((edited.title.as_str(), edited.body.as_str()), (before.title.as_str(), "Új szöveg\r\n"));
    let edit = PullEdit { title: Some("Another".into()), body: None };
    let edited = setup.github.edit_pull(&repo(), number, &edit).await.unwrap();
    assert_eq!((edited.title.as_str(), edited.body.as_str()), ("Another", "Új szöveg\r\n"));
    refused(setup.github.edit_pull(&repo(), 99, &edit).await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_names_its_default_branch() {
    let setup = Setup::new().await;
    assert_eq!(setup.github.default_branch(&repo()).await.unwrap(), "main");
    refused(setup.github.default_branch(&"admin/none".parse().unwrap()).await, TrackerErrorKind::NotFound);
}
