//! The deliveries of one hook, one after another.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::{sleep, timeout};

use super::send::Sender;
use crate::db::hooks::{self, Outcome, Outgoing};
use crate::db::{WriteError, hooks as rows};
use crate::hooks::chance::{Fate, fate};
use crate::server::Inner;

/// How long a delivery that is to come late waits for one to go before it.
const HELD_BACK_MAX: Duration = Duration::from_secs(1);
/// A lane in which nothing happens for so long is closed.
const IDLE_MAX: Duration = Duration::from_secs(60);
/// How long a delivery under way may take to end when the forge does.
const STOP_GRACE: Duration = Duration::from_secs(2);
/// The pause before the first automatic retry; each next one is twice as long.
const RETRY_AFTER: Duration = Duration::from_millis(200);

pub(super) struct Lane {
    pub(super) inner: Arc<Inner>,
    pub(super) sender: Arc<Sender>,
    pub(super) permits: Arc<Semaphore>,
    pub(super) stopped: watch::Receiver<bool>,
}

/// A delivery that waits for its turn.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    delivery_id: i64,
    fate: Fate,
    arrived: Instant,
}

impl Waiting {
    fn due(&self) -> Instant {
        self.arrived + self.fate.delay
    }
}

/// What a lane does next.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// Send this one, which has been taken out.
    Send(i64),
    /// Nothing is due before this.
    WaitUntil(Instant),
    /// Nothing is there.
    Idle,
}

/// Takes the next delivery that is due. One that is held back lets the one behind it pass, or goes after a while.
fn next(queue: &mut VecDeque<Waiting>, now: Instant) -> Next {
    let Some(first) = queue.front_mut() else { return Next::Idle };
    let mut due = first.due();
    if std::mem::take(&mut first.fate.is_held_back) {
        if queue.len() > 1 {
            queue.swap(0, 1);
        } else if let Some(alone) = queue.front_mut() {
            // It stays held back until somebody passes, but not for ever.
            due = due.max(alone.arrived + HELD_BACK_MAX);
            alone.fate.is_held_back = now < due;
        }
    }
    let front = queue.front().map_or(due, |front| front.due());
    let due = if queue.len() == 1 { due.max(front) } else { front };
    if now < due {
        return Next::WaitUntil(due);
    }
    queue.pop_front().map_or(Next::Idle, |waiting| Next::Send(waiting.delivery_id))
}

type Committed = oneshot::Receiver<Result<Result<(), WriteError>, WriteError>>;

impl Lane {
    pub(super) async fn run(mut self, mut arrivals: UnboundedReceiver<i64>) {
        let mut queue = VecDeque::new();
        let mut last_write = None;
        while !self.is_stopping() {
            while let Ok(delivery_id) = arrivals.try_recv() {
                queue.push_back(self.arrived(delivery_id));
            }
            let until = match next(&mut queue, Instant::now()) {
                Next::Send(delivery_id) => match self.deliver(delivery_id).await {
                    Some(write) => {
                        last_write = write.or(last_write);
                        continue;
                    }
                    None => break,
                },
                Next::WaitUntil(until) => until,
                Next::Idle => Instant::now() + IDLE_MAX,
            };
            tokio::select! {
                _ = self.stopped.changed() => break,
                arrived = arrivals.recv() => match arrived {
                    Some(delivery_id) => queue.push_back(self.arrived(delivery_id)),
                    None => break,
                },
                () = tokio::time::sleep_until(until.into()) => {
                    // What is put in after this is refused, and gets a lane of its own.
                    if queue.is_empty() && arrivals.is_empty() {
                        arrivals.close();
                        if arrivals.is_empty() {
                            break;
                        }
                    }
                }
            }
        }
        // Commits keep their order, so the last one speaks for all.
        if let Some(write) = last_write {
            drop(write.await);
        }
    }

    /// Whether the forge was told to stop, or is gone without a word.
    fn is_stopping(&self) -> bool {
        *self.stopped.borrow() || self.stopped.has_changed().is_err()
    }

    fn arrived(&self, delivery_id: i64) -> Waiting {
        let (knobs, seed) = self.inner.panel.webhooks();
        Waiting { delivery_id, fate: fate(&knobs, seed, delivery_id), arrived: Instant::now() }
    }

