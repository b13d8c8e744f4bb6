//! A store in memory: the executable specification of what a store does.

mod effects;
mod listing;
mod state;
mod tables;
mod transaction;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_core::slot::effect::{AfterTry, Effect};
use baton_core::slot::limits::Limit;
use baton_core::slot::{
    Decision, EffectId, Item, ItemId, ItemKey, ItemMemory, Situation, Transfer, WorkerId, WorkerLease,
};
use baton_core::time::StoreTime;
use baton_ports::store::{
    Accepted, CounterRow, Delivery, EffectFilter, EffectRow, Heartbeat, Lookup, RunFilter, RunRow,
    TakenEffect, Target, Verdict, WakeupFilter, WakeupRow, WorkerRow,
};
use baton_ports::{Nudges, Store, StoreError};
use tokio::sync::{Notify, OwnedMutexGuard};

use crate::HandClock;
use state::State;
use transaction::Applied;

/// What a store promises to give.
type Answer<T> = Result<T, StoreError>;

/// How often a decision is made again because a worker came back in between.
const DECIDE_TRIES: u32 = 16;

/// A store in memory.
#[derive(Debug, Clone)]
pub struct MemoryStore {
    state: Arc<Mutex<State>>,
    clock: HandClock,
    news: Arc<Commits>,
    has_row_lock: bool,
}

impl MemoryStore {
    /// Makes an empty store that goes by this clock.
    pub fn new(clock: HandClock) -> Self {
        Self { state: Arc::default(), clock, news: Arc::default(), has_row_lock: true }
    }

    /// Leaves out the lock of the item's row, so that tests can show what it is for.
    #[doc(hidden)]
    pub fn without_row_lock(self) -> Self {
        Self { has_row_lock: false, ..self }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the item and locks its row. What is only searched for is skipped when somebody else looks at it.
    async fn lock(&self, target: &Target) -> Option<(ItemId, Option<OwnedMutexGuard<()>>)> {
        let (id, lock) = {
            let mut state = self.state();
            let now = self.clock.now();
            let id = state.find(target, now)?;
            (id, state.row_lock(id))
        };
        if !self.has_row_lock {
            return Some((id, None));
        }
        Some((id, Some(lock.lock_owned().await)))
    }

    fn tell(&self) {
        self.news.count.fetch_add(1, Ordering::SeqCst);
        self.news.bell.notify_waiters();
    }
}

impl Store for MemoryStore {
    type Nudges = MemoryNudges;

    async fn decide<T, R>(&self, target: &Target, lookup: &Lookup, rule: R) -> Answer<Verdict<T>>
    where
        T: Send,
        R: Fn(&Situation) -> Decision<T> + Send + Sync,
    {
        for _ in 0..DECIDE_TRIES {
            let Some((id, _row)) = self.lock(target).await else { return Ok(Verdict::NoItem) };
            let situation = self.state().situation(id, target, lookup, self.clock.now());
            // Others may go on between the reading and the writing, as they may in a database.
            tokio::task::yield_now().await;
            let decision = rule(&situation);
            let is_news = decision.changes.iter().any(baton_core::slot::Change::is_news);
            let applied = self.state().apply(id, &decision.changes, situation.now)?;
            match applied {
                Applied::All => {
                    if is_news {
                        self.tell();
                    }
                    return Ok(Verdict::Committed(decision.outcome));
                }
                Applied::Full(counter) => return Ok(Verdict::Full(counter)),
                Applied::WorkerCameBack => {}
            }
        }
        Err(state::busy())
    }

    async fn item(&self, key: &ItemKey) -> Answer<Option<Item>> {
        let state = self.state();
        Ok(state.keys.get(key).and_then(|id| state.items.get(id)).cloned())
    }

    async fn memory(&self, item: ItemId) -> Answer<ItemMemory> {
        Ok(self.state().memories.get(&item).cloned().unwrap_or_default())
    }

    async fn runs(&self, filter: &RunFilter) -> Answer<Vec<RunRow>> {
        Ok(self.state().list_runs(filter))
    }

    async fn wakeups(&self, filter: &WakeupFilter) -> Answer<Vec<WakeupRow>> {
        Ok(self.state().list_wakeups(filter))
    }

