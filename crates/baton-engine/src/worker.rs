//! A worker: it has a lease in the store, takes runs, has agents execute them, and tells how they ended.
//!
//! A worker stops by its own clock: its deadline is that of the last heartbeat that the store acknowledged, counted from
//! before it was sent, and its agents are dead by then, because their supervisors know the deadline. When the lease is
//! lost it gives up all it has and begins anew as another worker.
//!
//! Listen first, then look, and look again after every nudge; a poll stands behind the nudges. Deliberately absent:
//! deciding what is to be run, and anything about trackers.

mod beat;
mod execute;
mod shift;

use std::future::{Future, pending};
use std::pin::{Pin, pin};
use std::time::Duration;

use baton_core::agent::RunNumbers;
use baton_core::slot::start::Started;
use baton_core::slot::{RunId, RunStatus, WakeupStatus, WorkerId};
use baton_ports::store::WakeupFilter;
use baton_ports::{Agents, Clock, Entropy, LegEnd, Nudges as _, Store, StoreError};
use futures_util::FutureExt as _;
use futures_util::future::{Either, Fuse, FusedFuture as _, select};
use futures_util::stream::{FuturesUnordered, Stream, StreamExt as _};

use crate::relay::{Relay, StartAnswer};
use shift::Shift;

/// How many items a scan heals at most; the next scan goes on.
const HEALED_MAX: usize = 1_000;
/// For how long the ids of deliveries are kept, so that one that comes again is known.
const DELIVERIES_KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How many wakeups that have waited for too long are counted at most.
const LISTED_MAX: u32 = 1_000;
/// How long a worker that has something to do lets others go first, so that a fleet shares its work: all of its workers hear
/// of a run at the same moment.
const COURTESY: Duration = Duration::from_millis(15);
/// How long a worker waits before it tries again to reach a store that does not answer.
const REACH_PAUSE: Duration = Duration::from_millis(500);

/// How a worker keeps time.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// What it calls itself.
    pub name: String,
    /// The machine it is on.
    pub host: String,
    /// How often it renews its lease.
    pub heartbeat: Duration,
    /// How long its lease lasts.
    pub ttl: Duration,
    /// How often it looks for work without being nudged.
    pub poll: Duration,
    /// How often it looks for what a crash left behind.
    pub scan: Duration,
    /// How long a wakeup may wait before that is told.
    pub deferred_alarm: Duration,
    /// Whether it ends when there is nothing to do.
    pub once: bool,
}

