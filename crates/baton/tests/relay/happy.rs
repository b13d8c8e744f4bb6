//! Issues that go their way without anything happening to them.

use serde_json::json;

use crate::relay::scripts::{BUILD, DONE, PLAN, script};
use crate::relay::setup::{Facts, Relay, Setup, pull_from};

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_goes_from_specify_to_a_merged_pull_request_by_itself() {
    let implement = (
        "stage: Implement, job: stage",
        &["write: {path: note.md, text: Done.}", "commit: 'docs: add a note'", "marker: complete"][..],
    );
    let setup =
        Setup { stages: &[], script: script(&[implement]), ci: Some("test -s note.md"), ..Setup::default() };
    let relay = Relay::running(setup).await;
    let bea = relay.person("bea").await;
    let issue = relay.repo.issue("A note", &["stage:Specify", "baton:yolo"]).await;
    relay.until_issue(issue, "it waits for a review", |facts| facts.has("baton:awaiting-review")).await;
    let pull = relay.pull(issue).await.unwrap();
    assert_eq!((&pull["draft"], &pull["base"]["ref"]), (&json!(false), &json!("main")));
    let reviews = format!("/pulls/{}/reviews", pull["number"]);
    bea.send("POST", &reviews, json!({ "event": "APPROVE", "body": "Good." })).await;
    let facts = relay.until_done(issue).await;
    let stages = ["Specify", "Research", "Plan", "Implement", "Review", "Validate"];
    assert_eq!(relay.diary().deeds(issue), stages.map(|stage| format!("{stage} stage")));
    let mut expected: Vec<_> = stages.iter().map(|stage| format!("stage:{stage}:complete")).collect();
    expected.extend(["agent:done", "baton:yolo", "stage:Done", "stage:Done:complete"].map(str::to_owned));
    expected.sort();
    assert_eq!(facts.labels, expected);
    assert_eq!(relay.repo.file("main", "note.md").await.as_deref(), Some("Done."));
    let tree = relay.env.path(&format!(".baton/worktrees/admin-web/issue-{issue}"));
    relay.until("the work tree is gone", async || (!tree.exists()).then_some(())).await;
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_repositories_go_through_one_engine_side_by_side() {
    let relay = Relay::running(Setup { repos: &["web", "api"], ..Setup::default() }).await;
    let api = relay.forge.at("api");
    let in_web = relay.repo.issue("Here", &["stage:Plan"]).await;
    let in_api = api.issue("There", &["stage:Plan"]).await;
    relay.until_done(in_web).await;
    let what = "the issue of the other repository is done";
    relay
        .until(what, async || {
            let facts = Facts::of(&api, in_api).await;
            (!facts.is_open && facts.has("stage:Done:complete") && facts.is_clean()).then_some(())
        })
        .await;
    for (repo, issue) in [(&relay.repo, in_web), (&api, in_api)] {
        let runs = relay.diary().of_issue(&format!("{}#{issue}", repo.name));
        let stages: Vec<_> = runs.iter().map(|run| run.stage.as_str()).collect();
        assert_eq!(stages, ["Plan", "Build", "Validate"]);
        let pull = pull_from(repo, &format!("baton/issue-{issue}")).await.unwrap();
        assert!(!pull["merged_at"].is_null(), "{pull}");
    }
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_without_any_checks_is_merged_and_no_label_flickers_meanwhile() {
    let relay = Relay::running(Setup::default()).await;
    let issue = relay.repo.issue("Nothing checks this", &["stage:Plan"]).await;
    relay.until_done(issue).await;
    // Whether a branch merges is not known at first, and whether checks will come neither.
    let events = relay.repo.get(&format!("/issues/{issue}/events?per_page=100")).await;
    let times = |label: &str| {
        let is_it =
            |event: &&serde_json::Value| event["event"] == "labeled" && event["label"]["name"] == label;
        events.as_array().unwrap().iter().filter(is_it).count()
    };
    assert_eq!((times("baton:awaiting-ci"), times("baton:rebase-needed")), (1, 0), "{events}");
    assert_eq!((times("stage:Build:complete"), times("stage:Validate:complete")), (1, 1));
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_sends_the_pull_request_to_another_base_branch() {
    let relay = Relay::running(Setup { stages: &[PLAN, BUILD, DONE], ..Setup::default() }).await;
    let tip = relay.repo.get("/git/ref/heads/main").await["object"]["sha"].clone();
    relay.repo.send("POST", "/git/refs", json!({ "ref": "refs/heads/release", "sha": tip })).await;
    relay.repo.commit("release", "only-here.md", "x").await;
    let issue = relay.repo.issue("For the release", &["stage:Plan", "base:release"]).await;
    relay.until_issue(issue, "it is done", |facts| facts.has("stage:Done:complete")).await;
    let pull = relay.pull(issue).await.unwrap();
    assert_eq!(pull["base"]["ref"], "release");
    assert!(!pull["merged_at"].is_null(), "{pull}");
    let note = format!("notes/{issue}.md");
    assert!(
        relay.repo.file("release", &note).await.is_some() && relay.repo.file("main", &note).await.is_none()
    );
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage"]);
    relay.end().await;
}