    async fn transfers(&self, item: Option<&ItemKey>) -> Answer<Vec<Transfer>> {
        Ok(self.state().list_transfers(item))
    }

    async fn effects(&self, item: &ItemKey) -> Answer<Vec<Effect>> {
        Ok(self.state().list_effects(item))
    }

    async fn effect_rows(&self, filter: &EffectFilter) -> Answer<Vec<EffectRow>> {
        Ok(self.state().list_effect_rows(filter))
    }

    async fn counters(&self) -> Answer<Vec<CounterRow>> {
        Ok(self.state().list_counters())
    }

    async fn set_limits(&self, limits: &[Limit]) -> Answer<()> {
        self.state().set_limits(limits);
        self.tell();
        Ok(())
    }

    async fn enlist(&self, name: &str, host: &str, ttl: Duration) -> Answer<WorkerLease> {
        Ok(self.state().enlist(name, host, self.clock.now(), ttl))
    }

    async fn heartbeat(&self, worker: WorkerId, ttl: Duration) -> Answer<Heartbeat> {
        Ok(self.state().heartbeat(worker, self.clock.now(), ttl))
    }

    async fn retire(&self, worker: WorkerId) -> Answer<()> {
        self.state().retire(worker, self.clock.now());
        self.tell();
        Ok(())
    }

    async fn workers(&self) -> Answer<Vec<WorkerRow>> {
        Ok(self.state().list_workers())
    }

    async fn take_effect(&self, worker: WorkerId, stop_grace: Duration) -> Answer<Option<TakenEffect>> {
        Ok(self.state().take_effect(worker, self.clock.now(), stop_grace))
    }

    async fn effect_tried(&self, id: EffectId, worker: WorkerId, after: &AfterTry) -> Answer<bool> {
        let was_ours = self.state().effect_tried(id, worker, after, self.clock.now());
        self.tell();
        Ok(was_ours)
    }

    async fn accept(&self, delivery: &Delivery) -> Answer<Accepted> {
        let accepted = self.state().accept(delivery, self.clock.now());
        self.tell();
        Ok(accepted)
    }

    async fn accept_all(&self, deliveries: &[Delivery]) -> Answer<Vec<Accepted>> {
        let now = self.clock.now();
        let accepted = {
            let mut state = self.state();
            deliveries.iter().map(|delivery| state.accept(delivery, now)).collect()
        };
        self.tell();
        Ok(accepted)
    }

    async fn unread(&self, limit: u32) -> Answer<Vec<Delivery>> {
        Ok(self.state().unread(limit))
    }

    async fn mark_read(&self, id: &str) -> Answer<()> {
        self.state().mark_read(id);
        Ok(())
    }

    async fn mark_all_read(&self, ids: &[String]) -> Answer<()> {
        let mut state = self.state();
        ids.iter().for_each(|id| state.mark_read(id));
        Ok(())
    }

    async fn forget_deliveries(&self, older_than: Duration) -> Answer<u64> {
        Ok(self.state().forget_deliveries(self.clock.now(), older_than))
    }

    async fn now(&self) -> Answer<StoreTime> {
        Ok(self.clock.now())
    }

    async fn listen(&self) -> Answer<MemoryNudges> {
        let seen = self.news.count.load(Ordering::SeqCst);
        Ok(MemoryNudges { news: Arc::clone(&self.news), seen })
    }
}

/// Commits that others may want to hear of.
///
/// Whoever waits is woken in the order in which it began to wait. A channel of tokio's that keeps the last value wakes in an
/// order that it draws by lot, and a simulation could not be repeated.
#[derive(Debug, Default)]
struct Commits {
    count: AtomicU64,
    bell: Notify,
}

/// Nudges of a memory store.
#[derive(Debug)]
pub struct MemoryNudges {
    news: Arc<Commits>,
    seen: u64,
}

impl Nudges for MemoryNudges {
    async fn nudged(&mut self) -> Answer<()> {
        let news = Arc::clone(&self.news);
        loop {
            // Who listens before it looks misses nothing.
            let mut rung = std::pin::pin!(news.bell.notified());
            rung.as_mut().enable();
            let count = news.count.load(Ordering::SeqCst);
            if count != self.seen {
                self.seen = count;
                return Ok(());
            }
            rung.await;
        }
    }
}
