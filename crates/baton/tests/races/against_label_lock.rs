//! The shell worker with its label and comment, in the interleavings that it does not survive.

use crate::races::setup::Setup;
use crate::rivals::alfred::now;
use crate::rivals::label_lock::{self, Stepped};
use crate::rivals::{Api, Outcome};

async fn two() -> (Setup, u64, Api, Api) {
    let setup = Setup::new().await;
    let issue = setup.issue().await;
    let (one, two) = (setup.claimant("worker-1").await, setup.claimant("worker-2").await);
    (setup, issue, one, two)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_worker_claims_works_and_advances_the_stage() {
    let (setup, issue, one, _) = two().await;
    let printed = label_lock::run(&one, "worker-1", &[&issue.to_string(), "true"]).await;
    let verdict = label_lock::last_verdict(&printed);
    assert_eq!((verdict.outcome, verdict.calls_to_decision), (Outcome::Won, 4), "{printed}");
    let mut labels = setup.aftermath(issue).await.labels;
    labels.sort();
    assert_eq!(labels, ["agent:implement", "stage:review"]);
    let printed = label_lock::run(&one, "worker-1", &[]).await;
    assert_eq!(label_lock::last_verdict(&printed).outcome, Outcome::Refused, "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_workers_loser_takes_the_label_off_the_winners_issue() {
    let (setup, issue, one, two) = two().await;
    let mut first = Stepped::start(&one, "worker-1", issue, &[]);
    let mut second = Stepped::start(&two, "worker-2", issue, &[]);
    first.until("claim").await;
    second.until("claim").await;
    first.until("verify").await;
    let second = second.finish().await;
    assert_eq!((second.outcome, second.lost_to.as_deref()), (Outcome::Lost, Some("worker-1")));
    assert_eq!(first.finish().await.outcome, Outcome::Won);
    let labels = setup.aftermath(issue).await.labels;
    assert!(!labels.contains(&"claimed".to_owned()), "the issue is held and reads as free: {labels:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_worker_has_two_winners_when_the_servers_clock_steps_back() {
    let (setup, issue, one, two) = two().await;
    let started = now().0;
    setup.forge.freeze_clock(started).await;
    let mut first = Stepped::start(&one, "worker-1", issue, &[]);
    let mut second = Stepped::start(&two, "worker-2", issue, &[]);
    first.until("claim").await;
    second.until("claim").await;
    first.until("work").await;
    setup.forge.freeze_clock(started - 1).await;
    assert!(second.finish().await.won());
    assert!(first.finish().await.won());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_worker_has_two_winners_when_the_first_works_longer_than_its_ttl() {
    let (setup, issue, one, two) = two().await;
    let started = now().0;
    setup.forge.freeze_clock(started).await;
    let settings = [("LOCK_HONOUR_TTL", "1")];
    let mut first = Stepped::start(&one, "worker-1", issue, &settings);
    first.until("work").await;
    setup.forge.freeze_clock(started + 601).await;
    assert_eq!(label_lock::run(&two, "worker-2", &["--sweep"]).await.trim(), format!("swept {issue}"));
    let second = Stepped::start(&two, "worker-2", issue, &settings);
    assert!(second.finish().await.won());
    assert!(first.finish().await.won(), "nothing tells it that its claim has ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_worker_leaves_an_issue_without_a_holder_for_ever_when_its_first_claimant_dies() {
    let (setup, issue, one, two) = two().await;
    let started = now().0;
    setup.forge.freeze_clock(started).await;
    let mut first = Stepped::start(&one, "worker-1", issue, &[]);
    first.until("work").await;
    drop(first);
    setup.forge.freeze_clock(started + 601).await;
    label_lock::run(&two, "worker-2", &["--sweep"]).await;
    let second = Stepped::start(&two, "worker-2", issue, &[]).finish().await;
    assert_eq!((second.outcome, second.lost_to.as_deref()), (Outcome::Lost, Some("worker-1")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_worker_has_no_winner_when_reads_lag_behind_its_own_comment() {
    let (setup, issue, one, two) = two().await;
    setup.stop_reads().await;
    for (api, worker) in [(&one, "worker-1"), (&two, "worker-2")] {
        let verdict = Stepped::start(api, worker, issue, &[]).finish().await;
        assert_eq!(verdict.outcome, Outcome::Lost, "{verdict:?}");
    }
}
