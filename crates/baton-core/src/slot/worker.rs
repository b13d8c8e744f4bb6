//! A worker's lease: how the fleet knows that somebody still executes a run.
//!
//! The worker itself stops by its boot clock, at the latest when the lease ends by the store's clock. Others wait for
//! the stop grace beyond that, so that its agents are dead before a run is given to somebody else.

use std::time::Duration;

use super::ids::WorkerId;
use crate::time::StoreTime;

/// A worker's lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WorkerLease {
    /// Whose it is.
    pub worker: WorkerId,
    /// When it ends.
    pub until: StoreTime,
    /// Whether its runs were given to others; it never comes back.
    pub is_buried: bool,
}

impl WorkerLease {
    /// Returns whether the worker may still take and execute runs.
    pub fn is_live(&self, now: StoreTime) -> bool {
        !self.is_buried && now < self.until
    }

    /// Returns whether its agents are surely dead.
    pub fn is_lost(&self, now: StoreTime, stop_grace: Duration) -> bool {
        self.is_buried || self.until.plus(stop_grace) <= now
    }
}
