//! The subcommands about one issue.

use serde_json::json;

use crate::label_state::{HOLDER, NOBODY, SOON, Setup, out_of_reach, said};

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_sets_do_not_pickup_and_a_release_clears_it() {
    let setup = Setup::new().await;
    let number = setup.repo.issue("A title", &["agent:implement"]).await;
    let claimed = "label-state: claimed web#1 for the operator (do-not-pickup set).\n";
    said(setup.label_state(&["claim", "web#1"]), 0, claimed, "");
    assert_eq!(setup.repo.labels(number).await, ["agent:implement", "do-not-pickup"]);
    said(setup.label_state(&["claim", "web#1"]), 0, claimed, "");
    let comments = setup.repo.get("/issues/1/comments").await;
    assert_eq!(comments, json!([]), "an operator's claim posts no comment");
    let released = "label-state: released web#1 (do-not-pickup cleared).\n";
    said(setup.label_state(&["release", "web#1"]), 0, released, "");
    assert_eq!(setup.repo.labels(number).await, ["agent:implement"]);
    said(setup.label_state(&["release", "web#1"]), 0, released, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_of_what_is_in_flight_needs_force() {
    let setup = Setup::new().await;
    let number = setup.repo.issue("A title", &["agent:in-flight"]).await;
    setup.claimed(number).await;
    let refused = format!("label-state: web#1 is in-flight by {HOLDER}. Pass --force to override.\n");
    said(setup.label_state(&["claim", "web#1"]), 2, "", &refused);
    assert_eq!(setup.repo.labels(number).await, ["agent:in-flight"]);
    let claimed = "label-state: claimed web#1 for the operator (do-not-pickup set).\n";
    said(setup.label_state(&["claim", "--force", "web#1"]), 0, claimed, "");
    assert_eq!(setup.repo.labels(number).await, ["agent:in-flight", "do-not-pickup"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_of_what_has_a_pull_request_is_refused_even_with_force() {
    let setup = Setup::new().await;
    let number = setup.repo.issue("A title", &["agent:pr-open"]).await;
    setup.claimed(number).await;
    let refused = "label-state: web#1 already has a PR open. Manual claim refused.\n";
    for arguments in [["claim", "web#1"].as_slice(), &["claim", "web#1", "--force"]] {
        said(setup.label_state(arguments), 2, "", refused);
    }
    assert_eq!(setup.repo.labels(number).await, ["agent:pr-open"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_or_written_is_an_error_and_never_an_answer() {
    let setup = Setup::new().await;
    let number = setup.repo.issue("A title", &[]).await;
    for command in ["claim", "release", "dedup-check", "status-issue"] {
        out_of_reach(setup.label_state_with(&[NOBODY, SOON], &[command, "web#1"]));
        out_of_reach(setup.label_state(&[command, "web#99"]));
        out_of_reach(setup.label_state(&[command, "nowhere#1"]));
        out_of_reach(setup.label_state_with(&[("BATON_TOKEN", "bft_wrong")], &[command, "web#1"]));
    }
    setup.fail("GET", "/comments").await;
    for command in ["claim", "dedup-check", "status-issue"] {
        out_of_reach(setup.label_state_with(&[SOON], &[command, "web#1"]));
    }
    setup.fail("POST", "/labels").await;
    out_of_reach(setup.label_state_with(&[SOON], &["claim", "web#1"]));
    assert!(setup.repo.labels(number).await.is_empty());
    setup.forge.calm().await;
    setup.label_state(&["claim", "web#1"]);
    setup.fail("DELETE", "/labels").await;
    out_of_reach(setup.label_state_with(&[SOON], &["release", "web#1"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_free_issue_is_claimable_in_words_and_in_json() {
    let setup = Setup::new().await;
    setup.repo.issue("A title", &["agent:implement"]).await;
    said(setup.label_state(&["dedup-check", "web#1"]), 0, "label-state: web#1 is claimable.\n", "");
    let expected = r#"{
  "repo": "web",
  "number": 1,
  "state": "OPEN",
  "labels": [
    "agent:implement"
  ],
  "in_flight": false,
  "pr_open": false,
  "do_not_pickup": false,
  "needs_human_scope": false,
  "claimable": true,
  "latest_claim": null,
  "repo_paused": false
}
"#;
    said(setup.label_state(&["dedup-check", "web#1", "--json"]), 0, expected, "");
    said(setup.label_state(&["status-issue", "web#1", "--json"]), 0, expected, "");
    let named = expected.replace("\"web\"", "\"admin/web\"");
    said(setup.label_state(&["dedup-check", "admin/web#1", "--json"]), 0, &named, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocked_issue_says_every_reason_in_words_and_in_json() {
    let setup = Setup::new().await;
    setup.forge.freeze_clock(1_800_000_000).await;
    let labels = ["agent:in-flight", "agent:pr-open", "do-not-pickup", "needs:human-scope"];
    let number = setup.repo.issue("A title", &labels).await;
    setup.claimed(number).await;
    setup.forge.admin.must("PATCH", "/repos/admin/web/issues/1", &json!({ "state": "closed" }), 200).await;
    setup.label_state(&["repo", "pause", "web"]);
    let reasons = format!(
        "label-state: web#1 NOT claimable - state=CLOSED, in-flight ({HOLDER}), PR open, do-not-pickup, \
         needs:human-scope, repo paused\n"
    );
    said(setup.label_state(&["dedup-check", "web#1"]), 1, "", &reasons);
    let expected = r#"{
  "repo": "web",
  "number": 1,
  "state": "CLOSED",
  "labels": [
    "agent:in-flight",
    "agent:pr-open",
    "do-not-pickup",
    "needs:human-scope"
  ],
  "in_flight": true,
  "pr_open": true,
  "do_not_pickup": true,
  "needs_human_scope": true,
  "claimable": false,
  "latest_claim": {
    "codename": "lucius",
    "firing_id": "20260501-194217-643a",
    "ts": "2027-01-15T08:00:00Z",
    "createdAt": "2027-01-15T08:00:00Z"
  },
  "repo_paused": true,
  "reasons": [
    "state=CLOSED",
    "in-flight (lucius:20260501-194217-643a)",
    "PR open",
    "do-not-pickup",
    "needs:human-scope",
    "repo paused"
  ]
}
"#;
    said(setup.label_state(&["dedup-check", "--json", "web#1"]), 1, expected, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reason_that_scripts_do_not_know_is_said_rather_than_none() {
    let setup = Setup::new().await;
    setup.repo.issue("A title", &["agent:done"]).await;
    let expected = "label-state: web#1 NOT claimable - the label `agent:done` keeps agents away\n";
    said(setup.label_state(&["dedup-check", "web#1"]), 1, "", expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_is_shown_in_aligned_lines() {
    let setup = Setup::new().await;
    setup.forge.freeze_clock(1_800_000_000).await;
    let number = setup.repo.issue("A title", &["bug", "agent:in-flight"]).await;
    setup.claimed(number).await;
    let expected = "  repo:           web (active)\n  number:         #1\n  state:          OPEN\n  \
                    claimable:      no\n  in-flight:      yes\n  pr-open:        no\n  do-not-pickup:  no\n  \
                    human-scope:    no\n  latest claim:   codename=lucius firing_id=20260501-194217-643a \
                    ts=2027-01-15T08:00:00Z\n  labels:         bug, agent:in-flight\n";
    said(setup.label_state(&["status-issue", "web#1"]), 0, expected, "");
    setup.repo.issue("A title", &[]).await;
    setup.label_state(&["repo", "pause", "web"]);
    let expected = "  repo:           web (paused)\n  number:         #2\n  state:          OPEN\n  \
                    claimable:      no\n  in-flight:      no\n  pr-open:        no\n  do-not-pickup:  no\n  \
                    human-scope:    no\n  labels:         (none)\n";
    said(setup.label_state(&["status-issue", "web#2"]), 0, expected, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_a_stranger_wrote_puts_nothing_in_flight() {
    let setup = Setup::new().await;
    let number = setup.repo.issue("A title", &[]).await;
    setup.forge.administer(&["user", "add", "mallory"]).exits(0);
    let mallory = setup.forge.client(&setup.forge.token(&["--user", "mallory"]));
    let body = "<!-- agent-claim:codename=x firing_id=y ts=2026-05-01T19:42:33Z -->";
    setup.repo.by(&mallory).comment(number, body).await;
    said(setup.label_state(&["dedup-check", "web#1"]), 0, "label-state: web#1 is claimable.\n", "");
}
