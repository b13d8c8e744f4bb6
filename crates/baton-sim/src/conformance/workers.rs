//! Leases of workers, and what becomes of the runs of one that is lost.

use baton_core::slot::finish::Fenced;
use baton_core::slot::heal::Healed;
use baton_core::slot::{EndCause, RunEnd, RunStatus, Stop};
use baton_engine::relay::StartAnswer;
use baton_ports::Store as _;
use baton_ports::store::Heartbeat;

use super::Ground;
use super::desk::{Desk, TTL, seconds};

/// A heartbeat extends a lease that is not over, and no other.
pub async fn a_lease_is_renewed_until_it_is_over_and_never_after<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let worker = desk.worker().await;
    for _ in 0..3 {
        desk.advance(TTL - seconds(5)).await;
        assert!(matches!(desk.store().heartbeat(worker, TTL).await.unwrap(), Heartbeat::Alive { .. }));
    }
    desk.advance(TTL).await;
    assert_eq!(desk.store().heartbeat(worker, TTL).await.unwrap(), Heartbeat::Lost);
    assert_eq!(desk.store().heartbeat(worker, TTL).await.unwrap(), Heartbeat::Lost);
}

/// The first interruption is tried again at once; a second is charged like a failure.
pub async fn a_run_of_a_lost_worker_is_interrupted_and_tried_again_at_once<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    let first = desk.start(desk.worker().await).await;
    desk.advance(TTL + seconds(10)).await;
    assert_eq!(desk.relay.heal(10).await.unwrap(), [Healed::Freed(first.run.id)]);
    let ended = desk.run(first.run.id).await;
    assert_eq!((ended.status, ended.cause), (RunStatus::Interrupted, Some(EndCause::WorkerLost)));
    let second = desk.start(desk.worker().await).await;
    assert_eq!((second.run.retry_of, second.run.attempt), (Some(first.run.id), 0));
    assert!(second.run.fence > first.run.fence);
    desk.advance(TTL + seconds(10)).await;
    desk.relay.heal(10).await.unwrap();
    let third = desk.owner(1).await;
    assert_eq!((third.status, third.attempt), (RunStatus::ScheduledRetry, 1));
}

/// Between the end of a lease and the end of the grace its agents may still be dying.
pub async fn a_run_is_not_reaped_before_the_stop_grace<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    desk.start(desk.worker().await).await;
    desk.advance(TTL + seconds(8)).await;
    assert_eq!(desk.relay.heal(10).await.unwrap(), []);
    desk.wake("cto", 1).await;
    assert_eq!(desk.owner(1).await.status, RunStatus::Running);
    desk.advance(seconds(3)).await;
    assert_eq!(desk.relay.heal(10).await.unwrap().len(), 1);
}

/// Once its runs were given to others, a worker can neither renew nor finish anything.
pub async fn a_worker_that_was_buried_cannot_come_back<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    let worker = desk.worker().await;
    let started = desk.start(worker).await;
    desk.advance(TTL + seconds(10)).await;
    desk.relay.heal(10).await.unwrap();
    assert_eq!(desk.store().heartbeat(worker, TTL).await.unwrap(), Heartbeat::Lost);
    assert_eq!(desk.finish(&started, RunEnd::Succeeded).await, Fenced::LostSlot);
    let lease = desk.store().workers().await.unwrap().remove(0).lease;
    assert!(lease.is_buried);
}

/// A worker whose lease is over, or that never had one, gets no run.
pub async fn a_worker_without_a_lease_starts_nothing<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    let worker = desk.worker().await;
    desk.advance(TTL).await;
    assert_eq!(desk.try_start(worker).await, StartAnswer::Nothing);
    assert_eq!(desk.try_start(baton_core::slot::WorkerId(999)).await, StartAnswer::Nothing);
    desk.start(desk.worker().await).await;
}

/// The answer to a heartbeat names the runs that must stop, and all that the store takes for running.
pub async fn a_worker_hears_which_of_its_runs_must_stop<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let (worker, other) = (desk.worker().await, desk.worker().await);
    for number in 1..=3 {
        desk.wake("dev", number).await;
    }
    let (one, two) = (desk.start(worker).await, desk.start(worker).await);
    let theirs = desk.start(other).await;
    desk.relay.cancel(two.run.id, false).await.unwrap();
    desk.relay.cancel(theirs.run.id, false).await.unwrap();
    let beat = desk.store().heartbeat(worker, TTL).await.unwrap();
    let Heartbeat::Alive { stops, mut running, .. } = beat else { panic!("{beat:?}") };
    running.sort();
    assert_eq!(stops, [(two.run.id, Stop::Cancelled)]);
    assert_eq!(running, [one.run.id, two.run.id]);
}

/// A worker that ended leaves nothing behind for its whole ttl.
pub async fn a_retired_worker_leaves_its_runs_to_others<G: Ground>() {
    let desk = Desk::<G>::new().await;
    desk.wake("dev", 1).await;
    let worker = desk.worker().await;
    let started = desk.start(worker).await;
    desk.store().retire(worker).await.unwrap();
    assert_eq!(desk.store().heartbeat(worker, TTL).await.unwrap(), Heartbeat::Lost);
    assert_eq!(desk.relay.heal(10).await.unwrap(), [Healed::Freed(started.run.id)]);
    desk.start(desk.worker().await).await;
}
