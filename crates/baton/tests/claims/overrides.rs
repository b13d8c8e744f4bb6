//! What people put in the way of agents: a hold on an issue, a pause of a repository, a change of protocol, the labels.

use baton_fixtures::TestEnv;
use serde_json::{Value, json};

use crate::claims::held::pull_for;
use crate::claims::setup::{Protocol, REPO, Setup, assert_same, check, claim, reference};

#[tokio::test(flavor = "multi_thread")]
async fn a_person_keeps_agents_away_from_an_issue_and_lets_them_have_it_again() {
    for protocol in Protocol::BOTH {
        let setup = Setup::new(protocol).await;
        let (worker, operator) = (setup.worker("worker").await, setup.operator());
        let issue = setup.issue().await;
        let name = reference(issue);
        operator.run_async(&["hold", &name, "--reason", "not yet"]).await.exits(0).says("do-not-pickup");
        assert!(
            setup.repo.bodies(issue).await[0].ends_with("keeps agents away from this issue: not yet"),
            "{protocol}"
        );
        operator.run_async(&["hold", &name]).await.exits(0).says("already");
        claim(&worker, issue).await.exits(1).says("do-not-pickup");
        assert_eq!(setup.repo.labels(issue).await, ["agent:implement", "do-not-pickup"], "{protocol}");
        operator.run_async(&["unhold", &name]).await.exits(0);
        operator.run_async(&["unhold", &name]).await.exits(0).says("nothing kept agents away");
        claim(&worker, issue).await.exits(0);
        operator.run_async(&["hold", &name]).await.exits(1).says("is held by worker");
        assert_eq!(setup.repo.labels(issue).await, ["agent:in-flight"], "{protocol}");
        operator.run_async(&["hold", &name, "--force"]).await.exits(0);
        assert_eq!(setup.repo.labels(issue).await, ["agent:in-flight", "do-not-pickup"], "{protocol}");
        worker.run_async(&["renew", &name]).await.exits(0);
        worker.run_async(&["release", &name]).await.exits(0);
        claim(&worker, issue).await.exits(1).says("do-not-pickup");
        let other = setup.issue().await;
        pull_for(&setup, other).await;
        worker.run_async(&["claim", &reference(other), "--", "true"]).await.exits(0);
        operator.run_async(&["hold", &reference(other), "--force"]).await.exits(1).says("pull request open");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_repository_is_left_alone_by_this_installation() {
    let setup = Setup::new(Protocol::Ref).await;
    let (worker, other) = (setup.worker("worker").await, setup.worker("other").await);
    let (issue, before) = (setup.issue().await, setup.dump_all().await);
    worker.run_async(&["repo", "list"]).await.exits(0).says("no repository is paused");
    worker.run_async(&["repo", "pause", REPO]).await.exits(0);
    worker.run_async(&["repo", "list"]).await.exits(0).says(REPO);
    let list = worker.run_async(&["repo", "list", "--json"]).await.exits(0).json();
    assert_eq!(list, json!({ "paused": [REPO] }));
    let refused = claim(&worker, issue).await.exits(1).json();
    assert_eq!(refused["outcome"], "refused");
    assert!(refused["why"].as_str().unwrap().contains("paused"), "{refused}");
    worker.run_async(&["claim", "--next", "--repo", REPO]).await.exits(1);
    check(&worker, issue).await.exits(1);
    assert_same(&before, &setup.dump_all().await, "paused");
    worker.run_async(&["repo", "resume", REPO]).await.exits(0);
    claim(&worker, issue).await.exits(0);
    let second = setup.issue().await;
    worker.run_async(&["repo", "pause", REPO]).await.exits(0);
    claim(&other, second).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_on_the_tracker_is_seen_by_everybody() {
    let setup = Setup::new(Protocol::Comment).await;
    let scoped = |env: TestEnv| env.with("BATON_CLAIMS_PAUSE_SCOPE", "tracker");
    let (worker, operator) = (scoped(setup.worker("worker").await), scoped(setup.operator()));
    let issue = setup.issue().await;
    operator.run_async(&["repo", "pause", REPO]).await.exits(0).says("for everybody by issue #");
    operator.run_async(&["repo", "pause", REPO]).await.exits(0).says("for everybody by issue #");
    let paused = setup.repo.get("/issues?labels=baton:repo-paused").await;
    assert_eq!(paused.as_array().unwrap().len(), 1, "one issue says it once");
    claim(&worker, issue).await.exits(1).says("paused");
    operator.run_async(&["repo", "resume", REPO]).await.exits(0);
    claim(&worker, issue).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_file_that_cannot_be_read_pauses_everything_and_is_kept() {
    let setup = Setup::new(Protocol::Ref).await;
    let (worker, issue) = (setup.worker("worker").await, setup.issue().await);
    let file = worker.path("paused-repos.json");
    for text in ["{ \"paused\": [\"acme/", "", "[1, 2]", "\0\0\0"] {
        std::fs::write(&file, text).unwrap();
        let before = setup.dump(issue).await;
        let name = reference(issue);
        let commands: [&[&str]; 5] = [
            &["claim", &name],
            &["check", &name],
            &["repo", "list"],
            &["repo", "pause", REPO],
            &["repo", "resume", REPO],
        ];
        for command in commands {
            worker.run_async(command).await.exits(3).says("paused-repos.json");
        }
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            text,
            "what a person may repair is not overwritten"
        );
        assert_same(&before, &setup.dump(issue).await, text);
    }
    std::fs::remove_file(&file).unwrap();
    claim(&worker, issue).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_protocol_changes_only_while_nothing_is_held() {
    let setup = Setup::new(Protocol::Comment).await;
    let (worker, operator) = (setup.worker("worker").await, setup.operator());
    let issue = setup.issue().await;
    let show = async || operator.run_async(&["protocol", "show", "--repo", REPO]).await.exits(0).out;
    let set = async |to: &str| operator.run_async(&["protocol", "set", to, "--repo", REPO]).await;
    assert_eq!(show().await, "comment");
    claim(&worker, issue).await.exits(0);
    set("ref").await.exits(1).says(&format!("{} is held", reference(issue)));
    assert_eq!(show().await, "comment");
    worker.run_async(&["release", &reference(issue)]).await.exits(0);
    set("ref").await.exits(0).says("uses ref now");
    set("ref").await.exits(0).says("already");
    assert_eq!(show().await, "ref");
    // This machine remembers the old protocol; what it then finds is what counts.
    let claimed = claim(&worker, issue).await;
    assert!(
        claimed.code == 0 || claimed.json()["why"].as_str().is_some_and(|why| why.contains("claim again"))
    );
    let claimed = if claimed.code == 0 { claimed } else { claim(&worker, issue).await };
    assert_eq!(claimed.exits(0).json()["protocol"], "ref");
    set("comment").await.exits(1).says("is held");
    worker.run_async(&["release", &reference(issue)]).await.exits(0);
    set("comment").await.exits(0);
    let json = operator.run_async(&["protocol", "show", "--repo", REPO, "--json"]).await.exits(0).json();
    assert_eq!(json, json!({ "repo": REPO, "protocol": "comment" }));
    set("quorum").await.exits(2);
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_are_made_changed_and_left_as_they_are() {
    let setup = Setup::new(Protocol::Comment).await;
    let operator = setup.operator();
    let wrong = json!({ "name": "agent:implement", "color": "ffffff", "description": "?" });
    setup.repo.post("/labels", wrong).await;
    setup.repo.post("/labels", json!({ "name": "bug-of-ours", "color": "123456" })).await;
    let sync =
        async || operator.run_async(&["labels", "sync", "--repo", REPO, "--json"]).await.exits(0).json();
    let change = |synced: &Value, name: &str| {
        let labels = synced["labels"].as_array().unwrap();
        labels.iter().find(|label| label["name"] == name).unwrap()["change"].clone()
    };
    let first = sync().await;
    assert_eq!(change(&first, "agent:implement"), "changed");
    assert_eq!(change(&first, "agent:in-flight"), "made");
    let after = setup.repo.get("/labels?per_page=100").await;
    let find = |name: &str| after.as_array().unwrap().iter().find(|it| it["name"] == name).unwrap().clone();
    assert_eq!(find("agent:implement")["color"], "0e8a16");
    assert_eq!(find("bug-of-ours")["color"], "123456", "others are left alone");
    let second = sync().await;
    assert!(second["labels"].as_array().unwrap().iter().all(|label| label["change"] == "ok"), "{second}");
    assert_eq!(setup.repo.get("/labels?per_page=100").await, after);
}
