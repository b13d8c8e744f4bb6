//! Reviewers: those who are waited for, what they say in the code, and those who do not come.

use serde_json::{Value, json};

use crate::relay::scripts::{BUILD, DONE, PLAN, REVIEW, script};
use crate::relay::setup::{Facts, Relay, Setup};

const STAGES: [crate::relay::scripts::StageFile<'_>; 4] = [PLAN, BUILD, REVIEW, DONE];

fn setup() -> Setup<'static> {
    Setup { stages: &STAGES, ..Setup::default() }
}

async fn until_awaited(relay: &Relay, issue: u64) -> u64 {
    relay.until_issue(issue, "it waits for a review", |facts| facts.has("baton:awaiting-review")).await;
    relay.pull(issue).await.unwrap()["number"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_requested_reviewer_is_waited_for_and_the_issue_goes_on_after_the_review() {
    let relay = Relay::running(setup()).await;
    let (bea, cid) = (relay.person("bea").await, relay.person("cid").await);
    let issue = relay.repo.issue("Look at it", &["stage:Plan"]).await;
    let pull = until_awaited(&relay, issue).await;
    let asked = json!({ "reviewers": ["bea"] });
    relay.repo.send("POST", &format!("/pulls/{pull}/requested_reviewers"), asked).await;
    // A review by somebody else does not stand for the one that was asked for.
    let reviews = format!("/pulls/{pull}/reviews");
    cid.send("POST", &reviews, json!({ "event": "COMMENT", "body": "Nice." })).await;
    // Another issue comes to the same gate meanwhile, so this one was looked at again.
    let other = relay.repo.issue("And at that", &["stage:Plan"]).await;
    let other_pull = until_awaited(&relay, other).await;
    assert!(relay.facts(issue).await.has("baton:awaiting-review"));
    bea.send("POST", &reviews, json!({ "event": "APPROVE" })).await;
    let facts = relay.until_done(issue).await;
    assert!(!facts.has("baton:awaiting-review"));
    let reviews = format!("/pulls/{other_pull}/reviews");
    bea.send("POST", &reviews, json!({ "event": "APPROVE" })).await;
    relay.until_done(other).await;
    for issue in [issue, other] {
        assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Review stage"]);
    }
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_thread_sends_the_agent_back_and_is_resolved() {
    let addresses = (
        "job: review",
        &[
            "say: I said why.",
            "append: {path: 'notes/{{ number }}.md', text: \"Because.\\n\"}",
            "commit: 'docs: say why'",
        ][..],
    );
    let relay = Relay::running(Setup { script: script(&[addresses]), ..setup() }).await;
    let bea = relay.person("bea").await;
    let issue = relay.repo.issue("A note", &["stage:Plan"]).await;
    let pull = until_awaited(&relay, issue).await;
    let remark = json!([{ "path": format!("notes/{issue}.md"), "line": 1, "side": "RIGHT", "body": "Why?" }]);
    let review = json!({ "event": "COMMENT", "body": "One thing.", "comments": remark });
    bea.send("POST", &format!("/pulls/{pull}/reviews"), review).await;
    relay.until_done(issue).await;
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Review stage", "Review review"]);
    let note = relay.repo.file("main", &format!("notes/{issue}.md")).await.unwrap();
    assert!(note.contains("Because."), "{note}");
    let threads = threads(&relay, pull).await;
    assert_eq!(threads.len(), 1);
    assert!(threads[0]["isResolved"] == true, "{threads:?}");
    let said = relay.repo.bodies(pull).await;
    let told: Vec<_> = said.iter().filter(|text| text.contains("review feedback addressed")).collect();
    assert_eq!(told.len(), 1, "{said:#?}");
    relay.end().await;
}

async fn threads(relay: &Relay, pull: u64) -> Vec<Value> {
    let query = format!(
        "{{ repository(owner: \"admin\", name: \"web\") {{ pullRequest(number: {pull}) \
         {{ reviewThreads(first: 9) {{ nodes {{ isResolved }} }} }} }} }}"
    );
    let answer = relay.forge.admin.must("POST", "/graphql", &json!({ "query": query }), 200).await;
    let nodes = &answer["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"];
    nodes.as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_does_not_review_in_time_pauses_the_issue_with_the_reason() {
    let yaml = "yolo: true\nreview_wait_timeout: 15s\n";
    let relay = Relay::running(Setup { yaml, ..setup() }).await;
    relay.person("bea").await;
    let issue = relay.repo.issue("Anybody?", &["stage:Plan"]).await;
    let pull = until_awaited(&relay, issue).await;
    let asked = json!({ "reviewers": ["bea"] });
    relay.repo.send("POST", &format!("/pulls/{pull}/requested_reviewers"), asked).await;
    let is_paused = |facts: &Facts| facts.has("baton:paused") && facts.says("No review by `bea (human)`");
    let facts = relay.until_issue(issue, "it is paused", is_paused).await;
    assert!(facts.has("baton:awaiting-input") && !facts.has("baton:awaiting-review"), "{facts:?}");
    assert_eq!(facts.count("in time in **Review**"), 1);
    assert_eq!(relay.pull(issue).await.unwrap()["state"], "open");
    relay.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_does_not_review_is_asked_once_more_and_then_the_issue_is_paused() {
    let yaml = "yolo: true\nreview_wait_timeout: 3s\n";
    let awaits = ("Review", 3, "wait_for_reviews: true\nexpected_reviewers: [helper-bot]");
    let relay = Relay::running(Setup { yaml, stages: &[PLAN, BUILD, awaits, DONE], ..setup() }).await;
    relay.person("helper-bot").await;
    let issue = relay.repo.issue("Dear bot", &["stage:Plan"]).await;
    relay.until_issue(issue, "the bot is asked again", |facts| facts.has("baton:bot-reprompted")).await;
    let facts = relay.until_issue(issue, "it is paused", |facts| facts.has("baton:paused")).await;
    let facts = match facts.says("asked once more") {
        true => facts,
        false => relay.until_issue(issue, "it says why", |facts| facts.says("asked once more")).await,
    };
    assert!(facts.says("helper-bot (bot)"), "{facts:#?}");
    relay
        .until_issue(issue, "the gate's labels are gone", |facts| {
            !facts.has("baton:bot-reprompted") && !facts.has("baton:awaiting-review")
        })
        .await;
    let pull = relay.pull(issue).await.unwrap()["number"].as_u64().unwrap();
    let said = relay.repo.bodies(pull).await;
    assert_eq!(
        said.iter().filter(|text| text.contains("@helper-bot just checking in")).count(),
        1,
        "{said:#?}"
    );
    assert_eq!(relay.diary().deeds(issue), ["Plan stage", "Build stage", "Review stage"]);
    relay.end().await;
}
