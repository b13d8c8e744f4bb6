//! The clock of a store: moved by hand, or following the paused clock of a simulated world.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use baton_core::time::{StoreTime, millis};
use tokio::time::Instant;

/// A clock that stands still until it is moved; or one that goes as simulated time goes.
#[derive(Debug, Clone)]
pub struct HandClock {
    hand: Arc<AtomicI64>,
    /// Since when the paused clock of the runtime is followed.
    follows: Option<Instant>,
}

/// Some noon, so that a few hours to either side are on the same day.
const NOON_MS: i64 = 1_777_636_800_000;

impl Default for HandClock {
    fn default() -> Self {
        Self { hand: Arc::new(AtomicI64::new(NOON_MS)), follows: None }
    }
}

impl HandClock {
    /// Returns a clock that goes on from noon as the runtime's clock goes on from `start`.
    pub fn following(start: Instant) -> Self {
        Self { follows: Some(start), ..Self::default() }
    }

    /// Returns what it shows.
    pub fn now(&self) -> StoreTime {
        let shown = StoreTime { ms: self.hand.load(Ordering::SeqCst) };
        self.follows.map_or(shown, |start| shown.plus(Instant::now().duration_since(start)))
    }

    /// Moves it forward.
    pub fn advance(&self, by: Duration) {
        self.hand.fetch_add(i64::try_from(millis(by)).unwrap_or(i64::MAX), Ordering::SeqCst);
    }
}
