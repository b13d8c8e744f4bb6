//! What a run of races amounts to. Pure: it is given verdicts and what the tracker shows, and counts.

use std::collections::BTreeSet;
use std::fmt;

use crate::races::harness::Kind;
use crate::races::setup::Aftermath;
use crate::rivals::label_verify::lock_label;
use crate::rivals::{Outcome, Verdict};

/// One claimant's part in one race.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) login: String,
    pub(crate) kind: Kind,
    pub(crate) verdict: Verdict,
}

/// One issue and all who wanted it.
#[derive(Debug, Clone)]
pub(crate) struct Race {
    pub(crate) issue: u64,
    pub(crate) entries: Vec<Entry>,
    pub(crate) aftermath: Aftermath,
}

impl Race {
    pub(crate) fn winners(&self) -> Vec<&Entry> {
        self.entries.iter().filter(|entry| entry.verdict.won()).collect()
    }

    /// Counts those who had come so far before it was decided: by the first winner, or by anybody if nobody won.
    fn before_decision(&self, moment: impl Fn(&Verdict) -> Option<u64>) -> usize {
        let winners = self.winners().into_iter().map(|winner| winner.verdict.decided_ms).min();
        let decided_ms = winners.or_else(|| self.decided().map(|verdict| verdict.decided_ms).min());
        let moments = self.decided().filter_map(moment);
        moments.filter(|moment_ms| Some(*moment_ms) <= decided_ms).count()
    }

    fn decided(&self) -> impl Iterator<Item = &Verdict> {
        let verdicts = self.entries.iter().map(|entry| &entry.verdict);
        verdicts.filter(|verdict| verdict.outcome != Outcome::Error)
    }

    /// Tells whether the labels say something else than the verdicts.
    fn has_wrong_labels(&self) -> bool {
        let has = |label: &str| self.aftermath.labels.iter().any(|own| own == label);
        let present = |of: fn(Kind) -> bool| self.entries.iter().any(|entry| of(entry.kind));
        let won = |of: fn(Kind) -> bool| self.winners().iter().any(|winner| of(winner.kind));
        let relay = |kind| matches!(kind, Kind::Alfred | Kind::Comment | Kind::Ref);
        let relay_wrong =
            present(relay) && (has("agent:in-flight") != won(relay) || has("agent:implement") == won(relay));
        let bash = |kind| kind == Kind::Bash;
        let bash_wrong = present(bash) && has("claimed") != won(bash);
        relay_wrong || bash_wrong || self.locks_left() != self.locks_won()
    }

    fn locks_left(&self) -> BTreeSet<String> {
        let prefix = lock_label("");
        self.aftermath.labels.iter().filter(|label| label.starts_with(&prefix)).cloned().collect()
    }

    fn locks_won(&self) -> BTreeSet<String> {
        let winners = self.winners().into_iter().filter(|winner| winner.kind == Kind::LabelVerify);
        winners.map(|winner| lock_label(&winner.login)).collect()
    }

    /// Counts label events by those who did not win.
    fn loser_label_events(&self) -> usize {
        let is_loser =
            |login: &str| self.entries.iter().any(|entry| entry.login == login && !entry.verdict.won());
        self.aftermath.label_events.iter().filter(|(login, _)| is_loser(login)).count()
    }
}

/// The figures of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statistics {
    pub(crate) issues: usize,
    /// Issues with more than one winner.
    pub(crate) duplicates: usize,
    /// The most winners that one issue had.
    pub(crate) winners_max: usize,
    pub(crate) without_winner: usize,
    /// Issues where at least two were past their first read (or first write, of those who try without a look) before the
    /// winner had decided, in percent.
    pub(crate) overlap_percent: f64,
    /// Issues where at least two had written a claim before the winner had decided, in percent.
    pub(crate) collision_percent: f64,
    pub(crate) calls_mean: f64,
    pub(crate) calls_max: u32,
    pub(crate) decision_median_ms: u64,
    pub(crate) decision_p95_ms: u64,
    /// The same for winners alone.
    pub(crate) win_median_ms: u64,
    pub(crate) win_p95_ms: u64,
    /// Issues whose labels say something else than the verdicts.
    pub(crate) wrong_labels: usize,
    pub(crate) loser_label_events: usize,
    pub(crate) errors: usize,
    /// What the first of the errors said.
    pub(crate) first_error: Option<String>,
}

