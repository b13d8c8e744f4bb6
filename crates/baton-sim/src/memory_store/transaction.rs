//! Applying what a rule decided: all of it or nothing.

use std::collections::BTreeSet;

use baton_core::slot::effect::EffectStatus;
use baton_core::slot::limits::Count;
use baton_core::slot::{
    AgentKey, Change, EffectId, Item, ItemId, Run, RunId, RunStatus, Wakeup, WakeupId, WakeupStatus,
};
use baton_core::time::StoreTime;
use baton_ports::{StoreError, StoreErrorKind};

use super::state::{State, next};
use super::tables::{Counter, StoredEffect};

/// Whether changes could be applied.
pub(super) enum Applied {
    All,
    Full(String),
    WorkerCameBack,
}

impl State {
    pub(super) fn apply(
        &mut self,
        item: ItemId,
        changes: &[Change],
        now: StoreTime,
    ) -> Result<Applied, StoreError> {
        for change in changes {
            match change {
                Change::BuryWorker(seen)
                    if self.workers.get(&seen.worker).map(|row| row.lease) != Some(*seen) =>
                {
                    return Ok(Applied::WorkerCameBack);
                }
                Change::Count(counts) => {
                    if let Some(full) = counts.iter().find(|count| !self.counter(count).allows(count)) {
                        return Ok(Applied::Full(full.name.clone()));
                    }
                }
                _ => {}
            }
        }
        self.check(item, changes)?;
        changes.iter().for_each(|change| self.apply_one(item, change, now));
        Ok(Applied::All)
    }

    /// Refuses what a database would refuse by its unique indexes.
    fn check(&self, item: ItemId, changes: &[Change]) -> Result<(), StoreError> {
        let of_item = |run: &&Run| run.item == item && run.status.is_active();
        let mut active: BTreeSet<RunId> = self.runs.values().filter(of_item).map(|run| run.id).collect();
        let is_deferred = |wakeup: &&Wakeup| wakeup.item == item && wakeup.status == WakeupStatus::Deferred;
        let deferred = self.wakeups.values().filter(is_deferred);
        let mut deferred: Vec<(WakeupId, AgentKey)> = deferred.map(|it| (it.id, it.agent.key())).collect();
        for change in changes {
            match change {
                Change::EndRun { id, .. } => _ = active.remove(id),
                Change::AddRun(run) if self.runs.contains_key(&run.id) => {
                    return Err(refused("runs: a number twice"));
                }
                Change::AddRun(run) => _ = active.insert(run.id),
                Change::QueueWakeup { id, .. } | Change::EndWakeup { id, .. } => {
                    deferred.retain(|(waiting, _)| waiting != id);
                }
                Change::AddWakeup(wakeup) => {
                    self.check_wakeup(wakeup)?;
                    if wakeup.status == WakeupStatus::Deferred {
                        deferred.push((wakeup.id, wakeup.agent.key()));
                    }
                }
                Change::DeferWakeup { id, .. } => self.check_deferred(*id, &mut deferred),
                _ => {}
            }
            if active.len() > 1 {
                return Err(refused("runs: two owners of one item"));
            }
        }
        let agents: BTreeSet<_> = deferred.iter().map(|(_, agent)| agent).collect();
        if agents.len() < deferred.len() {
            Err(refused("wakeups: two deferred of one agent"))
        } else {
            Ok(())
        }
    }

    fn check_wakeup(&self, new: &Wakeup) -> Result<(), StoreError> {
        let is_same = |old: &Wakeup| {
            old.item == new.item
                && old.agent.key() == new.agent.key()
                && old.key == new.key
                && new.key.is_some()
        };
        if self.wakeups.contains_key(&new.id) {
            return Err(refused("wakeups: a number twice"));
        }
        if self.wakeups.values().any(is_same) { Err(refused("wakeups: a key twice")) } else { Ok(()) }
    }

    fn check_deferred(&self, id: WakeupId, deferred: &mut Vec<(WakeupId, AgentKey)>) {
        if let Some(wakeup) =
            self.wakeups.get(&id).filter(|_| deferred.iter().all(|(waiting, _)| *waiting != id))
        {
            deferred.push((id, wakeup.agent.key()));
        }
    }

