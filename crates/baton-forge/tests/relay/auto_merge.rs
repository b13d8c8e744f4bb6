//! Auto-merge: turned on by GraphQL, carried out when the rules are met.

use serde_json::{Value, json};

use crate::relay::world::{REPO, World};

pub(crate) const ENABLE: &str = "mutation($i: EnablePullRequestAutoMergeInput!) { enablePullRequestAutoMerge(input: $i) {
    pullRequest { autoMergeRequest { mergeMethod commitHeadline enabledBy { login } } viewerCanDisableAutoMerge } } }";
const DISABLE: &str =
    "mutation($i: DisablePullRequestAutoMergeInput!) { disablePullRequestAutoMerge(input: $i) {
    pullRequest { autoMergeRequest { mergeMethod } } } }";

pub(crate) async fn waiting() -> (World, Value) {
    let world = World::new().await;
    world.settings(json!({ "allow_auto_merge": true })).await;
    world.protect(json!({ "required_status_checks": { "strict": false, "contexts": ["test"] } })).await;
    let pull = world.pull("feature", "").await;
    (world, pull)
}

async fn pass(world: &World, pull: &Value) {
    let run = json!({ "name": "test", "head_sha": pull["head"]["sha"], "conclusion": "success" });
    world.ok(&world.bob, "POST", &format!("{REPO}/check-runs"), run).await;
}

async fn merged(world: &World) -> Value {
    world
        .eventually("the merge", async |world: &World| {
            let pull = world.get(&format!("{REPO}/pulls/1")).await;
            (pull["merged"] == true).then_some(pull)
        })
        .await
}

async fn refusal(world: &World, token: &str, pull: &Value) -> Value {
    let input = json!({ "i": { "pullRequestId": pull["node_id"] } });
    world.graph(token, ENABLE, input).await["errors"][0]["message"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_merges_as_whoever_enabled_it_once_the_checks_have_passed() {
    let (world, pull) = waiting().await;
    let input = json!({ "i": { "pullRequestId": pull["node_id"], "mergeMethod": "SQUASH", "commitHeadline": "At last" } });
    let data = world.data(&world.ada, ENABLE, input).await;
    let request =
        json!({ "mergeMethod": "SQUASH", "commitHeadline": "At last", "enabledBy": { "login": "ada" } });
    let shown = &data["enablePullRequestAutoMerge"]["pullRequest"];
    assert_eq!((&shown["autoMergeRequest"], &shown["viewerCanDisableAutoMerge"]), (&request, &json!(true)));
    let rest = world.get(&format!("{REPO}/pulls/1")).await;
    assert_eq!((&rest["auto_merge"]["merge_method"], &rest["merged"]), (&json!("squash"), &json!(false)));
    pass(&world, &pull).await;
    assert_eq!(merged(&world).await["merged_by"]["login"], "ada");
    let main = world.get(&format!("{REPO}/commits/main")).await;
    assert!(main["commit"]["message"].as_str().unwrap().starts_with("At last"));
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_refused_where_it_is_not_allowed_or_not_needed() {
    let (world, pull) = waiting().await;
    assert_eq!(refusal(&world, &world.eve, &pull).await, "Must have admin rights to Repository.");
    world.settings(json!({ "allow_auto_merge": false })).await;
    assert_eq!(refusal(&world, &world.ada, &pull).await, "Auto merge is not allowed for this repository");
    world.settings(json!({ "allow_auto_merge": true })).await;
    pass(&world, &pull).await;
    assert_eq!(refusal(&world, &world.ada, &pull).await, "Pull request Pull request is in clean status");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_off_after_disabling_and_after_a_change_of_base() {
    let (world, pull) = waiting().await;
    world.branch("other", "other.txt", "x\n");
    let input = json!({ "i": { "pullRequestId": pull["node_id"] } });
    world.data(&world.ada, ENABLE, input.clone()).await;
    world.data(&world.ada, DISABLE, input.clone()).await;
    let auto = async || world.get(&format!("{REPO}/pulls/1")).await["auto_merge"].clone();
    assert_eq!(auto().await, Value::Null);
    world.data(&world.ada, ENABLE, input).await;
    assert_eq!(auto().await["merge_method"], "merge");
    world.ok(&world.ada, "PATCH", &format!("{REPO}/pulls/1"), json!({ "base": "other" })).await;
    assert_eq!(auto().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_armed_before_the_forge_was_cut_off_is_merged_after_it() {
    let (world, pull) = waiting().await;
    let input = json!({ "i": { "pullRequestId": pull["node_id"], "mergeMethod": "SQUASH" } });
    world.data(&world.ada, ENABLE, input).await;
    let world = world.restart(|_| {}).await;
    let rest = world.get(&format!("{REPO}/pulls/1")).await;
    assert_eq!((&rest["auto_merge"]["merge_method"], &rest["merged"]), (&json!("squash"), &json!(false)));
    pass(&world, &pull).await;
    let merged = merged(&world).await;
    assert_eq!((&merged["merged_by"]["login"], &merged["auto_merge"]), (&json!("ada"), &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_be_merged_when_the_forge_was_cut_off_is_merged_when_it_starts() {
    let (world, pull) = waiting().await;
    let input = json!({ "i": { "pullRequestId": pull["node_id"] } });
    world.data(&world.ada, ENABLE, input).await;
    pass(&world, &pull).await;
    let world = world.restart(|_| {}).await;
    assert_eq!(merged(&world).await["merged_by"]["login"], "ada");
}