/// Counts a run. Errors have no decision, so they are left out of the calls and times.
pub(crate) fn of(races: &[Race]) -> Statistics {
    let verdicts = || races.iter().flat_map(|race| &race.entries).map(|entry| &entry.verdict);
    let decided = || races.iter().flat_map(Race::decided);
    let count = |condition: &dyn Fn(&Race) -> bool| races.iter().filter(|race| condition(race)).count();
    let calls: Vec<u32> = decided().map(|verdict| verdict.calls_to_decision).collect();
    let times = sorted(decided().map(Verdict::took_ms));
    let wins = sorted(verdicts().filter(|verdict| verdict.won()).map(Verdict::took_ms));
    let mut errors = verdicts().filter(|verdict| verdict.outcome == Outcome::Error).peekable();
    Statistics {
        issues: races.len(),
        duplicates: count(&|race| race.winners().len() > 1),
        winners_max: races.iter().map(|race| race.winners().len()).max().unwrap_or_default(),
        without_winner: count(&|race| race.winners().is_empty()),
        overlap_percent: percent(
            count(&|race| race.before_decision(Verdict::past_first_step_ms) > 1),
            races.len(),
        ),
        collision_percent: percent(
            count(&|race| race.before_decision(|v| v.decisive_write_ms) > 1),
            races.len(),
        ),
        calls_mean: f64::from(calls.iter().sum::<u32>()) / lossy(calls.len().max(1)),
        calls_max: calls.into_iter().max().unwrap_or_default(),
        decision_median_ms: quantile(&times, 50),
        decision_p95_ms: quantile(&times, 95),
        win_median_ms: quantile(&wins, 50),
        win_p95_ms: quantile(&wins, 95),
        wrong_labels: count(&Race::has_wrong_labels),
        loser_label_events: races.iter().map(Race::loser_label_events).sum(),
        first_error: errors.peek().and_then(|verdict| verdict.lost_to.clone()),
        errors: errors.count(),
    }
}

fn sorted(times: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut times: Vec<u64> = times.collect();
    times.sort_unstable();
    times
}

/// Returns the smallest value that so many percent do not exceed.
fn quantile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * lossy(part) / lossy(whole.max(1))
}

fn lossy(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { issues, duplicates, winners_max, without_winner, .. } = self;
        writeln!(
            f,
            "{issues} issues: {duplicates} with several winners (at most {winners_max}), {without_winner} with none"
        )?;
        let Self { overlap_percent, collision_percent, .. } = self;
        writeln!(
            f,
            "  contended: on {overlap_percent:.0} % two were past their first step, on {collision_percent:.0} % two had written, before the winner had decided"
        )?;
        writeln!(f, "  calls to a decision: mean {:.1}, most {}", self.calls_mean, self.calls_max)?;
        writeln!(
            f,
            "  time to a decision: median {} ms, p95 {} ms; of winners {} ms, {} ms",
            self.decision_median_ms, self.decision_p95_ms, self.win_median_ms, self.win_p95_ms
        )?;
        let Self { wrong_labels, loser_label_events, errors, .. } = self;
        write!(
            f,
            "  labels wrong on {wrong_labels}; label events by losers {loser_label_events}; errors {errors}"
        )?;
        self.first_error.as_ref().map_or(Ok(()), |error| write!(f, ", the first: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(login: &str, outcome: Outcome, calls: u32, times: [u64; 3]) -> Entry {
        let [first_read_ms, bid_ms, decided_ms] = times;
        let verdict = Verdict {
            outcome,
            lost_to: None,
            calls_to_decision: calls,
            started_ms: 0,
            first_read_ms: Some(first_read_ms),
            decisive_write_ms: Some(bid_ms),
            decided_ms,
        };
        Entry { login: login.to_owned(), kind: Kind::Alfred, verdict }
    }

    fn race(entries: Vec<Entry>, labels: &[&str], by: &[&str]) -> Race {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        let label_events = by.iter().map(|login| ((*login).to_owned(), "x".to_owned())).collect();
        Race { issue: 1, entries, aftermath: Aftermath { labels, label_events } }
    }

    #[test]
    fn winners_labels_and_events_are_counted_by_issue() {
        let one = vec![entry("a", Outcome::Won, 4, [10, 20, 30]), entry("b", Outcome::Lost, 8, [31, 40, 50])];
        let two = vec![entry("a", Outcome::Won, 6, [10, 20, 30]), entry("b", Outcome::Won, 6, [10, 20, 40])];
        let none =
            vec![entry("a", Outcome::Error, 90, [1, 1, 900]), entry("b", Outcome::Lost, 6, [1, 2, 70])];
        let found = of(&[
            race(one, &["agent:in-flight"], &["a", "admin"]),
            race(two, &["agent:in-flight", "agent:implement"], &["a", "b"]),
            race(none, &["agent:implement"], &["a", "b", "b"]),
        ]);
        assert_eq!((found.issues, found.duplicates, found.winners_max, found.without_winner), (3, 1, 2, 1));
        assert_eq!((found.wrong_labels, found.loser_label_events, found.errors), (1, 3, 1));
        assert_eq!((found.calls_max, found.decision_median_ms, found.decision_p95_ms), (8, 40, 70));
        assert!((found.overlap_percent - 100.0 / 3.0).abs() < 0.01, "{}", found.overlap_percent);
        assert!((found.calls_mean - 6.0).abs() < 0.01, "{}", found.calls_mean);
    }

    #[test]
    fn a_lock_that_nobody_won_is_a_wrong_label() {
        let mut lost = entry("b", Outcome::Lost, 3, [1, 2, 3]);
        lost.kind = Kind::LabelVerify;
        let mut won = entry("a", Outcome::Won, 3, [1, 2, 3]);
        won.kind = Kind::LabelVerify;
        let entries = vec![won, lost];
        let wrong = |labels: &[&str]| of(&[race(entries.clone(), labels, &[])]).wrong_labels;
        assert_eq!(wrong(&["fabrik:locked:a"]), 0);
        assert_eq!(wrong(&["fabrik:locked:a", "fabrik:locked:b"]), 1);
        assert_eq!(wrong(&[]), 1);
    }
}
