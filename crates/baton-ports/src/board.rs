//! The board: which issues there are, and which column each is in.
//!
//! A board may be a project of the tracker, or labels. Surveys are cheap when nothing happened; what they show is enough to
//! know which issues deserve a closer look, and no more.

use std::future::Future;

use baton_core::tracker::{IssueKey, Scope, Sighting, Survey};

use crate::TrackerError;

/// A board.
pub trait Board: Send + Sync {
    /// Returns what is on the board, or what may have changed there since the last survey. A survey that failed is made good
    /// by the next one.
    fn survey(&self, scope: Scope) -> impl Future<Output = Result<Survey, TrackerError>> + Send;

    /// Returns the column of an issue that was just read; nothing when it is not on the board.
    fn column_of(&self, seen: &Sighting) -> Option<String>;

    /// Puts an issue into a column, and onto the board if it is not there. Doing it twice is the same as once.
    fn move_to(
        &self,
        issue: &IssueKey,
        column: &str,
    ) -> impl Future<Output = Result<(), TrackerError>> + Send;
}
