//! Deliveries on their way into the store.
//!
//! A commit costs the same for one delivery as for many, so those that come while one is under way are committed together by
//! the next.

use std::sync::Arc;

use baton_ports::Store;
use baton_ports::store::{Accepted, Delivery};
use tokio::sync::{mpsc, oneshot};

/// So many are committed together at most; more would make the first of them wait.
const BATCH_MAX: usize = 256;

/// A delivery, and who waits for its commit.
struct Waiting {
    delivery: Delivery,
    answer: oneshot::Sender<Option<Accepted>>,
}

/// Takes deliveries.
pub(crate) struct Inbox {
    queue: mpsc::Sender<Waiting>,
}

impl Inbox {
    /// Returns an inbox, and what commits its deliveries until the inbox is dropped.
    pub(crate) fn over<S: Store>(store: Arc<S>) -> (Self, impl Future<Output = ()> + Send) {
        let (queue, waiting) = mpsc::channel(BATCH_MAX);
        (Self { queue }, commit_all(store, waiting))
    }

    /// Returns whether a delivery is new, once it is committed; nothing if it could not be.
    pub(crate) async fn accept(&self, delivery: Delivery) -> Option<Accepted> {
        let (answer, answered) = oneshot::channel();
        self.queue.send(Waiting { delivery, answer }).await.ok()?;
        answered.await.ok().flatten()
    }
}

async fn commit_all<S: Store>(store: Arc<S>, mut queue: mpsc::Receiver<Waiting>) {
    let mut batch = Vec::new();
    while queue.recv_many(&mut batch, BATCH_MAX).await > 0 {
        let (deliveries, answers): (Vec<_>, Vec<_>) =
            batch.drain(..).map(|Waiting { delivery, answer }| (delivery, answer)).unzip();
        let accepted = match store.accept_all(&deliveries).await {
            Ok(accepted) => accepted.into_iter().map(Some).collect(),
            Err(error) => {
                tracing::warn!(%error, deliveries = deliveries.len(), "deliveries could not be committed");
                vec![None; deliveries.len()]
            }
        };
        for (answer, accepted) in answers.into_iter().zip(accepted) {
            // Whoever has gone away hears it by delivering again.
            let _ = answer.send(accepted);
        }
    }
}
