//! A report of a period, from the runs and effects that ended in it.

use std::collections::BTreeMap;
use std::time::Duration;

use baton_core::agent::Errand;
use baton_core::pipeline::Pipeline;
use baton_core::slot::effect::{Deed, EffectStatus};
use baton_core::slot::{ItemKey, RunStatus};
use baton_core::time::StoreTime;
use baton_ports::Store as _;
use baton_ports::store::{EffectFilter, EffectRow, RunFilter, RunRow};
use baton_view::{DayLine, IssueCost, LookoutError, Period, Report, StageTime, Stamp, Totals};

use super::{Answer, Watchtower, of_store};
use crate::marshal::Parts;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const DAYS_MAX: u32 = 366;
/// So many rows are read at most; a period with more is refused rather than told wrongly.
const ROWS_MAX: u32 = 200_000;
/// How many issues are listed.
const ISSUES_MAX: usize = 50;

impl<P: Parts, L> Watchtower<P, L> {
    pub(super) async fn report_on(&self, period: Period) -> Answer<Report> {
        if !(1..=DAYS_MAX).contains(&period.days) {
            return Err(LookoutError::Refused(format!("a report is of 1 to {DAYS_MAX} days")));
        }
        let store = &self.marshal.relay.store;
        let to = store.now().await.map_err(of_store)?;
        let from = first_moment(to, period);
        let filter = RunFilter { finished_since: Some(from), limit: ROWS_MAX, ..RunFilter::default() };
        let runs = store.runs(&filter).await.map_err(of_store)?;
        let done = vec![EffectStatus::Done];
        let filter = EffectFilter { statuses: done, finished_since: Some(from), limit: ROWS_MAX };
        let effects = store.effect_rows(&filter).await.map_err(of_store)?;
        let is_full = |count: usize| u32::try_from(count).is_ok_and(|count| count >= ROWS_MAX);
        if is_full(runs.len()) || is_full(effects.len()) {
            return Err(LookoutError::Refused(format!(
                "more than {ROWS_MAX} things happened in {} days: ask for fewer",
                period.days
            )));
        }
        let titles = self.marshal.picture().map(|picture| {
            picture
                .issues
                .into_iter()
                .map(|(issue, known)| (ItemKey::issue(&issue), known.title.to_string()))
                .collect()
        });
        let story = Story { from, to, runs: &runs, effects: &effects, titles: titles.unwrap_or_default() };
        Ok(story.report(&self.marshal.rules().pipeline))
    }
}

/// The first moment of the first day, in UTC, today being the last.
fn first_moment(now: StoreTime, period: Period) -> StoreTime {
    StoreTime { ms: (now.ms / DAY_MS - i64::from(period.days - 1)) * DAY_MS }
}

/// What happened in a period.
struct Story<'a> {
    from: StoreTime,
    to: StoreTime,
    runs: &'a [RunRow],
    effects: &'a [EffectRow],
    titles: BTreeMap<ItemKey, String>,
}

