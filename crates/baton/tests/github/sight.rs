//! A sight of an issue: everything that the tracker shows of it, all pages included.

use std::collections::BTreeMap;

use baton_core::pipeline::checks::Health;
use baton_core::pipeline::effect::{Place, Reaction};
use baton_core::pipeline::item::{MergeState, ReviewDecision, ReviewState};
use baton_core::tracker::{PullState, Sighting};
use baton_ports::{Tracker as _, TrackerErrorKind};
use serde_json::json;

use crate::github::{Setup, issue, refused, repo};

const BRANCH: &str = "baton/issue-1";

impl Setup {
    /// Commits a file to a branch, which is made from `main` if it is not there.
    pub(crate) async fn commit_to(&self, branch: &str, path: &str) -> String {
        let tip = self.repo.get("/git/ref/heads/main").await["object"]["sha"].clone();
        let body = json!({ "ref": format!("refs/heads/{branch}"), "sha": tip });
        self.forge.admin.ask("POST", "/repos/admin/web/git/refs", &body).await;
        let body = json!({ "message": "work", "content": "eA==", "branch": branch });
        let path = format!("/repos/admin/web/contents/{path}");
        let made = self.forge.admin.must("PUT", &path, &body, 201).await;
        made["commit"]["sha"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn open_pull(&self, branch: &str) -> u64 {
        let body = json!({ "title": "work", "head": branch, "base": "main", "draft": false });
        self.repo.post("/pulls", body).await["number"].as_u64().unwrap()
    }

    async fn sight(&self) -> Sighting {
        self.github.sight(&issue(1), BRANCH).await.unwrap().value
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_without_anything_is_seen_with_nothing() {
    let setup = Setup::new().await;
    let before = setup.github.requests_sent();
    let dated = setup.github.sight(&issue(1), BRANCH).await.unwrap();
    assert_eq!(setup.github.requests_sent() - before, 1, "one document is enough");
    let seen = dated.value;
    assert_eq!((seen.issue.number, seen.issue.title.as_str()), (1, "first"));
    assert!(seen.issue.is_open && !seen.issue.is_pull);
    assert_eq!(seen.issue.author, "admin");
    assert!(seen.comments.is_empty() && seen.blockers.is_empty() && seen.pull.is_none());
    assert!(seen.labelled_at.is_empty() && seen.placements.is_empty());
    let budget = setup.github.budgets().into_iter().find(|budget| budget.resource == "graphql").unwrap();
    assert!(budget.limit - budget.remaining <= 2, "{budget:?}");
    assert!(setup.github.left_permille().unwrap() > 990);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_is_seen_with_its_labels_comments_and_blockers() {
    let setup = Setup::new().await;
    setup.github.add_labels(&issue(1), &["stage:Plan", "bug"]).await.unwrap();
    setup.github.remove_label(&issue(1), "bug").await.unwrap();
    let own = setup.github.post_comment(&issue(1), "from the engine").await.unwrap().value.id;
    let guest = setup.second("guest", "write");
    let strange = guest.post_comment(&issue(1), "from a guest").await.unwrap().value.id;
    setup.github.react(&repo(), Place::Issue, strange, Reaction::Rocket).await.unwrap();
    setup.github.react(&repo(), Place::Issue, strange, Reaction::Rocket).await.unwrap();
    guest.react(&repo(), Place::Issue, own, Reaction::Rocket).await.unwrap();
    let second = setup.repo.post("/issues", json!({ "title": "second" })).await;
    let blocker = json!({ "issue_id": second["id"] });
    setup.repo.post("/issues/1/dependencies/blocked_by", blocker).await;
    let seen = setup.sight().await;
    assert_eq!(seen.issue.labels, ["stage:Plan"]);
    assert_eq!(seen.labelled_at.keys().collect::<Vec<_>>(), ["stage:Plan"]);
    let comment = |id| seen.comments.iter().find(|comment| comment.id == id).unwrap();
    assert!(comment(own).is_own_account && comment(own).may_write);
    assert!(!comment(own).has_rocket, "a sign of somebody who may not write says nothing");
    assert!(!comment(strange).is_own_account && !comment(strange).may_write);
    assert!(comment(strange).has_rocket);
    assert_eq!((seen.blockers[0].issue.number, seen.blockers[0].is_open), (2, true));
    setup.forge.admin.must("PATCH", "/repos/admin/web/issues/2", &json!({ "state": "closed" }), 200).await;
    assert!(!setup.sight().await.blockers[0].is_open);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_is_seen_with_checks_reviews_and_threads() {
    let setup = Setup::new().await;
    let sha = setup.commit_to(BRANCH, "work.txt").await;
    let number = setup.open_pull(BRANCH).await;
    let ann = setup.forge.client(&setup.forge.account("ann", "write"));
    setup.repo.permit("ann", "push").await;
    let comments = json!([{ "path": "work.txt", "line": 1, "side": "RIGHT", "body": "why?" }]);
    let review = json!({ "event": "REQUEST_CHANGES", "body": "no", "comments": comments });
    ann.must("POST", &format!("/repos/admin/web/pulls/{number}/reviews"), &review, 200).await;
    setup.repo.post(&format!("/statuses/{sha}"), json!({ "state": "failure", "context": "lint" })).await;
    let run = json!({ "name": "build", "head_sha": sha, "status": "completed", "conclusion": "success" });
    setup.repo.post("/check-runs", run).await;
    setup.github.post_comment(&issue(number), "on the pull request").await.unwrap();
    let seen = setup.sight().await;
    let pull = seen.pull.unwrap();
    assert_eq!((pull.number, pull.state, pull.author.as_str()), (number, PullState::Open, "admin"));
    assert_eq!(pull.head_sha, sha);
    let reviews: BTreeMap<_, _> =
        pull.reviews.iter().map(|review| (review.author.as_str(), review.state)).collect();
    assert_eq!(reviews["ann"], ReviewState::ChangesRequested);
    let checks = pull.checks.unwrap();
    assert!(checks.any(Health::Failed), "{checks:?}");
    assert!(checks.as_slice().iter().any(|check| check.name == "lint"));
    let thread = &pull.threads[0];
    assert_eq!((thread.path.as_str(), thread.line, thread.is_resolved), ("work.txt", Some(1), false));
    let said = &thread.comments[0];
    assert_eq!((said.body.as_str(), said.has_rocket, said.may_write), ("why?", false, true));
    assert!(seen.comments.iter().any(|comment| comment.is_on_pull && comment.body == "on the pull request"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_not_found() {
    let setup = Setup::new().await;
    refused(setup.github.sight(&issue(99), BRANCH).await, TrackerErrorKind::NotFound);
    let elsewhere = "admin/nothing#1".parse().unwrap();
    refused(setup.github.sight(&elsewhere, BRANCH).await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_is_seen_with_what_decides_about_its_merge() {
    let setup = Setup::new().await;
    let protection = json!({
        "required_status_checks": { "strict": false, "contexts": ["build", "lint"] }, "enforce_admins": null,
        "required_pull_request_reviews": { "required_approving_review_count": 1 }, "restrictions": null,
    });
    let main = setup.repo.get("/git/ref/heads/main").await["object"]["sha"].as_str().unwrap().to_owned();
    setup.repo.post(&format!("/statuses/{main}"), json!({ "state": "error", "context": "flaky" })).await;
    setup.commit_to(BRANCH, "work.txt").await;
    setup.open_pull(BRANCH).await;
    assert_eq!(setup.sight().await.pull.unwrap().decision, ReviewDecision::NoRule);
    let path = "/repos/admin/web/branches/main/protection";
    setup.forge.admin.must("PUT", path, &protection, 200).await;
    let mut pull = setup.sight().await.pull.unwrap();
    assert_eq!(pull.decision, ReviewDecision::ReviewRequired);
    assert_eq!(pull.base_failures, ["flaky"]);
    assert_eq!(pull.required_checks, ["build", "lint"]);
    for _ in 0..1000 {
        if pull.mergeable.is_some() {
            break;
        }
        pull = setup.sight().await.pull.unwrap();
    }
    assert_eq!((pull.mergeable, pull.merge_state), (Some(true), MergeState::Blocked));
    let seen = setup.second("guest", "read").sight(&issue(1), BRANCH).await.unwrap().value;
    assert_eq!(seen.pull.unwrap().required_checks, ["build", "lint"], "everybody may know");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_is_seen_as_an_issue_too() {
    let setup = Setup::new().await;
    setup.commit_to(BRANCH, "work.txt").await;
    let number = setup.open_pull(BRANCH).await;
    setup.github.add_labels(&issue(number), &["stage:Plan"]).await.unwrap();
    setup.github.post_comment(&issue(number), "hello").await.unwrap();
    let seen = setup.github.sight(&issue(number), "none").await.unwrap().value;
    assert!(seen.issue.is_pull && seen.issue.is_open && seen.pull.is_none());
    assert_eq!(seen.labelled_at.keys().collect::<Vec<_>>(), ["stage:Plan"]);
    assert_eq!(seen.comments.iter().map(|comment| comment.body.as_str()).collect::<Vec<_>>(), ["hello"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_write_is_asked_once_in_a_while_and_not_for_every_comment() {
    let setup = Setup::new().await;
    let guest = setup.second("guest", "write");
    for _ in 0..5 {
        guest.post_comment(&issue(1), "hello").await.unwrap();
    }
    let before = setup.github.requests_sent();
    for _ in 0..3 {
        setup.sight().await;
    }
    assert_eq!(setup.github.requests_sent() - before, 4, "three sights and one question about the guest");
}
