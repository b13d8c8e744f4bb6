//! Ending claims that nobody is behind any more.

use serde_json::{Value, json};

use crate::label_state::{NOBODY, SOON, World, said};

const ENTRY: &str = "    #1 codename=lucius firing_id=20260501-194217-643a age=5.0h - A title\n";

impl World {
    async fn five_hours_later(&self) {
        self.client.must("PUT", "/_forge/clock", &json!({ "frozen_at": 1_800_018_000 }), 200).await;
    }

    /// An issue whose holder is about to be forgotten.
    async fn with_claim() -> Self {
        let world = Self::new().await;
        world.client.must("PUT", "/_forge/clock", &json!({ "frozen_at": 1_800_000_000 }), 200).await;
        let number = world.issue(&["agent:in-flight"]).await;
        world.claimed(number).await;
        world
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_lists_what_is_stale_and_changes_nothing() {
    let world = World::with_claim().await;
    let none = "label-state: dry-run, 0 stale claim(s) across 1 repo(s). No changes made.\n";
    said(world.label_state(&["sweep-claims", "--repo", "web", "--dry-run"]), 0, none, "");
    world.five_hours_later().await;
    let expected = format!(
        "  web: 1 stale claim(s)\n{ENTRY}label-state: dry-run, 1 stale claim(s) across 1 repo(s). No changes made.\n"
    );
    said(world.label_state(&["sweep-claims", "--repo", "web", "--dry-run"]), 0, &expected, "");
    assert_eq!(world.labels(1).await, ["agent:in-flight"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_ends_what_is_stale_under_its_own_name_and_requeues_the_issue() {
    let world = World::with_claim().await;
    world.five_hours_later().await;
    let expected =
        format!("  web: 1 stale claim(s)\n{ENTRY}label-state: swept 1/1 stale claim(s) across 1 repo(s).\n");
    said(world.label_state(&["sweep-claims", "--repo", "web"]), 0, &expected, "");
    assert_eq!(world.labels(1).await, ["agent:implement"]);
    let comments = world.client.must("GET", "/repos/admin/web/issues/1/comments", &Value::Null, 200).await;
    let release = comments[1]["body"].as_str().unwrap();
    assert!(
        release.starts_with("<!-- agent-release:codename=lucius firing_id=20260501-194217-643a "),
        "{release}"
    );
    assert!(release.contains("outcome=stale-swept") && release.contains("-manual"), "{release}");
    let none = "label-state: swept 0/0 stale claim(s) across 1 repo(s).\n";
    said(world.label_state(&["sweep-claims", "--repo", "web"]), 0, none, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_age_that_is_too_old_can_be_set() {
    let world = World::with_claim().await;
    world.five_hours_later().await;
    let none = "label-state: swept 0/0 stale claim(s) across 1 repo(s).\n";
    said(world.label_state(&["sweep-claims", "--repo", "web", "--max-age-hours", "6"]), 0, none, "");
    let swept = world.label_state(&["sweep-claims", "--repo", "web", "--max-age-hours", "1"]);
    assert!(swept.1.ends_with("swept 1/1 stale claim(s) across 1 repo(s).\n"), "{swept:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_without_a_claim_has_an_infinite_age_once_its_grace_is_over() {
    let world = World::new().await;
    world.client.must("PUT", "/_forge/clock", &json!({ "frozen_at": 1_800_000_000 }), 200).await;
    world.issue(&["agent:in-flight"]).await;
    let none = "label-state: swept 0/0 stale claim(s) across 1 repo(s).\n";
    said(world.label_state(&["sweep-claims", "--repo", "web"]), 0, none, "");
    world.five_hours_later().await;
    let expected = "  web: 1 stale claim(s)\n    #1 codename=? firing_id=? age=infh - A title\n\
                    label-state: swept 1/1 stale claim(s) across 1 repo(s).\n";
    said(world.label_state(&["sweep-claims", "--repo", "web"]), 0, expected, "");
    assert_eq!(world.labels(1).await, ["agent:implement"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_dead_claims_of_one_issue_end_together() {
    let world = World::with_claim().await;
    world.comment(1, "<!-- agent-claim:codename=robin firing_id=F ts=2026-05-01T19:42:33Z -->").await;
    world.five_hours_later().await;
    let (code, out, complaint) = world.label_state(&["sweep-claims", "--repo", "web"]);
    assert_eq!((code, complaint.as_str()), (0, ""));
    assert!(out.starts_with("  web: 2 stale claim(s)\n") && out.contains(ENTRY), "{out}");
    assert!(out.ends_with("label-state: swept 2/2 stale claim(s) across 1 repo(s).\n"), "{out}");
    assert_eq!(world.labels(1).await, ["agent:implement"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_environment_lists_the_repositories_and_nothing_listed_is_a_mistake() {
    let world = World::with_claim().await;
    world.client.must("POST", "/user/repos", &json!({ "name": "api" }), 201).await;
    world.five_hours_later().await;
    let listed = [("LABEL_STATE_SWEEP_REPOS", "api, admin/web,")];
    let expected = format!(
        "  admin/web: 1 stale claim(s)\n{ENTRY}label-state: dry-run, 1 stale claim(s) across 2 repo(s). \
         No changes made.\n"
    );
    said(world.label_state_with(&listed, &["sweep-claims", "--dry-run"]), 0, &expected, "");
    let named = world.label_state_with(&listed, &["sweep-claims", "--repo", "api"]);
    said(named, 0, "label-state: swept 0/0 stale claim(s) across 1 repo(s).\n", "");
    let nothing = "label-state sweep-claims: no repos to sweep. Pass --repo or set LABEL_STATE_SWEEP_REPOS in your \
                   environment (comma-separated repo slugs).\n";
    said(world.label_state(&["sweep-claims"]), 2, "", nothing);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_cannot_be_read_keeps_no_other_waiting_and_makes_it_three() {
    let world = World::with_claim().await;
    world.five_hours_later().await;
    let listed = [("LABEL_STATE_SWEEP_REPOS", "gone,web")];
    let (code, out, complaint) = world.label_state_with(&listed, &["sweep-claims"]);
    let expected =
        format!("  web: 1 stale claim(s)\n{ENTRY}label-state: swept 1/1 stale claim(s) across 2 repo(s).\n");
    assert_eq!((code, out.as_str()), (3, expected.as_str()), "{complaint}");
    assert!(complaint.starts_with("  gone: probe failed: "), "{complaint}");
    let nobody = world.label_state_with(&[NOBODY, SOON], &["sweep-claims", "--repo", "web"]);
    assert_eq!(nobody.0, 3, "{nobody:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_is_not_taken_is_not_counted() {
    let world = World::with_claim().await;
    world.five_hours_later().await;
    world.fail("POST", "/comments").await;
    let (code, out, complaint) = world.label_state_with(&[SOON], &["sweep-claims", "--repo", "web"]);
    assert_eq!(code, 3, "{complaint}");
    assert!(out.ends_with("label-state: swept 0/1 stale claim(s) across 1 repo(s).\n"), "{out}");
    assert!(complaint.contains("    sweep failed: "), "{complaint}");
    assert_eq!(world.labels(1).await, ["agent:in-flight"]);
}
