//! The checks of a commit.
//!
//! A check that was run again counts once, by its newest run: the older ones say nothing any more.

use serde::{Deserialize, Serialize};

use crate::time::ServerTime;
use crate::words::words;

/// One run of a check, or a status that somebody set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Grows with every run.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// How it ended; nothing while it has not.
    #[serde(default)]
    pub conclusion: Option<Conclusion>,
    /// When something changed about it last.
    pub changed_at: ServerTime,
}

words! {
    /// How a check ended.
    Conclusion, "a conclusion" {
        /// It passed.
        Success = "success",
        /// It did not.
        Failure = "failure",
        /// It has no opinion.
        Neutral = "neutral",
        /// Somebody stopped it.
        Cancelled = "cancelled",
        /// It was not needed.
        Skipped = "skipped",
        /// It took too long.
        TimedOut = "timed_out",
        /// A person has to do something.
        ActionRequired = "action_required",
        /// The tracker gave up on it.
        Stale = "stale",
        /// It could not begin.
        StartupFailure = "startup_failure",
    }
}

/// What one check comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// Nothing is in the way.
    Passed,
    /// There is no answer, and none is on the way either: somebody has to run it again.
    Void,
    /// The answer is on the way.
    Running,
    /// Something is wrong.
    Failed,
}

impl Check {
    /// Returns what it comes to.
    pub fn health(&self) -> Health {
        use Conclusion::{
            ActionRequired, Cancelled, Failure, Neutral, Skipped, Stale, StartupFailure, Success, TimedOut,
        };
        match self.conclusion {
            None => Health::Running,
            Some(Success | Neutral | Skipped) => Health::Passed,
            Some(Cancelled | Stale) => Health::Void,
            Some(Failure | TimedOut | ActionRequired | StartupFailure) => Health::Failed,
        }
    }
}

/// The newest run of each check of a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Check>")]
pub struct Checks(Vec<Check>);

impl From<Vec<Check>> for Checks {
    fn from(mut runs: Vec<Check>) -> Self {
        runs.sort_by(|a, b| a.name.cmp(&b.name).then(b.id.cmp(&a.id)));
        runs.dedup_by(|later, first| later.name == first.name);
        Self(runs)
    }
}

impl Checks {
    /// Returns them by name.
    pub fn as_slice(&self) -> &[Check] {
        &self.0
    }

    /// Returns whether one is in this state.
    pub fn any(&self, health: Health) -> bool {
        self.0.iter().any(|check| check.health() == health)
    }

    /// Returns those that failed.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.0.iter().filter(|check| check.health() == Health::Failed)
    }

    /// Returns whether a check of this name passed.
    pub fn has_passed(&self, name: &str) -> bool {
        self.0.iter().any(|check| check.name == name && check.health() == Health::Passed)
    }

    /// Returns when something changed last.
    pub fn changed_at(&self) -> Option<ServerTime> {
        self.0.iter().map(|check| check.changed_at).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(id: u64, name: &str, conclusion: Option<Conclusion>) -> Check {
        Check { id, name: name.to_owned(), conclusion, changed_at: ServerTime(0) }
    }

    #[test]
    fn the_newest_run_of_a_check_counts_in_whatever_order_they_come() {
        let red = check(1, "build", Some(Conclusion::Failure));
        let green = check(2, "build", Some(Conclusion::Success));
        for runs in [vec![red.clone(), green.clone()], vec![green, red]] {
            let checks = Checks::from(runs);
            assert!(!checks.any(Health::Failed) && checks.has_passed("build"));
            assert_eq!(checks.as_slice().len(), 1);
        }
    }

    #[test]
    fn a_check_that_was_stopped_has_neither_passed_nor_failed() {
        let checks = Checks::from(vec![check(1, "build", Some(Conclusion::Cancelled))]);
        assert!(!checks.any(Health::Failed) && !checks.any(Health::Running) && !checks.has_passed("build"));
    }
}
