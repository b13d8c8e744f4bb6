//! A clock that is moved by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use baton_core::time::{StoreTime, millis};

/// A clock that stands still until it is moved.
#[derive(Debug, Clone)]
pub struct HandClock(Arc<AtomicI64>);

impl Default for HandClock {
    /// Starts at some noon, so that a few hours to either side are on the same day.
    fn default() -> Self {
        Self(Arc::new(AtomicI64::new(1_777_636_800_000)))
    }
}

impl HandClock {
    /// Returns what it shows.
    pub fn now(&self) -> StoreTime {
        StoreTime { ms: self.0.load(Ordering::SeqCst) }
    }

    /// Moves it forward.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(millis(by)).unwrap_or(i64::MAX), Ordering::SeqCst);
    }
}