/// Something that a person may want to read.
#[derive(Debug, Clone)]
pub enum News<'a> {
    /// The worker has a lease.
    Enlisted(WorkerId),
    /// A run was started.
    Started(&'a Started),
    /// A run is so far.
    Progress(&'a Started, &'a RunNumbers),
    /// A run is over, and this is what its agent came to.
    Ended(&'a Started, RunStatus, Option<&'a LegEnd>),
    /// A run lost its slot; nothing was written.
    Lost(RunId),
    /// The lease was lost.
    LeaseLost,
    /// The store does not answer.
    OutOfReach(&'a StoreError),
    /// So many wakeups have waited for too long.
    WaitingTooLong(usize),
}

/// A worker.
pub struct Worker<S, E, C, A, N> {
    /// The verbs over its store.
    pub relay: Relay<S, E>,
    /// Its clock.
    pub clock: C,
    /// What starts agents.
    pub agents: A,
    /// How it keeps time.
    pub settings: WorkerSettings,
    /// Who is told the news.
    pub tell: N,
}

/// Why a worker stopped to work under one lease.
enum ShiftEnd {
    /// It was asked to end, has nothing more to do, or cannot find out whether it has.
    Done(Result<(), StoreError>),
    /// The lease is lost.
    LeaseLost,
}

impl<S, E, C, A, N> Worker<S, E, C, A, N>
where
    S: Store,
    E: Entropy,
    C: Clock,
    A: Agents,
    N: Fn(News<'_>) + Send + Sync,
{
    /// Works until `end` is ready: then agents are stopped, their runs given back, and the lease ended.
    pub async fn run(&self, end: impl Future<Output = ()> + Send) -> Result<(), StoreError> {
        let mut end = pin!(end.fuse());
        loop {
            let shift = match select(pin!(self.enlist()), end.as_mut()).await {
                Either::Left((shift, _)) => shift?,
                Either::Right(_) => return Ok(()),
            };
            (self.tell)(News::Enlisted(shift.worker));
            match self.shift(&shift, end.as_mut()).await {
                ShiftEnd::LeaseLost => {
                    (self.tell)(News::LeaseLost);
                    // The end is heard once. Whoever was asked to end begins nothing new.
                    if end.is_terminated() {
                        return Ok(());
                    }
                }
                ShiftEnd::Done(worked) => {
                    // Not being able to say goodbye costs the others a ttl, no more.
                    let _ = self.relay.store.retire(shift.worker).await;
                    return worked;
                }
            }
        }
    }

    async fn enlist(&self) -> Result<Shift<A::Agent>, StoreError> {
        loop {
            let sent_at = self.clock.boot_now();
            let WorkerSettings { name, host, ttl, .. } = &self.settings;
            match self.relay.store.enlist(name, host, *ttl).await {
                Ok(lease) => return Ok(Shift::new(lease.worker, sent_at.plus(*ttl))),
                Err(error) if error.is_retryable() => {
                    (self.tell)(News::OutOfReach(&error));
                    self.pause(REACH_PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn shift(
        &self,
        shift: &Shift<A::Agent>,
        end: Pin<&mut Fuse<impl Future<Output = ()>>>,
    ) -> ShiftEnd {
        let working = pin!(self.work(shift, end));
        let beating = pin!(self.beat(shift));
        let scanning = pin!(self.scan());
        let giving_back = pin!(self.give_back_abandoned(shift));
        match select(working, select(beating, select(scanning, giving_back))).await {
            Either::Left((worked, _)) => ShiftEnd::Done(worked),
            // Whatever was at work is dropped here: the supervisors' pipes close, and the agents end.
            Either::Right(_) => ShiftEnd::LeaseLost,
        }
    }

    /// Takes runs and has them executed, until the end is asked for and all of them are over.
    async fn work(
        &self,
        shift: &Shift<A::Agent>,
        mut end: Pin<&mut Fuse<impl Future<Output = ()>>>,
    ) -> Result<(), StoreError> {
        let mut nudges = self.relay.store.listen().await.ok();
        let mut running = FuturesUnordered::new();
        let mut is_ending = false;
        loop {
            loop {
                if !running.is_empty() {
                    meanwhile(&mut running, self.pause(COURTESY)).await;
                }
                match meanwhile(&mut running, self.take(shift, is_ending)).await {
                    (Ok(Some(started)), _) => running.push(self.execute(shift, started)),
                    // A run that ended meanwhile may have made room, or left its slot to another.
                    (Ok(None), true) => {}
                    (Ok(None), false) => break,
                    // Not to have heard is not to have nothing to do.
                    (Err(error), _) if self.settings.once && running.is_empty() => return Err(error),
                    (Err(error), _) => {
                        (self.tell)(News::OutOfReach(&error));
                        break;
                    }
                }
            }
            is_ending |= self.settings.once && running.is_empty();
            if is_ending && running.is_empty() {
                return Ok(());
            }
            match self.wait_for_work(&mut running, nudges.as_mut(), end.as_mut()).await {
                Woken::End => {
                    is_ending = true;
                    shift.stop_all();
                }
                // The listener is gone with its connection: listen first, then look.
                Woken::Deaf => nudges = meanwhile(&mut running, self.relay.store.listen()).await.0.ok(),
                Woken::Look => {}
            }
        }
    }

    /// Waits until there may be something to do: a run is over, a nudge came, or it is time to look.
    async fn wait_for_work(
        &self,
        running: &mut (impl Stream<Item = ()> + Unpin),
        nudges: Option<&mut S::Nudges>,
        end: Pin<&mut Fuse<impl Future<Output = ()>>>,
    ) -> Woken {
        // An empty set is ready at once, and would keep the loop from waiting.
        let ended = pin!(async {
            if running.next().await.is_none() {
                pending::<()>().await;
            }
        });
        match select(end, select(ended, pin!(self.nudged(nudges)))).await {
            Either::Left(_) => Woken::End,
            Either::Right((Either::Left(_), _)) => Woken::Look,
            Either::Right((Either::Right((woken, _)), _)) => woken,
        }
    }

    /// Takes one more run, if there is one and it can still be begun under this lease.
    async fn take(&self, shift: &Shift<A::Agent>, is_ending: bool) -> Result<Option<Started>, StoreError> {
        if is_ending || self.clock.boot_now() >= shift.deadline() {
            return Ok(None);
        }
        Ok(match self.relay.start(shift.worker).await? {
            StartAnswer::Started(started) => Some(*started).filter(|started| shift.begin(started.run.id)),
            StartAnswer::Nothing | StartAnswer::Full(_) => None,
        })
    }

    /// Waits for a nudge, or for as long as a poll stands behind it.
    async fn nudged(&self, nudges: Option<&mut S::Nudges>) -> Woken {
        let poll = pin!(self.pause(self.settings.poll));
        let Some(nudges) = nudges else {
            poll.await;
            return Woken::Deaf;
        };
        match select(pin!(nudges.nudged()), poll).await {
            Either::Left((Ok(()), _)) | Either::Right(_) => Woken::Look,
            Either::Left((Err(error), poll)) => {
                (self.tell)(News::OutOfReach(&error));
                poll.await;
                Woken::Deaf
            }
        }
    }

    /// Heals what a crash left behind, and tells of wakeups that have waited for too long. It never ends.
    async fn scan(&self) {
        loop {
            if let Err(error) = self.scan_once().await {
                (self.tell)(News::OutOfReach(&error));
            }
            self.pause(self.settings.scan).await;
        }
    }

    async fn scan_once(&self) -> Result<(), StoreError> {
        self.relay.heal(HEALED_MAX).await?;
        self.relay.store.forget_deliveries(DELIVERIES_KEPT).await?;
        let now = self.relay.store.now().await?;
        let filter = WakeupFilter {
            statuses: vec![WakeupStatus::Deferred],
            created_before: Some(now.minus(self.settings.deferred_alarm)),
            limit: LISTED_MAX,
            ..WakeupFilter::default()
        };
        let waiting = self.relay.store.wakeups(&filter).await?.len();
        if waiting > 0 {
            (self.tell)(News::WaitingTooLong(waiting));
        }
        Ok(())
    }

    async fn pause(&self, wait: Duration) {
        self.clock.sleep_until(self.clock.boot_now().plus(wait)).await;
    }
}

/// Waits for something while the runs go on. One that stands still in the middle of a transaction would keep a row, or the
/// store's only writer, from whoever waits here. Returns also whether a run ended.
async fn meanwhile<T>(
    running: &mut (impl Stream<Item = ()> + Unpin),
    waited: impl Future<Output = T>,
) -> (T, bool) {
    let mut waited = pin!(waited);
    let mut has_ended = false;
    loop {
        match select(waited.as_mut(), running.next()).await {
            Either::Left((value, _)) => return (value, has_ended),
            Either::Right((Some(()), _)) => has_ended = true,
            Either::Right((None, _)) => return (waited.await, has_ended),
        }
    }
}

/// What a worker that waits was woken by.
enum Woken {
    /// It is asked to end.
    End,
    /// There may be something to do.
    Look,
    /// It is time to look, and nothing will be heard any more.
    Deaf,
}
