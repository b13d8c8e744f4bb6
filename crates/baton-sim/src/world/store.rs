//! The memory store, reached over a network: calls take time and fail before or after they did something.

use std::sync::Arc;
use std::time::Duration;

use baton_core::slot::effect::{AfterTry, Deed, Effect};
use baton_core::slot::limits::Limit;
use baton_core::slot::{
    Decision, EffectId, Item, ItemId, ItemKey, ItemMemory, Situation, Transfer, WorkerId, WorkerLease,
};
use baton_core::time::StoreTime;
use baton_ports::store::{
    Accepted, CounterRow, Delivery, EffectFilter, EffectRow, Heartbeat, Lookup, RunFilter, RunRow,
    TakenEffect, Target, Verdict, WakeupFilter, WakeupRow, WorkerRow,
};
use baton_ports::{Store, StoreError, StoreErrorKind};

use super::clock::pass;
use super::dice::Dice;
use super::plant::Plant;
use super::scene::Scene;
use crate::MemoryStore;
use crate::memory_store::MemoryNudges;

type Answer<T> = Result<T, StoreError>;

/// A client of a memory store.
#[derive(Clone)]
pub struct SimStore {
    /// The store itself, which never fails.
    pub inner: MemoryStore,
    scene: Arc<Scene>,
    dice: Dice,
}

impl SimStore {
    /// Makes a client of a store.
    pub fn new(inner: &MemoryStore, scene: &Arc<Scene>, client: &str) -> Self {
        let dice = Dice::new(scene.seed, &format!("store {client}"));
        Self { inner: inner.clone(), scene: Arc::clone(scene), dice }
    }

    async fn call<T>(&self, tried: &'static str, call: impl Future<Output = Answer<T>>) -> Answer<T> {
        // Waits are what a life's cost is made of, so that only some calls take time.
        if self.dice.below(2) == 0 {
            pass(self.dice.millis(1, 8)).await;
        }
        let fails = self.scene.are_faults_on() && self.dice.per_mille(self.scene.knobs.store_errors);
        if fails && self.dice.below(2) == 0 {
            return Err(self.failed(tried, "store errors before the commit"));
        }
        let answer = call.await;
        // Often enough there is a moment between the commit and the answer in which an engine can die.
        if fails || self.dice.below(3) == 0 {
            pass(self.dice.millis(1, 8)).await;
        }
        if fails {
            return Err(self.failed(tried, "store errors after the commit"));
        }
        answer
    }

    fn failed(&self, tried: &str, what: &'static str) -> StoreError {
        self.scene.count(what);
        StoreError::new(StoreErrorKind::Unreachable, tried, "the simulated connection was lost")
    }
}

impl Store for SimStore {
    type Nudges = MemoryNudges;

    async fn decide<T, R>(&self, target: &Target, lookup: &Lookup, rule: R) -> Answer<Verdict<T>>
    where
        T: Send,
        R: Fn(&Situation) -> Decision<T> + Send + Sync,
    {
        self.call("decide", self.inner.decide(target, lookup, rule)).await
    }

    async fn item(&self, key: &ItemKey) -> Answer<Option<Item>> {
        self.call("read an item", self.inner.item(key)).await
    }

    async fn memory(&self, item: ItemId) -> Answer<ItemMemory> {
        self.call("read a memory", self.inner.memory(item)).await
    }

    async fn runs(&self, filter: &RunFilter) -> Answer<Vec<RunRow>> {
        self.call("list runs", self.inner.runs(filter)).await
    }

    async fn wakeups(&self, filter: &WakeupFilter) -> Answer<Vec<WakeupRow>> {
        self.call("list wakeups", self.inner.wakeups(filter)).await
    }

    async fn transfers(&self, item: Option<&ItemKey>) -> Answer<Vec<Transfer>> {
        self.call("list transfers", self.inner.transfers(item)).await
    }

    async fn effects(&self, item: &ItemKey) -> Answer<Vec<Effect>> {
        self.call("list effects", self.inner.effects(item)).await
    }

    async fn effect_rows(&self, filter: &EffectFilter) -> Answer<Vec<EffectRow>> {
        self.call("list effects of all", self.inner.effect_rows(filter)).await
    }

    async fn counters(&self) -> Answer<Vec<CounterRow>> {
        self.call("list counters", self.inner.counters()).await
    }

    async fn set_limits(&self, limits: &[Limit]) -> Answer<()> {
        self.call("set limits", self.inner.set_limits(limits)).await
    }

    async fn enlist(&self, name: &str, host: &str, ttl: Duration) -> Answer<WorkerLease> {
        self.call("enlist", self.inner.enlist(name, host, ttl)).await
    }

    async fn heartbeat(&self, worker: WorkerId, ttl: Duration) -> Answer<Heartbeat> {
        self.call("send a heartbeat", self.inner.heartbeat(worker, ttl)).await
    }

    async fn retire(&self, worker: WorkerId) -> Answer<()> {
        self.call("retire", self.inner.retire(worker)).await
    }

    async fn workers(&self) -> Answer<Vec<WorkerRow>> {
        self.call("list workers", self.inner.workers()).await
    }

    async fn take_effect(&self, worker: WorkerId, stop_grace: Duration) -> Answer<Option<TakenEffect>> {
        let taken = self.call("take an effect", self.inner.take_effect(worker, stop_grace)).await?;
        let is_end = taken.as_ref().is_some_and(|taken| matches!(taken.effect.deed, Deed::Settle(_)));
        if let Some(taken) =
            taken.as_ref().filter(|_| is_end && self.scene.has_planted(Plant::SettlingDropped))
        {
            self.inner.effect_tried(taken.effect.id, worker, &AfterTry::Done).await?;
            return Ok(None);
        }
        Ok(taken)
    }

    async fn effect_tried(&self, id: EffectId, worker: WorkerId, after: &AfterTry) -> Answer<bool> {
        if self.scene.has_planted(Plant::TriesForgotten) && self.dice.per_mille(20) {
            return Ok(true);
        }
        self.call("tell of an effect", self.inner.effect_tried(id, worker, after)).await
    }

    async fn accept(&self, delivery: &Delivery) -> Answer<Accepted> {
        self.call("accept a delivery", self.inner.accept(delivery)).await
    }

    async fn accept_all(&self, deliveries: &[Delivery]) -> Answer<Vec<Accepted>> {
        self.call("accept deliveries", self.inner.accept_all(deliveries)).await
    }

    async fn unread(&self, limit: u32) -> Answer<Vec<Delivery>> {
        self.call("read deliveries", self.inner.unread(limit)).await
    }

    async fn mark_read(&self, id: &str) -> Answer<()> {
        self.call("mark a delivery", self.inner.mark_read(id)).await
    }

    async fn mark_all_read(&self, ids: &[String]) -> Answer<()> {
        self.call("mark deliveries", self.inner.mark_all_read(ids)).await
    }

    async fn forget_deliveries(&self, older_than: Duration) -> Answer<u64> {
        self.call("forget deliveries", self.inner.forget_deliveries(older_than)).await
    }

    async fn now(&self) -> Answer<StoreTime> {
        self.inner.now().await
    }

    async fn listen(&self) -> Answer<MemoryNudges> {
        self.call("listen", self.inner.listen()).await
    }
}
