//! The agents that are alive in the whole world, whatever engine started them, and the two invariants that are about them:
//! no two on one issue, and none for long where people or rules keep agents away.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_core::labels::dialect::Dialect;
use baton_core::pipeline::names::{Flag, Names, Said, StageMark};
use baton_core::slot::ItemKey;
use baton_core::tracker::IssueKey;

use super::programs::Life;
use super::tracker::Hub;
use super::tracker::state::{IssueRow, State};

/// How long an agent may go on where it should not, beside what lags and outages take: a survey, a look, a renewal.
const STOPS_WITHIN: Duration = Duration::from_secs(420);

/// How long it may take until everybody knows what a label says.
const KNOWN_WITHIN: Duration = Duration::from_secs(120);

/// The agents that are alive.
#[derive(Default)]
pub(crate) struct Alive(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    lives: Vec<Arc<Life>>,
    /// For how long each issue has been one that agents keep away from, and why.
    away: BTreeMap<IssueKey, (u64, &'static str)>,
}

impl Alive {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn on_begin(&self, life: &Arc<Life>) {
        let other = self.inner().lives.iter().find(|other| other.order.item == life.order.item).cloned();
        if let Some(other) = other {
            let what = format!(
                "run {} on {} begins on {} while run {} lives on {}",
                life.order.run, life.machine.name, life.order.item, other.order.run, other.machine.name
            );
            life.machine.scene.violated("I1", &what);
        }
        self.not_again(life);
        self.inner().lives.push(Arc::clone(life));
    }

    /// A stage that an engine has called complete is not run again.
    fn not_again(&self, life: &Life) {
        let (ItemKey::Issue(key), Some(stage)) = (&life.order.item, &life.order.stage) else { return };
        let hub = &life.machine.hub;
        let truth = hub.truth();
        let Some(row) = truth.repos.get(&key.repo).and_then(|repo| repo.issues.get(&key.number)) else {
            return;
        };
        let label = Names::of(Dialect::Baton).stage(stage, StageMark::Complete);
        let since = row.labelled_at().get(&label).map(|at| hub.date().since(*at));
        let is_by_engine = row.labelled_by(&label).is_some_and(|by| by.starts_with("baton-"));
        if life.job == "stage" && is_by_engine && since.is_some_and(|since| since > KNOWN_WITHIN) {
            hub.scene.violated(
                "I7",
                &format!("run {} repeats {stage} of {key}, which is complete", life.order.run),
            );
        }
    }

    pub(crate) fn on_end(&self, life: &Arc<Life>) {
        self.inner().lives.retain(|other| !Arc::ptr_eq(other, life));
    }

    /// Looks at all agents: who has been working for too long on what agents should keep away from?
    pub(crate) fn look(&self, hub: &Hub, engines: &[String]) {
        let (now, truth) = (hub.scene.now_ms(), hub.truth());
        let is_out = hub.scene.are_faults_on() && hub.scene.knobs.limited(now).is_some();
        let mut inner = self.inner();
        let Inner { lives, away } = &mut *inner;
        *away = kept_away(&truth, engines, away, now);
        for life in lives.iter() {
            let ItemKey::Issue(issue) = &life.order.item else { continue };
            let Some((since, why)) = away.get_mut(issue) else { continue };
            if is_out {
                // Nobody can hear of it, so it does not count.
                *since = now;
            }
            let lasted = Duration::from_millis(now.saturating_sub(*since));
            if lasted.min(life.age()) > STOPS_WITHIN {
                *since = u64::MAX;
                let what = format!(
                    "run {} works on {issue}, which has been {why} for {} s",
                    life.order.run,
                    lasted.as_secs()
                );
                hub.scene.violated("I5", &what);
            }
        }
    }
}

fn kept_away(
    truth: &State,
    engines: &[String],
    before: &BTreeMap<IssueKey, (u64, &'static str)>,
    now: u64,
) -> BTreeMap<IssueKey, (u64, &'static str)> {
    let all = truth.repos.iter().flat_map(|(repo, row)| row.issues.values().map(move |issue| (repo, issue)));
    let away = all.filter_map(|(repo, row)| {
        let key = IssueKey { repo: repo.clone(), number: row.number };
        let why = why_away(truth, row, engines)?;
        let since = before.get(&key).filter(|(_, known)| *known == why).map_or(now, |(since, _)| *since);
        Some((key, (since, why)))
    });
    away.collect()
}

/// Returns why agents keep away from an issue, if they do. What the engine itself set while its agent works does not count.
pub(crate) fn why_away(truth: &State, row: &IssueRow, engines: &[String]) -> Option<&'static str> {
    let names = Names::of(Dialect::Baton);
    let is_open = |key: &IssueKey| {
        truth
            .repos
            .get(&key.repo)
            .and_then(|repo| repo.issues.get(&key.number))
            .is_some_and(|row| row.is_open)
    };
    let said = row.labels.iter().filter_map(|label| names.read(label));
    let said: Vec<_> = said.collect();
    let is_foreign =
        |said: &Said<'_>| matches!(said, Said::Locked(user) if !engines.iter().any(|own| own == user));
    match () {
        () if !row.is_open => Some("closed"),
        () if said.contains(&Said::Flag(Flag::Paused)) => Some("paused"),
        () if said.contains(&Said::Held) => Some("held"),
        () if said.iter().any(is_foreign) => Some("locked by another"),
        () if row.blockers.iter().any(is_open) => Some("blocked"),
        () => None,
    }
}
