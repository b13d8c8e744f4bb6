//! What there is to do on a tracker, besides commenting, and each so that doing it twice is the same as once.

use baton_core::slot::effect::{Deed, Tried};
use baton_core::tracker::{Merge, PullState};
use baton_ports::{Clock, Store, Tracker, TrackerError};

use super::attempt::Attempt;
use super::leases::{LeaseLook, Leases, Returned};
use super::{Outbox, refusals};

impl<S: Store, T: Tracker, C: Clock, L: Leases> Outbox<S, T, C, L> {
    /// Performs an effect; what did not come about is told as an error.
    pub(super) async fn perform(&self, attempt: &Attempt<'_>, token: Option<&str>) -> Result<(), Tried> {
        let issue = attempt.issue;
        let written = match &attempt.effect.deed {
            Deed::Comment { body } => return self.comment(attempt, body).await,
            Deed::MergePull { number, head_sha } => return self.merge(attempt, *number, head_sha).await,
            Deed::ReleaseLease { outcome } => return self.release(attempt, token, outcome).await,
            Deed::AddLabels { labels } => {
                self.clear_to_write(attempt).await?;
                let labels: Vec<_> = labels.iter().map(String::as_str).collect();
                self.tracker.add_labels(issue, &labels).await.map(drop)
            }
            Deed::RemoveLabel { label } => {
                self.clear_to_write(attempt).await?;
                self.tracker.remove_label(issue, label).await
            }
            Deed::CloseIssue => {
                self.clear_to_write(attempt).await?;
                self.tracker.close_issue(issue).await
            }
        };
        written.map_err(|error| refusals::of_write(&error))
    }

    /// Looks whether the lease is still held, and whether there is time to write.
    pub(super) async fn clear_to_write(&self, attempt: &Attempt<'_>) -> Result<(), Tried> {
        if let Some(token) = &attempt.effect.lease {
            match self.leases.look(attempt.issue, token).await {
                LeaseLook::Held => {}
                LeaseLook::Lost(why) => return Err(attempt.lost_lease(why)),
                LeaseLook::Unknown(why) => return Err(Tried::Later(why, None)),
            }
        }
        attempt.may_write(self.clock.boot_now())
    }

    async fn merge(&self, attempt: &Attempt<'_>, number: u64, head_sha: &str) -> Result<(), Tried> {
        let repo = &attempt.issue.repo;
        let of_read = |error: TrackerError| refusals::of_read(&error);
        if attempt.is_unclear() {
            let pull = self.tracker.pull(repo, number).await.map_err(of_read)?;
            if pull.state == PullState::Merged && pull.head_sha == head_sha {
                return Ok(());
            }
        }
        self.clear_to_write(attempt).await?;
        let merge = self.tracker.merge_pull(repo, number, head_sha).await;
        let refused = match merge.map_err(|error| refusals::of_write(&error))? {
            Merge::Merged(_) => return Ok(()),
            refused => refused,
        };
        let pull = self.tracker.pull(repo, number).await.map_err(of_read)?;
        match refusals::of_merge(&refused, &pull, head_sha) {
            Tried::Done => Ok(()),
            tried => Err(tried),
        }
    }

    async fn release(&self, attempt: &Attempt<'_>, token: Option<&str>, outcome: &str) -> Result<(), Tried> {
        // A run that took no lease has none to give back.
        let Some(token) = token else { return Ok(()) };
        let outcome = outcome.parse().map_err(|error| Tried::Never(format!("{error}")))?;
        attempt.may_write(self.clock.boot_now())?;
        match self.leases.hand_back(attempt.issue, token, &outcome).await {
            Returned::Released => Ok(()),
            // An earlier try may have been the one that gave it back.
            Returned::Lost(_) if attempt.is_unclear() => Ok(()),
            Returned::Lost(why) => Err(attempt.lost_lease(why)),
            Returned::Failed(why) => Err(Tried::Unclear(why)),
        }
    }
}
