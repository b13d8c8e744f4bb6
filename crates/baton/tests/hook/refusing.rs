//! Who may push commits that close an issue, and who may not.

use serde_json::json;

use crate::hook::{HOLDER, World};

const OVERRIDES: [&str; 2] = ["git push --no-verify", "LABEL_STATE_SKIP_DEDUP_CHECK=1"];

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_closes_what_someone_else_holds_is_refused_with_names_and_ways_on() {
    let world = World::new().await;
    world.claimed("web", 1).await;
    world.commit("Work\n\nCloses #1");
    let refused = world.push(&["origin", "topic"]).refused(&OVERRIDES);
    assert!(refused.err.contains("admin/web#1 is held by lucius:20260501-194217-643a, last heard of "));
    assert!(refused.err.contains(" s ago") && !refused.err.contains(crate::hook::TOKEN), "{}", refused.err);
    assert!(!world.is_there("topic").await);
    world.push(&["--no-verify", "origin", "topic"]).succeeded();
    assert!(world.is_there("topic").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_made_by_baton_refuses_others_until_it_is_released() {
    let world = World::new().await;
    world.baton(&["claim", "#1", "--codename", "robin", "--firing-id", "F1"]).succeeded();
    world.commit("Closes #1");
    world.push(&["origin", "topic"]).refused(&["admin/web#1 is held by robin:F1"]);
    world.baton(&["release", "#1", "--outcome", "cancelled"]).succeeded();
    world.push(&["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_on_a_ref_refuses_as_well() {
    let world = World::new().await;
    world.baton(&["protocol", "set", "ref"]).succeeded();
    world.baton(&["claim", "#1", "--codename", "robin", "--firing-id", "F1"]).succeeded();
    world.commit("Closes #1");
    world.push(&["origin", "topic"]).refused(&["admin/web#1 is held by robin:F1, last heard of "]);
    let us = [("BATON_CODENAME", "robin"), ("BATON_FIRING_ID", "F1")];
    world.push_with(&us, &["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_the_issue_is_held_for_may_push() {
    let world = World::new().await;
    world.commit("Closes #1");
    let held = world.baton(&["claim", "#1", "--", "git", "push", "origin", "topic"]);
    assert_eq!(held.code, 0, "{held:?}");
    assert!(world.is_there("topic").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_holder_by_its_environment_may_push_and_another_firing_may_not() {
    let world = World::new().await;
    world.claimed("web", 1).await;
    world.commit("Closes #1");
    let (codename, firing_id) = HOLDER;
    for (codename, firing_id) in
        [(codename, "20260501-194217-0000"), ("robin", firing_id), (codename, ""), ("", firing_id)]
    {
        let us = [("BATON_CODENAME", codename), ("BATON_FIRING_ID", firing_id)];
        world.push_with(&us, &["origin", "topic"]).refused(&["held by lucius"]);
    }
    let us = [("BATON_CODENAME", codename), ("BATON_FIRING_ID", firing_id)];
    world.push_with(&us, &["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn someone_elses_open_pull_request_refuses_and_its_own_branch_may_push() {
    let world = World::new().await;
    world.pull("theirs", "Fixes #1").await;
    world.commit("Closes #1");
    let refused = world.push(&["origin", "topic"]).refused(&OVERRIDES);
    assert!(refused.err.contains("admin/web#1 has a pull request open: #2 by admin from `theirs`, http"));
    // What is not over there yet is not its branch, and neither is another one.
    world.push(&["origin", "topic:refs/heads/other"]).refused(&["from `theirs`"]);
    world.git(&["fetch", "-q"]);
    world.git(&["checkout", "-q", "-b", "mine", "origin/theirs"]);
    world.commit("More, which closes #1");
    world.push(&["origin", "origin/main:refs/heads/other"]).passed(&[]);
    world.push(&["origin", "mine:other"]).refused(&["from `theirs`"]);
    world.push(&["origin", "mine:theirs"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_branch_of_the_pull_request_may_push_while_an_agent_holds_the_issue() {
    let world = World::new().await;
    world.pull("theirs", "Fixes #1").await;
    world.claimed("web", 1).await;
    world.git(&["fetch", "-q"]);
    world.git(&["checkout", "-q", "-B", "topic", "origin/theirs"]);
    world.commit("Closes #1");
    world.push(&["origin", "topic:theirs"]).passed(&[]);
    world.commit("Closes #1");
    world.push(&["origin", "topic:elsewhere"]).refused(&["held by lucius"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewritten_branch_of_a_pull_request_stays_its_branch() {
    let world = World::new().await;
    let first = world.commit("Closes #1");
    world.push(&["origin", "topic"]).passed(&[]);
    world.open_pull("topic", "Fixes #1").await;
    world.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "Closes #1, better"]);
    assert_ne!(world.git(&["rev-parse", "HEAD"]), first);
    world.push(&["--force", "origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_mentions_or_that_is_closed_refuses_nothing() {
    let world = World::new().await;
    world.pull("theirs", "See #1").await;
    world.pull("gone", "Fixes #1").await;
    world.client.must("PATCH", "/repos/admin/web/pulls/3", &json!({ "state": "closed" }), 200).await;
    world.commit("Closes #1");
    world.push(&["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_issue_is_in_nobodys_way() {
    let world = World::new().await;
    world.claimed("web", 1).await;
    world.pull("theirs", "Fixes #1").await;
    world.client.must("PATCH", "/repos/admin/web/issues/1", &json!({ "state": "closed" }), 200).await;
    world.commit("Closes #1");
    world.push(&["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_keeps_agents_away_may_push() {
    let world = World::new().await;
    world.baton(&["label-state", "claim", "admin/web#1"]).succeeded();
    world.commit("Closes #1");
    world.push(&["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_variable_skips_the_check_and_says_so() {
    let world = World::new().await;
    world.claimed("web", 1).await;
    world.commit("Closes #1");
    let skip = |value| [("LABEL_STATE_SKIP_DEDUP_CHECK", value)];
    world.push_with(&skip("0"), &["origin", "topic"]).refused(&[]);
    let passed = world.push_with(&skip("1"), &["origin", "topic"]);
    passed.passed(&["LABEL_STATE_SKIP_DEDUP_CHECK=1: pushed without asking"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_issue_is_checked_before_the_answer() {
    let world = World::new().await;
    let numbers = [1, world.issue().await, world.issue().await];
    world.claimed("web", numbers[0]).await;
    world.pull("theirs", &format!("Fixes #{}", numbers[2])).await;
    world.commit("Fixes #1");
    world.commit(&format!("Fixes #{} and resolves #{}", numbers[1], numbers[2]));
    let refused = world.push(&["origin", "topic"]).refused(&["#1 is held by", "#3 has a pull request open"]);
    assert!(!refused.err.contains("admin/web#2"), "{}", refused.err);
    assert_eq!(refused.err.matches("To push all the same").count(), 1, "{}", refused.err);
}
