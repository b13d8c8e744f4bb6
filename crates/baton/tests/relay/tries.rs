//! Stages that do not come to their end at once.

use crate::relay::scripts::{BUILD, DONE, VALIDATE, script};
use crate::relay::setup::{Facts, Relay, Setup};

const SAYS_NOTHING: (&str, &[&str]) = ("stage: Plan, job: stage, issue: '1'", &["say: I am not sure."]);

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_is_tried_in_vain_too_often_is_paused_until_a_person_has_looked() {
    let yaml = "yolo: true\npoll: 300ms\nmax_retries: 2\n";
    let setup = Setup { yaml, script: script(&[SAYS_NOTHING]), ..Setup::default() };
    let relay = Relay::running(setup).await;
    let issue = relay.repo.issue("Hard", &["stage:Plan"]).await;
    let is_given_up = |facts: &Facts| {
        facts.has("baton:paused") && facts.has("stage:Plan:failed") && facts.says("stage failed")
    };
    let facts = relay.until_issue(issue, "it is given up", is_given_up).await;
    assert!(facts.says("ended 2 times without a word of completion") && facts.says("@ann"), "{facts:#?}");
    let facts = relay.until_issue(issue, "nobody holds it", |facts| !facts.has("baton:locked:ann")).await;
    assert!(!facts.has("stage:Plan:complete"));
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Plan stage"]);
    relay.play(&script(&[]));
    relay.repo.unlabel(issue, "baton:paused").await;
    let facts = relay.until_done(issue).await;
    assert!(!facts.has("stage:Plan:failed"));
    let deeds = ["Plan stage", "Plan stage", "Plan stage", "Build stage", "Validate stage"];
    assert_eq!(relay.diary().deeds(issue), deeds);
    assert_eq!(facts.count("stage failed"), 1);
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_ended_without_a_word_rests_before_it_is_tried_again_and_stays_claimed() {
    let setup = Setup { script: script(&[SAYS_NOTHING]), ..Setup::default() };
    let relay = Relay::running(setup).await;
    let issue = relay.repo.issue("Twice", &["stage:Plan"]).await;
    let facts =
        relay.until_issue(issue, "its first try is told", |facts| facts.says("Stage incomplete.")).await;
    relay.play(&script(&[]));
    assert!(facts.has("baton:locked:ann") && facts.has("stage:Plan:in_progress"), "{facts:?}");
    let said = relay.repo.bodies(issue).await;
    let is_kept = |text: &String| text.starts_with("<!-- agent-claim") && text.contains("state=held");
    assert!(said.iter().any(is_kept), "{said:#?}");
    assert!(!said.iter().any(|text| text.starts_with("<!-- agent-release")), "{said:#?}");
    relay.until_done(issue).await;
    let runs = relay.diary().of(issue);
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Plan stage", "Build stage", "Validate stage"]);
    let rested_ms = runs[1].began_ms - runs[0].ended_ms.unwrap();
    assert!(rested_ms >= 5_000, "ten polls of 500 ms: {rested_ms}");
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_label_for_more_turns_lets_a_long_stage_end_in_one_run() {
    let long = (
        "stage: Plan, job: stage",
        &["turn", "turn", "turn", "turn", "say: At last.", "marker: complete"][..],
    );
    let short = ("Plan", 1, "read_only: true\nmax_turns: 3");
    let setup = Setup {
        yaml: "yolo: true\nmax_slices: 1\n",
        script: script(&[long]),
        stages: &[short, BUILD, VALIDATE, DONE],
        ..Setup::default()
    };
    let relay = Relay::running(setup).await;
    let plain = relay.repo.issue("Too long", &["stage:Plan"]).await;
    let more = relay.repo.issue("Long", &["stage:Plan", "baton:extend-turns"]).await;
    let facts = relay.until_done(more).await;
    assert!(!facts.has("baton:extend-turns"), "the end takes it off: {facts:?}");
    assert_eq!(relay.diary().deeds(more), ["Plan stage", "Build stage", "Validate stage"]);
    let is_given_up = |facts: &Facts| facts.has("baton:paused") && facts.says("limit of turns 1 times");
    let facts = relay.until_issue(plain, "the other is given up", is_given_up).await;
    assert!(facts.has("stage:Plan:failed"));
    assert_eq!(relay.diary().deeds(plain), ["Plan stage"]);
    relay.end().await;
}
