//! The clerk: a worker of its own that performs what the outbox holds, several issues at a time and one effect of each.
//!
//! It has a lease in the store like every worker, so that others take over what it was sending when it dies. After an error
//! of the store it cannot know what it was given, and goes on as a new worker.

use std::future::{Future, pending};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use baton_core::slot::effect::Deed;
use baton_core::slot::{ItemKey, WorkerId};
use baton_core::time::BootTime;
use baton_ports::store::{Heartbeat, TakenEffect};
use baton_ports::{Clock, Nudges as _, Store, StoreError, Tracker};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, Fuse, FusedFuture as _, select};
use futures_util::stream::{FuturesUnordered, Stream, StreamExt as _};

use crate::outbox::{Arbiter, Leases, Outbox, Performed, Turn};

/// How a clerk works.
#[derive(Debug, Clone)]
pub struct ClerkSettings {
    /// What it calls itself.
    pub name: String,
    /// The machine it is on.
    pub host: String,
    /// How often it renews its lease.
    pub heartbeat: Duration,
    /// How long its lease lasts.
    pub ttl: Duration,
    /// How long after the end of a lease others take over.
    pub stop_grace: Duration,
    /// How often it looks without a nudge.
    pub poll: Duration,
    /// How many effects it performs at one time.
    pub at_once: usize,
}

/// A clerk.
pub struct Clerk<S, T, C, L, A, N> {
    /// What performs effects.
    pub outbox: Outbox<S, T, C, L, A>,
    /// How it works.
    pub settings: ClerkSettings,
    /// Hears what was performed, and on what.
    pub tell: N,
}

/// What a clerk at work meets.
enum Over {
    /// The end was asked for.
    End,
    /// The store gave an effect, or has none.
    Took(Option<Box<TakenEffect>>),
    /// An effect was performed, so that the next of its issue can be.
    Performed,
    /// There may be something to do.
    Woken,
    /// The same, and nothing will be heard any more.
    Deaf,
}

/// One lease of the clerk's.
struct Shift {
    worker: WorkerId,
    deadline_ms: AtomicU64,
}

impl Shift {
    fn deadline(&self) -> BootTime {
        BootTime { ms: self.deadline_ms.load(Ordering::Acquire) }
    }
}

