//! Lists that are longer than a page, to their last entry.

use std::collections::BTreeSet;

use baton_core::tracker::Scope;
use baton_fixtures::TOKEN;
use baton_github::{Auth, GitHub, Settings};
use baton_ports::{Board as _, Tracker as _, TrackerErrorKind};
use serde_json::json;

use crate::github::boards::{numbers, project, project_board};
use crate::github::{COMMENTS, Setup, issue, refused, repo, settings};

const BRANCH: &str = "baton/issue-1";

#[tokio::test(flavor = "multi_thread")]
async fn every_comment_is_seen_and_a_list_that_is_too_long_is_an_error() {
    let setup = Setup::new().await;
    for number in 0..260 {
        setup.forge.admin.must("POST", COMMENTS, &json!({ "body": number.to_string() }), 201).await;
    }
    let seen = setup.github.sight(&issue(1), BRANCH).await.unwrap().value;
    let expected: Vec<_> = (0..260).map(|number| number.to_string()).collect();
    assert_eq!(seen.comments.iter().map(|comment| comment.body.clone()).collect::<Vec<_>>(), expected);
    assert_eq!(seen.issue.comments, 260);
    let base = settings(&setup.forge.url, Auth::token(TOKEN));
    let short = GitHub::new(Settings { pages_max: 2, ..base }).unwrap();
    refused(short.sight(&issue(1), BRANCH).await, TrackerErrorKind::Invalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_moment_of_a_label_is_found_behind_more_than_a_hundred_events() {
    let setup = Setup::new().await;
    setup.forge.freeze_clock(1_700_000_000).await;
    setup.github.add_labels(&issue(1), &["old"]).await.unwrap();
    setup.forge.freeze_clock(1_700_000_100).await;
    for _ in 0..130 {
        setup.github.add_labels(&issue(1), &["new"]).await.unwrap();
        setup.github.remove_label(&issue(1), "new").await.unwrap();
    }
    setup.forge.freeze_clock(1_700_000_200).await;
    setup.github.add_labels(&issue(1), &["new"]).await.unwrap();
    let seen = setup.github.sight(&issue(1), BRANCH).await.unwrap().value;
    let at = |label: &str| seen.labelled_at[label].0;
    assert_eq!((at("old"), at("new")), (1_700_000_000, 1_700_000_200));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_item_of_a_project_and_every_open_issue_is_on_the_survey() {
    let setup = Setup::new().await;
    let project = project(&setup).await;
    let add = "mutation($p: ID!, $c: ID!) { addProjectV2ItemById(input: {projectId: $p, contentId: $c}) { item { id } } }";
    for number in 2..=120 {
        let made = setup.repo.post("/issues", json!({ "title": number.to_string() })).await;
        let body = json!({ "query": add, "variables": { "p": project, "c": made["node_id"] } });
        setup.forge.admin.must("POST", "/graphql", &body, 200).await;
    }
    let on_project = project_board(&setup, "Status").survey(Scope::All).await.unwrap();
    assert_eq!(numbers(&on_project), (2..=120).collect::<Vec<_>>());
    let by_labels = setup.label_board().survey(Scope::All).await.unwrap();
    assert_eq!(numbers(&by_labels), (1..=120).collect::<Vec<_>>());
    let board = setup.label_board();
    board.survey(Scope::All).await.unwrap();
    let news = board.survey(Scope::News).await.unwrap();
    assert!(news.rows.len() >= 100, "the last minute has more than a page: {}", news.rows.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_check_and_every_word_in_a_thread_is_seen() {
    let setup = Setup::new().await;
    let sha = setup.commit_to(BRANCH, "work.txt").await;
    let number = setup.open_pull(BRANCH).await;
    for context in 0..110 {
        let status = json!({ "state": "success", "context": format!("check-{context}") });
        setup.repo.post(&format!("/statuses/{sha}"), status).await;
    }
    let path = format!("/pulls/{number}/comments");
    let first = json!({ "body": "0", "commit_id": sha, "path": "work.txt", "line": 1, "side": "RIGHT" });
    let first = setup.repo.post(&path, first).await["id"].as_u64().unwrap();
    for word in 1..140 {
        setup.repo.post(&format!("{path}/{first}/replies"), json!({ "body": word.to_string() })).await;
    }
    let pull = setup.github.sight(&issue(1), BRANCH).await.unwrap().value.pull.unwrap();
    assert_eq!(pull.checks.unwrap().as_slice().len(), 110);
    let words: BTreeSet<_> = pull.threads[0].comments.iter().map(|comment| comment.body.clone()).collect();
    assert_eq!((pull.threads.len(), words.len()), (1, 140));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_open_pull_request_of_a_branch_is_meant_among_many() {
    let setup = Setup::new().await;
    setup.commit_to(BRANCH, "work.txt").await;
    let mut last = 0;
    for _ in 0..25 {
        last = setup.open_pull(BRANCH).await;
        let close = json!({ "state": "closed" });
        setup.forge.admin.must("PATCH", &format!("/repos/admin/web/pulls/{last}"), &close, 200).await;
    }
    let pull = async || setup.github.sight(&issue(1), BRANCH).await.unwrap().value.pull.unwrap();
    assert_eq!(pull().await.number, last, "without an open one, the newest");
    setup.forge.admin.must("PATCH", "/repos/admin/web/pulls/4", &json!({ "state": "open" }), 200).await;
    assert_eq!(pull().await.number, 4);
    assert!(setup.github.pulls_by_head(&repo(), BRANCH).await.unwrap().len() == 25);
}
