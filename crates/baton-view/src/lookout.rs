//! The door through which people see the relay and steer it.

use std::future::Future;

use baton_core::tracker::IssueKey;

use crate::{Board, Fleet, IssueView, LogPage, Order, Period, Reply, Report, RunLine, RunQuery, RunView};

/// Why something could not be shown or ordered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookoutError {
    /// There is no such thing, in words.
    #[error("{0}")]
    NoSuch(String),
    /// The tracker, the store or the server could not be reached, or did not answer as it should.
    #[error("{0}")]
    OutOfReach(String),
    /// What was asked makes no sense.
    #[error("{0}")]
    Refused(String),
}

/// What is promised.
type Answer<T> = Result<T, LookoutError>;

/// Somebody who sees the relay, and whose orders it follows.
pub trait Lookout: Send + Sync + 'static {
    /// Returns the board.
    fn board(&self) -> impl Future<Output = Answer<Board>> + Send;

    /// Returns an issue from near.
    fn issue(&self, issue: &IssueKey) -> impl Future<Output = Answer<IssueView>> + Send;

    /// Lists runs, newest first.
    fn runs(&self, query: &RunQuery) -> impl Future<Output = Answer<Vec<RunLine>>> + Send;

    /// Returns a run from near.
    fn run(&self, run: i64) -> impl Future<Output = Answer<RunView>> + Send;

    /// Returns what the agent of a run has printed from a place of its log on.
    fn log(&self, run: i64, from: u64) -> impl Future<Output = Answer<LogPage>> + Send;

    /// Returns the fleet.
    fn fleet(&self) -> impl Future<Output = Answer<Fleet>> + Send;

    /// Returns a report of a period.
    fn report(&self, period: Period) -> impl Future<Output = Answer<Report>> + Send;

    /// Carries out an order about an issue, in the name of whoever gave it.
    fn order(&self, issue: &IssueKey, order: &Order, by: &str) -> impl Future<Output = Answer<Reply>> + Send;

    /// Waits until there may be something new after the version that was seen, and returns the version then. The first
    /// version is 0. A version says only that something may have changed.
    fn changed(&self, seen: u64) -> impl Future<Output = u64> + Send;
}
