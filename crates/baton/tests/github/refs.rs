//! Refs as the compare and swap that claims stand on.

use baton_core::tracker::{RefAdvance, RefCreation};
use baton_fixtures::TOKEN;
use baton_ports::{Tracker as _, TrackerErrorKind};
use serde_json::json;

use crate::github::{Setup, github, refused, repo};

const CLAIM: &str = "refs/baton/claims/1";

async fn commit(setup: &Setup, message: &str, parent: Option<&str>) -> String {
    setup.github.write_commit(&repo(), message, parent).await.unwrap().value.oid
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_is_created_once_and_read_with_its_commit_in_one_call() {
    let setup = Setup::new().await;
    assert_eq!(setup.github.ref_tip(&repo(), CLAIM).await.unwrap().value, None);
    setup.forge.freeze_clock(1_700_000_000).await;
    let written = setup.github.write_commit(&repo(), "claim\n\nepoch=1", None).await.unwrap().value;
    assert_eq!(written.committed_at.0, 1_700_000_000, "the server dates it");
    assert_eq!(setup.github.create_ref(&repo(), CLAIM, &written.oid).await.unwrap(), RefCreation::Created);
    assert_eq!(setup.github.create_ref(&repo(), CLAIM, &written.oid).await.unwrap(), RefCreation::Exists);
    let before = setup.github.requests_sent();
    let tip = setup.github.ref_tip(&repo(), CLAIM).await.unwrap();
    assert_eq!((tip.value.as_ref(), tip.date.0), (Some(&written), 1_700_000_000));
    assert_eq!(setup.github.requests_sent() - before, 1);
    assert!(tip.value.unwrap().parents.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_moves_forward_and_in_no_other_way() {
    let setup = Setup::new().await;
    let first = commit(&setup, "first", None).await;
    let (mine, theirs) =
        (commit(&setup, "mine", Some(&first)).await, commit(&setup, "theirs", Some(&first)).await);
    assert_eq!(setup.github.advance_ref(&repo(), CLAIM, &mine).await.unwrap(), RefAdvance::Missing);
    setup.github.create_ref(&repo(), CLAIM, &first).await.unwrap();
    for _ in 0..2 {
        assert_eq!(setup.github.advance_ref(&repo(), CLAIM, &mine).await.unwrap(), RefAdvance::Advanced);
    }
    assert_eq!(setup.github.advance_ref(&repo(), CLAIM, &theirs).await.unwrap(), RefAdvance::NotFastForward);
    assert_eq!(setup.github.advance_ref(&repo(), CLAIM, &first).await.unwrap(), RefAdvance::NotFastForward);
    let tip = setup.github.ref_tip(&repo(), CLAIM).await.unwrap().value.unwrap();
    assert_eq!((tip.oid, tip.parents, tip.message.as_str()), (mine, vec![first], "mine"));
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_commits_that_cannot_be_are_told_apart() {
    let setup = Setup::new().await;
    let oid = commit(&setup, "x", None).await;
    for name in ["baton/claims/1", "refs/baton..x/1", "refs/pull/1/head"] {
        let refused = setup.github.create_ref(&repo(), name, &oid).await.unwrap();
        assert_eq!(refused, RefCreation::NameRefused, "{name}");
    }
    setup.github.create_ref(&repo(), CLAIM, &oid).await.unwrap();
    let below = setup.github.create_ref(&repo(), "refs/baton/claims/1/x", &oid).await.unwrap();
    assert_eq!(below, RefCreation::NameRefused, "its name collides with another");
    let nothing = "0123456789012345678901234567890123456789";
    for oid in [nothing, "short"] {
        refused(setup.github.create_ref(&repo(), "refs/baton/x/1", oid).await, TrackerErrorKind::Invalid);
        refused(setup.github.advance_ref(&repo(), CLAIM, oid).await, TrackerErrorKind::Invalid);
    }
    let orphan = setup.github.write_commit(&repo(), "x", Some(nothing)).await;
    refused(orphan, TrackerErrorKind::Invalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn refs_are_listed_by_prefix_up_to_the_last_page() {
    let setup = Setup::new().await;
    let oid = commit(&setup, "x", None).await;
    let name = |number: u32| format!("refs/baton/claims/{number}");
    for number in 0..120 {
        setup.github.create_ref(&repo(), &name(number), &oid).await.unwrap();
    }
    setup.github.create_ref(&repo(), "refs/baton/claims-old/1", &oid).await.unwrap();
    let mut listed = setup.github.refs_under(&repo(), "refs/baton/claims/").await.unwrap();
    listed.sort();
    let mut expected: Vec<_> = (0..120).map(|number| (name(number), oid.clone())).collect();
    expected.sort();
    assert_eq!(listed, expected);
    assert!(setup.github.refs_under(&repo(), "refs/none/").await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_repository_has_no_refs_and_a_hidden_one_is_not_an_empty_one() {
    let setup = Setup::new().await;
    setup.forge.admin.must("POST", "/user/repos", &json!({ "name": "bare", "private": true }), 201).await;
    let bare = "admin/bare".parse().unwrap();
    assert_eq!(setup.github.ref_tip(&bare, CLAIM).await.unwrap().value, None);
    assert!(setup.github.refs_under(&bare, "refs/baton/").await.unwrap().is_empty());
    let stranger = setup.second("stranger", "admin");
    refused(stranger.ref_tip(&bare, CLAIM).await, TrackerErrorKind::NotFound);
    refused(stranger.refs_under(&bare, "refs/baton/").await, TrackerErrorKind::NotFound);
    let nowhere = "admin/nowhere".parse().unwrap();
    refused(setup.github.ref_tip(&nowhere, CLAIM).await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_clients_that_claim_exactly_one_creates_the_ref() {
    let setup = Setup::new().await;
    let mut claimants = Vec::new();
    for number in 0..12 {
        let client = github(&setup.forge.url, TOKEN);
        claimants.push(tokio::spawn(async move {
            let commit = client.write_commit(&repo(), &format!("by {number}"), None).await.unwrap().value;
            client.create_ref(&repo(), CLAIM, &commit.oid).await.unwrap()
        }));
    }
    let mut outcomes = Vec::new();
    for claimant in claimants {
        outcomes.push(claimant.await.unwrap());
    }
    let created = outcomes.iter().filter(|outcome| **outcome == RefCreation::Created).count();
    let lost = outcomes.iter().filter(|outcome| **outcome == RefCreation::Exists).count();
    assert_eq!((created, lost), (1, 11));
}
