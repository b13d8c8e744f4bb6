//! What the store holds, how an item is found, and what a rule is shown of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use baton_core::slot::effect::{Effect, EffectStatus};
use baton_core::slot::limits;
use baton_core::slot::situation::LookedUp;
use baton_core::slot::{
    EffectId, Gates, Item, ItemId, ItemKey, ItemMemory, Run, RunId, RunStatus, Situation, Transfer, Wakeup,
    WakeupId, WakeupStatus, WorkerId, WorkerLease,
};
use baton_core::time::StoreTime;
use baton_ports::store::{Lookup, StartSearch, Target, WorkerRow};
use baton_ports::{StoreError, StoreErrorKind};
use tokio::sync::Mutex;

use super::tables::{Counter, StoredDelivery, StoredEffect};

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) keys: BTreeMap<ItemKey, ItemId>,
    pub(super) items: BTreeMap<ItemId, Item>,
    pub(super) runs: BTreeMap<RunId, Run>,
    pub(super) wakeups: BTreeMap<WakeupId, Wakeup>,
    pub(super) workers: BTreeMap<WorkerId, WorkerRow>,
    pub(super) effects: BTreeMap<EffectId, StoredEffect>,
    pub(super) deliveries: BTreeMap<String, StoredDelivery>,
    pub(super) transfers: Vec<Transfer>,
    pub(super) counters: BTreeMap<String, Counter>,
    pub(super) memories: BTreeMap<ItemId, ItemMemory>,
    row_locks: BTreeMap<ItemId, Arc<Mutex<()>>>,
    /// The numbers given out last. A number that was given out is not given out again, used or not.
    last_run: i64,
    last_wakeup: i64,
}

pub(super) fn busy() -> StoreError {
    StoreError::new(StoreErrorKind::Busy, "deciding", "a worker came back every time")
}

impl State {
    pub(super) fn row_lock(&mut self, id: ItemId) -> Arc<Mutex<()>> {
        Arc::clone(self.row_locks.entry(id).or_default())
    }

    pub(super) fn find(&mut self, target: &Target, now: StoreTime) -> Option<ItemId> {
        match target {
            Target::Key(key) => Some(self.make(key)),
            Target::OfRun(run) => self.runs.get(run).map(|run| run.item),
            Target::ToStart(search) => self.find_to_start(search, now),
            Target::ToHeal { stop_grace } => self.find_to_heal(now, *stop_grace),
        }
    }

    fn make(&mut self, key: &ItemKey) -> ItemId {
        if let Some(id) = self.keys.get(key) {
            return *id;
        }
        let id = ItemId(next(self.items.keys().next_back().map(|id| id.0)));
        let item = Item {
            id,
            key: key.clone(),
            is_open: true,
            gates: Gates::default(),
            owner: None,
            fence: 0,
            lease: None,
            version: 0,
        };
        self.keys.insert(key.clone(), id);
        self.items.insert(id, item);
        id
    }

    fn find_to_start(&mut self, search: &StartSearch, now: StoreTime) -> Option<ItemId> {
        let waiting =
            self.runs.values().filter(|run| run.status.is_active() && run.status != RunStatus::Running);
        let mut waiting: Vec<_> = waiting.map(|run| (run.id, run.item)).collect();
        waiting.sort_unstable();
        let found = waiting.into_iter().find(|(run, item)| self.may_start(*run, *item, search, now));
        let (_, item) = found?;
        Some(item)
    }

    fn may_start(&mut self, run: RunId, item: ItemId, search: &StartSearch, now: StoreTime) -> bool {
        let is_unlocked = self.row_lock(item).try_lock().is_ok();
        let (run, item) = (&self.runs[&run], &self.items[&item]);
        let knows = search.agents.is_empty() || search.agents.contains(&run.agent.key());
        is_unlocked
            && knows
            && item.owner == Some(run.id)
            && run.not_before <= now
            && item.is_open
            && item.gates.are_open()
            && !self.has_pending_effects(item.id)
            && self.has_room(&run.agent.key(), &item.key, now)
    }

