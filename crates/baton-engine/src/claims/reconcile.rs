//! What became of an issue's pull request, whoever merged or closed it.

use baton_core::claim::ledger::Ledger;
use baton_core::labels::{DONE, IMPLEMENT, PR_OPEN};
use baton_core::tracker::{Issue, IssueKey, PullState};
use baton_ports::{Clock, Entropy, Memory, Tracker};

use super::{ClaimError, Claims};

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    /// Moves an issue whose pull request was merged to `agent:done`, and one whose was closed back to
    /// `agent:implement`. Returns where it went.
    pub async fn reconcile_pull(
        &self,
        key: &IssueKey,
        issue: &Issue,
        ledger: &Ledger,
        is_dry_run: bool,
    ) -> Result<Option<&'static str>, ClaimError> {
        if !issue.has_label(PR_OPEN) {
            return Ok(None);
        }
        let Some(pull) = self.released_pull(key, ledger).await? else { return Ok(None) };
        let to = match pull.state {
            PullState::Open => return Ok(None),
            PullState::Merged => DONE,
            // Another pull request may have taken its place.
            PullState::Closed if self.open_pull_for(key).await?.is_some() => return Ok(None),
            PullState::Closed => IMPLEMENT,
        };
        if !is_dry_run {
            self.tracker.add_labels(key, &[to]).await?;
            self.tracker.remove_label(key, PR_OPEN).await?;
        }
        Ok(Some(to))
    }
}
