//! Ending claims that nobody is behind any more.

use serde_json::json;

use crate::label_state::{NOBODY, SOON, Setup, said};

const ENTRY: &str = "    #1 codename=lucius firing_id=20260501-194217-643a age=5.0h - A title\n";

/// When a claim of 1,800,000,000 is five hours old.
const FIVE_HOURS_LATER: i64 = 1_800_018_000;

/// An issue whose holder is about to be forgotten.
async fn with_claim() -> Setup {
    let setup = Setup::new().await;
    setup.forge.freeze_clock(1_800_000_000).await;
    let number = setup.repo.issue("A title", &["agent:in-flight"]).await;
    setup.claimed(number).await;
    setup
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_lists_what_is_stale_and_changes_nothing() {
    let setup = with_claim().await;
    let none = "label-state: dry-run, 0 stale claim(s) across 1 repo(s). No changes made.\n";
    said(setup.label_state(&["sweep-claims", "--repo", "web", "--dry-run"]), 0, none, "");
    setup.forge.freeze_clock(FIVE_HOURS_LATER).await;
    let expected = format!(
        "  web: 1 stale claim(s)\n{ENTRY}label-state: dry-run, 1 stale claim(s) across 1 repo(s). No changes made.\n"
    );
    said(setup.label_state(&["sweep-claims", "--repo", "web", "--dry-run"]), 0, &expected, "");
    assert_eq!(setup.repo.labels(1).await, ["agent:in-flight"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_ends_what_is_stale_under_its_own_name_and_requeues_the_issue() {
    let setup = with_claim().await;
    setup.forge.freeze_clock(FIVE_HOURS_LATER).await;
    let expected =
        format!("  web: 1 stale claim(s)\n{ENTRY}label-state: swept 1/1 stale claim(s) across 1 repo(s).\n");
    said(setup.label_state(&["sweep-claims", "--repo", "web"]), 0, &expected, "");
    assert_eq!(setup.repo.labels(1).await, ["agent:implement"]);
    let comments = setup.repo.get("/issues/1/comments").await;
    let release = comments[1]["body"].as_str().unwrap();
    assert!(
        release.starts_with("<!-- agent-release:codename=lucius firing_id=20260501-194217-643a "),
        "{release}"
    );
    assert!(release.contains("outcome=stale-swept") && release.contains("-manual"), "{release}");
    let none = "label-state: swept 0/0 stale claim(s) across 1 repo(s).\n";
    said(setup.label_state(&["sweep-claims", "--repo", "web"]), 0, none, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_age_that_is_too_old_can_be_set() {
    let setup = with_claim().await;
    setup.forge.freeze_clock(FIVE_HOURS_LATER).await;
    let none = "label-state: swept 0/0 stale claim(s) across 1 repo(s).\n";
    said(setup.label_state(&["sweep-claims", "--repo", "web", "--max-age-hours", "6"]), 0, none, "");
    let swept = setup.label_state(&["sweep-claims", "--repo", "web", "--max-age-hours", "1"]);
    assert!(swept.1.ends_with("swept 1/1 stale claim(s) across 1 repo(s).\n"), "{swept:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_without_a_claim_has_an_infinite_age_once_its_grace_is_over() {
    let setup = Setup::new().await;
    setup.forge.freeze_clock(1_800_000_000).await;
    setup.repo.issue("A title", &["agent:in-flight"]).await;
    let none = "label-state: swept 0/0 stale claim(s) across 1 repo(s).\n";
    said(setup.label_state(&["sweep-claims", "--repo", "web"]), 0, none, "");
    setup.forge.freeze_clock(FIVE_HOURS_LATER).await;
    let expected = "  web: 1 stale claim(s)\n    #1 codename=? firing_id=? age=infh - A title\n\
                    label-state: swept 1/1 stale claim(s) across 1 repo(s).\n";
    said(setup.label_state(&["sweep-claims", "--repo", "web"]), 0, expected, "");
    assert_eq!(setup.repo.labels(1).await, ["agent:implement"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_dead_claims_of_one_issue_end_together() {
    let setup = with_claim().await;
    setup.repo.comment(1, "<!-- agent-claim:codename=robin firing_id=F ts=2026-05-01T19:42:33Z -->").await;
    setup.forge.freeze_clock(FIVE_HOURS_LATER).await;
    let (code, out, complaint) = setup.label_state(&["sweep-claims", "--repo", "web"]);
    assert_eq!((code, complaint.as_str()), (0, ""));
    assert!(out.starts_with("  web: 2 stale claim(s)\n") && out.contains(ENTRY), "{out}");
    assert!(out.ends_with("label-state: swept 2/2 stale claim(s) across 1 repo(s).\n"), "{out}");
    assert_eq!(setup.repo.labels(1).await, ["agent:implement"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_environment_lists_the_repositories_and_nothing_listed_is_a_mistake() {
    let setup = with_claim().await;
    setup.forge.admin.must("POST", "/user/repos", &json!({ "name": "api" }), 201).await;
    setup.forge.freeze_clock(FIVE_HOURS_LATER).await;
    let listed = [("LABEL_STATE_SWEEP_REPOS", "api, admin/web,")];
    let expected = format!(
        "  admin/web: 1 stale claim(s)\n{ENTRY}label-state: dry-run, 1 stale claim(s) across 2 repo(s). \
         No changes made.\n"
    );
    said(setup.label_state_with(&listed, &["sweep-claims", "--dry-run"]), 0, &expected, "");
    let named = setup.label_state_with(&listed, &["sweep-claims", "--repo", "api"]);
    said(named, 0, "label-state: swept 0/0 stale claim(s) across 1 repo(s).\n", "");
    let nothing = "label-state sweep-claims: no repos to sweep. Pass --repo or set LABEL_STATE_SWEEP_REPOS in your \
                   environment (comma-separated repo slugs).\n";
    said(setup.label_state(&["sweep-claims"]), 2, "", nothing);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_cannot_be_read_keeps_no_other_waiting_and_makes_it_three() {
    let setup = with_claim().await;
    setup.forge.freeze_clock(FIVE_HOURS_LATER).await;
    let listed = [("LABEL_STATE_SWEEP_REPOS", "gone,web")];
    let (code, out, complaint) = setup.label_state_with(&listed, &["sweep-claims"]);
    let expected =
        format!("  web: 1 stale claim(s)\n{ENTRY}label-state: swept 1/1 stale claim(s) across 2 repo(s).\n");
    assert_eq!((code, out.as_str()), (3, expected.as_str()), "{complaint}");
    assert!(complaint.starts_with("  gone: probe failed: "), "{complaint}");
    let nobody = setup.label_state_with(&[NOBODY, SOON], &["sweep-claims", "--repo", "web"]);
    assert_eq!(nobody.0, 3, "{nobody:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_is_not_taken_is_not_counted() {
    let setup = with_claim().await;
    setup.forge.freeze_clock(FIVE_HOURS_LATER).await;
    setup.fail("POST", "/comments").await;
    let (code, out, complaint) = setup.label_state_with(&[SOON], &["sweep-claims", "--repo", "web"]);
    assert_eq!(code, 3, "{complaint}");
    assert!(out.ends_with("label-state: swept 0/1 stale claim(s) across 1 repo(s).\n"), "{out}");
    assert!(complaint.contains("    sweep failed: "), "{complaint}");
    assert_eq!(setup.repo.labels(1).await, ["agent:in-flight"]);
}
