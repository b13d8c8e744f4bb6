//! What there is to do on a tracker, besides commenting, and each so that doing it twice is the same as once.

use baton_core::pipeline::effect::{Place, Reaction};
use baton_core::slot::effect::{Deed, Leaving, Tried};
use baton_core::slot::{Item, ItemMemory};
use baton_core::tracker::{IssueKey, Merge, PullState};
use baton_ports::{Clock, Store, Tracker, TrackerError, TrackerErrorKind};

use super::arbiter::Arbiter;
use super::attempt::Attempt;
use super::leases::{LeaseLook, Leases, Returned};
use super::{Outbox, refusals};

impl<S: Store, T: Tracker, C: Clock, L: Leases, A: Arbiter> Outbox<S, T, C, L, A> {
    /// Performs an effect; what did not come about is told as an error.
    pub(super) async fn perform(
        &self,
        attempt: &Attempt<'_>,
        item: &Item,
        token: Option<&str>,
    ) -> Result<(), Tried> {
        match &attempt.effect.deed {
            Deed::Comment { on, body } => {
                let place = self.place(attempt, *on).await?;
                self.comment(&Attempt { place: &place, ..*attempt }, body).await
            }
            Deed::MergePull { number, head_sha } => self.merge(attempt, *number, head_sha).await,
            Deed::ReleaseLease { outcome, leaving } => self.release(attempt, token, outcome, leaving).await,
            Deed::OpenDraftPull { summary } => self.open_draft(attempt, summary.as_deref()).await,
            Deed::MarkPullReady => self.mark_ready(attempt).await,
            Deed::CreateSubIssues { issues } => self.create_parts(attempt, issues).await,
            Deed::AskApproval { stage, plan } => {
                self.comment(attempt, &self.arbiter.approval_request(stage, plan)).await
            }
            Deed::TellOnSlack { message, said } => {
                self.arbiter.tell_on_slack(message, said).await;
                Ok(())
            }
            Deed::TakeLease { step, column, before } => {
                self.take_lease(attempt, item, step.as_deref(), column, before.as_deref()).await
            }
            Deed::RenewLease => {
                let Some(token) = token else { return Ok(()) };
                self.arbiter.renew_lease(attempt.issue, token).await
            }
            Deed::Settle(end) => done(self.arbiter.settle(item, attempt.effect.id, end).await),
            Deed::Wake(wake) => {
                self.clear_to_write(attempt).await?;
                done(self.arbiter.wake(item, attempt.effect.id, wake).await)
            }
            Deed::MoveTo { from, to } => {
                self.clear_to_write(attempt).await?;
                self.arbiter.move_to(attempt.issue, Some(from), to).await
            }
            deed => {
                self.clear_to_write(attempt).await?;
                self.write(attempt.issue, deed).await.map_err(|error| refusals::of_write(&error))
            }
        }
    }

    /// Performs what is the same done twice as once.
    async fn write(&self, issue: &IssueKey, deed: &Deed) -> Result<(), TrackerError> {
        let tracker = &self.tracker;
        match deed {
            Deed::AddLabels { labels } => {
                let labels: Vec<_> = labels.iter().map(String::as_str).collect();
                tracker.add_labels(issue, &labels).await.map(drop)
            }
            Deed::RemoveLabel { label } => tracker.remove_label(issue, label).await,
            Deed::CloseIssue => tracker.close_issue(issue).await,
            Deed::EditComment { id, body } => tracker.edit_comment(&issue.repo, *id, body).await.map(drop),
            Deed::UpdateIssue { body } => tracker.edit_issue(issue, body).await,
            Deed::AskReviewersAgain { pull, logins } => {
                tracker.ask_reviewers_again(&issue.repo, *pull, logins).await
            }
            Deed::React { on, comments, with } => self.react(issue, *on, comments, *with).await,
            Deed::ResolveThreads { threads } => {
                for thread in threads {
                    tracker.resolve_thread(&issue.repo, thread).await?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Puts a sign on comments. One that was deleted meanwhile needs none.
    async fn react(
        &self,
        issue: &IssueKey,
        on: Place,
        comments: &[u64],
        with: Reaction,
    ) -> Result<(), TrackerError> {
        for comment in comments {
            match self.tracker.react(&issue.repo, on, *comment, with).await {
                Err(error) if error.kind == TrackerErrorKind::NotFound => {}
                other => other?,
            }
        }
        Ok(())
    }

    /// Takes the lease that a decision needs, and looks whether the decision still holds. When it does not, or others have
    /// the issue, everything else that was decided with it is bound to a lease that nobody has, and does not come about.
    async fn take_lease(
        &self,
        attempt: &Attempt<'_>,
        item: &Item,
        step: Option<&str>,
        column: &str,
        before: Option<&ItemMemory>,
    ) -> Result<(), Tried> {
        let Some(token) = item.lease.as_deref() else {
            return Err(Tried::Moot("the lease was given up before it was taken".to_owned()));
        };
        // A try that failed after the lease was taken has it still.
        let may_be_taken = attempt.is_unclear() || attempt.effect.attempts > 1;
        self.arbiter.take_lease(attempt.issue, token, may_be_taken).await?;
        let Some(step) = step else { return Ok(()) };
        if self.arbiter.still_wants(item, step, column, before).await? {
            return Ok(());
        }
        let outcome = baton_core::claim::Outcome::Cancelled;
        match self.leases.hand_back(attempt.issue, token, &outcome, &Leaving::AsTheyAre).await {
            // Forgotten now, it would look like somebody else's until it ends by itself. The next try finds it by its token.
            Returned::Failed(why) => Err(Tried::Unclear(why)),
            Returned::Released | Returned::Lost(_) => {
                Err(Tried::Moot("the issue has changed since that was decided".to_owned()))
            }
        }
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
        match refusals::of_merge(&refused, &pull, head_sha, attempt.effect.attempts) {
            Tried::Done => Ok(()),
            tried => Err(tried),
        }
    }

    async fn release(
        &self,
        attempt: &Attempt<'_>,
        token: Option<&str>,
        outcome: &str,
        leaving: &Leaving,
    ) -> Result<(), Tried> {
        // A run that took no lease has none to give back.
        let Some(token) = token else { return Ok(()) };
        let outcome = outcome.parse().map_err(|error| Tried::Never(format!("{error}")))?;
        attempt.may_write(self.clock.boot_now())?;
        match self.leases.hand_back(attempt.issue, token, &outcome, leaving).await {
            Returned::Released => Ok(()),
            // An earlier try may have been the one that gave it back.
            Returned::Lost(_) if attempt.is_unclear() => Ok(()),
            Returned::Lost(why) => Err(attempt.lost_lease(why)),
            Returned::Failed(why) => Err(Tried::Unclear(why)),
        }
    }
}

fn done(tried: Tried) -> Result<(), Tried> {
    match tried {
        Tried::Done => Ok(()),
        other => Err(other),
    }
}
