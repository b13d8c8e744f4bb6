//! What people put in the way of agents: a hold on an issue, a pause of a repository, a change of protocol, the labels.

use serde_json::{Value, json};

use crate::claims::held::pull_for;
use crate::claims::world::{Protocol, REPO, World, assert_same, reference};

#[tokio::test(flavor = "multi_thread")]
async fn a_person_keeps_agents_away_from_an_issue_and_lets_them_have_it_again() {
    for protocol in Protocol::BOTH {
        let world = World::new(protocol).await;
        let (worker, operator) = (world.worker("worker").await, world.operator());
        let issue = world.issue().await;
        let name = reference(issue);
        operator.run(&["hold", &name, "--reason", "not yet"]).await.exits(0).says("do-not-pickup");
        assert!(
            world.bodies(issue).await[0].ends_with("keeps agents away from this issue: not yet"),
            "{protocol}"
        );
        operator.run(&["hold", &name]).await.exits(0).says("already");
        world.claim(&worker, issue).await.exits(1).says("do-not-pickup");
        assert_eq!(world.labels(issue).await, ["agent:implement", "do-not-pickup"], "{protocol}");
        operator.run(&["unhold", &name]).await.exits(0);
        operator.run(&["unhold", &name]).await.exits(0).says("nothing kept agents away");
        world.claim(&worker, issue).await.exits(0);
        operator.run(&["hold", &name]).await.exits(1).says("is held by worker");
        assert_eq!(world.labels(issue).await, ["agent:in-flight"], "{protocol}");
        operator.run(&["hold", &name, "--force"]).await.exits(0);
        assert_eq!(world.labels(issue).await, ["agent:in-flight", "do-not-pickup"], "{protocol}");
        worker.run(&["renew", &name]).await.exits(0);
        worker.run(&["release", &name]).await.exits(0);
        world.claim(&worker, issue).await.exits(1).says("do-not-pickup");
        let other = world.issue().await;
        pull_for(&world, other).await;
        worker.run(&["claim", &reference(other), "--", "true"]).await.exits(0);
        operator.run(&["hold", &reference(other), "--force"]).await.exits(1).says("pull request open");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_repository_is_left_alone_by_this_installation() {
    let world = World::new(Protocol::Ref).await;
    let (worker, other) = (world.worker("worker").await, world.worker("other").await);
    let (issue, before) = (world.issue().await, world.dump_all().await);
    worker.run(&["repo", "list"]).await.exits(0).says("no repository is paused");
    worker.run(&["repo", "pause", REPO]).await.exits(0);
    worker.run(&["repo", "list"]).await.exits(0).says(REPO);
    let list = worker.run(&["repo", "list", "--json"]).await.exits(0).json();
    assert_eq!(list, json!({ "paused": [REPO] }));
    let refused = world.claim(&worker, issue).await.exits(1).json();
    assert_eq!(refused["outcome"], "refused");
    assert!(refused["why"].as_str().unwrap().contains("paused"), "{refused}");
    worker.run(&["claim", "--next", "--repo", REPO]).await.exits(1);
    world.check(&worker, issue).await.exits(1);
    assert_same(&before, &world.dump_all().await, "paused");
    worker.run(&["repo", "resume", REPO]).await.exits(0);
    world.claim(&worker, issue).await.exits(0);
    let second = world.issue().await;
    worker.run(&["repo", "pause", REPO]).await.exits(0);
    world.claim(&other, second).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_on_the_tracker_is_seen_by_everybody() {
    let world = World::new(Protocol::Comment).await;
    let scoped = |seat: crate::claims::seat::Seat| seat.with("BATON_CLAIMS_PAUSE_SCOPE", "tracker");
    let (worker, operator) = (scoped(world.worker("worker").await), scoped(world.operator()));
    let issue = world.issue().await;
    operator.run(&["repo", "pause", REPO]).await.exits(0).says("for everybody by issue #");
    operator.run(&["repo", "pause", REPO]).await.exits(0).says("for everybody by issue #");
    let paused = world.get("/issues?labels=baton:repo-paused").await;
    assert_eq!(paused.as_array().unwrap().len(), 1, "one issue says it once");
    world.claim(&worker, issue).await.exits(1).says("paused");
    operator.run(&["repo", "resume", REPO]).await.exits(0);
    world.claim(&worker, issue).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_file_that_cannot_be_read_pauses_everything_and_is_kept() {
    let world = World::new(Protocol::Ref).await;
    let (worker, issue) = (world.worker("worker").await, world.issue().await);
    let file = worker.state.join("paused-repos.json");
    for text in ["{ \"paused\": [\"acme/", "", "[1, 2]", "\0\0\0"] {
        std::fs::write(&file, text).unwrap();
        let before = world.dump(issue).await;
        let name = reference(issue);
        let commands: [&[&str]; 5] = [
            &["claim", &name],
            &["check", &name],
            &["repo", "list"],
            &["repo", "pause", REPO],
            &["repo", "resume", REPO],
        ];
        for command in commands {
            worker.run(command).await.exits(3).says("paused-repos.json");
        }
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            text,
            "what a person may repair is not overwritten"
        );
        assert_same(&before, &world.dump(issue).await, text);
    }
    std::fs::remove_file(&file).unwrap();
    world.claim(&worker, issue).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_protocol_changes_only_while_nothing_is_held() {
    let world = World::new(Protocol::Comment).await;
    let (worker, operator) = (world.worker("worker").await, world.operator());
    let issue = world.issue().await;
    let show = async || operator.run(&["protocol", "show", "--repo", REPO]).await.exits(0).out;
    let set = async |to: &str| operator.run(&["protocol", "set", to, "--repo", REPO]).await;
    assert_eq!(show().await, "comment");
    world.claim(&worker, issue).await.exits(0);
    set("ref").await.exits(1).says(&format!("{} is held", reference(issue)));
    assert_eq!(show().await, "comment");
    worker.run(&["release", &reference(issue)]).await.exits(0);
    set("ref").await.exits(0).says("uses ref now");
    set("ref").await.exits(0).says("already");
    assert_eq!(show().await, "ref");
    // This machine remembers the old protocol; what it then finds is what counts.
    let claimed = world.claim(&worker, issue).await;
    assert!(
        claimed.code == 0 || claimed.json()["why"].as_str().is_some_and(|why| why.contains("claim again"))
    );
    let claimed = if claimed.code == 0 { claimed } else { world.claim(&worker, issue).await };
    assert_eq!(claimed.exits(0).json()["protocol"], "ref");
    set("comment").await.exits(1).says("is held");
    worker.run(&["release", &reference(issue)]).await.exits(0);
    set("comment").await.exits(0);
    let json = operator.run(&["protocol", "show", "--repo", REPO, "--json"]).await.exits(0).json();
    assert_eq!(json, json!({ "repo": REPO, "protocol": "comment" }));
    set("quorum").await.exits(2);
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_are_made_changed_and_left_as_they_are() {
    let world = World::new(Protocol::Comment).await;
    let operator = world.operator();
    let wrong = json!({ "name": "agent:implement", "color": "ffffff", "description": "?" });
    world.post("/labels", wrong).await;
    world.post("/labels", json!({ "name": "bug-of-ours", "color": "123456" })).await;
    let sync = async || operator.run(&["labels", "sync", "--repo", REPO, "--json"]).await.exits(0).json();
    let change = |synced: &Value, name: &str| {
        let labels = synced["labels"].as_array().unwrap();
        labels.iter().find(|label| label["name"] == name).unwrap()["change"].clone()
    };
    let first = sync().await;
    assert_eq!(change(&first, "agent:implement"), "changed");
    assert_eq!(change(&first, "agent:in-flight"), "made");
    let after = world.get("/labels?per_page=100").await;
    let find = |name: &str| after.as_array().unwrap().iter().find(|it| it["name"] == name).unwrap().clone();
    assert_eq!(find("agent:implement")["color"], "0e8a16");
    assert_eq!(find("bug-of-ours")["color"], "123456", "others are left alone");
    let second = sync().await;
    assert!(second["labels"].as_array().unwrap().iter().all(|label| label["change"] == "ok"), "{second}");
    assert_eq!(world.get("/labels?per_page=100").await, after);
}
