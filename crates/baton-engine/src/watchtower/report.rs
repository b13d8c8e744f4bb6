//! A report of a period, from the runs and effects that ended in it and from what led to them.

mod story;

use std::collections::{BTreeMap, BTreeSet};

use baton_core::pipeline::Pipeline;
use baton_core::slot::ItemKey;
use baton_core::slot::effect::EffectStatus;
use baton_core::time::StoreTime;
use baton_ports::Store as _;
use baton_ports::store::{EffectFilter, RunFilter};
use baton_view::{LookoutError, Period, Report};

use self::story::{Chapter, Story, merged_at, tells_of_merge};
use super::{Answer, Watchtower, of_store};
use crate::marshal::{Parts, Picture};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const DAYS_MAX: u32 = 366;
/// So many rows are read at most; a period with more is refused rather than told wrongly.
const ROWS_MAX: u32 = 200_000;

impl<P: Parts, L> Watchtower<P, L> {
    pub(super) async fn report_on(&self, period: Period) -> Answer<Report> {
        if !(1..=DAYS_MAX).contains(&period.days) {
            return Err(LookoutError::Refused(format!("a report is of 1 to {DAYS_MAX} days")));
        }
        let to = self.marshal.relay.store.now().await.map_err(of_store)?;
        let from = first_moment(to, period);
        let rules = self.marshal.rules();
        let (worked_on, ended) = self.touched(from, period, &rules.pipeline).await?;
        let picture = self.marshal.picture();
        let mut chapters = BTreeMap::new();
        for item in worked_on.union(&ended) {
            let filter = RunFilter { item: Some(item.clone()), limit: ROWS_MAX, ..RunFilter::default() };
            let runs = self.marshal.relay.store.runs(&filter).await.map_err(of_store)?;
            let has_pull = picture.as_ref().is_some_and(|picture| has_pull(picture, item));
            let merged_at = match ended.contains(item) {
                true => self.merge_of(item, has_pull, &rules.pipeline).await?.filter(|at| *at >= from),
                false => None,
            };
            if merged_at.is_some() || worked_on.contains(item) {
                chapters.insert(item.clone(), Chapter { runs, merged_at });
            }
        }
        let issues = picture.into_iter().flat_map(|picture| picture.issues);
        let titles = issues.map(|(issue, known)| (ItemKey::issue(&issue), known.title.to_string()));
        Ok(Story { from, to, chapters, titles: titles.collect() }.report(&rules.pipeline))
    }

    /// Returns what a run ended for, and what may have been merged.
    async fn touched(
        &self,
        from: StoreTime,
        period: Period,
        pipeline: &Pipeline,
    ) -> Answer<(BTreeSet<ItemKey>, BTreeSet<ItemKey>)> {
        let store = &self.marshal.relay.store;
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
        let merges = effects.into_iter().filter(|row| tells_of_merge(&row.effect.deed, pipeline));
        Ok((runs.into_iter().map(|row| row.item).collect(), merges.map(|row| row.item).collect()))
    }

    async fn merge_of(
        &self,
        item: &ItemKey,
        has_pull: bool,
        pipeline: &Pipeline,
    ) -> Answer<Option<StoreTime>> {
        let effects = self.marshal.relay.store.effects(item).await.map_err(of_store)?;
        Ok(merged_at(&effects, has_pull, pipeline))
    }
}

fn has_pull(picture: &Picture, item: &ItemKey) -> bool {
    match item {
        ItemKey::Issue(issue) => picture.pulls.contains_key(issue),
        ItemKey::Task { .. } => false,
    }
}

/// The first moment of the first day, in UTC, today being the last.
fn first_moment(now: StoreTime, period: Period) -> StoreTime {
    StoreTime { ms: (now.ms / DAY_MS - i64::from(period.days - 1)) * DAY_MS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_begins_with_its_first_day() {
        let now = StoreTime { ms: 10 * DAY_MS + 5 };
        assert_eq!(first_moment(now, Period { days: 1 }), StoreTime { ms: 10 * DAY_MS });
        assert_eq!(first_moment(now, Period { days: 3 }), StoreTime { ms: 8 * DAY_MS });
    }
}
