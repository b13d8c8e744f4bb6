//! What people do with their own hands: labels, columns, and the button that closes an issue.

use serde_json::json;

use crate::relay::scripts::{BUILD, DONE, PLAN, StageFile, VALIDATE, script};
use crate::relay::setup::{Facts, Relay, Setup};

const HANGS: (&str, &[&str]) = ("stage: Build, job: stage", &["say: I think.", "hang"]);

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_issue_rests_until_the_label_is_taken_off() {
    let relay = Relay::running(Setup::default()).await;
    let issue = relay.repo.issue("Not yet", &["stage:Plan", "baton:paused"]).await;
    relay.let_time_pass().await;
    assert!(relay.diary().of(issue).is_empty());
    assert_eq!(relay.facts(issue).await.labels, ["baton:paused", "stage:Plan"]);
    relay.repo.unlabel(issue, "baton:paused").await;
    relay.until_done(issue).await;
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_stops_the_agent_that_is_at_work_and_unpausing_starts_it_again() {
    let relay = Relay::running(Setup { script: script(&[HANGS]), ..Setup::default() }).await;
    let issue = relay.repo.issue("Wait a moment", &["stage:Plan"]).await;
    relay.until_runs(issue, 2).await;
    relay.repo.label(issue, "baton:paused").await;
    let what = "the agent is stopped and nobody holds the issue";
    relay
        .until(what, async || {
            let facts = relay.facts(issue).await;
            let is_free = !facts.has("baton:locked:ann") && !facts.has("stage:Build:in_progress");
            (is_free && relay.diary().is_idle()).then_some(())
        })
        .await;
    assert!(relay.facts(issue).await.has("baton:paused"));
    relay.play(&script(&[]));
    relay.repo.unlabel(issue, "baton:paused").await;
    relay.until_done(issue).await;
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Build stage", "Validate stage"]);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_of_a_person_goes_on_with_what_a_pause_has_stopped() {
    let relay = Relay::running(Setup { script: script(&[HANGS]), ..Setup::default() }).await;
    let bea = relay.person("bea").await;
    let issue = relay.repo.issue("Wait for my word", &["stage:Plan"]).await;
    relay.until_runs(issue, 2).await;
    relay.repo.label(issue, "baton:paused").await;
    relay.until("the agent is stopped", async || relay.diary().is_idle().then_some(())).await;
    relay.play(&script(&[(
        "stage: Build, job: comments",
        &["say: I go on.", "write: {path: a.md, text: a}", "commit: a"],
    )]));
    bea.comment(issue, "Go on, with an a.").await;
    let facts = relay.until_done(issue).await;
    assert!(!facts.has("baton:paused") && facts.count("I go on.") == 1, "{facts:#?}");
    let deeds = ["Plan stage", "Build stage", "Build comments", "Build stage", "Validate stage"];
    assert_eq!(relay.diary().deeds(issue), deeds);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_an_issue_stops_its_agent_and_sweeps_its_labels() {
    let relay = Relay::running(Setup { script: script(&[HANGS]), ..Setup::default() }).await;
    let issue = relay.repo.issue("Never mind", &["stage:Plan"]).await;
    relay.until_runs(issue, 2).await;
    relay.repo.send("PATCH", &format!("/issues/{issue}"), json!({ "state": "closed" })).await;
    let is_swept = |facts: &Facts| facts.labels == ["stage:Build", "stage:Plan:complete"];
    relay.until_issue(issue, "its labels are swept", is_swept).await;
    relay.until("the agent has ended", async || relay.diary().is_idle().then_some(())).await;
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage"]);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_that_people_edit_are_believed_and_unknown_ones_left_alone() {
    let slow = (
        "stage: Build, job: stage",
        &["sleep: 8s", "write: {path: a.md, text: a}", "commit: a", "marker: complete"][..],
    );
    let relay = Relay::running(Setup { script: script(&[slow]), ..Setup::default() }).await;
    // Who says that a stage is complete need not have it run.
    let labels = ["stage:Plan", "stage:Plan:complete", "baton:whatever", "stage:Nowhere:complete", "bug"];
    let issue = relay.repo.issue("By hand", &labels).await;
    relay.until_runs(issue, 1).await;
    relay.until_issue(issue, "it is in progress", |facts| facts.has("stage:Build:in_progress")).await;
    relay.repo.unlabel(issue, "stage:Build:in_progress").await;
    let facts = relay.until_done(issue).await;
    assert_eq!(relay.diary().deeds(issue), ["Build stage", "Validate stage"]);
    for label in ["baton:whatever", "stage:Nowhere:complete", "bug"] {
        assert!(facts.has(label), "{label}: {facts:?}");
    }
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_auto_advance_a_person_moves_the_issue_on() {
    let more = format!("{}\nauto_advance: false", BUILD.2);
    let still: StageFile<'_> = (BUILD.0, BUILD.1, &more);
    let relay = Relay::running(Setup { stages: &[PLAN, still, VALIDATE, DONE], ..Setup::default() }).await;
    let issue = relay.repo.issue("Let me see", &["stage:Plan"]).await;
    relay.until_issue(issue, "Build is complete", |facts| facts.has("stage:Build:complete")).await;
    relay.let_time_pass().await;
    assert!(relay.facts(issue).await.has("stage:Build"));
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage"]);
    relay.move_by_hand(issue, "Build", "Validate").await;
    relay.until_done(issue).await;
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Validate stage"]);
    relay.end().await;
}
