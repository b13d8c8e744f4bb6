//! What the store wrote down, held against itself, against what was asked, and against what the agents wrote.

use std::collections::{BTreeMap, BTreeSet};

use baton_core::slot::{ItemId, ItemKey, Run, RunId, RunStatus, Transfer, Wakeup, WakeupId, WakeupStatus};
use baton_ports::Store;
use baton_ports::store::{CounterRow, RunFilter, RunRow, WakeupFilter, WakeupRow};

use crate::fleet::diary::Diary;
use crate::fleet::wakers::Asked;

const EVERYTHING: u32 = 1_000_000;

/// All rows, oldest first.
pub(crate) struct Books {
    pub(crate) runs: BTreeMap<RunId, RunRow>,
    pub(crate) wakeups: BTreeMap<WakeupId, WakeupRow>,
    pub(crate) transfers: Vec<Transfer>,
    pub(crate) counters: Vec<CounterRow>,
}

impl Books {
    pub(crate) async fn read(store: &impl Store) -> Self {
        let runs = RunFilter { limit: EVERYTHING, ..RunFilter::default() };
        let wakeups = WakeupFilter { limit: EVERYTHING, ..WakeupFilter::default() };
        let (runs, wakeups) = (store.runs(&runs).await.unwrap(), store.wakeups(&wakeups).await.unwrap());
        Self {
            runs: runs.into_iter().map(|row| (row.run.id, row)).collect(),
            wakeups: wakeups.into_iter().map(|row| (row.wakeup.id, row)).collect(),
            transfers: store.transfers(None).await.unwrap(),
            counters: store.counters().await.unwrap(),
        }
    }

    /// Says what does not hold together.
    pub(crate) fn faults(&self, asked: &[Asked], diaries: &[Diary]) -> Vec<String> {
        let mut faults = self.unfollowed(asked, diaries);
        faults.extend(transfer_faults(&self.transfers));
        faults.extend(run_faults(self.runs.values().map(|row| &row.run)));
        let used = self.counters.iter().filter(|counter| counter.in_use != 0);
        faults.extend(used.map(|counter| format!("at rest a counter is in use: {counter:?}")));
        faults.extend(diaries.iter().flat_map(|diary| self.diary_faults(diary)));
        faults
    }

    /// Says which wakeups are missing, there twice, not over, or were not told to an agent.
    fn unfollowed(&self, asked: &[Asked], diaries: &[Diary]) -> Vec<String> {
        let mut by_key: BTreeMap<(&ItemKey, &str), Vec<&Wakeup>> = BTreeMap::new();
        for row in self.wakeups.values() {
            by_key.entry((&row.item, row.wakeup.key.as_deref().unwrap_or(""))).or_default().push(&row.wakeup);
        }
        let lives = diaries.iter().flat_map(|diary| diary.lives.values());
        let heard: BTreeSet<u64> = lives.flat_map(|life| life.heard.iter().copied()).collect();
        let started = self.runs.values().filter(|row| row.run.started_at.is_some());
        let taken: BTreeSet<u64> = started.flat_map(|row| row.run.context.comment_ids()).collect();
        let mut faults = Vec::new();
        if self.wakeups.len() != asked.len() {
            faults.push(format!("{} wakeups were asked, and {} are there", asked.len(), self.wakeups.len()));
        }
        faults.extend(asked.iter().filter_map(|asked| {
            let rows = by_key.get(&(&asked.item, asked.key.as_str())).map_or(&[][..], Vec::as_slice);
            let [wakeup] = rows else { return Some(format!("{asked:?} is there {} times", rows.len())) };
            let is_told = |root: &Wakeup| match root.status {
                WakeupStatus::Completed => heard.contains(&asked.comment),
                // What fails for good may have been lost with its worker on the way to the agent each time.
                WakeupStatus::Failed => heard.contains(&asked.comment) || taken.contains(&asked.comment),
                WakeupStatus::Skipped => root.skip.is_some(),
                WakeupStatus::Cancelled => true,
                WakeupStatus::Queued | WakeupStatus::Deferred | WakeupStatus::Coalesced => false,
            };
            let root = self.root(wakeup);
            let is_good = root.is_some_and(is_told);
            (!is_good).then(|| format!("{asked:?} was not followed: {wakeup:?}, which ended as {root:?}"))
        }));
        faults
    }

    /// Follows what a wakeup was merged into.
    fn root<'a>(&'a self, wakeup: &'a Wakeup) -> Option<&'a Wakeup> {
        let mut at = wakeup;
        for _ in 0..self.wakeups.len() {
            let Some(into) = at.merged_into else { return Some(at) };
            at = &self.wakeups.get(&into)?.wakeup;
        }
        None
    }

