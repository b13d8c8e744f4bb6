//! Places where agents work, as an engine sees them.

use std::future::Future;
use std::sync::Arc;

use baton_core::tracker::IssueKey;
use baton_core::workspace::{CloseAsk, Closed, OpenAsk, Opened, Removal, Standing};

/// What makes, keeps and removes work trees. Everything about one repository happens one after the other.
pub trait Workspaces: Send + Sync {
    /// Makes a place for an issue, or finds the one that is there: with all that earlier runs have left in it.
    fn open(&self, ask: &OpenAsk) -> impl Future<Output = Result<Opened, WorkspaceError>> + Send;

    /// Tells how a place stands.
    fn standing(&self, issue: &IssueKey) -> impl Future<Output = Result<Standing, WorkspaceError>> + Send;

    /// Ends a run in a place: commits what is left, pushes, and brings back what was put aside.
    fn close(&self, ask: &CloseAsk) -> impl Future<Output = Result<Closed, WorkspaceError>> + Send;

    /// Removes a place once nothing is only there: what is goes to the remote first, and is looked for there.
    fn remove(&self, issue: &IssueKey) -> impl Future<Output = Result<Removal, WorkspaceError>> + Send;

    /// Returns whether there is a place of an issue on this machine.
    fn has_place(&self, issue: &IssueKey) -> impl Future<Output = bool> + Send;
}

impl<W: Workspaces> Workspaces for Arc<W> {
    async fn open(&self, ask: &OpenAsk) -> Result<Opened, WorkspaceError> {
        W::open(self, ask).await
    }

    async fn standing(&self, issue: &IssueKey) -> Result<Standing, WorkspaceError> {
        W::standing(self, issue).await
    }

    async fn close(&self, ask: &CloseAsk) -> Result<Closed, WorkspaceError> {
        W::close(self, ask).await
    }

    async fn remove(&self, issue: &IssueKey) -> Result<Removal, WorkspaceError> {
        W::remove(self, issue).await
    }

    async fn has_place(&self, issue: &IssueKey) -> bool {
        W::has_place(self, issue).await
    }
}

/// There is no place, or it is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{tried}: {answer}; {advice}")]
pub struct WorkspaceError {
    /// Whether the same may work later.
    pub is_transient: bool,
    /// What was tried.
    pub tried: String,
    /// What came back.
    pub answer: String,
    /// What a person can do.
    pub advice: String,
}
