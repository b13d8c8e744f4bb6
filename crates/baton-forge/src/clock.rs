//! The forge's wall clock, which tests can move or stop.
//!
//! Everything that a client can read as a time (timestamps, `Date`, rate-limit resets) comes from here, in whole
//! seconds as GitHub's. Delays and read lag are real durations and do not move with it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// How the clock runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ClockSetting {
    /// The machine's time plus so many seconds.
    OffsetS(i64),
    /// Stopped at this unix time.
    FrozenAt(i64),
}

/// Marks the frozen slot as unused; no timestamp is that early.
const RUNNING: i64 = i64::MIN;

#[derive(Debug)]
pub(crate) struct Clock {
    offset_s: AtomicI64,
    frozen_at: AtomicI64,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self { offset_s: AtomicI64::new(0), frozen_at: AtomicI64::new(RUNNING) }
    }

    pub(crate) fn set(&self, setting: ClockSetting) {
        match setting {
            ClockSetting::OffsetS(offset) => {
                self.offset_s.store(offset, Ordering::Relaxed);
                self.frozen_at.store(RUNNING, Ordering::Release);
            }
            ClockSetting::FrozenAt(at) => self.frozen_at.store(at.clamp(0, LAST_SECOND), Ordering::Release),
        }
    }

    pub(crate) fn setting(&self) -> ClockSetting {
        match self.frozen_at.load(Ordering::Acquire) {
            RUNNING => ClockSetting::OffsetS(self.offset_s.load(Ordering::Relaxed)),
            at => ClockSetting::FrozenAt(at),
        }
    }

    pub(crate) fn now_s(&self) -> i64 {
        match self.setting() {
            ClockSetting::OffsetS(offset) => machine_now_s().saturating_add(offset).clamp(0, LAST_SECOND),
            ClockSetting::FrozenAt(at) => at,
        }
    }
}

/// The last second of the year 9999, beyond which timestamps have no four-digit year.
const LAST_SECOND: i64 = 253_402_300_799;

fn machine_now_s() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_secs()).unwrap_or(LAST_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frozen_clock_stands_still_and_a_moved_one_runs_on() {
        let clock = Clock::new();
        clock.set(ClockSetting::FrozenAt(1_000));
        assert_eq!((clock.now_s(), clock.now_s()), (1_000, 1_000));
        clock.set(ClockSetting::OffsetS(86_400));
        assert!(clock.now_s() >= machine_now_s() + 86_399);
    }

    #[test]
    fn no_setting_leaves_the_years_that_can_be_written() {
        let clock = Clock::new();
        for setting in [
            ClockSetting::OffsetS(i64::MAX),
            ClockSetting::OffsetS(i64::MIN),
            ClockSetting::FrozenAt(i64::MIN),
        ] {
            clock.set(setting);
            assert!((0..=LAST_SECOND).contains(&clock.now_s()), "{setting:?}");
        }
    }
}
