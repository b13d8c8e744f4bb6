//! Who may push commits that close an issue, and who may not.

use baton_fixtures::TOKEN;
use serde_json::json;

use crate::hook::{HOLDER, PushOutput as _, Setup};

const OVERRIDES: [&str; 2] = ["git push --no-verify", "LABEL_STATE_SKIP_DEDUP_CHECK=1"];

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_closes_what_someone_else_holds_is_refused_with_names_and_ways_on() {
    let setup = Setup::new().await;
    setup.claimed("web", 1).await;
    setup.commit("Work\n\nCloses #1");
    let refused = setup.push(&["origin", "topic"]).refused(&OVERRIDES);
    assert!(refused.err.contains("admin/web#1 is held by lucius:20260501-194217-643a, last heard of "));
    assert!(refused.err.contains(" s ago") && !refused.err.contains(TOKEN), "{}", refused.err);
    assert!(!setup.is_there("topic").await);
    setup.push(&["--no-verify", "origin", "topic"]).exits(0);
    assert!(setup.is_there("topic").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_made_by_baton_refuses_others_until_it_is_released() {
    let setup = Setup::new().await;
    setup.env.run(&["claim", "#1", "--codename", "robin", "--firing-id", "F1"]).exits(0);
    setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).refused(&["admin/web#1 is held by robin:F1"]);
    setup.env.run(&["release", "#1", "--outcome", "cancelled"]).exits(0);
    setup.push(&["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_on_a_ref_refuses_as_well() {
    let setup = Setup::new().await;
    setup.env.run(&["protocol", "set", "ref"]).exits(0);
    setup.env.run(&["claim", "#1", "--codename", "robin", "--firing-id", "F1"]).exits(0);
    setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).refused(&["admin/web#1 is held by robin:F1, last heard of "]);
    let us = [("BATON_CODENAME", "robin"), ("BATON_FIRING_ID", "F1")];
    setup.push_with(&us, &["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_the_issue_is_held_for_may_push() {
    let setup = Setup::new().await;
    setup.commit("Closes #1");
    let held = setup.env.run(&["claim", "#1", "--", "git", "push", "origin", "topic"]);
    assert_eq!(held.code, 0, "{held:?}");
    assert!(setup.is_there("topic").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_holder_by_its_environment_may_push_and_another_firing_may_not() {
    let setup = Setup::new().await;
    setup.claimed("web", 1).await;
    setup.commit("Closes #1");
    let (codename, firing_id) = HOLDER;
    for (codename, firing_id) in
        [(codename, "20260501-194217-0000"), ("robin", firing_id), (codename, ""), ("", firing_id)]
    {
        let us = [("BATON_CODENAME", codename), ("BATON_FIRING_ID", firing_id)];
        setup.push_with(&us, &["origin", "topic"]).refused(&["held by lucius"]);
    }
    let us = [("BATON_CODENAME", codename), ("BATON_FIRING_ID", firing_id)];
    setup.push_with(&us, &["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn someone_elses_open_pull_request_refuses_and_its_own_branch_may_push() {
    let setup = Setup::new().await;
    setup.pull("theirs", "Fixes #1").await;
    setup.commit("Closes #1");
    let refused = setup.push(&["origin", "topic"]).refused(&OVERRIDES);
    assert!(refused.err.contains("admin/web#1 has a pull request open: #2 by admin from `theirs`, http"));
    // What is not over there yet is not its branch, and neither is another one.
    setup.push(&["origin", "topic:refs/heads/other"]).refused(&["from `theirs`"]);
    setup.git(&["fetch", "-q"]);
    setup.git(&["checkout", "-q", "-b", "mine", "origin/theirs"]);
    setup.commit("More, which closes #1");
    setup.push(&["origin", "origin/main:refs/heads/other"]).passed(&[]);
    setup.push(&["origin", "mine:other"]).refused(&["from `theirs`"]);
    setup.push(&["origin", "mine:theirs"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_branch_of_the_pull_request_may_push_while_an_agent_holds_the_issue() {
    let setup = Setup::new().await;
    setup.pull("theirs", "Fixes #1").await;
    setup.claimed("web", 1).await;
    setup.git(&["fetch", "-q"]);
    setup.git(&["checkout", "-q", "-B", "topic", "origin/theirs"]);
    setup.commit("Closes #1");
    setup.push(&["origin", "topic:theirs"]).passed(&[]);
    setup.commit("Closes #1");
    setup.push(&["origin", "topic:elsewhere"]).refused(&["held by lucius"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewritten_branch_of_a_pull_request_stays_its_branch() {
    let setup = Setup::new().await;
    let first = setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).passed(&[]);
    setup.open_pull("topic", "Fixes #1").await;
    setup.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "Closes #1, better"]);
    assert_ne!(setup.git(&["rev-parse", "HEAD"]), first);
    setup.push(&["--force", "origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_mentions_or_that_is_closed_refuses_nothing() {
    let setup = Setup::new().await;
    setup.pull("theirs", "See #1").await;
    setup.pull("gone", "Fixes #1").await;
    setup.repo.send("PATCH", "/pulls/3", json!({ "state": "closed" })).await;
    setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_issue_is_in_nobodys_way() {
    let setup = Setup::new().await;
    setup.claimed("web", 1).await;
    setup.pull("theirs", "Fixes #1").await;
    setup.repo.send("PATCH", "/issues/1", json!({ "state": "closed" })).await;
    setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_keeps_agents_away_may_push() {
    let setup = Setup::new().await;
    setup.env.run(&["label-state", "claim", "admin/web#1"]).exits(0);
    setup.commit("Closes #1");
    setup.push(&["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_variable_skips_the_check_and_says_so() {
    let setup = Setup::new().await;
    setup.claimed("web", 1).await;
    setup.commit("Closes #1");
    let skip = |value| [("LABEL_STATE_SKIP_DEDUP_CHECK", value)];
    setup.push_with(&skip("0"), &["origin", "topic"]).refused(&[]);
    let passed = setup.push_with(&skip("1"), &["origin", "topic"]);
    passed.passed(&["LABEL_STATE_SKIP_DEDUP_CHECK=1: pushed without asking"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_issue_is_checked_before_the_answer() {
    let setup = Setup::new().await;
    let numbers = [1, setup.repo.issue("x", &[]).await, setup.repo.issue("x", &[]).await];
    setup.claimed("web", numbers[0]).await;
    setup.pull("theirs", &format!("Fixes #{}", numbers[2])).await;
    setup.commit("Fixes #1");
    setup.commit(&format!("Fixes #{} and resolves #{}", numbers[1], numbers[2]));
    let refused = setup.push(&["origin", "topic"]).refused(&["#1 is held by", "#3 has a pull request open"]);
    assert!(!refused.err.contains("admin/web#2"), "{}", refused.err);
    assert_eq!(refused.err.matches("To push all the same").count(), 1, "{}", refused.err);
}
