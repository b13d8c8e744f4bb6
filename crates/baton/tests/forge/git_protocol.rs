//! Real git against the forge: clone, push, atomic pushes, expected ids, pull requests that follow.

use std::path::{Path, PathBuf};

use baton_fixtures::git::{git, run};
use baton_fixtures::wait::eventually_async;
use baton_fixtures::{TOKEN, TestForge, TestRepo};
use serde_json::{Value, json};

use crate::forge::commit_on;

/// Returns a pull request once its trial merge has been made, which happens in the background.
async fn settled(repo: &TestRepo, number: u64) -> Value {
    let path = format!("/pulls/{number}");
    eventually_async("the trial merge", async || {
        Some(repo.get(&path).await).filter(|pull| !pull["mergeable"].is_null())
    })
    .await
}

/// Clones it as `admin`.
fn clone(repo: &TestRepo, forge: &TestForge, name: &str) -> PathBuf {
    git(forge.dir(), &["clone", "-q", &repo.address(TOKEN), name]);
    forge.dir().join(name)
}

fn commit(work: &Path, file: &str, text: &str) -> String {
    std::fs::write(work.join(file), text).unwrap();
    git(work, &["add", "."]);
    git(work, &["commit", "-q", "-m", text]);
    git(work, &["rev-parse", "HEAD"])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_pushed_is_what_the_api_shows_as_soon_as_the_push_ends() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    let work = clone(&repo, &forge, "work");
    git(&work, &["checkout", "-q", "-b", "topic/one"]);
    let oid = commit(&work, "a.txt", "a");
    git(&work, &["push", "-q", "origin", "topic/one", "HEAD:refs/baton/claims/7"]);
    assert_eq!(repo.tip("heads/topic/one").await.unwrap(), oid);
    assert_eq!(repo.tip("baton/claims/7").await.unwrap(), oid);
    assert_eq!(repo.get("/contents/a.txt?ref=topic/one").await["content"], "YQ==\n");
    git(&work, &["push", "-q", "origin", ":topic/one"]);
    assert_eq!(
        repo.client.ask("GET", "/repos/admin/web/git/ref/heads/topic/one", &Value::Null).await.status,
        404
    );
    let again = clone(&repo, &forge, "again");
    assert_eq!(git(&again, &["log", "--format=%s"]), "Initial commit");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_atomic_push_with_one_wrong_expectation_moves_nothing() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    let work = clone(&repo, &forge, "work");
    let main = repo.tip("heads/main").await.unwrap();
    git(&work, &["push", "-q", "origin", "HEAD:refs/baton/claims/1", "HEAD:refs/heads/topic"]);
    // Somebody else takes the claim.
    let taken = commit_on(&repo, &main, "taken").await;
    repo.client
        .must("PATCH", "/repos/admin/web/git/refs/baton/claims/1", &json!({ "sha": taken }), 200)
        .await;
    let mine = commit(&work, "a.txt", "mine");
    let lease = |name: &str| format!("--force-with-lease={name}:{main}");
    let push = run(
        &work,
        &[
            "push",
            "--atomic",
            &lease("refs/baton/claims/1"),
            &lease("refs/heads/topic"),
            "origin",
            "HEAD:refs/baton/claims/1",
            "HEAD:refs/heads/topic",
        ],
    );
    assert!(push.code != 0);
    assert_eq!(
        (repo.tip("baton/claims/1").await.unwrap(), repo.tip("heads/topic").await.unwrap()),
        (taken.clone(), main.clone())
    );
    let lease = [format!("--force-with-lease=refs/baton/claims/1:{taken}"), lease("refs/heads/topic")];
    git(
        &work,
        &[
            "push",
            "-q",
            "--atomic",
            &lease[0],
            &lease[1],
            "origin",
            "HEAD:refs/baton/claims/1",
            "HEAD:refs/heads/topic",
        ],
    );
    assert_eq!(
        (repo.tip("baton/claims/1").await.unwrap(), repo.tip("heads/topic").await.unwrap()),
        (mine.clone(), mine)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_those_who_may_write_push_and_only_those_who_may_read_fetch() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    let work = clone(&repo, &forge, "work");
    commit(&work, "a.txt", "a");
    let reader = forge.token(&["--user", "admin", "--role", "read"]);
    for address in [repo.address(&reader), repo.address("bft_wrong"), format!("{}/admin/web.git", forge.url)]
    {
        let push = run(&work, &["push", "-q", &address, "HEAD:refs/heads/stolen"]);
        assert!(push.code != 0, "{address}");
    }
    assert_eq!(
        repo.client.ask("GET", "/repos/admin/web/git/ref/heads/stolen", &Value::Null).await.status,
        404
    );
    git(forge.dir(), &["clone", "-q", &format!("{}/admin/web", forge.url), "public"]);
    repo.client.must("PATCH", "/repos/admin/web", &json!({ "private": true }), 200).await;
    assert!(run(forge.dir(), &["clone", "-q", &format!("{}/admin/web", forge.url), "private"]).code != 0);
    git(forge.dir(), &["clone", "-q", &repo.address(&reader), "allowed"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_follows_its_branch_and_closes_its_issue_when_merged() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    repo.post("/issues", json!({ "title": "to be closed" })).await;
    let work = clone(&repo, &forge, "work");
    git(&work, &["checkout", "-q", "-b", "topic"]);
    commit(&work, "a.txt", "one");
    git(&work, &["push", "-q", "origin", "topic"]);
    let pull = repo
        .post("/pulls", json!({ "title": "Topic", "head": "topic", "base": "main", "body": "Closes #1" }))
        .await;
    assert_eq!(
        (&pull["mergeable"], &pull["commits"], &pull["changed_files"]),
        (&json!(null), &json!(1), &json!(1)),
        "nobody has tried yet"
    );
    assert_eq!(settled(&repo, 2).await["mergeable"], true);
    let second = commit(&work, "b.txt", "two");
    git(&work, &["push", "-q", "origin", "topic"]);
    let pull = repo.get("/pulls/2").await;
    assert_eq!((pull["head"]["sha"].as_str(), &pull["commits"]), (Some(second.as_str()), &json!(2)));
    assert_eq!(repo.tip("pull/2/head").await.unwrap(), second);
    let first = git(&work, &["rev-parse", "HEAD~"]);
    repo.client.must("PUT", "/repos/admin/web/pulls/2/merge", &json!({ "sha": first }), 409).await;
    let merged =
        repo.client.must("PUT", "/repos/admin/web/pulls/2/merge", &json!({ "sha": second }), 200).await;
    assert_eq!(repo.tip("heads/main").await.unwrap(), merged["sha"].as_str().unwrap());
    assert_eq!(repo.get("/issues/1").await["state"], "closed");
    let log = clone(&repo, &forge, "merged");
    assert_eq!(git(&log, &["log", "-1", "--format=%s|%an"]), "Merge pull request #2 from admin/topic|admin");
    git(&log, &["fsck", "--strict"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflicting_pull_request_is_not_mergeable_and_says_so() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    let work = clone(&repo, &forge, "work");
    git(&work, &["checkout", "-q", "-b", "topic"]);
    commit(&work, "same.txt", "mine");
    git(&work, &["push", "-q", "origin", "topic"]);
    git(&work, &["checkout", "-q", "main"]);
    commit(&work, "same.txt", "theirs");
    git(&work, &["push", "-q", "origin", "main"]);
    repo.post("/pulls", json!({ "title": "x", "head": "topic", "base": "main" })).await;
    let pull = settled(&repo, 1).await;
    assert_eq!((&pull["mergeable"], &pull["mergeable_state"]), (&json!(false), &json!("dirty")));
    for method in ["merge", "squash", "rebase"] {
        repo.client
            .must("PUT", "/repos/admin/web/pulls/1/merge", &json!({ "merge_method": method }), 405)
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn squash_and_rebase_leave_a_straight_history() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    let work = clone(&repo, &forge, "work");
    for (number, method, expected) in [(1, "squash", "one (#1)"), (2, "rebase", "b2\nb1\none (#1)")] {
        git(&work, &["checkout", "-q", "-B", &format!("topic{number}"), "origin/main"]);
        let name = if number == 1 { "a" } else { "b" };
        commit(&work, &format!("{name}1"), &format!("{name}1"));
        commit(&work, &format!("{name}2"), &format!("{name}2"));
        git(&work, &["push", "-q", "origin", &format!("topic{number}")]);
        repo.post("/pulls", json!({ "title": "one", "head": format!("topic{number}"), "base": "main" }))
            .await;
        repo.client
            .must(
                "PUT",
                &format!("/repos/admin/web/pulls/{number}/merge"),
                &json!({ "merge_method": method }),
                200,
            )
            .await;
        git(&work, &["fetch", "-q", "origin"]);
        assert_eq!(git(&work, &["log", "--format=%s", "origin/main"]), format!("{expected}\nInitial commit"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keyword_in_a_commit_on_the_default_branch_closes_the_issue() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    repo.post("/issues", json!({ "title": "x" })).await;
    let work = clone(&repo, &forge, "work");
    let oid = commit(&work, "a.txt", "Fixes #1");
    git(&work, &["push", "-q", "origin", "main"]);
    assert_eq!(repo.get("/issues/1").await["state"], "closed");
    let events = repo.get("/issues/1/events").await;
    assert_eq!(
        (&events[0]["event"], events[0]["commit_id"].as_str()),
        (&json!("closed"), Some(oid.as_str()))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_push_decides_the_default_branch_of_an_empty_repository() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    repo.client.must("POST", "/user/repos", &json!({ "name": "empty" }), 201).await;
    let path = "/repos/admin/empty";
    repo.client.must("GET", &format!("{path}/commits"), &Value::Null, 409).await;
    let work = forge.dir().join("work");
    git(forge.dir(), &["init", "-q", "-b", "master", "work"]);
    commit(&work, "a.txt", "a");
    let address = repo.address(TOKEN).replace("web.git", "empty.git");
    git(&work, &["push", "-q", &address, "master"]);
    assert_eq!(repo.client.must("GET", path, &Value::Null, 200).await["default_branch"], "master");
    git(forge.dir(), &["clone", "-q", &address, "again"]);
    assert_eq!(git(&forge.dir().join("again"), &["log", "--format=%s"]), "a");
    assert!(run(&work, &["push", "-q", &address, ":master"]).code != 0, "the default branch cannot go");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_file_of_an_empty_repository_is_its_first_commit() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    repo.client.must("POST", "/user/repos", &json!({ "name": "empty" }), 201).await;
    let body = |branch: &str| json!({ "message": "first", "content": "aGk=", "branch": branch });
    for branch in ["a b", "../x", "x\u{0}y", "x\ncreate refs/heads/y"] {
        let status =
            repo.client.ask("PUT", "/repos/admin/empty/contents/README.md", &body(branch)).await.status;
        assert!((400..500).contains(&status), "{branch:?}: {status}");
    }
    repo.client.must("PUT", "/repos/admin/empty/contents/README.md", &body("main"), 201).await;
    let refs = repo.client.must("GET", "/repos/admin/empty/git/matching-refs/heads", &Value::Null, 200).await;
    assert_eq!((refs.as_array().unwrap().len(), &refs[0]["ref"]), (1, &json!("refs/heads/main")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_whose_answer_is_lost_is_seen_by_the_api_all_the_same() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    let work = clone(&repo, &forge, "work");
    let oid = commit(&work, "a.txt", "a");
    let fault = json!({ "matching": { "method": "POST", "path_contains": "git-receive-pack" }, "when": "after", "kind": "drop", "times": 1 });
    forge.turn(json!({ "faults": [fault] })).await;
    assert!(run(&work, &["push", "-q", "origin", "HEAD:refs/heads/lost"]).code != 0);
    assert_eq!(repo.tip("heads/lost").await.unwrap(), oid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_is_opened_again_takes_up_its_branch_as_it_is() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    let work = clone(&repo, &forge, "work");
    git(&work, &["checkout", "-q", "-b", "topic"]);
    commit(&work, "a.txt", "one");
    git(&work, &["push", "-q", "origin", "topic"]);
    repo.post("/pulls", json!({ "title": "x", "head": "topic", "base": "main" })).await;
    let path = "/repos/admin/web/pulls/1";
    repo.client.must("PATCH", path, &json!({ "state": "closed" }), 200).await;
    let second = commit(&work, "b.txt", "two");
    git(&work, &["push", "-q", "origin", "topic"]);
    let pull = repo.client.must("PATCH", path, &json!({ "state": "open" }), 200).await;
    assert_eq!(pull["head"]["sha"].as_str(), Some(second.as_str()));
    git(&work, &["push", "-q", "origin", ":topic"]);
    assert_eq!(repo.get("/pulls/1").await["state"], "closed");
    repo.client.must("PATCH", path, &json!({ "state": "open" }), 422).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_during_a_merge_is_not_lost_and_the_counts_stay_right() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    let work = clone(&repo, &forge, "work");
    for number in 1..=8 {
        git(&work, &["checkout", "-q", "-B", "topic", "origin/main"]);
        commit(&work, &format!("{number}.txt"), "text");
        git(&work, &["push", "-q", "-f", "origin", "topic"]);
        repo.post("/pulls", json!({ "title": "x", "head": "topic", "base": "main" })).await;
        let (client, pull) = (repo.client.clone(), format!("/repos/admin/web/pulls/{number}"));
        let merge =
            tokio::spawn(async move { client.ask("PUT", &format!("{pull}/merge"), &json!({})).await.status });
        let edit = json!({ "body": format!("edited {number}") });
        repo.client.must("PATCH", &format!("/repos/admin/web/issues/{number}"), &edit, 200).await;
        assert_eq!(merge.await.unwrap(), 200);
        assert_eq!(repo.get(&format!("/issues/{number}")).await["body"], edit["body"]);
    }
    assert_eq!(repo.get("").await["open_issues_count"], 0);
}
