//! Checks: red ones, late ones, and a stage that is killed after its last word.

use serde_json::json;

use crate::relay::scripts::{BUILD, DONE, VALIDATE, script};
use crate::relay::world::{Setup, World, texts};

#[tokio::test(flavor = "multi_thread")]
async fn a_red_check_sends_the_agent_back_until_it_is_green() {
    let breaks = (
        "stage: Build, job: stage",
        &["write: {path: broken, text: x}", "commit: 'feat: break it'", "marker: complete"][..],
    );
    let repairs = ("job: ci_fix", &["delete: broken", "commit: 'fix: repair it'", "marker: complete"][..]);
    let setup =
        Setup { script: script(&[breaks, repairs]), ci: Some("test ! -e broken"), ..Setup::default() };
    let world = World::running(setup).await;
    // A check that nobody requires does not stand in the way of a merge.
    let rules = json!({
        "required_status_checks": { "strict": false, "contexts": ["test"] }, "enforce_admins": true,
        "required_pull_request_reviews": null, "restrictions": null,
    });
    world.send("PUT", "/branches/main/protection", rules).await;
    let issue = world.issue("Careful", &["stage:Plan"]).await;
    world.until_done(issue).await;
    let deeds = ["Plan stage", "Build stage", "Validate stage", "Validate ci_fix"];
    assert_eq!(world.diary().deeds(issue), deeds);
    let pull = world.pull(issue).await.unwrap()["number"].as_u64().unwrap();
    let commits = texts(&world.get(&format!("/pulls/{pull}/commits")).await, "sha");
    let mut conclusions = Vec::new();
    for sha in &commits {
        let runs = world.get(&format!("/commits/{sha}/check-runs")).await;
        conclusions.extend(texts(&runs["check_runs"], "conclusion"));
    }
    assert_eq!(conclusions, ["failure", "success"], "{commits:?}");
    assert!(world.file("main", "broken").await.is_none());
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_that_never_come_to_a_result_pause_the_issue_with_the_reason() {
    let yaml = "yolo: true\nci_wait_timeout: 4s\npost_push_dwell: 20s\n";
    let world = World::running(Setup { yaml, ..Setup::default() }).await;
    let issue = world.issue("For ever", &["stage:Plan"]).await;
    let what = "there is a pull request";
    let pull = world.until(what, async |world| world.pull(issue).await).await;
    let status = json!({ "state": "pending", "context": "slow" });
    world.send("POST", &format!("/statuses/{}", pull["head"]["sha"].as_str().unwrap()), status).await;
    let is_told =
        |facts: &crate::relay::world::Facts| facts.has("baton:paused") && facts.says("no result in time");
    let facts = world.until_issue(issue, "it is paused", is_told).await;
    assert!(facts.has("baton:awaiting-input"), "{facts:?}");
    world.until_issue(issue, "the gate's label is gone", |facts| !facts.has("baton:awaiting-ci")).await;
    assert_eq!(world.pull(issue).await.unwrap()["state"], "open");
    assert_eq!(world.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_killed_after_its_last_word_has_completed_its_stage() {
    let lingers = ("stage: Plan, job: stage", &["say: Done.", "marker: complete", "hang"][..]);
    let short = ("Plan", 1, "read_only: true\nmax_wall_time: 3s");
    let setup =
        Setup { script: script(&[lingers]), stages: &[short, BUILD, VALIDATE, DONE], ..Setup::default() };
    let world = World::running(setup).await;
    let issue = world.issue("Lingering", &["stage:Plan"]).await;
    let facts = world.until_done(issue).await;
    assert!(facts.has("stage:Plan:complete"));
    assert_eq!(world.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    assert_eq!(world.diary().of(issue)[0].ended_ms, None, "it was killed");
    world.end().await;
}
