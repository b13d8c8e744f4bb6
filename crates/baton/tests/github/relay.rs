//! The writes of the pipeline, each done twice.

use baton_core::pipeline::effect::{Place, Reaction};
use baton_core::tracker::{IssueKey, Merge};
use baton_fixtures::{Client, TOKEN};
use baton_github::{Auth, GitHub, MergeMethod, Settings};
use baton_ports::{Tracker as _, TrackerErrorKind};
use serde_json::{Value, json};

use crate::github::{Setup, issue, refused, repo, settings};

const BRANCH: &str = "baton/issue-1";

impl Setup {
    /// Makes an account that may write, and has it complain about a file of a pull request.
    async fn complaint(&self, pull: u64, path: &str) -> Client {
        let ann = self.forge.client(&self.forge.account("ann", "write"));
        self.repo.permit("ann", "push").await;
        let comments = json!([{ "path": path, "line": 1, "side": "RIGHT", "body": "why?" }]);
        let review = json!({ "event": "REQUEST_CHANGES", "body": "no", "comments": comments });
        ann.must("POST", &format!("/repos/admin/web/pulls/{pull}/reviews"), &review, 200).await;
        ann
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_is_answered_and_settled() {
    let setup = Setup::new().await;
    setup.commit_to(BRANCH, "work.txt").await;
    let pull = setup.open_pull(BRANCH).await;
    setup.complaint(pull, "work.txt").await;
    let thread = async || {
        let seen = setup.github.sight(&issue(1), BRANCH).await.unwrap().value;
        seen.pull.unwrap().threads.remove(0)
    };
    let comment = thread().await.comments[0].id;
    for _ in 0..2 {
        setup.github.react(&repo(), Place::Pull, comment, Reaction::Eyes).await.unwrap();
        assert!(!thread().await.comments[0].has_rocket, "it was only seen");
    }
    let stranger = setup.second("stranger", "write");
    stranger.react(&repo(), Place::Pull, comment, Reaction::Rocket).await.unwrap();
    assert!(!thread().await.comments[0].has_rocket, "a stranger's sign says nothing");
    let bob = setup.second("bob", "write");
    setup.repo.permit("bob", "push").await;
    bob.react(&repo(), Place::Pull, comment, Reaction::Rocket).await.unwrap();
    assert!(thread().await.comments[0].has_rocket, "another engine has acted on it");
    let id = thread().await.id;
    for _ in 0..2 {
        setup.github.resolve_thread(&repo(), &id).await.unwrap();
        assert!(thread().await.is_resolved);
    }
    setup.github.resolve_thread(&repo(), "PRRT_nothing").await.unwrap();
    refused(
        setup.github.react(&repo(), Place::Pull, 999_999, Reaction::Eyes).await,
        TrackerErrorKind::NotFound,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_read_settles_no_thread() {
    let setup = Setup::new().await;
    setup.commit_to(BRANCH, "work.txt").await;
    let pull = setup.open_pull(BRANCH).await;
    setup.complaint(pull, "work.txt").await;
    let reader = setup.second("reader", "read");
    let seen = reader.sight(&issue(1), BRANCH).await.unwrap().value;
    let thread = &seen.pull.unwrap().threads[0];
    refused(reader.resolve_thread(&repo(), &thread.id).await, TrackerErrorKind::Forbidden);
    refused(reader.mark_ready(&repo(), 99).await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_becomes_ready_and_stays_so() {
    let setup = Setup::new().await;
    setup.commit_to(BRANCH, "work.txt").await;
    let body = json!({ "title": "work", "head": BRANCH, "base": "main", "draft": true });
    let number = setup.repo.post("/pulls", body).await["number"].as_u64().unwrap();
    let is_draft = async || setup.github.sight(&issue(1), BRANCH).await.unwrap().value.pull.unwrap().is_draft;
    assert!(is_draft().await);
    for _ in 0..2 {
        setup.github.mark_ready(&repo(), number).await.unwrap();
        assert!(!is_draft().await);
    }
    setup.fault("POST", "/graphql", "after", json!({ "status": 502 }), 1).await;
    setup.github.mark_ready(&repo(), number).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn reviewers_are_asked_again_whatever_they_are() {
    let setup = Setup::new().await;
    setup.commit_to(BRANCH, "work.txt").await;
    let number = setup.open_pull(BRANCH).await;
    let ann = setup.complaint(number, "work.txt").await;
    let requests = async || {
        let pull = setup.github.sight(&issue(1), BRANCH).await.unwrap().value.pull.unwrap();
        pull.requests.into_iter().map(|request| request.login).collect::<Vec<_>>()
    };
    assert!(requests().await.is_empty());
    let logins = ["ann", "nobody[bot]", "acme/nobodies"].map(str::to_owned);
    for _ in 0..2 {
        setup.github.ask_reviewers_again(&repo(), number, &logins).await.unwrap();
        assert_eq!(requests().await, ["ann"]);
    }
    let review = json!({ "event": "APPROVE" });
    ann.must("POST", &format!("/repos/admin/web/pulls/{number}/reviews"), &review, 200).await;
    assert!(requests().await.is_empty(), "an answer ends the request");
    let nobody = ["nobody".to_owned()];
    refused(setup.github.ask_reviewers_again(&repo(), number, &nobody).await, TrackerErrorKind::Invalid);
    refused(setup.github.ask_reviewers_again(&repo(), 99, &logins).await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_are_linked_once_across_repositories_too() {
    let setup = Setup::new().await;
    setup.forge.admin.must("POST", "/user/repos", &json!({ "name": "api", "auto_init": true }), 201).await;
    setup.forge.admin.must("POST", "/repos/admin/api/issues", &json!({ "title": "part" }), 201).await;
    let elsewhere: IssueKey = "admin/api#1".parse().unwrap();
    let second = setup.repo.post("/issues", json!({ "title": "second" })).await["number"].as_u64().unwrap();
    for part in [&elsewhere, &issue(second), &elsewhere] {
        setup.github.link_part(&issue(1), part).await.unwrap();
    }
    let parts = setup.repo.get("/issues/1/sub_issues").await;
    assert_eq!(parts.as_array().unwrap().len(), 2, "{parts}");
    let seen = setup.github.sight(&issue(1), "none").await.unwrap().value;
    let mut blockers: Vec<_> = seen.blockers.iter().map(|blocker| blocker.issue.to_string()).collect();
    blockers.sort();
    assert_eq!(blockers, ["admin/api#1", "admin/web#2"]);
    refused(setup.github.link_part(&issue(1), &issue(99)).await, TrackerErrorKind::NotFound);
    refused(setup.github.link_part(&issue(99), &issue(1)).await, TrackerErrorKind::NotFound);
    let error = refused(setup.github.link_part(&issue(1), &issue(1)).await, TrackerErrorKind::Invalid);
    assert!(!error.is_retryable(), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_is_merged_as_the_settings_say() {
    for (method, parents) in [(MergeMethod::Merge, 2), (MergeMethod::Squash, 1), (MergeMethod::Rebase, 1)] {
        let setup = Setup::new().await;
        let base = settings(&setup.forge.url, Auth::token(TOKEN));
        let github = GitHub::new(Settings { merge_method: method, ..base }).unwrap();
        let sha = setup.commit_to(BRANCH, "work.txt").await;
        let number = setup.open_pull(BRANCH).await;
        let merged = github.merge_pull(&repo(), number, &sha).await.unwrap();
        let Merge::Merged(commit) = merged else { panic!("{merged:?}") };
        let made: Value = setup.repo.get(&format!("/git/commits/{commit}")).await;
        assert_eq!(made["parents"].as_array().unwrap().len(), parents, "{method:?}");
        let seen = github.sight(&issue(1), BRANCH).await.unwrap().value;
        assert!(seen.pull.unwrap().is_merged());
    }
}

/// Makes a pull request in a repository of an organization, of which a team is asked for a review.
async fn asked_of_a_team(setup: &Setup) -> IssueKey {
    setup.forge.administer(&["repo", "create", "acme/api"]).exits(0);
    let must = async |method: &str, path: &str, body: Value, status: u16| {
        setup.forge.admin.must(method, path, &body, status).await
    };
    must("POST", "/orgs/acme/teams", json!({ "name": "Core Team" }), 201).await;
    must("POST", "/repos/acme/api/issues", json!({ "title": "first" }), 201).await;
    let file = |branch: &str| json!({ "message": "work", "content": "eA==", "branch": branch });
    let made = must("PUT", "/repos/acme/api/contents/a.txt", file("main"), 201).await;
    let body = json!({ "ref": format!("refs/heads/{BRANCH}"), "sha": made["commit"]["sha"] });
    must("POST", "/repos/acme/api/git/refs", body, 201).await;
    must("PUT", "/repos/acme/api/contents/b.txt", file(BRANCH), 201).await;
    let body = json!({ "title": "work", "head": BRANCH, "base": "main" });
    let number = must("POST", "/repos/acme/api/pulls", body, 201).await["number"].clone();
    let path = format!("/repos/acme/api/pulls/{number}/requested_reviewers");
    must("POST", &path, json!({ "team_reviewers": ["core-team"] }), 201).await;
    "acme/api#1".parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_that_is_asked_is_named_and_one_that_cannot_be_named_is_waited_for() {
    let setup = Setup::new().await;
    let issue = asked_of_a_team(&setup).await;
    let requests = async || {
        let pull = setup.github.sight(&issue, BRANCH).await.unwrap().value.pull.unwrap();
        pull.requests.into_iter().map(|request| request.login).collect::<Vec<_>>()
    };
    assert_eq!(requests().await, ["acme/core-team"]);
    for status in [403, 404] {
        let kind = json!({ "status": status });
        setup.fault("GET", "/requested_reviewers", "before", kind, 1).await;
        assert_eq!(requests().await, ["acme/(hidden team)"], "{status}");
    }
}

#[test]
fn no_document_asks_for_what_takes_a_right_over_the_organization() {
    for document in baton_github::graphql_documents() {
        assert!(!document.text.contains("on Team"), "{}", document.name);
    }
}
