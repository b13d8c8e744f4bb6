//! When a run that did not succeed is tried again.

use std::time::Duration;

use super::run::Run;
use crate::time::{StoreTime, millis};

/// When runs are tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The wait after the first failure; each further one doubles it.
    pub base: Duration,
    /// The longest wait.
    pub cap: Duration,
    /// How many failures may be charged before it is given up; 0 for no limit.
    pub max_retries: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { base: Duration::from_secs(60), cap: Duration::from_secs(30 * 60), max_retries: 3 }
    }
}

/// Another try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How many failures are charged by then.
    pub attempt: u32,
    /// How many interruptions there were by then.
    pub interruptions: u32,
    /// Not to be started before.
    pub not_before: StoreTime,
}

/// How an end is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charge {
    /// It is over; there is no further try.
    Final,
    /// A failure that counts.
    Failure,
    /// The worker was lost. The first time is nobody's fault.
    Interruption,
    /// Nobody's fault: it goes on as soon as it may.
    Free,
    /// Nobody's fault: it goes on at this time, when that is known.
    FreeAt(Option<StoreTime>),
}

impl RetryPolicy {
    /// Returns the next try of a run, unless it is given up.
    pub(super) fn next(&self, run: &Run, charge: Charge, now: StoreTime, dice: u64) -> Option<Retry> {
        let free = |not_before| Retry { attempt: run.attempt, interruptions: run.interruptions, not_before };
        match charge {
            Charge::Final => None,
            Charge::Free => Some(free(now)),
            // A reset that is unknown or past would otherwise ask a provider that refuses as fast as it answers.
            Charge::FreeAt(reset) => {
                let soonest = now.plus(self.base);
                Some(free(reset.map_or(soonest, |reset| reset.max(soonest))))
            }
            Charge::Interruption if run.interruptions == 0 => Some(Retry { interruptions: 1, ..free(now) }),
            Charge::Interruption => {
                let retry = self.charged(run, now, dice)?;
                Some(Retry { interruptions: run.interruptions.saturating_add(1), ..retry })
            }
            Charge::Failure => self.charged(run, now, dice),
        }
    }

    fn charged(&self, run: &Run, now: StoreTime, dice: u64) -> Option<Retry> {
        let attempt = run.attempt.saturating_add(1);
        if self.max_retries != 0 && attempt > self.max_retries {
            return None;
        }
        let not_before = now.plus(self.wait(attempt, dice));
        Some(Retry { attempt, interruptions: run.interruptions, not_before })
    }

    /// Returns the wait before a try: doubled with each, capped, and spread by a quarter to either side.
    fn wait(&self, attempt: u32, dice: u64) -> Duration {
        let doubled = millis(self.base).saturating_mul(1u64.checked_shl(attempt - 1).unwrap_or(u64::MAX));
        let wait = doubled.min(millis(self.cap));
        // From 750 to 1250 thousandths.
        let thousandths = 750 + dice % 501;
        Duration::from_millis(wait.saturating_mul(thousandths) / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_cap_and_are_spread_by_a_quarter() {
        let policy = RetryPolicy::default();
        let seconds = |attempt, dice| policy.wait(attempt, dice).as_secs();
        let middle: Vec<_> = (1..=7).map(|attempt| seconds(attempt, 250)).collect();
        assert_eq!(middle, [60, 120, 240, 480, 960, 1800, 1800]);
        assert_eq!((seconds(1, 0), seconds(1, 500)), (45, 75));
        assert_eq!(seconds(200, 250), 1800);
    }
}
