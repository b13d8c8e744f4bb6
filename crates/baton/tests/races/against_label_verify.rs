//! The lock made of labels alone, in the interleavings that it does not survive.

use serde_json::json;

use crate::races::setup::Setup;
use crate::rivals::label_verify::{LabelVerify, lock_label};
use crate::rivals::{Outcome, Verdict};

/// The higher and the lower name, both wanting one issue.
async fn zed_and_abe(setup: &Setup) -> (u64, LabelVerify, LabelVerify) {
    let issue = setup.issue().await;
    let (zed, abe) = (setup.claimant("zed").await, setup.claimant("abe").await);
    (issue, LabelVerify::new(&zed, issue, "zed"), LabelVerify::new(&abe, issue, "abe"))
}

fn both_won(zed: &Verdict, abe: &Verdict) -> bool {
    zed.won() && abe.won()
}

#[tokio::test(flavor = "multi_thread")]
async fn label_verify_has_one_winner_when_both_labels_are_there_before_either_looks_again() {
    let setup = Setup::new().await;
    let (issue, mut zed, mut abe) = zed_and_abe(&setup).await;
    assert_eq!((zed.look().await, abe.look().await), (None, None));
    assert!(zed.lock().await && abe.lock().await);
    let (zed, abe) = (zed.verify().await, abe.verify().await);
    assert_eq!(
        (zed.outcome, zed.lost_to.as_deref(), abe.outcome),
        (Outcome::Lost, Some("abe"), Outcome::Won)
    );
    let labels = setup.aftermath(issue).await.labels;
    assert!(labels.contains(&lock_label("abe")) && !labels.contains(&lock_label("zed")), "{labels:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn label_verify_has_two_winners_without_any_lag_when_a_lower_name_stalls_before_its_label() {
    let setup = Setup::new().await;
    let (_, mut zed, mut abe) = zed_and_abe(&setup).await;
    assert_eq!((zed.look().await, abe.look().await), (None, None));
    assert!(zed.lock().await);
    let zed = zed.verify().await;
    assert!(abe.lock().await);
    let abe = abe.verify().await;
    assert!(both_won(&zed, &abe), "{zed:?} {abe:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn label_verify_has_two_winners_when_reads_lag_longer_than_it_waits() {
    let setup = Setup::new().await;
    let (_, mut zed, mut abe) = zed_and_abe(&setup).await;
    setup.stop_reads().await;
    assert_eq!((zed.look().await, abe.look().await), (None, None));
    assert!(zed.lock().await && abe.lock().await);
    let (zed, abe) = (zed.verify().await, abe.verify().await);
    assert!(both_won(&zed, &abe), "{zed:?} {abe:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn label_verify_has_two_winners_when_the_higher_name_cannot_look_again() {
    let setup = Setup::new().await;
    let (_, mut zed, mut abe) = zed_and_abe(&setup).await;
    assert_eq!((zed.look().await, abe.look().await), (None, None));
    assert!(zed.lock().await && abe.lock().await);
    let matching = json!({ "method": "GET", "login": "zed" });
    setup.forge.fault(matching, "before", json!({ "status": 500 }), 0, None).await;
    let (zed, abe) = (zed.verify().await, abe.verify().await);
    assert!(both_won(&zed, &abe), "{zed:?} {abe:?}");
}
