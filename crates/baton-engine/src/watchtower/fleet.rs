//! The fleet: who works, who waits, and how the tracker is.

use std::collections::BTreeSet;

use baton_core::pacing::HookHealth;
use baton_core::slot::effect::{Effect, EffectStatus};
use baton_core::slot::{ItemKey, WakeupStatus, limits};
use baton_core::time::StoreTime;
use baton_ports::Store as _;
use baton_ports::store::{EffectFilter, WakeupFilter, WakeupRow, WorkerRow};
use baton_view::{
    BudgetView, CounterLine, EffectLine, Fleet, HooksView, LeaseLine, RunLine, RunState, SpendingLine,
    WakeupLine, WorkerLine,
};

use super::timeline::words;
use super::{Answer, Watchtower, of_store};
use crate::marshal::Parts;

/// How many workers are shown that are gone.
const GONE_MAX: usize = 10;
/// How many wakeups, deliveries and dead effects are looked at.
const LISTED_MAX: u32 = 200;

impl<P: Parts, L> Watchtower<P, L> {
    pub(super) async fn look_at_fleet(&self) -> Answer<Fleet> {
        let store = &self.marshal.relay.store;
        let now = store.now().await.map_err(of_store)?;
        let active: Vec<_> = self.active_runs().await?.into_values().collect();
        let (running, queued): (Vec<_>, Vec<_>) =
            active.into_iter().partition(|run| run.state == RunState::Running);
        let workers = store.workers().await.map_err(of_store)?;
        let counters = store.counters().await.map_err(of_store)?;
        let deferred = WakeupFilter {
            statuses: vec![WakeupStatus::Deferred],
            limit: LISTED_MAX,
            ..WakeupFilter::default()
        };
        let deferred = store.wakeups(&deferred).await.map_err(of_store)?;
        Ok(Fleet {
            now: now.into(),
            leases: self.leases(&running).await?,
            workers: self.worker_lines(workers, now).await?,
            spending: counters
                .iter()
                .filter_map(|row| limits::spending(&row.name, row.in_use, row.max, now))
                .map(|(_, spending)| SpendingLine::from(&spending))
                .collect(),
            counters: counters
                .into_iter()
                .filter(|row| limits::is_of_what_runs(&row.name))
                .map(|row| CounterLine { name: row.name, in_use: row.in_use, max: row.max })
                .collect(),
            running,
            queued,
            deferred: deferred.iter().map(|row| self.deferred_line(row, now)).collect(),
            dead: self.lately_dead().await?,
            budget: BudgetView { left_permille: (self.marshal.left_permille)() },
            hooks: self.hooks_view().await?,
            warnings: self.warnings().await,
        })
    }

    async fn worker_lines(&self, workers: Vec<WorkerRow>, now: StoreTime) -> Answer<Vec<WorkerLine>> {
        let filter = baton_ports::store::RunFilter {
            statuses: vec![baton_core::slot::RunStatus::Running],
            limit: 1_000,
            ..Default::default()
        };
        let running = self.marshal.relay.store.runs(&filter).await.map_err(of_store)?;
        let line = |row: WorkerRow| WorkerLine {
            worker: row.lease.worker.0,
            is_live: row.lease.is_live(now),
            runs: running
                .iter()
                .filter(|it| it.run.worker == Some(row.lease.worker))
                .map(|it| it.run.id.0)
                .collect(),
            name: row.name,
            host: row.host,
            since: row.since.into(),
            until: row.lease.until.into(),
        };
        let (mut lines, gone): (Vec<_>, Vec<_>) =
            workers.into_iter().map(line).partition(|line| line.is_live);
        lines.extend(gone.into_iter().take(GONE_MAX));
        Ok(lines)
    }

    async fn leases(&self, running: &[RunLine]) -> Answer<Vec<LeaseLine>> {
        let mut leases = Vec::new();
        for run in running {
            let Some(issue) = &run.issue else { continue };
            let Ok(key) = issue.parse::<ItemKey>() else { continue };
            let item = self.marshal.relay.store.item(&key).await.map_err(of_store)?;
            if let Some(item) = item.filter(|item| item.lease.is_some()) {
                leases.push(LeaseLine { issue: issue.clone(), run: Some(run.run), fence: item.fence });
            }
        }
        Ok(leases)
    }

    fn deferred_line(&self, row: &WakeupRow, now: StoreTime) -> WakeupLine {
        let wakeup = &row.wakeup;
        WakeupLine {
            wakeup: wakeup.id.0,
            issue: issue_of(&row.item),
            agent: wakeup.agent.to_string(),
            reason: wakeup.reason.as_str().replace('_', " "),
            asked_by: wakeup.asked_by.who.clone(),
            since: wakeup.created_at.into(),
            is_overdue: now.since(wakeup.created_at) >= self.deferred_alarm,
        }
    }

    /// Returns what died with nothing done after it. What died because its lease was gone was decided anew since.
    async fn lately_dead(&self) -> Answer<Vec<EffectLine>> {
        let store = &self.marshal.relay.store;
        let filter =
            EffectFilter { statuses: vec![EffectStatus::Dead], limit: LISTED_MAX, ..EffectFilter::default() };
        let dead = store.effect_rows(&filter).await.map_err(of_store)?;
        let items: BTreeSet<ItemKey> = dead.into_iter().map(|row| row.item).collect();
        let mut lines = Vec::new();
        for item in items {
            let effects = store.effects(&item).await.map_err(of_store)?;
            let done = effects.iter().filter(|it| it.status == EffectStatus::Done).map(|it| it.id).max();
            let late = effects.iter().filter(|it| it.status == EffectStatus::Dead && Some(it.id) > done);
            lines.extend(late.map(|effect| effect_line(effect, &item)));
        }
        Ok(lines)
    }

    async fn hooks_view(&self) -> Answer<HooksView> {
        let unread = self.marshal.relay.store.unread(LISTED_MAX).await.map_err(of_store)?.len();
        let deliveries = self.live.deliveries();
        let health = match self.marshal.hooks() {
            HookHealth::Off => "off",
            HookHealth::StartingUp => "starting_up",
            HookHealth::Healthy => "healthy",
            HookHealth::Unhealthy => "unhealthy",
        };
        Ok(HooksView {
            health: health.to_owned(),
            last_at: deliveries.last_at,
            taken: deliveries.taken,
            unread: u64::try_from(unread).unwrap_or(u64::MAX),
        })
    }
}

fn issue_of(item: &ItemKey) -> Option<String> {
    match item {
        ItemKey::Issue(issue) => Some(issue.to_string()),
        ItemKey::Task { .. } => None,
    }
}

pub(super) fn effect_line(effect: &Effect, item: &ItemKey) -> EffectLine {
    EffectLine {
        effect: effect.id.0,
        issue: issue_of(item),
        deed: words(&effect.deed),
        status: effect.status.as_str().to_owned(),
        attempts: effect.attempts,
        error: effect.error.clone(),
        created_at: effect.created_at.into(),
        finished_at: effect.finished_at.map(Into::into),
    }
}
