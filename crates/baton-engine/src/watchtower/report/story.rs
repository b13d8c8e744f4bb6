//! What happened in a period, told as a report. Pure: what it is told of was read before.

use std::collections::BTreeMap;

use baton_core::agent::Errand;
use baton_core::labels::DONE;
use baton_core::pipeline::Pipeline;
use baton_core::slot::effect::{Deed, Effect, EffectStatus};
use baton_core::slot::{ItemKey, RunStatus};
use baton_core::time::StoreTime;
use baton_ports::store::RunRow;
use baton_view::{DayLine, IssueCost, Report, StageTime, Stamp, Totals};

use super::DAY_MS;

/// How many issues are listed.
const ISSUES_MAX: usize = 50;
/// What runs are told under that belong to no stage.
const BY_HAND: &str = "by hand";

/// What happened in a period.
pub(super) struct Story {
    pub(super) from: StoreTime,
    pub(super) to: StoreTime,
    /// Everything that a run ended for in the period, or that was merged in it.
    pub(super) chapters: BTreeMap<ItemKey, Chapter>,
    pub(super) titles: BTreeMap<ItemKey, String>,
}

/// What happened to one item.
#[derive(Debug, Default)]
pub(super) struct Chapter {
    /// All of its runs, those before the period too: what began earlier did not begin with the period.
    pub(super) runs: Vec<RunRow>,
    /// When its pull request was merged, if that was in the period.
    pub(super) merged_at: Option<StoreTime>,
}

impl Chapter {
    fn began_at(&self) -> Option<StoreTime> {
        self.runs.iter().filter_map(|row| row.run.started_at).min()
    }

    fn cycle_s(&self) -> Option<u64> {
        let merged_at = self.merged_at?;
        self.began_at().map(|began_at| merged_at.since(began_at).as_secs())
    }
}

/// Returns whether an effect may tell of a merge: the engine's own, or another's that the issue came to the end by.
pub(super) fn tells_of_merge(deed: &Deed, pipeline: &Pipeline) -> bool {
    match deed {
        Deed::MergePull { .. } => true,
        Deed::AddLabels { labels } => labels.iter().any(|label| label == DONE),
        Deed::MoveTo { to, .. } => pipeline.cleanup().is_some_and(|end| end.name == *to),
        _ => false,
    }
}

/// Returns when the pull request of an item was merged, as all of its effects tell. People merge too: then clean-up says that it is
/// done, and before that it is moved to the end, where what has no pull request and what was taken apart comes to as well.
pub(super) fn merged_at(effects: &[Effect], has_pull: bool, pipeline: &Pipeline) -> Option<StoreTime> {
    let done = || effects.iter().filter(|effect| effect.status == EffectStatus::Done);
    let has_pull = has_pull
        || done().any(|effect| matches!(effect.deed, Deed::OpenDraftPull { .. } | Deed::MarkPullReady));
    let is_apart = done().any(|effect| matches!(effect.deed, Deed::CreateSubIssues { .. }));
    let is_merge = |effect: &&Effect| {
        let is_move = matches!(effect.deed, Deed::MoveTo { .. });
        tells_of_merge(&effect.deed, pipeline) && (!is_move || has_pull && !is_apart)
    };
    done().filter(is_merge).filter_map(|effect| effect.finished_at).min()
}

impl Story {
    pub(super) fn report(&self, pipeline: &Pipeline) -> Report {
        let mut cycles: Vec<u64> = self.chapters.values().filter_map(Chapter::cycle_s).collect();
        cycles.sort_unstable();
        let failed =
            self.runs().filter(|row| matches!(row.run.status, RunStatus::Failed | RunStatus::TimedOut));
        let mut issues = self.issues();
        let hidden = issues.split_off(issues.len().min(ISSUES_MAX)).len();
        Report {
            from: self.from.into(),
            to: self.to.into(),
            totals: Totals {
                merged: count(self.merges().count()),
                runs: count(self.runs().count()),
                failed_runs: count(failed.count()),
                cost_micros: self.runs().map(|row| row.run.cost_micros).sum(),
                cycle_s: (!cycles.is_empty()).then(|| share(&cycles, 50)),
            },
            days: self.days(),
            stages: self.stages(pipeline),
            issues,
            hidden: count(hidden),
        }
    }

