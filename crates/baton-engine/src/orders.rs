//! What people say about an issue by other ways than the tracker itself: each is written on the tracker, where everybody
//! reads it and every engine heeds it.
//!
//! Labels come before comments: without the words a pause holds, and without the label it would not. Deliberately absent:
//! who may give orders.

use baton_core::pipeline::approval;
use baton_core::pipeline::item::{Via, Vote};
use baton_core::pipeline::names::{Flag, Names, Said};
use baton_core::tracker::{Issue, IssueKey};
use baton_ports::{Tracker, TrackerError, TrackerErrorKind};
use baton_view::Reply;

/// The longest reason, in characters.
pub const REASON_CHARS_MAX: usize = 2_000;
/// The longest comment, in characters; trackers take no longer ones.
pub const COMMENT_CHARS_MAX: usize = 60_000;

/// Whoever gives an order, and how labels are called where it is given.
#[derive(Debug, Clone, Copy)]
pub struct Speaker<'a> {
    /// Who speaks.
    pub who: &'a str,
    /// How labels are called.
    pub names: Names,
}

/// Returns what became of an order.
pub fn reply(is_done: bool, outcome: &str, said: String) -> Reply {
    Reply { is_done, outcome: outcome.to_owned(), said }
}

impl Speaker<'_> {
    /// Lets no agent start on an issue.
    pub async fn pause(
        self,
        tracker: &impl Tracker,
        issue: &IssueKey,
        reason: Option<&str>,
    ) -> Result<Reply, TrackerError> {
        let Some(found) = read(tracker, issue).await? else { return Ok(missing(issue)) };
        if !found.is_open {
            return Ok(reply(false, "closed", format!("{issue} is closed, so there is nothing to pause")));
        }
        if self.has(&found, Flag::Paused) {
            return Ok(reply(true, "already-paused", format!("{issue} is paused already")));
        }
        tracker.add_labels(issue, &[&self.names.flag(Flag::Paused)]).await?;
        tracker.post_comment(issue, &self.paused(reason)).await?;
        Ok(reply(true, "paused", format!("{issue} is paused; `baton resume {issue}` lets it go on")))
    }

    /// Begins as all comments of the engine do, so that nobody takes it for a reply.
    fn paused(self, reason: Option<&str>) -> String {
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        format!(
            "{} — paused**\n\n`{}` paused this issue{reason}\n\nRemove the label `{}`, reply on this issue, or use \
             `baton resume`, to go on.",
            self.names.heading(),
            self.who,
            self.names.flag(Flag::Paused)
        )
    }

    /// Lets agents go on with an issue.
    pub async fn resume(self, tracker: &impl Tracker, issue: &IssueKey) -> Result<Reply, TrackerError> {
        let Some(found) = read(tracker, issue).await? else { return Ok(missing(issue)) };
        let on: Vec<_> =
            [Flag::AwaitingInput, Flag::Paused].into_iter().filter(|flag| self.has(&found, *flag)).collect();
        if on.is_empty() {
            let said = format!("{issue} is not paused; `baton explain {issue}` says what it waits for");
            return Ok(reply(false, "not-paused", said));
        }
        // The pause goes last: an issue that waits for an answer and is not paused would be nobody's.
        for flag in on {
            match tracker.remove_label(issue, &self.names.flag(flag)).await {
                Err(error) if error.kind == TrackerErrorKind::NotFound => {}
                other => other?,
            }
        }
        let said = format!(
            "{} — resumed**\n\n`{}` lets agents go on with this issue.",
            self.names.heading(),
            self.who
        );
        tracker.post_comment(issue, &said).await?;
        Ok(reply(true, "resumed", format!("{issue} goes on")))
    }

    /// Decides about the plan that waits on an issue.
    pub async fn decide(
        self,
        tracker: &impl Tracker,
        issue: &IssueKey,
        is_for: bool,
        reason: Option<&str>,
    ) -> Result<Reply, TrackerError> {
        let Some(found) = read(tracker, issue).await? else { return Ok(missing(issue)) };
        if !found.labels.iter().any(|label| self.names.read(label) == Some(Said::PlanPending)) {
            let said = format!(
                "no plan waits for approval on {issue}; `baton explain {issue}` says what it waits for"
            );
            return Ok(reply(false, "not-asked", said));
        }
        let reason = reason.unwrap_or_default().to_owned();
        let vote = Vote { by: self.who.to_owned(), is_for, reason, via: Via::Baton };
        tracker.post_comment(issue, &approval::record(self.names, None, None, &[vote], &[])).await?;
        let (outcome, word) = if is_for { ("approved", "approve") } else { ("rejected", "reject") };
        let said = format!("`{}` {word}s the plan: {issue} goes on when it is looked at", self.who);
        Ok(reply(true, outcome, said))
    }

    fn has(self, issue: &Issue, flag: Flag) -> bool {
        issue.labels.iter().any(|label| self.names.is_flag(label, flag))
    }
}

/// Says something on an issue, as whoever the token belongs to.
pub async fn comment(tracker: &impl Tracker, issue: &IssueKey, text: &str) -> Result<Reply, TrackerError> {
    match tracker.post_comment(issue, text).await {
        Ok(_) => Ok(reply(true, "commented", format!("the comment is on {issue}"))),
        Err(error) if error.kind == TrackerErrorKind::NotFound => Ok(missing(issue)),
        Err(error) => Err(error),
    }
}

async fn read(tracker: &impl Tracker, issue: &IssueKey) -> Result<Option<Issue>, TrackerError> {
    match tracker.issue(issue).await {
        Ok(found) => Ok(Some(found.value)),
        Err(error) if error.kind == TrackerErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn missing(issue: &IssueKey) -> Reply {
    let said = format!("there is no issue {issue} that this account may see; check its name and the token");
    reply(false, "no-such-issue", said)
}
