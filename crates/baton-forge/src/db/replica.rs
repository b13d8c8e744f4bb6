//! Read lag: snapshots pinned at earlier commits.
//!
//! GitHub answers some reads from replicas that trail the primary. Here a lagging read is given the state of a moment
//! ago: while lag is switched on, each commit pins a read transaction of its own, and WAL keeps what it sees unchanged
//! for as long as it is open. Pins closer together than a sixty-fourth of the lag are merged, so their number stays
//! small at any rate of writes; a commit then appears at most that much later than the lag says.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::sync::lock;

struct Pin {
    /// When the pinned state was committed; `None` is the state from before lag was switched on.
    committed: Option<Instant>,
    connection: Arc<Mutex<Connection>>,
}

pub(crate) struct Replicas {
    path: PathBuf,
    lag_max_us: AtomicU64,
    pins: Mutex<VecDeque<Pin>>,
}

impl Replicas {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), lag_max_us: AtomicU64::new(0), pins: Mutex::default() }
    }

    /// Sets the longest lag that reads will ask for; zero unpins everything.
    pub(crate) fn set_lag_max(&self, lag: Duration) -> rusqlite::Result<()> {
        let mut pins = lock(&self.pins);
        let lag_us = u64::try_from(lag.as_micros()).unwrap_or(u64::MAX);
        // Commits pin from here on; the state before them is pinned after that, so that none falls in between.
        self.lag_max_us.store(lag_us, Ordering::Release);
        if lag_us == 0 {
            pins.clear();
        } else if pins.is_empty() {
            pins.push_back(Pin { committed: None, connection: self.pin()? });
        }
        Ok(())
    }

    /// Called by the writer after every commit.
    pub(super) fn committed(&self) {
        let lag = Duration::from_micros(self.lag_max_us.load(Ordering::Acquire));
        if lag.is_zero() {
            return;
        }
        match self.pin() {
            Ok(connection) => self.push(Pin { committed: Some(Instant::now()), connection }, lag),
            Err(error) => tracing::error!(%error, "cannot pin a lagging snapshot; lagging reads stay behind"),
        }
    }

    fn push(&self, pin: Pin, lag: Duration) {
        let mut pins = lock(&self.pins);
        let step = (lag / 64).max(Duration::from_millis(1));
        // The last pin may go only if it would be readable for less than a step before this one takes its place.
        if let [.., before, _] = &*pins.make_contiguous()
            && let (Some(before), Some(now)) = (before.committed, pin.committed)
            && now - before < step
        {
            pins.pop_back();
        }
        pins.push_back(pin);
        // The newest pin that is old enough for every read is the oldest that is still needed.
        while pins.get(1).is_some_and(|next| next.committed.is_none_or(|at| at.elapsed() > lag)) {
            pins.pop_front();
        }
    }

    /// Returns the newest pinned state that is at least `lag` old, or `None` when reads do not lag.
    pub(super) fn before(&self, lag: Duration) -> Option<Arc<Mutex<Connection>>> {
        if lag.is_zero() {
            return None;
        }
        let pins = lock(&self.pins);
        let old_enough = pins.iter().rev().find(|pin| pin.committed.is_none_or(|at| at.elapsed() >= lag));
        old_enough.or(pins.front()).map(|pin| Arc::clone(&pin.connection))
    }

    fn pin(&self) -> rusqlite::Result<Arc<Mutex<Connection>>> {
        let connection = super::connect_reader(&self.path)?;
        // The transaction begins with its first read, not with BEGIN.
        connection.execute_batch("BEGIN; SELECT 1 FROM accounts LIMIT 1;")?;
        Ok(Arc::new(Mutex::new(connection)))
    }
}