    fn has_room(&self, agent: &baton_core::slot::AgentKey, key: &ItemKey, now: StoreTime) -> bool {
        let day = now.day();
        let dated = |name: String| format!("{name}{day}");
        let names = [limits::ALL.to_owned(), limits::of_agent(agent)];
        let dated = [dated(limits::runs_per_day(agent)), dated(limits::cost_per_day(agent))];
        let mut names = names.into_iter().chain(dated).chain(limits::of_repo(key));
        names.all(|name| self.counters.get(&name).is_none_or(Counter::has_room))
    }

    fn find_to_heal(&mut self, now: StoreTime, stop_grace: Duration) -> Option<ItemId> {
        let ids: Vec<_> = self.items.keys().copied().collect();
        ids.into_iter()
            .find(|id| self.needs_healing(*id, now, stop_grace) && self.row_lock(*id).try_lock().is_ok())
    }

    fn needs_healing(&self, id: ItemId, now: StoreTime, stop_grace: Duration) -> bool {
        let Some(owner) = self.items[&id].owner else { return !self.waiting(id).is_empty() };
        let Some(run) = self.runs.get(&owner) else { return true };
        let is_lost = || self.lease_of(run).is_none_or(|lease| lease.is_lost(now, stop_grace));
        !run.status.is_active() || (run.status == RunStatus::Running && is_lost())
    }

    pub(super) fn situation(
        &mut self,
        id: ItemId,
        target: &Target,
        lookup: &Lookup,
        now: StoreTime,
    ) -> Situation {
        self.last_run += 1;
        self.last_wakeup += 1;
        let item = self.items[&id].clone();
        let owner = item.owner.and_then(|run| self.runs.get(&run)).cloned();
        let asking = match target {
            Target::ToStart(search) => Some(search.worker),
            _ => None,
        };
        Situation {
            now,
            next_run: RunId(self.last_run),
            next_wakeup: WakeupId(self.last_wakeup),
            owner_lease: owner.as_ref().and_then(|run| self.lease_of(run)),
            owner,
            waiting: self.waiting(id),
            has_pending_effects: self.has_pending_effects(id),
            looked_up: LookedUp {
                same_key: lookup.wake_key.as_ref().and_then(|(agent, key)| self.same_key(id, agent, key)),
                run: lookup.run.and_then(|run| self.runs.get(&run)).cloned(),
                worker: asking.and_then(|worker| self.workers.get(&worker)).map(|worker| worker.lease),
            },
            item,
        }
    }

    fn lease_of(&self, run: &Run) -> Option<WorkerLease> {
        run.worker.and_then(|worker| self.workers.get(&worker)).map(|worker| worker.lease)
    }

    fn waiting(&self, id: ItemId) -> Vec<Wakeup> {
        let deferred = |wakeup: &&Wakeup| wakeup.item == id && wakeup.status == WakeupStatus::Deferred;
        self.wakeups.values().filter(deferred).cloned().collect()
    }

    fn same_key(&self, id: ItemId, agent: &baton_core::slot::AgentKey, key: &str) -> Option<Wakeup> {
        let is_same = |wakeup: &&Wakeup| {
            wakeup.item == id && wakeup.agent.key() == *agent && wakeup.key.as_deref() == Some(key)
        };
        self.wakeups.values().find(is_same).cloned()
    }

    pub(super) fn has_pending_effects(&self, id: ItemId) -> bool {
        let is_pending = |effect: &Effect| {
            effect.key.item == id && matches!(effect.status, EffectStatus::Pending | EffectStatus::Sending)
        };
        self.effects.values().any(|stored| is_pending(&stored.effect))
    }
}

pub(super) fn next(last: Option<i64>) -> i64 {
    last.unwrap_or(0) + 1
}
