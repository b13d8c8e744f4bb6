//! Workers, effects and deliveries.

use std::time::Duration;

use baton_core::slot::effect::{AfterTry, EffectStatus};
use baton_core::slot::limits::Limit;
use baton_core::slot::{EffectId, RunStatus, WorkerId, WorkerLease};
use baton_core::time::StoreTime;
use baton_ports::store::{Accepted, Delivery, Heartbeat, TakenEffect, WorkerRow};

use super::state::{State, next};
use super::tables::{StoredDelivery, StoredEffect};

impl State {
    pub(super) fn enlist(&mut self, name: &str, host: &str, now: StoreTime, ttl: Duration) -> WorkerLease {
        let worker = WorkerId(next(self.workers.keys().next_back().map(|id| id.0)));
        let lease = WorkerLease { worker, until: now.plus(ttl), is_buried: false };
        let row = WorkerRow { lease, name: name.to_owned(), host: host.to_owned(), since: now };
        self.workers.insert(worker, row);
        lease
    }

    pub(super) fn heartbeat(&mut self, worker: WorkerId, now: StoreTime, ttl: Duration) -> Heartbeat {
        let Some(row) = self.workers.get_mut(&worker).filter(|row| row.lease.is_live(now)) else {
            return Heartbeat::Lost;
        };
        row.lease.until = now.plus(ttl);
        let until = row.lease.until;
        let own =
            self.runs.values().filter(|run| run.worker == Some(worker) && run.status == RunStatus::Running);
        let stops = own.clone().filter_map(|run| run.stop.map(|stop| (run.id, stop))).collect();
        Heartbeat::Alive { until, stops, running: own.map(|run| run.id).collect() }
    }

    pub(super) fn retire(&mut self, worker: WorkerId, now: StoreTime) {
        if let Some(row) = self.workers.get_mut(&worker) {
            row.lease.is_buried = true;
            row.lease.until = row.lease.until.min(now);
        }
    }

    pub(super) fn set_limits(&mut self, limits: &[Limit]) {
        for limit in limits {
            self.counters.entry(limit.name.clone()).or_default().max = limit.max;
            // What was made like it has the same limit.
            if limit.name.ends_with(':') {
                let made = self.counters.iter_mut().filter(|(name, _)| name.starts_with(&limit.name));
                made.for_each(|(_, counter)| counter.max = limit.max);
            }
        }
    }

    pub(super) fn take_effect(
        &mut self,
        worker: WorkerId,
        now: StoreTime,
        stop_grace: Duration,
    ) -> Option<TakenEffect> {
        let id = self.effects.keys().copied().find(|id| self.may_be_sent(*id, now, stop_grace))?;
        let stored = self.effects.get_mut(&id)?;
        let was_sent = stored.effect.status == EffectStatus::Sending || stored.is_unclear;
        let unclear_since = stored.effect.sending_at.filter(|_| was_sent);
        stored.effect.status = EffectStatus::Sending;
        stored.effect.attempts += 1;
        // What may have happened at the first try is looked for from there on.
        stored.effect.sending_at = unclear_since.or(Some(now));
        stored.is_unclear = was_sent;
        stored.sender = Some(worker);
        let effect = stored.effect.clone();
        let item = self.items.get(&effect.key.item)?.clone();
        Some(TakenEffect { effect, item, unclear_since })
    }

    fn may_be_sent(&self, id: EffectId, now: StoreTime, stop_grace: Duration) -> bool {
        let stored = &self.effects[&id];
        let is_open = |other: &StoredEffect| {
            matches!(other.effect.status, EffectStatus::Pending | EffectStatus::Sending)
        };
        let may = match stored.effect.status {
            EffectStatus::Pending => stored.effect.not_before <= now,
            EffectStatus::Sending => self.sender_is_lost(stored, now, stop_grace),
            EffectStatus::Done | EffectStatus::Dead => false,
        };
        // What is over is most of what there is, and needs no look at what came before it.
        may && {
            let mut earlier = self.effects.range(..id).map(|(_, other)| other);
            !earlier.any(|other| other.effect.key.item == stored.effect.key.item && is_open(other))
        }
    }

    fn sender_is_lost(&self, stored: &StoredEffect, now: StoreTime, stop_grace: Duration) -> bool {
        let sender = stored.sender.and_then(|worker| self.workers.get(&worker));
        sender.is_none_or(|row| row.lease.is_lost(now, stop_grace))
    }

    pub(super) fn effect_tried(
        &mut self,
        id: EffectId,
        worker: WorkerId,
        after: &AfterTry,
        now: StoreTime,
    ) -> bool {
        let is_ours = |stored: &&mut StoredEffect| {
            stored.sender == Some(worker) && stored.effect.status == EffectStatus::Sending
        };
        let Some(stored) = self.effects.get_mut(&id).filter(is_ours) else { return false };
        let effect = &mut stored.effect;
        match after {
            AfterTry::Done => {
                effect.status = EffectStatus::Done;
                effect.finished_at = Some(now);
                effect.error = None;
            }
            AfterTry::Again { not_before, error, is_unclear } => {
                effect.status = EffectStatus::Pending;
                effect.not_before = *not_before;
                effect.error = Some(error.clone());
                // What may have happened once stays so until it is known, whatever later tries say.
                stored.is_unclear |= *is_unclear;
            }
            AfterTry::Dead(why) => {
                effect.status = EffectStatus::Dead;
                effect.finished_at = Some(now);
                effect.error = Some(why.clone());
            }
        }
        true
    }

    pub(super) fn accept(&mut self, delivery: &Delivery, now: StoreTime) -> Accepted {
        if self.deliveries.contains_key(&delivery.id) {
            return Accepted::Seen;
        }
        let order = self.deliveries.values().map(|stored| stored.order + 1).max().unwrap_or(0);
        let stored = StoredDelivery { delivery: delivery.clone(), order, at: now, is_read: false };
        self.deliveries.insert(delivery.id.clone(), stored);
        Accepted::New
    }

    pub(super) fn unread(&self, limit: u32) -> Vec<Delivery> {
        let mut unread: Vec<_> = self.deliveries.values().filter(|stored| !stored.is_read).collect();
        unread.sort_by_key(|stored| stored.order);
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        unread.into_iter().take(most).map(|stored| stored.delivery.clone()).collect()
    }

    pub(super) fn mark_read(&mut self, id: &str) {
        if let Some(stored) = self.deliveries.get_mut(id) {
            stored.is_read = true;
            stored.delivery.payload.clear();
        }
    }

    pub(super) fn forget_deliveries(&mut self, now: StoreTime, older_than: Duration) -> u64 {
        let before = self.deliveries.len();
        self.deliveries.retain(|_, stored| !stored.is_read || now.since(stored.at) <= older_than);
        u64::try_from(before - self.deliveries.len()).unwrap_or(0)
    }
}
