//! Checks: red ones, late ones, and a stage that is killed after its last word.

use serde_json::json;

use crate::relay::scripts::{BUILD, DONE, VALIDATE, script};
use crate::relay::setup::{Facts, Relay, Setup};
use baton_fixtures::texts;

#[tokio::test(flavor = "multi_thread")]
async fn a_red_check_sends_the_agent_back_until_it_is_green() {
    let breaks = (
        "stage: Build, job: stage",
        &["write: {path: broken, text: x}", "commit: 'feat: break it'", "marker: complete"][..],
    );
    let repairs = ("job: ci_fix", &["delete: broken", "commit: 'fix: repair it'", "marker: complete"][..]);
    let setup =
        Setup { script: script(&[breaks, repairs]), ci: Some("test ! -e broken"), ..Setup::default() };
    let relay = Relay::running(setup).await;
    // A check that nobody requires does not stand in the way of a merge.
    let rules = json!({
        "required_status_checks": { "strict": false, "contexts": ["test"] }, "enforce_admins": true,
        "required_pull_request_reviews": null, "restrictions": null,
    });
    relay.repo.send("PUT", "/branches/main/protection", rules).await;
    let issue = relay.repo.issue("Careful", &["stage:Plan"]).await;
    relay.until_done(issue).await;
    let deeds = ["Plan stage", "Build stage", "Validate stage", "Validate ci_fix"];
    assert_eq!(relay.diary().deeds(issue), deeds);
    let pull = relay.pull(issue).await.unwrap()["number"].as_u64().unwrap();
    let commits = texts(&relay.repo.get(&format!("/pulls/{pull}/commits")).await, "sha");
    let mut conclusions = Vec::new();
    for sha in &commits {
        let runs = relay.repo.get(&format!("/commits/{sha}/check-runs")).await;
        conclusions.extend(texts(&runs["check_runs"], "conclusion"));
    }
    assert_eq!(conclusions, ["failure", "success"], "{commits:?}");
    assert!(relay.repo.file("main", "broken").await.is_none());
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_that_never_come_to_a_result_pause_the_issue_with_the_reason() {
    let yaml = "yolo: true\nci_wait_timeout: 4s\npost_push_dwell: 3min\n";
    let relay = Relay::running(Setup { yaml, ..Setup::default() }).await;
    let issue = relay.repo.issue("For ever", &["stage:Plan"]).await;
    let what = "there is a pull request";
    let pull = relay.until(what, async || relay.pull(issue).await).await;
    let status = json!({ "state": "pending", "context": "slow" });
    relay.repo.send("POST", &format!("/statuses/{}", pull["head"]["sha"].as_str().unwrap()), status).await;
    let is_told = |facts: &Facts| facts.has("baton:paused") && facts.says("no result in time");
    let facts = relay.until_issue(issue, "it is paused", is_told).await;
    assert!(facts.has("baton:awaiting-input"), "{facts:?}");
    relay.until_issue(issue, "the gate's label is gone", |facts| !facts.has("baton:awaiting-ci")).await;
    assert_eq!(relay.pull(issue).await.unwrap()["state"], "open");
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_killed_after_its_last_word_has_completed_its_stage() {
    let lingers = ("stage: Plan, job: stage", &["say: Done.", "marker: complete", "hang"][..]);
    let short = ("Plan", 1, "read_only: true\nmax_wall_time: 12s");
    let setup =
        Setup { script: script(&[lingers]), stages: &[short, BUILD, VALIDATE, DONE], ..Setup::default() };
    let relay = Relay::running(setup).await;
    let issue = relay.repo.issue("Lingering", &["stage:Plan"]).await;
    let facts = relay.until_done(issue).await;
    assert!(facts.has("stage:Plan:complete"));
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    assert_eq!(relay.diary().of(issue)[0].ended_ms, None, "it was killed");
    relay.end().await;
}
