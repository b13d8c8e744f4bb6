//! Which pull request belongs to an issue.

use baton_core::claim::ledger::Ledger;
use baton_core::closing::closing_references;
use baton_core::tracker::{IssueKey, Pull};
use baton_core::{IssueRef, RepoSlug};
use baton_ports::{Clock, Entropy, Memory, Tracker, TrackerErrorKind};

use super::{ClaimError, Claims};

/// Returns whether merging a pull request of `repo` would close the issue.
pub fn closes(pull: &Pull, repo: &RepoSlug, issue: &IssueKey) -> bool {
    let text = format!("{}\n{}", pull.title, pull.body);
    let named = |reference: &IssueRef| {
        let in_repo = reference.repository(repo);
        reference.number == issue.number
            && in_repo.is_some_and(|named| named.to_string().eq_ignore_ascii_case(&issue.repo.to_string()))
    };
    closing_references(&text).iter().any(named)
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    /// Returns the open pull request of the same repository that would close the issue.
    pub async fn open_pull_for(&self, issue: &IssueKey) -> Result<Option<Pull>, ClaimError> {
        let open = self.tracker.open_pulls(&issue.repo).await?;
        Ok(open.into_iter().find(|pull| closes(pull, &issue.repo, issue)))
    }

    /// Returns the pull request that the last release names.
    pub(super) async fn released_pull(
        &self,
        issue: &IssueKey,
        ledger: &Ledger,
    ) -> Result<Option<Pull>, ClaimError> {
        let address = ledger.releases.iter().rev().find_map(|release| release.text.pr.as_deref());
        let Some(reference) = address.and_then(|address| address.parse::<IssueRef>().ok()) else {
            return Ok(None);
        };
        let repo = reference.repository(&issue.repo).unwrap_or_else(|| issue.repo.clone());
        match self.tracker.pull(&repo, reference.number).await {
            Ok(pull) => Ok(Some(pull)),
            // Anybody can write a wrong address; it is as good as none.
            Err(error) if error.kind == TrackerErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
