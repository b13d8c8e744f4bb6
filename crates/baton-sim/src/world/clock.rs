//! The clocks of a simulated machine, over the runtime's paused clock.
//!
//! Boot clocks begin at different values, and wall clocks are wrong by some seconds: whoever compares one machine's with
//! another's is found out.

use std::time::Duration;

use baton_core::time::{BootTime, ServerTime, millis};
use baton_ports::Clock;
use tokio::time::{Instant, sleep_until};

/// When simulated worlds begin, in seconds since 1970: some noon.
pub(crate) const NOON_S: i64 = 1_777_636_800;

/// A machine's clocks.
#[derive(Debug, Clone, Copy)]
pub struct SimClock {
    start: Instant,
    booted_ms: u64,
    skew_s: i64,
}

impl SimClock {
    /// Returns the clocks of a machine that was booted `booted_ms` before the world began, with a wall clock that is wrong by
    /// `skew_s`.
    pub fn new(start: Instant, booted_ms: u64, skew_s: i64) -> Self {
        Self { start, booted_ms, skew_s }
    }
}

impl Clock for SimClock {
    fn boot_now(&self) -> BootTime {
        let since = Instant::now().duration_since(self.start);
        BootTime { ms: self.booted_ms + millis(since) }
    }

    fn wall_now(&self) -> ServerTime {
        let since = Instant::now().duration_since(self.start).as_secs();
        ServerTime(NOON_S + self.skew_s + i64::try_from(since).unwrap_or(i64::MAX))
    }

    async fn sleep_until(&self, until: BootTime) {
        let wait = Duration::from_millis(until.ms.saturating_sub(self.booted_ms));
        sleep_until(self.start + wait).await;
    }
}

/// Lets simulated time pass.
pub(super) async fn pass(wait: Duration) {
    sleep_until(Instant::now() + wait).await;
}
