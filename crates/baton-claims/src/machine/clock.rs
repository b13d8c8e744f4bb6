//! This machine's clocks behind the port.
//!
//! The boot clock bounds what a holder does; the wall clock only names things. Deliberately absent: any correction of
//! the wall clock, because nothing is decided by it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use baton_core::time::{BootTime, ServerTime};
use baton_ports::Clock;
use rustix::time::{ClockId, clock_gettime};

/// Goes on while a Linux machine sleeps, unlike `CLOCK_MONOTONIC` there.
#[cfg(any(target_os = "linux", target_os = "android"))]
const BOOT_CLOCK: ClockId = ClockId::Boottime;
/// Goes on while a Mac sleeps: Apple's `CLOCK_MONOTONIC` is the continuous clock, and `CLOCK_UPTIME_RAW` is the one
/// that stops.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const BOOT_CLOCK: ClockId = ClockId::Monotonic;

/// The longest wait before the boot clock is read again.
const SLICE: Duration = Duration::from_secs(1);

/// The clocks of the machine that this process runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn boot_now(&self) -> BootTime {
        let now = clock_gettime(BOOT_CLOCK);
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        let millis = u64::try_from(now.tv_nsec / 1_000_000).unwrap_or(0);
        BootTime { ms: seconds.saturating_mul(1000).saturating_add(millis) }
    }

    fn wall_now(&self) -> ServerTime {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        ServerTime(i64::try_from(since_1970.as_secs()).unwrap_or(i64::MAX))
    }

    // tokio's timers run on a clock that may stop while the machine sleeps. Short slices, each followed by a look at
    // the boot clock, keep a deadline that passed during the sleep from being noticed hours late.
    async fn sleep_until(&self, until: BootTime) {
        loop {
            let left = until.since(self.boot_now());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(SLICE)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boot_clock_does_not_go_back() {
        let first = SystemClock.boot_now();
        let second = SystemClock.boot_now();
        assert!(first.ms > 0 && second >= first, "{first:?}, then {second:?}");
    }

    #[test]
    fn the_wall_clock_is_in_seconds_of_this_century() {
        let now = SystemClock.wall_now();
        assert!(now > ServerTime(1_700_000_000) && now < ServerTime(4_000_000_000), "{now}");
    }

    #[tokio::test]
    async fn a_sleep_ends_when_the_boot_clock_has_reached_the_moment() {
        let until = SystemClock.boot_now().plus(Duration::from_millis(30));
        SystemClock.sleep_until(until).await;
        assert!(SystemClock.boot_now() >= until);
    }

    #[tokio::test]
    async fn a_moment_that_has_passed_is_not_waited_for() {
        SystemClock.sleep_until(BootTime { ms: 0 }).await;
    }
}
