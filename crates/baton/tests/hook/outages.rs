//! A tracker that does not answer: a warning, or a refusal where the configuration wants that; never silence.

use serde_json::json;

use crate::hook::World;

/// An address where nobody listens.
const NOBODY: (&str, &str) = ("BATON_GITHUB_API_URL", "http://127.0.0.1:9");
const SOON: (&str, &str) = ("BATON_REQUEST_TIMEOUT", "1s");

async fn with_reference() -> World {
    let world = World::new().await;
    world.claimed("web", 1).await;
    world.commit("Closes #1");
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_out_of_reach_lets_the_push_go_on_with_a_warning() {
    let world = with_reference().await;
    let passed = world.push_with(&[NOBODY, SOON], &["origin", "topic"]);
    passed.passed(&["warning: admin/web#1 could not be checked", "pushed without that check"]);
    assert!(world.is_there("topic").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_out_of_reach_refuses_where_the_configuration_wants_that() {
    let world = with_reference().await;
    std::fs::write(world.work.join("baton.yaml"), "hook:\n  fail: closed\n").unwrap();
    let refused = world.push_with(&[NOBODY, SOON], &["origin", "topic"]);
    refused.refused(&[
        "#1 could not be checked",
        "`hook.fail` is `closed`",
        "--no-verify",
        "LABEL_STATE_SKIP",
    ]);
    assert!(!world.is_there("topic").await);
    world.push(&["origin", "topic"]).refused(&["#1 is held by"]);
    let skip = ("LABEL_STATE_SKIP_DEDUP_CHECK", "1");
    world.push_with(&[NOBODY, SOON, skip], &["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_that_fails_half_way_is_not_taken_for_a_free_issue() {
    let world = with_reference().await;
    for path in ["/issues/1", "/comments", "/pulls"] {
        let matching = json!({ "method": "GET", "path_contains": path });
        let fault = json!({ "matching": matching, "when": "before", "kind": { "status": 502 } });
        world.client.must("PATCH", "/_forge/knobs", &json!({ "faults": [fault] }), 200).await;
        let closed = ("BATON_HOOK_FAIL", "closed");
        world.push_with(&[SOON, closed], &["origin", "topic"]).refused(&["#1 could not be checked"]);
        let passed = world.run(&world.work, "git", &["push", "--dry-run", "origin", "topic"], &[SOON]);
        passed.passed(&["warning: admin/web#1 could not be checked"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_that_is_not_there_is_a_warning_and_the_others_are_checked() {
    let world = with_reference().await;
    world.commit("Closes #99");
    let refused = world.push(&["origin", "topic"]);
    refused.refused(&["warning: admin/web#99 could not be checked", "admin/web#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_out_of_reach_is_not_asked_again_for_the_next_issue() {
    let world = with_reference().await;
    world.commit("Closes #2, closes #3");
    let passed = world.push_with(&[NOBODY, SOON], &["origin", "topic"]);
    let said = passed.passed(&["2 more issues are not checked"]).err;
    assert_eq!(said.matches("could not be checked").count(), 1, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_cannot_be_read_may_be_the_one_that_says_closed() {
    let world = with_reference().await;
    std::fs::write(world.work.join("baton.yaml"), "hook:\n  fial: closed\n").unwrap();
    let refused = world.push(&["origin", "topic"]);
    refused.refused(&["baton.yaml:2:3", "nobody can tell what `hook.fail` is", "--no-verify"]);
    // Commits that close nothing need no configuration.
    world.git(&["checkout", "-q", "-b", "harmless", "origin/main"]);
    world.commit("nothing");
    world.push(&["origin", "harmless"]).passed(&[]);
}