    fn apply_one(&mut self, item: ItemId, change: &Change, now: StoreTime) {
        match change {
            Change::AddWakeup(_)
            | Change::QueueWakeup { .. }
            | Change::DeferWakeup { .. }
            | Change::EndWakeup { .. } => self.apply_to_wakeup(change, now),
            Change::AddRun(run) => _ = self.runs.insert(run.id, (**run).clone()),
            Change::MergeIntoRun { .. }
            | Change::StartRun { .. }
            | Change::AskToStop { .. }
            | Change::EndRun { .. } => self.apply_to_run(change, now),
            Change::Transfer(transfer) => {
                self.row(item).owner = transfer.to;
                self.row(item).fence = transfer.fence;
                self.transfers.push(transfer.clone());
            }
            Change::SetOpen(is_open) => self.row(item).is_open = *is_open,
            Change::SetGates(gates) => self.row(item).gates = gates.clone(),
            Change::SetLease(lease) => self.row(item).lease.clone_from(lease),
            Change::SetVersion(version) => self.row(item).version = *version,
            Change::SetMemory(memory) => _ = self.memories.insert(item, (**memory).clone()),
            Change::AddEffect(effect) => {
                let id = EffectId(next(self.effects.keys().next_back().map(|id| id.0)));
                let effect = baton_core::slot::Effect { id, ..(**effect).clone() };
                self.effects.insert(id, StoredEffect { effect, sender: None, is_unclear: false });
            }
            Change::EndEffect(id) => {
                if let Some(stored) = self.effects.get_mut(id) {
                    stored.effect.status = EffectStatus::Done;
                    stored.effect.finished_at = Some(now);
                    stored.effect.error = None;
                }
            }
            Change::BuryWorker(lease) => {
                if let Some(worker) = self.workers.get_mut(&lease.worker) {
                    worker.lease.is_buried = true;
                }
            }
            Change::Count(counts) => counts.iter().for_each(|count| self.count(count)),
        }
    }

    fn apply_to_wakeup(&mut self, change: &Change, now: StoreTime) {
        match change {
            Change::AddWakeup(wakeup) => _ = self.wakeups.insert(wakeup.id, (**wakeup).clone()),
            Change::QueueWakeup { id, run, disposition } => {
                let Some(wakeup) = self.wakeups.get_mut(id) else { return };
                wakeup.status = WakeupStatus::Queued;
                wakeup.run = Some(*run);
                wakeup.disposition = disposition.or(wakeup.disposition);
            }
            Change::DeferWakeup { id, context, attempt, interruptions, not_before } => {
                let Some(wakeup) = self.wakeups.get_mut(id) else { return };
                wakeup.status = WakeupStatus::Deferred;
                wakeup.context = (**context).clone();
                wakeup.attempt = *attempt;
                wakeup.interruptions = *interruptions;
                wakeup.not_before = *not_before;
            }
            Change::EndWakeup { id, status, skip, merged_into } => {
                let Some(wakeup) = self.wakeups.get_mut(id) else { return };
                wakeup.status = *status;
                wakeup.skip = *skip;
                wakeup.merged_into = *merged_into;
                wakeup.finished_at = Some(now);
            }
            _ => {}
        }
    }

    fn apply_to_run(&mut self, change: &Change, now: StoreTime) {
        let (Change::MergeIntoRun { id, .. }
        | Change::StartRun { id, .. }
        | Change::AskToStop { id, .. }
        | Change::EndRun { id, .. }) = change
        else {
            return;
        };
        let Some(run) = self.runs.get_mut(id) else { return };
        match change {
            Change::MergeIntoRun { context, status, not_before, .. } => {
                run.context = (**context).clone();
                run.status = *status;
                run.not_before = *not_before;
            }
            Change::StartRun { worker, .. } => {
                run.status = RunStatus::Running;
                run.worker = Some(*worker);
                run.started_at = Some(now);
            }
            Change::AskToStop { stop, .. } => run.stop = Some(*stop),
            Change::EndRun { status, cause, error, cost_micros, .. } => {
                run.status = *status;
                run.cause = *cause;
                run.error.clone_from(error);
                run.cost_micros = *cost_micros;
                run.finished_at = Some(now);
            }
            _ => {}
        }
    }

    /// Returns a counter as it is, or as it would be made.
    fn counter(&self, count: &Count) -> Counter {
        let like = || Counter { in_use: 0, max: self.counters.get(&count.like).and_then(|like| like.max) };
        self.counters.get(&count.name).cloned().unwrap_or_else(like)
    }

    fn count(&mut self, count: &Count) {
        let mut counter = self.counter(count);
        counter.in_use += count.add;
        self.counters.insert(count.name.clone(), counter);
    }

    fn row(&mut self, item: ItemId) -> &mut Item {
        self.items.get_mut(&item).expect("a decision is about an item that was found")
    }
}

fn refused(answer: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Refused, "committing a decision", answer)
}