    fn is_told(&self, row: &RunRow) -> bool {
        row.run.finished_at.is_some_and(|at| at >= self.from)
    }

    /// The runs that ended in the period.
    fn runs(&self) -> impl Iterator<Item = &RunRow> {
        self.chapters.values().flat_map(|chapter| &chapter.runs).filter(|row| self.is_told(row))
    }

    fn merges(&self) -> impl Iterator<Item = StoreTime> {
        self.chapters.values().filter_map(|chapter| chapter.merged_at)
    }

    fn days(&self) -> Vec<DayLine> {
        let first = self.from.ms / DAY_MS;
        let mut days: Vec<_> = (first..=self.to.ms / DAY_MS)
            .map(|day| DayLine { day: Stamp(day * DAY_MS).day(), merged: 0, runs: 0, cost_micros: 0 })
            .collect();
        let place = |at: StoreTime| usize::try_from(at.ms / DAY_MS - first).ok();
        for at in self.merges() {
            if let Some(day) = place(at).and_then(|place| days.get_mut(place)) {
                day.merged += 1;
            }
        }
        for row in self.runs() {
            if let Some(day) = row.run.finished_at.and_then(place).and_then(|place| days.get_mut(place)) {
                day.runs += 1;
                day.cost_micros += row.run.cost_micros;
            }
        }
        days
    }

    fn stages(&self, pipeline: &Pipeline) -> Vec<StageTime> {
        let mut by_stage: BTreeMap<String, BTreeMap<&ItemKey, Vec<&RunRow>>> = BTreeMap::new();
        for row in self.chapters.values().flat_map(|chapter| &chapter.runs) {
            let stage = Errand::read(&row.run.context).ok().and_then(|errand| errand.stage);
            let stage = stage.unwrap_or_else(|| BY_HAND.to_owned());
            by_stage.entry(stage).or_default().entry(&row.item).or_default().push(row);
        }
        let order = |stage: &str| {
            pipeline.stages().iter().position(|known| known.name == stage).unwrap_or(usize::MAX)
        };
        let lines = by_stage.into_iter().filter_map(|(stage, of_items)| self.stage_time(stage, of_items));
        let mut stages: Vec<_> = lines.collect();
        stages.sort_by_key(|line| order(&line.stage));
        stages
    }

    /// Returns how long a stage takes, from those items that a run ended for in it.
    fn stage_time(&self, stage: String, mut of_items: BTreeMap<&ItemKey, Vec<&RunRow>>) -> Option<StageTime> {
        of_items.retain(|_, rows| rows.iter().any(|row| self.is_told(row)));
        let spans = of_items.values().filter_map(|rows| {
            let began = rows.iter().filter_map(|row| row.run.started_at).min()?;
            let ended = rows.iter().filter_map(|row| row.run.finished_at).max()?;
            Some(ended.since(began).as_secs())
        });
        let mut spans: Vec<u64> = spans.collect();
        spans.sort_unstable();
        let rows = || of_items.values().flatten().filter(|row| self.is_told(row));
        (!of_items.is_empty()).then(|| StageTime {
            stage,
            issues: count(of_items.len()),
            runs: count(rows().count()),
            median_s: share(&spans, 50),
            p90_s: share(&spans, 90),
            cost_micros: rows().map(|row| row.run.cost_micros).sum(),
        })
    }

    fn issues(&self) -> Vec<IssueCost> {
        let line = |(item, chapter): (&ItemKey, &Chapter)| {
            let rows = || chapter.runs.iter().filter(|row| self.is_told(row));
            IssueCost {
                issue: item.to_string(),
                title: self.titles.get(item).cloned(),
                runs: count(rows().count()),
                cost_micros: rows().map(|row| row.run.cost_micros).sum(),
                is_merged: chapter.merged_at.is_some(),
                cycle_s: chapter.cycle_s(),
            }
        };
        let mut issues: Vec<_> = self.chapters.iter().map(line).collect();
        issues.sort_by(|a, b| {
            (b.cost_micros, b.runs).cmp(&(a.cost_micros, a.runs)).then(a.issue.cmp(&b.issue))
        });
        issues
    }
}

/// Returns the smallest value that so many in a hundred do not exceed; 0 when there is none.
fn share(sorted: &[u64], percent: usize) -> u64 {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or(0)
}

fn count(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