impl<S, T, C, L, A, N> Clerk<S, T, C, L, A, N>
where
    S: Store,
    T: Tracker,
    C: Clock,
    L: Leases,
    A: Arbiter,
    N: Fn(&ItemKey, &Deed, &Performed) + Send + Sync,
{
    /// Performs effects until `end` is ready; what is being performed then is finished.
    pub async fn run(&self, end: impl Future<Output = ()> + Send) {
        let mut end = pin!(end.fuse());
        loop {
            let shift = match select(pin!(self.enlist()), end.as_mut()).await {
                Either::Left((Ok(shift), _)) => shift,
                Either::Left((Err(error), _)) => {
                    tracing::warn!(%error, "the store does not answer");
                    if let Either::Right(_) = select(pin!(self.pause(self.settings.poll)), end.as_mut()).await
                    {
                        return;
                    }
                    continue;
                }
                Either::Right(_) => return,
            };
            let worked = {
                let beating = pin!(self.beat(&shift));
                let working = pin!(self.work(&shift, end.as_mut()));
                match select(working, beating).await {
                    Either::Left((worked, _)) => worked,
                    Either::Right(_) => Ok(false),
                }
            };
            // Not being able to say goodbye costs the others a ttl, no more.
            let _ = self.outbox.store.retire(shift.worker).await;
            match worked {
                Ok(true) => return,
                // The end is heard once. What is left is kept by the store, for whoever comes next.
                _ if end.is_terminated() => return,
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%error, "the store does not answer");
                    self.pause(self.settings.poll).await;
                }
            }
        }
    }

    async fn enlist(&self) -> Result<Shift, StoreError> {
        let sent_at = self.outbox.clock.boot_now();
        let ClerkSettings { name, host, ttl, .. } = &self.settings;
        let lease = self.outbox.store.enlist(name, host, *ttl).await?;
        Ok(Shift { worker: lease.worker, deadline_ms: AtomicU64::new(sent_at.plus(*ttl).ms) })
    }

    /// Renews the lease until it is lost.
    async fn beat(&self, shift: &Shift) {
        loop {
            self.pause(self.settings.heartbeat).await;
            let sent_at = self.outbox.clock.boot_now();
            if sent_at >= shift.deadline() {
                return;
            }
            match self.outbox.store.heartbeat(shift.worker, self.settings.ttl).await {
                Ok(Heartbeat::Alive { .. }) => {
                    shift.deadline_ms.store(sent_at.plus(self.settings.ttl).ms, Ordering::Release);
                }
                Ok(Heartbeat::Lost) => return,
                Err(error) => tracing::warn!(%error, "a heartbeat was not answered"),
            }
        }
    }

    /// Performs what there is. Returns whether the end was asked for.
    async fn work(
        &self,
        shift: &Shift,
        mut end: Pin<&mut Fuse<impl Future<Output = ()>>>,
    ) -> Result<bool, StoreError> {
        let mut nudges = self.outbox.store.listen().await.ok();
        let mut going_on: FuturesUnordered<BoxFuture<'_, Result<Over, StoreError>>> = FuturesUnordered::new();
        let (mut may_be_more, mut is_taking, mut is_ending) = (true, false, false);
        loop {
            // One is taken after the other, so that a look that finds nothing is the last; they are performed side by side.
            if may_be_more && !is_taking && !is_ending && going_on.len() < self.settings.at_once {
                is_taking = true;
                may_be_more = false;
                going_on.push(self.take(shift).boxed());
            }
            if is_ending && going_on.is_empty() {
                return Ok(true);
            }
            match self.next(&mut going_on, nudges.as_mut(), end.as_mut()).await? {
                Over::End => is_ending = true,
                Over::Took(None) => is_taking = false,
                Over::Took(Some(taken)) => {
                    (is_taking, may_be_more) = (false, true);
                    going_on.push(self.perform(shift, *taken).boxed());
                }
                Over::Performed | Over::Woken => may_be_more = true,
                Over::Deaf => {
                    may_be_more = true;
                    nudges = self.outbox.store.listen().await.ok();
                }
            }
        }
    }

    async fn next(
        &self,
        going_on: &mut (impl Stream<Item = Result<Over, StoreError>> + Unpin),
        nudges: Option<&mut S::Nudges>,
        end: Pin<&mut Fuse<impl Future<Output = ()>>>,
    ) -> Result<Over, StoreError> {
        // An empty set is ready at once, and would keep the clerk from waiting.
        let over = pin!(async {
            match going_on.next().await {
                Some(over) => over,
                None => pending().await,
            }
        });
        match select(end, select(over, pin!(self.woken(nudges)))).await {
            Either::Left(_) => Ok(Over::End),
            Either::Right((Either::Left((over, _)), _)) => over,
            Either::Right((Either::Right((is_deaf, _)), _)) => {
                Ok(if is_deaf { Over::Deaf } else { Over::Woken })
            }
        }
    }

    fn turn(&self, shift: &Shift) -> Turn {
        let write_until = shift.deadline();
        Turn { worker: shift.worker, stop_grace: self.settings.stop_grace, write_until }
    }

    async fn take(&self, shift: &Shift) -> Result<Over, StoreError> {
        let taken = self.outbox.take(&self.turn(shift)).await?;
        Ok(Over::Took(taken.map(Box::new)))
    }

    async fn perform(&self, shift: &Shift, taken: TakenEffect) -> Result<Over, StoreError> {
        let performed = self.outbox.perform_taken(&self.turn(shift), &taken).await?;
        (self.tell)(&taken.item.key, &taken.effect.deed, &performed);
        Ok(Over::Performed)
    }

    /// Waits for a nudge, or for as long as a poll stands behind it. Returns whether nothing will be heard any more.
    async fn woken(&self, nudges: Option<&mut S::Nudges>) -> bool {
        let poll = pin!(self.pause(self.settings.poll));
        let Some(nudges) = nudges else {
            poll.await;
            return true;
        };
        let nudged = pin!(nudges.nudged());
        matches!(select(nudged, poll).await, Either::Left((Err(_), _)))
    }

    async fn pause(&self, wait: Duration) {
        self.outbox.clock.sleep_until(self.outbox.clock.boot_now().plus(wait)).await;
    }
}