    /// Makes one delivery; returns the write of its outcome, or nothing at all when the forge stops first.
    async fn deliver(&mut self, delivery_id: i64) -> Option<Option<Committed>> {
        let found = self.inner.db.read(|conn| hooks::outgoing(conn, delivery_id)).and_then(|found| found);
        let outgoing = match found {
            Ok(Some(outgoing)) => outgoing,
            // Its hook was deleted meanwhile, or it was forgotten for its age.
            Ok(None) => return Some(None),
            Err(error) => {
                tracing::error!(%error, delivery_id, "cannot read a webhook to deliver");
                return Some(None);
            }
        };
        let (knobs, seed) = self.inner.panel.webhooks();
        let fate = fate(&knobs, seed, delivery_id);
        let outcome = match fate.is_lost {
            true => self.sender.lost(&outgoing, self.now_ms()),
            false => self.attempt(&outgoing, fate.is_doubled, knobs.retries).await?,
        };
        Some(Some(self.write_down(&outgoing, outcome)))
    }

    async fn attempt(&mut self, outgoing: &Outgoing, is_doubled: bool, retries: u32) -> Option<Outcome> {
        let mut attempts = 1;
        loop {
            let outcome = self.send(outgoing, attempts).await?;
            if is_doubled && attempts == 1 {
                self.send(outgoing, attempts).await?;
            }
            if outcome.is_success() || attempts > retries {
                return Some(outcome);
            }
            let pause = RETRY_AFTER * 2_u32.saturating_pow(attempts.saturating_sub(1).min(10));
            tokio::select! {
                _ = self.stopped.changed() => return None,
                () = sleep(pause) => attempts += 1,
            }
        }
    }

    /// Sends once. When the forge stops, what is under way gets a moment to end.
    async fn send(&mut self, outgoing: &Outgoing, attempt: u32) -> Option<Outcome> {
        let (permits, sender) = (Arc::clone(&self.permits), Arc::clone(&self.sender));
        let now_ms = self.now_ms();
        let sending = async {
            // The permits are never closed.
            let _permit = permits.acquire().await;
            sender.send(outgoing, attempt, now_ms).await
        };
        tokio::pin!(sending);
        tokio::select! {
            outcome = &mut sending => Some(outcome),
            _ = self.stopped.changed() => timeout(STOP_GRACE, sending).await.ok(),
        }
    }

    fn now_ms(&self) -> i64 {
        self.inner.clock.now_s() * 1_000
    }

    fn write_down(&self, outgoing: &Outgoing, outcome: Outcome) -> Committed {
        let (delivery_id, hook_id) = (outgoing.delivery_id, outgoing.hook.id);
        self.inner.db.writer().submit(move |tx| {
            rows::set_outcome(tx, delivery_id, hook_id, &outcome)
                .map_err(|error| WriteError::Commit(error.to_string()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(delivery_id: i64, arrived: Instant, is_held_back: bool, delay_ms: u64) -> Waiting {
        let delay = Duration::from_millis(delay_ms);
        Waiting { delivery_id, arrived, fate: Fate { is_held_back, delay, ..Fate::default() } }
    }

    fn drain(queue: &mut VecDeque<Waiting>, now: Instant) -> Vec<i64> {
        let mut sent = Vec::new();
        while let Next::Send(id) = next(queue, now) {
            sent.push(id);
        }
        sent
    }

    #[test]
    fn deliveries_go_in_their_order() {
        let now = Instant::now();
        let mut queue = (1..=4).map(|id| waiting(id, now, false, 0)).collect();
        assert_eq!(drain(&mut queue, now), [1, 2, 3, 4]);
        assert_eq!(next(&mut queue, now), Next::Idle);
    }

    #[test]
    fn one_that_is_held_back_lets_the_next_one_pass() {
        let now = Instant::now();
        let mut queue: VecDeque<Waiting> = (1..=4).map(|id| waiting(id, now, id == 2, 0)).collect();
        assert_eq!(drain(&mut queue, now), [1, 3, 2, 4]);
    }

    #[test]
    fn one_that_is_held_back_alone_goes_after_a_while() {
        let now = Instant::now();
        let mut queue = VecDeque::from([waiting(1, now, true, 0)]);
        assert_eq!(next(&mut queue, now), Next::WaitUntil(now + HELD_BACK_MAX));
        queue.push_back(waiting(2, now, false, 0));
        assert_eq!(drain(&mut queue, now), [2, 1]);
        let mut queue = VecDeque::from([waiting(1, now, true, 0)]);
        assert_eq!(drain(&mut queue, now + HELD_BACK_MAX), [1]);
    }

    #[test]
    fn a_delay_holds_up_what_comes_behind_it() {
        let now = Instant::now();
        let mut queue = VecDeque::from([waiting(1, now, false, 50), waiting(2, now, false, 0)]);
        let due = now + Duration::from_millis(50);
        assert_eq!(next(&mut queue, now), Next::WaitUntil(due));
        assert_eq!(drain(&mut queue, due), [1, 2]);
    }
}
