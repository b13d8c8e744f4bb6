//! What must be true after every step, and at the end.

use std::collections::BTreeMap;

use baton_core::slot::effect::EffectStatus;
use baton_core::slot::start::Started;
use baton_core::slot::{ItemId, Run, RunId, RunStatus, Transfer, Wakeup, WakeupId, WakeupStatus};
use baton_ports::Store as _;
use baton_ports::store::{RunFilter, WakeupFilter};

use super::ops::ISSUES;
use super::world::{Broken, Summary, World, issue};
use crate::conformance::Ground;

const EVERYTHING: u32 = 100_000;

macro_rules! hold {
    ($condition:expr, $($why:tt)*) => {
        if !$condition {
            return Err(Broken(format!($($why)*)));
        }
    };
}

impl<G: Ground> World<G> {
    /// No two agents of one issue are alive, by what their workers believe.
    pub(super) async fn check_beliefs(&self) -> Result<(), Broken> {
        let now = self.now().await?;
        let mut alive: BTreeMap<ItemId, RunId> = BTreeMap::new();
        for believer in self.workers.iter().filter(|believer| now < believer.deadline) {
            for started in &believer.holds {
                let other = alive.insert(started.item.id, started.run.id);
                hold!(other.is_none(), "two agents of one issue are alive: {other:?} and {}", started.run.id);
            }
        }
        Ok(())
    }

    /// A run that starts finds nothing left to perform.
    pub(super) async fn check_started(&self, started: &Started) -> Result<(), Broken> {
        let effects = self.store().effects(&started.item.key).await?;
        let pending = effects.iter().find(|it| !matches!(it.status, EffectStatus::Done | EffectStatus::Dead));
        hold!(pending.is_none(), "run {} started before {pending:?} was performed", started.run.id);
        Ok(())
    }

    /// At most one owner; fences only grow; no wakeup is lost.
    pub(super) async fn check_rows(&self) -> Result<(), Broken> {
        let (runs, wakeups) = (self.all_runs().await?, self.all_wakeups().await?);
        for number in 1..=ISSUES {
            let Some(item) = self.store().item(&issue(number)).await? else { continue };
            let active: Vec<_> =
                runs.iter().filter(|run| run.item == item.id && run.status.is_active()).collect();
            hold!(active.len() <= 1, "two runs own the slot of {}: {active:?}", item.key);
            let owner = active.first().map(|run| run.id);
            hold!(owner == item.owner, "{} names {:?}, and {owner:?} is active", item.key, item.owner);
            let waits = wakeups.iter().any(|it| it.item == item.id && it.status == WakeupStatus::Deferred);
            hold!(owner.is_some() || !waits, "somebody waits for the free slot of {}", item.key);
        }
        check_wakeups(&runs, &wakeups)?;
        check_transfers(&self.store().transfers(None).await?)
    }

    pub(super) async fn is_at_rest(&self) -> Result<bool, Broken> {
        let is_over = self.all_runs().await?.iter().all(|run| !run.status.is_active());
        let are_over = self.all_wakeups().await?.iter().all(|wakeup| wakeup.status.is_over());
        for number in 1..=ISSUES {
            let effects = self.store().effects(&issue(number)).await?;
            if effects.iter().any(|it| matches!(it.status, EffectStatus::Pending | EffectStatus::Sending)) {
                return Ok(false);
            }
        }
        Ok(is_over && are_over)
    }

    /// Every word reached an agent, every effect the tracker, and nothing is counted any more.
    pub(super) async fn check_end(&self) -> Result<Summary, Broken> {
        self.check_rows().await?;
        let (runs, wakeups) = (self.all_runs().await?, self.all_wakeups().await?);
        self.check_words(&wakeups)?;
        for number in 1..=ISSUES {
            self.check_tracker(number).await?;
        }
        let counters = self.store().counters().await?;
        let used = counters.iter().find(|counter| counter.in_use != 0);
        hold!(used.is_none(), "at rest a counter is in use: {used:?}");
        Ok(summary(&runs, &wakeups, &self.store().transfers(None).await?, &self.tracker.lock().unwrap()))
    }

    fn check_words(&self, wakeups: &[Wakeup]) -> Result<(), Broken> {
        for (id, comment) in &self.asked {
            let Some(root) = root(wakeups, *id) else {
                return Err(Broken(format!("wakeup {id} is not there any more")));
            };
            let must_be_seen = matches!(root.status, WakeupStatus::Completed | WakeupStatus::Failed);
            let is_seen = !must_be_seen || self.seen.contains(comment);
            hold!(is_seen, "what wakeup {id} said never reached an agent; it ended with {root:?}");
        }
        Ok(())
    }

