//! What is read: issues, comments, labels and people, complete and dated.

use baton_core::time::ServerTime;
use baton_core::tracker::{IssueState, Permission, PullState};
use baton_fixtures::TOKEN;
use baton_ports::{Tracker as _, TrackerErrorKind};
use serde_json::{Value, json};

use crate::github::{Setup, issue, refused, repo};

const ISSUE: &str = "GET /repos/{owner}/{repo}/issues/{issue_number}";

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_is_read_with_the_date_of_the_server() {
    let setup = Setup::new().await;
    setup.forge.freeze_clock(1_700_000_000).await;
    setup.repo.post("/issues", json!({ "title": "second", "labels": ["a", "b"] })).await;
    setup.forge.freeze_clock(1_700_000_100).await;
    let read = setup.github.issue(&issue(2)).await.unwrap();
    assert_eq!((read.date, read.pages), (ServerTime(1_700_000_100), 1));
    let found = read.value;
    assert_eq!((found.number, found.title.as_str(), found.author.as_str()), (2, "second", "admin"));
    assert_eq!((found.is_open, found.is_pull, found.created_at), (true, false, ServerTime(1_700_000_000)));
    assert_eq!(found.labels, ["a", "b"]);
    let error = refused(setup.github.issue(&issue(99)).await, TrackerErrorKind::NotFound);
    assert_eq!(error.tried, "GET /repos/admin/web/issues/99");
    assert!(error.answer.starts_with("404"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unchanged_answer_costs_nothing_and_has_the_new_date() {
    let setup = Setup::new().await;
    setup.forge.freeze_clock(1_700_000_000).await;
    let first = setup.github.issue(&issue(1)).await.unwrap();
    let left = setup.github.budgets()[0].remaining;
    setup.forge.clear_meter().await;
    setup.forge.freeze_clock(1_700_000_060).await;
    let second = setup.github.issue(&issue(1)).await.unwrap();
    assert_eq!(second.value, first.value);
    assert_eq!(second.date.seconds_since(first.date), 60);
    assert_eq!(setup.metered(ISSUE, 304).await, 1);
    assert_eq!(setup.metered(ISSUE, 200).await, 0);
    let charged = left - setup.github.budgets()[0].remaining;
    // The forge's own endpoints are not charged, so nothing but the read could have been.
    assert_eq!(charged, 0);
    setup.forge.admin.must("PATCH", "/repos/admin/web/issues/1", &json!({ "title": "changed" }), 200).await;
    assert_eq!(setup.github.issue(&issue(1)).await.unwrap().value.title, "changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn open_issues_with_a_label_come_oldest_first_without_pull_requests() {
    let setup = Setup::new().await;
    for title in ["two", "three", "four"] {
        setup.repo.post("/issues", json!({ "title": title, "labels": ["agent:implement"] })).await;
    }
    setup.forge.admin.must("PATCH", "/repos/admin/web/issues/3", &json!({ "state": "closed" }), 200).await;
    let pull = pull_request(&setup, "topic").await;
    setup
        .forge
        .admin
        .must("POST", &format!("/repos/admin/web/issues/{pull}/labels"), &json!(["agent:implement"]), 200)
        .await;
    let list = setup.github.issues_labelled(&repo(), "agent:implement", IssueState::Open).await.unwrap();
    assert_eq!(list.value.iter().map(|issue| issue.number).collect::<Vec<_>>(), [2, 4]);
    assert!(
        setup
            .github
            .issues_labelled(&repo(), "no such, label", IssueState::Any)
            .await
            .unwrap()
            .value
            .is_empty()
    );
    let nowhere = "admin/nothing".parse().unwrap();
    refused(setup.github.issues_labelled(&nowhere, "x", IssueState::Open).await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_pages_of_comments_are_read_and_since_leaves_the_old_ones_out() {
    let setup = Setup::new().await;
    setup.forge.freeze_clock(1_700_000_000).await;
    for number in 0..250 {
        if number == 200 {
            setup.forge.freeze_clock(1_700_000_500).await;
        }
        setup.repo.post("/issues/1/comments", json!({ "body": number.to_string() })).await;
    }
    let list = setup.github.comments(&issue(1), None).await.unwrap();
    let bodies: Vec<_> = list.value.iter().map(|comment| comment.body.clone()).collect();
    assert_eq!(bodies, (0..250).map(|number| number.to_string()).collect::<Vec<_>>());
    assert_eq!((list.pages, list.value[0].author.login.as_str()), (3, "admin"));
    let recent = setup.github.comments(&issue(1), Some(ServerTime(1_700_000_500))).await.unwrap();
    assert_eq!((recent.value.len(), recent.pages), (50, 1));
    let short = baton_github::Settings {
        pages_max: 2,
        ..crate::github::settings(&setup.forge.url, baton_github::Auth::token(TOKEN))
    };
    let short = baton_github::GitHub::new(short).unwrap();
    let error = refused(short.comments(&issue(1), None).await, TrackerErrorKind::Invalid);
    assert!(error.answer.contains("more than 2 pages"), "a list is complete or an error: {error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn label_events_tell_when_by_whom_and_which() {
    let setup = Setup::new().await;
    setup.forge.freeze_clock(1_700_000_000).await;
    setup.github.add_labels(&issue(1), &["agent:in-flight"]).await.unwrap();
    setup.repo.post("/issues/1/comments", json!({ "body": "not an event of labels" })).await;
    setup.forge.freeze_clock(1_700_000_009).await;
    setup.github.remove_label(&issue(1), "agent:in-flight").await.unwrap();
    setup.github.close_issue(&issue(1)).await.unwrap();
    let events = setup.github.label_events(&issue(1)).await.unwrap().value;
    let shown: Vec<_> = events
        .iter()
        .map(|event| (event.label.as_str(), event.was_added, event.at.0, event.actor.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            ("agent:in-flight", true, 1_700_000_000, "admin"),
            ("agent:in-flight", false, 1_700_000_009, "admin")
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn permissions_are_those_of_the_account_and_strangers_have_none_to_speak_of() {
    let setup = Setup::new().await;
    for (login, level) in
        [("wendy", Some("push")), ("tom", Some("triage")), ("mia", Some("maintain")), ("sue", None)]
    {
        setup.second(login, "admin");
        let path = format!("/repos/admin/web/collaborators/{login}");
        if let Some(level) = level {
            setup.forge.admin.must("PUT", &path, &json!({ "permission": level }), 204).await;
        }
    }
    let check = async |login: &str, expected: Permission| {
        assert_eq!(setup.github.permission(&repo(), login).await.unwrap(), expected, "{login}");
    };
    check("admin", Permission::Write).await;
    check("wendy", Permission::Write).await;
    check("mia", Permission::Write).await;
    check("tom", Permission::Read).await;
    check("sue", Permission::Read).await;
    check("nobody-at-all", Permission::None).await;
    check("relay[bot]", Permission::None).await;
}

/// Opens a pull request from a new branch with one more file; returns its number.
pub(crate) async fn pull_request(setup: &Setup, branch: &str) -> u64 {
    let main = setup.repo.get("/git/ref/heads/main").await["object"]["sha"].clone();
    setup.repo.post("/git/refs", json!({ "ref": format!("refs/heads/{branch}"), "sha": main })).await;
    let file = json!({ "message": "more", "content": "bW9yZQ==", "branch": branch });
    let path = format!("/repos/admin/web/contents/{branch}.txt");
    setup.forge.admin.must("PUT", &path, &file, 201).await;
    let pull = setup.repo.post("/pulls", json!({ "title": branch, "head": branch, "base": "main" })).await;
    pull["number"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn pull_requests_are_read_one_by_one_and_as_a_list_of_open_ones() {
    let setup = Setup::new().await;
    let (first, second) = (pull_request(&setup, "one").await, pull_request(&setup, "two/three").await);
    let open = setup.github.open_pulls(&repo()).await.unwrap();
    assert_eq!(open.iter().map(|pull| pull.number).collect::<Vec<_>>(), [first, second]);
    let path = format!("/repos/admin/web/pulls/{first}");
    setup.forge.admin.must("PATCH", &path, &json!({ "state": "closed" }), 200).await;
    let closed = setup.github.pull(&repo(), first).await.unwrap();
    assert_eq!(
        (closed.state, closed.head_branch.as_str(), closed.body.as_str()),
        (PullState::Closed, "one", "")
    );
    let pull = setup.github.pull(&repo(), second).await.unwrap();
    let tip: Value = setup.repo.get("/git/ref/heads/two/three").await["object"]["sha"].clone();
    assert_eq!((pull.state, json!(pull.head_sha), pull.base_branch.as_str()), (PullState::Open, tip, "main"));
    assert_eq!((pull.author.as_str(), pull.title.as_str()), ("admin", "two/three"));
    assert!(pull.url.starts_with("http"), "{}", pull.url);
    assert_eq!(setup.github.open_pulls(&repo()).await.unwrap().len(), 1);
    refused(setup.github.pull(&repo(), 1).await, TrackerErrorKind::NotFound);
}
