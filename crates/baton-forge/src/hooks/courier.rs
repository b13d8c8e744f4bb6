//! Sends what is pending: after each commit that left something, and at the start for what a crash left behind.
//!
//! Each hook has a lane of its own, in which deliveries go one after another; lanes run beside each other, as many at a
//! time as there are permits, so a receiver that does not answer holds up nobody else. What a receiver answered is
//! written down; what was under way when the forge ended is pending still and is sent again. Nothing is tried twice
//! otherwise, unless a knob says so.

mod lane;
mod send;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::db::{WriteError, hooks};
use crate::server::Inner;
use send::Sender;

/// Deliveries on their way at once.
const SENDING_MAX: usize = 64;
/// Deliveries taken in at once.
const TAKEN_MAX: i64 = 1_000;
/// What is older is forgotten, as on GitHub.
const KEPT_S: i64 = 3 * 24 * 3_600;
/// How often what is older is looked for.
const PRUNE_EVERY: Duration = Duration::from_secs(3_600);
/// Payloads that go in one transaction.
const PRUNED_MAX: i64 = 500;
/// How long lanes may take to end when the forge does.
const STOP_MAX: Duration = Duration::from_secs(5);

struct Courier {
    inner: Arc<Inner>,
    sender: Arc<Sender>,
    permits: Arc<Semaphore>,
    stopped: watch::Receiver<bool>,
    lanes: BTreeMap<i64, UnboundedSender<i64>>,
    running: JoinSet<()>,
    /// The last delivery that was put into a lane.
    taken: i64,
}

/// Delivers until the forge is stopped.
pub(crate) async fn run(inner: Arc<Inner>, stopped: watch::Receiver<bool>) {
    let mut courier = Courier {
        inner,
        sender: Arc::default(),
        permits: Arc::new(Semaphore::new(SENDING_MAX)),
        stopped: stopped.clone(),
        lanes: BTreeMap::new(),
        running: JoinSet::new(),
        taken: 0,
    };
    courier.work(stopped).await;
    courier.lanes.clear();
    let all = async { while courier.running.join_next().await.is_some() {} };
    // What is cut off here is pending still.
    drop(timeout(STOP_MAX, all).await);
}

impl Courier {
    async fn work(&mut self, mut stopped: watch::Receiver<bool>) {
        let post = Arc::clone(self.inner.db.writer().post());
        let mut prune = interval(PRUNE_EVERY);
        prune.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.take_in();
        loop {
            tokio::select! {
                _ = stopped.changed() => return,
                () = post.woken() => self.take_in(),
                _ = prune.tick() => self.prune().await,
                Some(_) = self.running.join_next() => {}
            }
        }
    }

    /// Puts what is new into its lanes. Ids grow in the order of commits, so what was taken once is never looked at again.
    fn take_in(&mut self) {
        loop {
            let found = self.inner.db.read(|conn| hooks::pending_after(conn, self.taken, TAKEN_MAX));
            let found = match found.and_then(|found| found) {
                Ok(found) => found,
                Err(error) => {
                    tracing::error!(%error, "cannot look for webhooks to deliver");
                    return;
                }
            };
            let is_all = i64::try_from(found.len()).unwrap_or(i64::MAX) < TAKEN_MAX;
            for (delivery_id, hook_id) in found {
                self.taken = delivery_id;
                self.put(delivery_id, hook_id);
            }
            if is_all {
                return;
            }
        }
    }

    fn put(&mut self, delivery_id: i64, hook_id: i64) {
        let is_taken = self.lanes.get(&hook_id).is_some_and(|lane| lane.send(delivery_id).is_ok());
        if is_taken {
            return;
        }
        // There is no lane for this hook, or it has just closed because nothing came for a while.
        let (lane, arrivals) = unbounded_channel();
        // The receiver is at hand, so this cannot fail.
        let _ = lane.send(delivery_id);
        self.lanes.insert(hook_id, lane);
        let work = lane::Lane {
            inner: Arc::clone(&self.inner),
            sender: Arc::clone(&self.sender),
            permits: Arc::clone(&self.permits),
            stopped: self.stopped.clone(),
        };
        self.running.spawn(work.run(arrivals));
    }

    async fn prune(&self) {
        let before = self.inner.clock.now_s() - KEPT_S;
        loop {
            let write = self.inner.db.writer().write(move |tx| {
                hooks::prune(tx, before, PRUNED_MAX).map_err(|error| WriteError::Commit(error.to_string()))
            });
            match write.await {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) => {
                    tracing::error!(%error, "cannot forget old webhooks");
                    return;
                }
            }
        }
    }
}
