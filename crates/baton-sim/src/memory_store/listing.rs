//! What people see: lists, newest first.

use baton_core::slot::effect::Effect;
use baton_core::slot::{ItemKey, Transfer};
use baton_ports::store::{
    CounterRow, EffectFilter, EffectRow, RunFilter, RunRow, WakeupFilter, WakeupRow, WorkerRow,
};

use super::state::State;

impl State {
    pub(super) fn list_runs(&self, filter: &RunFilter) -> Vec<RunRow> {
        let fits = |row: &RunRow| {
            filter.item.as_ref().is_none_or(|item| *item == row.item)
                && filter.id.is_none_or(|id| id == row.run.id)
                && filter.finished_since.is_none_or(|since| row.run.finished_at >= Some(since))
                && (filter.statuses.is_empty() || filter.statuses.contains(&row.run.status))
        };
        let rows = self.runs.values().rev().map(|run| RunRow {
            run: run.clone(),
            item: self.items[&run.item].key.clone(),
            host: run.worker.and_then(|worker| self.workers.get(&worker)).map(|worker| worker.host.clone()),
        });
        rows.filter(fits).take(usize::try_from(filter.limit).unwrap_or(usize::MAX)).collect()
    }

    pub(super) fn list_wakeups(&self, filter: &WakeupFilter) -> Vec<WakeupRow> {
        let fits = |row: &WakeupRow| {
            filter.item.as_ref().is_none_or(|item| *item == row.item)
                && filter.created_before.is_none_or(|before| row.wakeup.created_at < before)
                && (filter.statuses.is_empty() || filter.statuses.contains(&row.wakeup.status))
        };
        let rows = self
            .wakeups
            .values()
            .rev()
            .map(|wakeup| WakeupRow { wakeup: wakeup.clone(), item: self.items[&wakeup.item].key.clone() });
        rows.filter(fits).take(usize::try_from(filter.limit).unwrap_or(usize::MAX)).collect()
    }

    pub(super) fn list_transfers(&self, item: Option<&ItemKey>) -> Vec<Transfer> {
        let wanted = item.map(|key| self.keys.get(key).copied());
        let fits = |transfer: &&Transfer| wanted.is_none_or(|id| id == Some(transfer.item));
        self.transfers.iter().filter(fits).cloned().collect()
    }

    pub(super) fn list_effects(&self, item: &ItemKey) -> Vec<Effect> {
        let id = self.keys.get(item);
        let effects = self.effects.values().map(|stored| &stored.effect);
        effects.filter(|effect| Some(&effect.key.item) == id).cloned().collect()
    }

    pub(super) fn list_effect_rows(&self, filter: &EffectFilter) -> Vec<EffectRow> {
        let fits = |effect: &&Effect| {
            filter.finished_since.is_none_or(|since| effect.finished_at >= Some(since))
                && (filter.statuses.is_empty() || filter.statuses.contains(&effect.status))
        };
        let mut effects: Vec<_> =
            self.effects.values().map(|stored| &stored.effect).filter(fits).cloned().collect();
        effects.sort_by_key(|effect| std::cmp::Reverse(effect.id));
        effects.truncate(usize::try_from(filter.limit).unwrap_or(usize::MAX));
        let row = |effect: Effect| EffectRow { item: self.items[&effect.key.item].key.clone(), effect };
        effects.into_iter().map(row).collect()
    }

    pub(super) fn list_counters(&self) -> Vec<CounterRow> {
        let row = |(name, counter): (&String, &super::tables::Counter)| CounterRow {
            name: name.clone(),
            in_use: counter.in_use,
            max: counter.max,
        };
        self.counters.iter().map(row).collect()
    }

    pub(super) fn list_workers(&self) -> Vec<WorkerRow> {
        self.workers.values().rev().cloned().collect()
    }
}
