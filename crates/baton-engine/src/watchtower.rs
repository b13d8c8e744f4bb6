//! The watchtower: from here people see the relay, and their orders go down from here.
//!
//! What is shown is what decisions are made from: the marshal's picture of the board, the store's rows, and the issue as the
//! tracker shows it. Nothing is kept here but what only this process knows: how far its own runs are, its troubles, and for some seconds
//! what it read of an issue.
//!
//! Deliberately absent: drawing, HTTP, and who may come in.

mod board;
mod fleet;
mod issue;
mod lately;
mod live;
mod log;
mod orders;
mod report;
#[cfg(test)]
mod rows;
mod runs;
mod timeline;

use std::sync::Arc;
use std::time::Duration;

use baton_core::tracker::IssueKey;
use baton_ports::{Clock as _, RunLogs, StoreError, TrackerError};
use baton_view::{
    Board, Fleet, IssueView, LogPage, Lookout, LookoutError, Order, Period, Reply, Report, RunLine, RunQuery,
    RunView,
};
use futures_util::future::{Either, select};

use crate::claims::ClaimError;
use crate::marshal::{LookError, Marshal, Parts};

pub use live::Live;

/// Others may change the store without this process hearing of it; so often people are shown it anew.
const AGAIN: Duration = Duration::from_secs(15);

/// Where people read issues and pull requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    /// What comes before the repository.
    pub base: String,
    /// What pull requests are called in addresses.
    pub pulls: &'static str,
}

impl Links {
    fn issue(&self, issue: &IssueKey) -> String {
        format!("{}/{}/issues/{}", self.base, issue.repo, issue.number)
    }

    fn pull(&self, issue: &IssueKey, number: u64) -> String {
        format!("{}/{}/{}/{number}", self.base, issue.repo, self.pulls)
    }
}

/// Sees the relay, and takes orders.
pub struct Watchtower<P: Parts, L> {
    /// Who decides.
    pub marshal: Arc<Marshal<P>>,
    /// What agents have printed.
    pub logs: L,
    /// What only this process knows.
    pub live: Arc<Live>,
    /// Where people read issues, if that is known.
    pub links: Option<Links>,
    /// The machine, where the logs of its runs are.
    pub host: String,
    /// How long a wakeup may wait before that is told.
    pub deferred_alarm: Duration,
}

type Answer<T> = Result<T, LookoutError>;

impl<P: Parts, L: RunLogs + 'static> Lookout for Watchtower<P, L> {
    async fn board(&self) -> Answer<Board> {
        self.look_at_board().await
    }

    async fn issue(&self, issue: &IssueKey) -> Answer<IssueView> {
        self.look_at_issue(issue).await
    }

    async fn runs(&self, query: &RunQuery) -> Answer<Vec<RunLine>> {
        self.list_runs(query).await
    }

    async fn run(&self, run: i64) -> Answer<RunView> {
        self.look_at_run(run).await
    }

    async fn log(&self, run: i64, from: u64) -> Answer<LogPage> {
        self.read_log(run, from).await
    }

    async fn fleet(&self) -> Answer<Fleet> {
        self.look_at_fleet().await
    }

    async fn report(&self, period: Period) -> Answer<Report> {
        self.report_on(period).await
    }

    async fn order(&self, issue: &IssueKey, order: &Order, by: &str) -> Answer<Reply> {
        let issue = self.checked(issue)?;
        let reply = self.carry_out(&issue, order, by).await;
        // Whatever became of it, the issue deserves a look, and people a new picture.
        self.live.touch_issue(&issue);
        self.marshal.bell.ring(issue);
        reply
    }

    async fn changed(&self, seen: u64) -> u64 {
        let waiting = std::pin::pin!(self.live.changed(seen));
        let clock = &self.marshal.clock;
        let later = std::pin::pin!(clock.sleep_until(clock.boot_now().plus(AGAIN)));
        match select(waiting, later).await {
            Either::Left((version, _)) => version,
            Either::Right(_) => self.live.touch_if(seen),
        }
    }
}

impl<P: Parts, L> Watchtower<P, L> {
    /// Returns an issue as the store spells it, if it is in a repository of ours.
    fn checked(&self, issue: &IssueKey) -> Answer<IssueKey> {
        let issue = crate::marshal::folded(issue);
        let is_ours = |repo: &&baton_core::RepoSlug| {
            repo.owner().eq_ignore_ascii_case(issue.repo.owner())
                && repo.name().eq_ignore_ascii_case(issue.repo.name())
        };
        match self.marshal.settings.repos.iter().find(is_ours) {
            Some(_) => Ok(issue),
            None => Err(LookoutError::NoSuch(format!(
                "{} is not one of the repositories that are worked on: add it to `repos` in baton.yaml",
                issue.repo
            ))),
        }
    }
}

fn of_store(error: StoreError) -> LookoutError {
    LookoutError::OutOfReach(error.to_string())
}

fn of_tracker(error: TrackerError) -> LookoutError {
    LookoutError::OutOfReach(error.to_string())
}

fn of_claim(error: ClaimError) -> LookoutError {
    LookoutError::OutOfReach(error.to_string())
}

fn of_look(error: LookError) -> LookoutError {
    LookoutError::OutOfReach(error.to_string())
}