impl Story<'_> {
    fn report(&self, pipeline: &Pipeline) -> Report {
        let merged = self.merged();
        let issues = self.issues(&merged);
        let mut cycles: Vec<u64> = issues.iter().filter_map(|issue| issue.cycle_s).collect();
        cycles.sort_unstable();
        let failed =
            self.runs.iter().filter(|row| matches!(row.run.status, RunStatus::Failed | RunStatus::TimedOut));
        Report {
            from: self.from.into(),
            to: self.to.into(),
            totals: Totals {
                merged: count(merged.len()),
                runs: count(self.runs.len()),
                failed_runs: count(failed.count()),
                cost_micros: self.runs.iter().map(|row| row.run.cost_micros).sum(),
                cycle_s: (!cycles.is_empty()).then(|| share(&cycles, 50)),
            },
            days: self.days(&merged),
            stages: self.stages(pipeline),
            issues,
        }
    }

    /// When the pull request of an issue was merged, or it came to the end of the pipeline by another's merge.
    fn merged(&self) -> BTreeMap<&ItemKey, StoreTime> {
        let mut merged = BTreeMap::new();
        for row in self.effects.iter().filter(|row| matches!(row.effect.deed, Deed::MergePull { .. })) {
            if let Some(at) = row.effect.finished_at {
                merged
                    .entry(&row.item)
                    .and_modify(|first: &mut StoreTime| *first = at.min(*first))
                    .or_insert(at);
            }
        }
        merged
    }

    fn days(&self, merged: &BTreeMap<&ItemKey, StoreTime>) -> Vec<DayLine> {
        let first = self.from.ms / DAY_MS;
        let lines = (first..=self.to.ms / DAY_MS).map(|day| {
            let is_then = |at: StoreTime| at.ms / DAY_MS == day;
            let runs = || self.runs.iter().filter(|row| row.run.finished_at.is_some_and(is_then));
            DayLine {
                day: Stamp(day * DAY_MS).day(),
                merged: count(merged.values().filter(|at| is_then(**at)).count()),
                runs: count(runs().count()),
                cost_micros: runs().map(|row| row.run.cost_micros).sum(),
            }
        });
        lines.collect()
    }

    fn stages(&self, pipeline: &Pipeline) -> Vec<StageTime> {
        let mut by_stage: BTreeMap<String, BTreeMap<&ItemKey, Vec<&RunRow>>> = BTreeMap::new();
        for row in self.runs {
            if let Some(stage) = Errand::read(&row.run.context).ok().and_then(|errand| errand.stage) {
                by_stage.entry(stage).or_default().entry(&row.item).or_default().push(row);
            }
        }
        let order = |stage: &str| {
            pipeline.stages().iter().position(|known| known.name == stage).unwrap_or(usize::MAX)
        };
        let mut stages: Vec<_> =
            by_stage.into_iter().map(|(stage, of_issues)| stage_time(stage, &of_issues)).collect();
        stages.sort_by_key(|line| order(&line.stage));
        stages
    }

    fn issues(&self, merged: &BTreeMap<&ItemKey, StoreTime>) -> Vec<IssueCost> {
        let mut by_issue: BTreeMap<&ItemKey, Vec<&RunRow>> = BTreeMap::new();
        self.runs.iter().for_each(|row| by_issue.entry(&row.item).or_default().push(row));
        let line = |(item, rows): (&ItemKey, Vec<&RunRow>)| {
            let began = rows.iter().filter_map(|row| row.run.started_at).min();
            let merged_at = merged.get(item).copied();
            IssueCost {
                issue: item.to_string(),
                title: self.titles.get(item).cloned(),
                runs: count(rows.len()),
                cost_micros: rows.iter().map(|row| row.run.cost_micros).sum(),
                is_merged: merged_at.is_some(),
                cycle_s: began.zip(merged_at).map(|(began, merged)| merged.since(began).as_secs()),
            }
        };
        let mut issues: Vec<_> = by_issue.into_iter().map(line).collect();
        issues.sort_by(|a, b| {
            (b.cost_micros, b.runs).cmp(&(a.cost_micros, a.runs)).then(a.issue.cmp(&b.issue))
        });
        issues.truncate(ISSUES_MAX);
        issues
    }
}

fn stage_time(stage: String, of_issues: &BTreeMap<&ItemKey, Vec<&RunRow>>) -> StageTime {
    let spans = of_issues.values().filter_map(|rows| {
        let began = rows.iter().filter_map(|row| row.run.started_at).min()?;
        let ended = rows.iter().filter_map(|row| row.run.finished_at).max()?;
        Some(ended.since(began)).as_ref().map(Duration::as_secs)
    });
    let mut spans: Vec<u64> = spans.collect();
    spans.sort_unstable();
    let rows = || of_issues.values().flatten();
    StageTime {
        stage,
        issues: count(of_issues.len()),
        runs: count(rows().count()),
        median_s: share(&spans, 50),
        p90_s: share(&spans, 90),
        cost_micros: rows().map(|row| row.run.cost_micros).sum(),
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
mod tests {
    use super::*;

    #[test]
    fn shares_are_values_that_occurred() {
        assert_eq!(share(&[], 50), 0);
        assert_eq!(share(&[7], 90), 7);
        assert_eq!(share(&[1, 2, 3, 4], 50), 2);
        assert_eq!(share(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 90), 9);
    }

    #[test]
    fn a_period_begins_with_its_first_day() {
        let now = StoreTime { ms: 10 * DAY_MS + 5 };
        assert_eq!(first_moment(now, Period { days: 1 }), StoreTime { ms: 10 * DAY_MS });
        assert_eq!(first_moment(now, Period { days: 3 }), StoreTime { ms: 8 * DAY_MS });
    }
}
