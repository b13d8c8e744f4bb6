//! How often effects of an issue came to nothing lately, and how long the issue is left alone because of that.
//!
//! An effect that the tracker refuses for good is dead, and the next look decides what was decided before. A column that was
//! renamed or a right that is missing would so be asked for at the speed of the tracker, until its budget is spent.

use std::time::Duration;

use baton_core::time::BootTime;

/// The first is nothing unusual: a branch moved, or a person was faster.
const FREE: u32 = 1;
const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);
/// What was so long ago does not count any more.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(60 * 60);

/// Effects of one issue that came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deaths {
    count: u32,
    last: BootTime,
}

impl Deaths {
    /// Begins to count.
    pub(super) fn none(now: BootTime) -> Self {
        Self { count: 0, last: now }
    }

    /// Counts one more.
    pub(super) fn add(&mut self, now: BootTime) {
        let is_over = now.since(self.last) >= FORGOTTEN_AFTER;
        self.count = if is_over { 1 } else { self.count.saturating_add(1) };
        self.last = now;
    }

    /// Returns until when nothing more is decided about the issue.
    pub(super) fn quiet_until(&self) -> BootTime {
        let Some(doublings) = self.count.checked_sub(FREE + 1) else { return self.last };
        self.last.plus(FIRST_WAIT.saturating_mul(1 << doublings.min(16)).min(LONGEST_WAIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_costs_no_time_and_each_after_it_twice_as_much() {
        let now = BootTime { ms: 10_000_000 };
        let mut deaths = Deaths::none(now);
        let mut waits = Vec::new();
        for _ in 0..10 {
            deaths.add(now);
            waits.push(deaths.quiet_until().since(now).as_secs());
        }
        assert_eq!(waits, [0, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
    }

    #[test]
    fn what_was_long_ago_is_forgotten() {
        let mut deaths = Deaths::none(BootTime { ms: 10_000_000 });
        deaths.add(BootTime { ms: 10_000_000 });
        deaths.add(BootTime { ms: 10_000_000 });
        let later = BootTime { ms: 10_000_000 + 3_600_000 };
        deaths.add(later);
        assert_eq!(deaths.quiet_until(), later);
    }
}
