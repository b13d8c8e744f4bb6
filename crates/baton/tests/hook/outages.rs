//! A tracker that does not answer: a warning, or a refusal where the configuration wants that; never silence.

use serde_json::json;

use crate::hook::{PushOutput as _, Setup};

/// An address where nobody listens.
const NOBODY: (&str, &str) = ("BATON_GITHUB_API_URL", "http://127.0.0.1:9");
const SOON: (&str, &str) = ("BATON_REQUEST_TIMEOUT", "1s");

async fn with_reference() -> Setup {
    let setup = Setup::new().await;
    setup.claimed("web", 1).await;
    setup.commit("Closes #1");
    setup
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_out_of_reach_lets_the_push_go_on_with_a_warning() {
    let setup = with_reference().await;
    let passed = setup.push_with(&[NOBODY, SOON], &["origin", "topic"]);
    passed.passed(&["warning: admin/web#1 could not be checked", "pushed without that check"]);
    assert!(setup.is_there("topic").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_out_of_reach_refuses_where_the_configuration_wants_that() {
    let setup = with_reference().await;
    setup.env.write("baton.yaml", "hook:\n  fail: closed\n");
    let refused = setup.push_with(&[NOBODY, SOON], &["origin", "topic"]);
    refused.refused(&[
        "#1 could not be checked",
        "`hook.fail` is `closed`",
        "--no-verify",
        "LABEL_STATE_SKIP",
    ]);
    assert!(!setup.is_there("topic").await);
    setup.push(&["origin", "topic"]).refused(&["#1 is held by"]);
    let skip = ("LABEL_STATE_SKIP_DEDUP_CHECK", "1");
    setup.push_with(&[NOBODY, SOON, skip], &["origin", "topic"]).passed(&[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_that_fails_half_way_is_not_taken_for_a_free_issue() {
    let setup = with_reference().await;
    for path in ["/issues/1", "/comments", "/pulls"] {
        let matching = json!({ "method": "GET", "path_contains": path });
        setup.forge.fault(matching, "before", json!({ "status": 502 }), 0, None).await;
        let closed = ("BATON_HOOK_FAIL", "closed");
        setup.push_with(&[SOON, closed], &["origin", "topic"]).refused(&["#1 could not be checked"]);
        let passed = setup.push_with(&[SOON], &["--dry-run", "origin", "topic"]);
        passed.passed(&["warning: admin/web#1 could not be checked"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_that_is_not_there_is_a_warning_and_the_others_are_checked() {
    let setup = with_reference().await;
    setup.commit("Closes #99");
    let refused = setup.push(&["origin", "topic"]);
    refused.refused(&["warning: admin/web#99 could not be checked", "admin/web#1 is held by"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_out_of_reach_is_not_asked_again_for_the_next_issue() {
    let setup = with_reference().await;
    setup.commit("Closes #2, closes #3");
    let passed = setup.push_with(&[NOBODY, SOON], &["origin", "topic"]);
    let said = passed.passed(&["2 more issues are not checked"]).err;
    assert_eq!(said.matches("could not be checked").count(), 1, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_cannot_be_read_may_be_the_one_that_says_closed() {
    let setup = with_reference().await;
    setup.env.write("baton.yaml", "hook:\n  fial: closed\n");
    let refused = setup.push(&["origin", "topic"]);
    refused.refused(&["baton.yaml:2:3", "nobody can tell what `hook.fail` is", "--no-verify"]);
    // Commits that close nothing need no configuration.
    setup.git(&["checkout", "-q", "-b", "harmless", "origin/main"]);
    setup.commit("nothing");
    setup.push(&["origin", "harmless"]).passed(&[]);
}