    async fn check_tracker(&self, number: u64) -> Result<(), Broken> {
        let effects = self.store().effects(&issue(number)).await?;
        let wanted: Vec<_> = effects.iter().map(|effect| effect.id).collect();
        let item = effects.first().map(|effect| effect.key.item);
        let shown =
            item.and_then(|item| self.tracker.lock().unwrap().get(&item).cloned()).unwrap_or_default();
        hold!(wanted == shown, "{} shows {shown:?}, and {wanted:?} was committed", issue(number));
        Ok(())
    }

    async fn all_runs(&self) -> Result<Vec<Run>, Broken> {
        let filter = RunFilter { limit: EVERYTHING, ..RunFilter::default() };
        let rows = self.store().runs(&filter).await?;
        Ok(rows.into_iter().rev().map(|row| row.run).collect())
    }

    async fn all_wakeups(&self) -> Result<Vec<Wakeup>, Broken> {
        let filter = WakeupFilter { limit: EVERYTHING, ..WakeupFilter::default() };
        let rows = self.store().wakeups(&filter).await?;
        Ok(rows.into_iter().rev().map(|row| row.wakeup).collect())
    }
}

/// Every wakeup has a run that is not over, or waits, or is over; what was merged was merged into one of these.
fn check_wakeups(runs: &[Run], wakeups: &[Wakeup]) -> Result<(), Broken> {
    for wakeup in wakeups {
        match wakeup.status {
            WakeupStatus::Queued => {
                let run = runs.iter().find(|run| Some(run.id) == wakeup.run);
                let fits = run.is_some_and(|run| run.status.is_active() && run.wakeup == wakeup.id);
                hold!(fits, "a wakeup is queued without a run: {wakeup:?}, {run:?}");
            }
            WakeupStatus::Coalesced => {
                let is_kept = wakeup.merged_into.is_none() || root(wakeups, wakeup.id).is_some();
                hold!(is_kept, "a wakeup was merged into nothing: {wakeup:?}");
            }
            WakeupStatus::Skipped => hold!(wakeup.skip.is_some(), "a skip without a reason: {wakeup:?}"),
            _ => {}
        }
    }
    Ok(())
}

/// Follows what a wakeup was merged into.
fn root(wakeups: &[Wakeup], id: WakeupId) -> Option<&Wakeup> {
    let mut wakeup = wakeups.iter().find(|wakeup| wakeup.id == id)?;
    for _ in 0..wakeups.len() {
        let Some(into) = wakeup.merged_into else { return Some(wakeup) };
        wakeup = wakeups.iter().find(|wakeup| wakeup.id == into)?;
    }
    None
}

fn check_transfers(transfers: &[Transfer]) -> Result<(), Broken> {
    let mut last: BTreeMap<ItemId, &Transfer> = BTreeMap::new();
    for transfer in transfers {
        if let Some(before) = last.insert(transfer.item, transfer) {
            hold!(
                before.to == transfer.from,
                "a slot went from {:?} and then from {:?}",
                before.to,
                transfer.from
            );
            let grew = transfer.fence > before.fence || transfer.to.is_none();
            hold!(grew && transfer.fence >= before.fence, "a fence did not grow: {before:?}, {transfer:?}");
        }
    }
    Ok(())
}

/// Tells a history in numbers that do not depend on how a store gives out ids.
fn summary(
    runs: &[Run],
    wakeups: &[Wakeup],
    transfers: &[Transfer],
    tracker: &BTreeMap<ItemId, Vec<baton_core::slot::EffectId>>,
) -> Summary {
    let run_at = |id: Option<RunId>| id.and_then(|id| runs.iter().position(|run| run.id == id));
    let wakeup_at = |id: Option<WakeupId>| id.and_then(|id| wakeups.iter().position(|it| it.id == id));
    let of_run = |run: &Run| {
        let (of, cause) = (run_at(run.retry_of), run.cause);
        format!(
            "{} {} {cause:?} fence {} attempt {} of {of:?}",
            run.agent, run.status, run.fence, run.attempt
        )
    };
    let of_wakeup = |it: &Wakeup| {
        let (run, into) = (run_at(it.run), wakeup_at(it.merged_into));
        format!("{} {} {:?} {:?} run {run:?} into {into:?}", it.agent, it.status, it.disposition, it.skip)
    };
    let of_transfer = |it: &Transfer| {
        let (from, to) = (run_at(it.from), run_at(it.to));
        format!("{from:?} to {to:?} {} {} after {:?}", it.reason, it.fence, it.after.map(RunStatus::as_str))
    };
    Summary {
        runs: runs.iter().map(of_run).collect(),
        wakeups: wakeups.iter().map(of_wakeup).collect(),
        transfers: transfers.iter().map(of_transfer).collect(),
        tracker: tracker.values().map(|shown| format!("{} effects", shown.len())).collect(),
    }
}
