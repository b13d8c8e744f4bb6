//! What people say about an issue by other ways than the tracker itself: each is written on the tracker, where everybody
//! reads it and every engine heeds it.
//!
//! Labels come before comments: without the words a pause holds, and without the label it would not. Deliberately absent:
//! who may give orders.

use baton_core::config::PipelineDialect;
use baton_core::pipeline::approval::{self, Approvers, Asked, Speaks};
use baton_core::pipeline::item::{Comment, Via, Vote};
use baton_core::pipeline::names::{Flag, Names, Said};
use baton_core::tracker::{Issue, IssueKey, Permission, Sighting};
use baton_core::workspace::names::issue_branch;
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

/// A word about a plan.
#[derive(Debug, Clone, Copy)]
pub struct Word<'a> {
    /// Whether it is for the plan.
    pub is_for: bool,
    /// Why, or what is to be done besides.
    pub reason: Option<&'a str>,
    /// The plan that was read, by its mark; nothing for the one that waits now.
    pub plan: Option<&'a str>,
    /// Who may decide.
    pub approvers: &'a Approvers,
    /// Whose branches are used.
    pub dialect: PipelineDialect,
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

    /// Decides about the plan that waits on an issue. A word that would not count is refused, with the reason.
    pub async fn decide(
        self,
        tracker: &impl Tracker,
        issue: &IssueKey,
        word: Word<'_>,
    ) -> Result<Reply, TrackerError> {
        let branch = issue_branch(word.dialect, issue.number);
        let seen = match tracker.sight(issue, &branch).await {
            Ok(seen) => seen.value,
            Err(error) if error.kind == TrackerErrorKind::NotFound => return Ok(missing(issue)),
            Err(error) => return Err(error),
        };
        let question = match self.question(issue, &seen, word.plan) {
            Ok(question) => question,
            Err(refusal) => return Ok(refusal),
        };
        let account = match question.is_own {
            true => question.author.clone(),
            false => tracker.viewer().await?,
        };
        let speaks = Speaks { name: self.who, account: &account, is_engines: question.is_own };
        let by = match word.approvers.voter(speaks) {
            Ok(by) => by,
            Err(why) => return Ok(reply(false, "not-an-approver", why.to_string())),
        };
        if !question.is_own && !may_write(tracker, issue, &account).await? {
            let said = format!("`{account}` may not write to {}, so the word would not count", issue.repo);
            return Ok(reply(false, "not-an-approver", said));
        }
        self.vote(tracker, issue, by, &question.asked, word).await
    }

    async fn vote(
        self,
        tracker: &impl Tracker,
        issue: &IssueKey,
        by: String,
        asked: &Asked,
        word: Word<'_>,
    ) -> Result<Reply, TrackerError> {
        let reason = word.reason.unwrap_or_default().to_owned();
        let (outcome, verb) = if word.is_for { ("approved", "approves") } else { ("rejected", "rejects") };
        let plan = &asked.plan;
        let said = format!("`{by}` {verb} the plan `{plan}`: {issue} goes on when it is looked at");
        let vote = Vote { by, is_for: word.is_for, reason, via: Via::Baton };
        tracker.post_comment(issue, &approval::record(self.names, asked, &[vote], &[])).await?;
        Ok(reply(true, outcome, said))
    }

    /// Returns the question that a word would answer, or why there is none.
    fn question(self, issue: &IssueKey, seen: &Sighting, plan: Option<&str>) -> Result<Question, Reply> {
        let is_pending = |label: &String| self.names.read(label) == Some(Said::PlanPending);
        if !seen.issue.labels.iter().any(is_pending) {
            let said = format!(
                "no plan waits for approval on {issue}; `baton explain {issue}` says what it waits for"
            );
            return Err(reply(false, "not-asked", said));
        }
        let Some(question) = Question::latest(&seen.comments, self.names) else {
            let said = format!("nobody was asked about the plan on {issue} yet; try again in a moment");
            return Err(reply(false, "not-asked", said));
        };
        let asked = &question.asked.plan;
        match plan.filter(|plan| plan != asked) {
            None => Ok(question),
            Some(plan) => {
                let said = format!(
                    "the plan on {issue} is `{asked}` now, and no longer `{plan}`; read it, and decide again"
                );
                Err(reply(false, "another-plan", said))
            }
        }
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

/// A question that is open.
struct Question {
    asked: Asked,
    /// Who asked.
    author: String,
    /// Whether the account that reads it has asked it, so that it speaks with the engine's own account.
    is_own: bool,
}

impl Question {
    /// Anybody can copy a question. A word for a copy of another plan's counts for nothing, which is as it should be.
    fn latest(comments: &[Comment], names: Names) -> Option<Self> {
        let read = |comment: &Comment| {
            let asked = approval::asked_in(&comment.body, names)
                .filter(|_| comment.may_write || comment.is_own_account)?;
            Some(Self { asked, author: comment.author.clone(), is_own: comment.is_own_account })
        };
        comments.iter().rev().filter_map(read).next()
    }
}

/// A tracker tells rights only to those who have some.
async fn may_write(tracker: &impl Tracker, issue: &IssueKey, login: &str) -> Result<bool, TrackerError> {
    match tracker.permission(&issue.repo, login).await {
        Ok(permission) => Ok(permission == Permission::Write),
        Err(error) if matches!(error.kind, TrackerErrorKind::Forbidden | TrackerErrorKind::NotFound) => {
            Ok(false)
        }
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
