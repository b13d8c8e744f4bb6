//! What the tracker shows of a part.

use baton_core::chain::{PartSeen, PartState};
use baton_core::tracker::Pull;
use baton_ports::{Clock, Tracker, TrackerError, TrackerErrorKind};

use super::Chains;

impl<T: Tracker, C: Clock> Chains<T, C> {
    /// Reads everything that decides about a part.
    pub(super) async fn look(&self, part: &PartState) -> Result<PartSeen, TrackerError> {
        // First, because it fails when there is no such repository: the branch would only seem to be missing.
        let mut pulls = self.tracker.pulls_by_head(&part.repo, &part.head).await?;
        if let Some(known) =
            part.status.number().filter(|number| pulls.iter().all(|pull| pull.number != *number))
        {
            pulls.extend(self.known(part, known).await?);
        }
        let tip = self.tracker.ref_tip(&part.repo, &format!("refs/heads/{}", part.head)).await?.value;
        let default_branch = match &part.base {
            Some(base) => base.clone(),
            None => self.tracker.default_branch(&part.repo).await?,
        };
        Ok(PartSeen { default_branch, tip: tip.map(|commit| commit.oid), pulls })
    }

    /// The pull request that is known, although its branch has another name now; nothing when it is gone.
    async fn known(&self, part: &PartState, number: u64) -> Result<Option<Pull>, TrackerError> {
        match self.tracker.pull(&part.repo, number).await {
            Ok(pull) => Ok(Some(pull)),
            Err(error) if error.kind == TrackerErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}