    /// How each wakeup ended, or what it was merged into did.
    pub(crate) fn ends(&self) -> BTreeMap<WakeupStatus, usize> {
        let mut ends = BTreeMap::new();
        self.wakeups.values().for_each(|row| *ends.entry(row.wakeup.status).or_default() += 1);
        ends
    }

    /// Says where a diary tells of what the store does not know.
    fn diary_faults(&self, diary: &Diary) -> Vec<String> {
        let mut faults = diary.faults();
        for (id, life) in &diary.lives {
            let Some(RunRow { run, item, .. }) = self.runs.get(&RunId(*id)) else {
                faults
                    .push(format!("run {id} lived on issue {}, and the store does not know it", diary.issue));
                continue;
            };
            if *item != crate::fleet::wakers::issue(diary.issue) || run.fence != life.fence {
                faults.push(format!("issue {}: the life of {run:?} is another's: {life:?}", diary.issue));
            }
            let is_whole = life.has_ended && life.heard == run.context.comment_ids();
            if run.status == RunStatus::Succeeded && !is_whole {
                faults.push(format!("{run:?} succeeded, and its agent wrote {life:?}"));
            }
        }
        faults
    }
}

/// Says where a slot went from one who did not have it, and where a fence did not grow.
fn transfer_faults(transfers: &[Transfer]) -> Vec<String> {
    let mut last: BTreeMap<ItemId, &Transfer> = BTreeMap::new();
    let mut faults = Vec::new();
    for transfer in transfers {
        let before = last.insert(transfer.item, transfer);
        let (owner, fence) = before.map_or((None, 0), |before| (before.to, before.fence));
        if transfer.from != owner {
            faults.push(format!("{owner:?} had the slot, and it went on by {transfer:?}"));
        }
        let is_grown = transfer.fence > fence || (transfer.to.is_none() && transfer.fence == fence);
        if !is_grown {
            faults.push(format!("the fence was {fence}, and did not grow by {transfer:?}"));
        }
    }
    let kept = last.values().filter(|transfer| transfer.to.is_some());
    faults.extend(kept.map(|transfer| format!("at rest a slot is taken by {transfer:?}")));
    faults
}

/// Says which runs are not over, and which of one item overlap by the store's clock.
fn run_faults<'a>(runs: impl Iterator<Item = &'a Run>) -> Vec<String> {
    let mut by_item: BTreeMap<ItemId, Vec<&Run>> = BTreeMap::new();
    let mut faults = Vec::new();
    for run in runs {
        if run.status.is_active() || run.finished_at.is_none() {
            faults.push(format!("at rest a run is active: {run:?}"));
        }
        by_item.entry(run.item).or_default().push(run);
    }
    for runs in by_item.values_mut() {
        runs.sort_by_key(|run| run.fence);
        let overlaps = runs
            .windows(2)
            .filter(|pair| pair[1].created_at < pair[0].finished_at.unwrap_or(pair[1].created_at));
        faults.extend(overlaps.map(|pair| format!("two runs of one item overlap: {pair:?}")));
    }
    faults
}

#[cfg(test)]
mod tests {
    use baton_core::slot::AgentKey;
    use baton_core::slot::situation::TransferReason;
    use baton_core::time::StoreTime;

    use super::*;

    fn transfer(from: Option<i64>, to: Option<i64>, fence: i64) -> Transfer {
        Transfer {
            at: StoreTime { ms: fence },
            item: ItemId(1),
            from: from.map(RunId),
            to: to.map(RunId),
            agent: AgentKey("dev".to_owned()),
            fence,
            reason: TransferReason::Taken,
            after: None,
        }
    }

    #[track_caller]
    fn check(transfers: &[Transfer], expected: &[&str]) {
        let faults = transfer_faults(transfers);
        assert_eq!(faults.len(), expected.len(), "{faults:?}");
        for (fault, expected) in faults.iter().zip(expected) {
            assert!(fault.contains(expected), "{fault}");
        }
    }

    #[test]
    fn a_slot_goes_from_hand_to_hand_and_is_free_at_last() {
        let (taken, passed) = (transfer(None, Some(1), 1), transfer(Some(1), Some(2), 2));
        check(&[taken.clone(), passed.clone(), transfer(Some(2), None, 2)], &[]);
        check(&[taken.clone(), passed.clone()], &["at rest a slot is taken"]);
        check(
            &[taken.clone(), transfer(None, Some(2), 2), transfer(Some(2), None, 2)],
            &["Some(RunId(1)) had the slot"],
        );
        check(&[taken, transfer(Some(1), Some(2), 1), transfer(Some(2), None, 2)], &["the fence was 1"]);
    }
}
