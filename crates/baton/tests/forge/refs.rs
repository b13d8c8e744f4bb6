//! Refs as a compare-and-swap: what claims will stand on.

use baton_fixtures::{TestForge, TestRepo};
use serde_json::json;

use crate::forge::commit_on;

/// Sends the same kind of request from many tasks at once; returns how many got each status.
async fn race(
    repo: &TestRepo,
    method: &'static str,
    path: &str,
    bodies: Vec<serde_json::Value>,
) -> Vec<(u16, String)> {
    let tasks: Vec<_> = bodies
        .into_iter()
        .map(|body| {
            let (client, path) = (repo.client.clone(), path.to_owned());
            tokio::spawn(async move {
                let answer = client.ask(method, &path, &body).await;
                (answer.status, answer.json()["message"].as_str().unwrap_or_default().to_owned())
            })
        })
        .collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.unwrap());
    }
    results
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_create_the_same_ref_exactly_one_succeeds() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    let main = repo.tip("heads/main").await.unwrap();
    for number in 0..5 {
        let mut bodies = Vec::new();
        for claimant in 0..16 {
            let sha = commit_on(&repo, &main, &format!("claim {number} by {claimant}")).await;
            bodies.push(json!({ "ref": format!("refs/baton/claims/{number}"), "sha": sha }));
        }
        let results = race(&repo, "POST", "/repos/admin/web/git/refs", bodies).await;
        assert_eq!(results.iter().filter(|(status, _)| *status == 201).count(), 1, "{results:?}");
        let lost = results.iter().filter(|(status, _)| *status != 201);
        assert!(
            lost.clone().all(|(status, message)| *status == 422 && message == "Reference already exists"),
            "{results:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_move_a_ref_from_the_same_tip_exactly_one_succeeds() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    let main = repo.tip("heads/main").await.unwrap();
    repo.post("/git/refs", json!({ "ref": "refs/baton/claims/1", "sha": main })).await;
    let mut tip = main;
    for round in 0..5 {
        let mut bodies = Vec::new();
        for claimant in 0..16 {
            let sha = commit_on(&repo, &tip, &format!("heartbeat {round} by {claimant}")).await;
            bodies.push(json!({ "sha": sha, "force": false }));
        }
        let results = race(&repo, "PATCH", "/repos/admin/web/git/refs/baton/claims/1", bodies.clone()).await;
        assert_eq!(results.iter().filter(|(status, _)| *status == 200).count(), 1, "{results:?}");
        let lost = results.iter().filter(|(status, _)| *status != 200);
        assert!(
            lost.clone().all(|(status, message)| *status == 422 && message == "Update is not a fast forward"),
            "{results:?}"
        );
        tip = repo.tip("baton/claims/1").await.unwrap();
        assert!(bodies.iter().any(|body| body["sha"] == tip.as_str()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forced_update_moves_back_and_a_plain_one_does_not() {
    let (_forge, repo) = TestForge::start_with_repo("web").await;
    let main = repo.tip("heads/main").await.unwrap();
    let next = commit_on(&repo, &main, "next").await;
    let path = "/repos/admin/web/git/refs/heads/main";
    repo.client.must("PATCH", path, &json!({ "sha": next }), 200).await;
    repo.client.must("PATCH", path, &json!({ "sha": main }), 422).await;
    assert_eq!(repo.tip("heads/main").await.unwrap(), next);
    repo.client.must("PATCH", path, &json!({ "sha": main, "force": true }), 200).await;
    assert_eq!(repo.tip("heads/main").await.unwrap(), main);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_dates_commits_that_the_client_does_not() {
    let (forge, repo) = TestForge::start_with_repo("web").await;
    forge.freeze_clock(1_800_000_000).await;
    let main = repo.tip("heads/main").await.unwrap();
    let sha = commit_on(&repo, &main, "dated").await;
    let commit = repo.get(&format!("/git/commits/{sha}")).await;
    assert_eq!(commit["committer"]["date"], "2027-01-15T08:00:00Z");
}
