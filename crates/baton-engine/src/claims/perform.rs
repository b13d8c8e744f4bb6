//! Performing what a machine asks for, on the tracker.
//!
//! A performer belongs to one issue. It turns asks into calls and answers into what the rules understand: comments come
//! with whether their authors are believed, tips with how long they have been watched. It decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use baton_core::claim::chain::Sighting;
use baton_core::claim::ledger::{Heard, Reading};
use baton_core::claim::step::{Answer, Ask, Failure, Machine, Step};
use baton_core::claim::text;
use baton_core::time::{BootTime, ServerTime};
use baton_core::tracker::{Comment, Dated, IssueKey, Permission};
use baton_ports::{Clock, Entropy, Memory, Tracker, TrackerError, TrackerErrorKind};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::Claims;

/// How many authors are asked about at the same time.
const ASKED_AT_ONCE: usize = 8;

/// Performs for one issue.
pub(super) struct Performer<'a, T, C, E, M> {
    claims: &'a Claims<T, C, E, M>,
    issue: &'a IssueKey,
    /// The server's clock, as last seen; comments are read from so long before it as can matter.
    date: Option<ServerTime>,
    /// Whether all comments are read, however old.
    pub(super) reads_everything: bool,
    /// Authors whose standing was asked for by this performer.
    asked: BTreeMap<String, bool>,
    /// How many calls were made.
    pub(super) calls: u32,
    /// How many calls had been made when it was decided who holds.
    pub(super) calls_to_decision: Option<u32>,
    /// When the first read had come back.
    pub(super) first_read_at: Option<BootTime>,
    /// Whether the tracker said that this account may not write.
    pub(super) is_forbidden: bool,
    /// When the first write had been answered.
    pub(super) first_write_at: Option<BootTime>,
    /// When it was decided who holds.
    pub(super) decided_at: Option<BootTime>,
}

impl<'a, T: Tracker, C: Clock, E: Entropy, M: Memory> Performer<'a, T, C, E, M> {
    pub(super) fn new(claims: &'a Claims<T, C, E, M>, issue: &'a IssueKey) -> Self {
        Self {
            claims,
            issue,
            date: None,
            reads_everything: false,
            asked: BTreeMap::new(),
            calls: 0,
            calls_to_decision: None,
            first_read_at: None,
            is_forbidden: false,
            first_write_at: None,
            decided_at: None,
        }
    }

    /// Runs a machine to its verdict.
    pub(super) async fn run<V>(&mut self, machine: &mut impl Machine<Verdict = V>) -> V {
        let mut step = machine.begin(self.claims.now());
        loop {
            if machine.is_decided() && self.decided_at.is_none() {
                self.decided_at = Some(self.claims.now());
                self.calls_to_decision = Some(self.calls);
            }
            let ask = match step {
                Step::Done(verdict) => return verdict,
                Step::Ask(ask) => ask,
            };
            let sent_at = self.claims.now();
            tracing::trace!(issue = %self.issue, ?ask, "asking");
            let (is_write, is_read) = (ask.is_write(), !ask.is_write() && !matches!(ask, Ask::Wait(_)));
            let performed = self.perform(ask).await;
            let is_refused = matches!(&performed, Err(error) if error.kind == TrackerErrorKind::Forbidden);
            self.is_forbidden |= is_write && is_refused;
            let answer = performed.unwrap_or_else(failed);
            let now = self.claims.now();
            if is_read && self.first_read_at.is_none() {
                self.first_read_at = Some(now);
            }
            if is_write && self.first_write_at.is_none() {
                self.first_write_at = Some(now);
            }
            step = machine.answered(sent_at, now, answer);
        }
    }

    /// Makes the next machine's decision the one that is reported.
    pub(super) fn forget_decision(&mut self) {
        self.decided_at = None;
        self.calls_to_decision = None;
    }

    async fn perform(&mut self, ask: Ask) -> Result<Answer, TrackerError> {
        let (tracker, issue, repo) = (&self.claims.tracker, self.issue, &self.issue.repo);
        if !matches!(ask, Ask::Wait(_)) {
            self.calls += 1;
        }
        Ok(match ask {
            Ask::Issue => Answer::Issue(self.dated(tracker.issue(issue).await?)),
            Ask::Comments => Answer::Comments(self.read_comments().await?),
            Ask::LabelEvents => Answer::LabelEvents(self.dated(tracker.label_events(issue).await?).value),
            Ask::Tip => Answer::Tip(self.read_tip().await?),
            Ask::Post(body) => Answer::Comment(self.dated(tracker.post_comment(issue, &body).await?)),
            Ask::Edit(id, body) => Answer::Comment(self.dated(tracker.edit_comment(repo, id, &body).await?)),
            Ask::AddLabels(labels) => {
                let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
                tracker.add_labels(issue, &labels).await?;
                Answer::Done
            }
            Ask::RemoveLabel(label) => {
                tracker.remove_label(issue, &label).await?;
                Answer::Done
            }
            Ask::Commit { message, parent } => {
                Answer::Commit(self.dated(tracker.write_commit(repo, &message, parent.as_deref()).await?))
            }
            Ask::Create(oid) => Answer::Created(tracker.create_ref(repo, &self.claim_ref(), &oid).await?),
            Ask::Advance(oid) => Answer::Advanced(tracker.advance_ref(repo, &self.claim_ref(), &oid).await?),
            Ask::Wait(until) => {
                self.claims.clock.sleep_until(until).await;
                Answer::Done
            }
        })
    }

    fn claim_ref(&self) -> String {
        self.claims.settings.claim_ref(self.issue.number)
    }

    fn dated<V>(&mut self, answer: Dated<V>) -> Dated<V> {
        self.date = Some(answer.date);
        self.calls += answer.pages.saturating_sub(1);
        answer
    }

    /// Reads the comments that can still matter, with whether each claim or release in them is believed.
    pub(super) async fn read_comments(&mut self) -> Result<Reading, TrackerError> {
        let since = self.date.map(|date| date.minus(self.claims.settings.timing.reads_back().as_secs()));
        let since = if self.reads_everything { None } else { since };
        let comments = self.claims.tracker.comments(self.issue, since).await?;
        let Dated { value, date, pages } = self.dated(comments);
        self.ask_about_authors(&value).await?;
        let heard = value
            .into_iter()
            .map(|comment| Heard { is_believed: self.is_believed(&comment), comment })
            .collect();
        Ok(Reading { heard, date, pages })
    }

    /// Asks what the authors of claims and releases may do, all at once. Nobody is asked about who says nothing about
    /// claims.
    async fn ask_about_authors(&mut self, comments: &[Comment]) -> Result<(), TrackerError> {
        let (claims, repo) = (self.claims, &self.issue.repo);
        let says_something = comments.iter().filter(|comment| text::read(&comment.body).is_some());
        let unknown: BTreeSet<_> = says_something
            .map(|comment| comment.author.login.clone())
            .filter(|login| !self.asked.contains_key(login))
            .collect();
        let (known, unknown): (Vec<_>, Vec<_>) = unknown
            .into_iter()
            .map(|login| (claims.memory.permission(repo, &login), login))
            .partition(|(permission, _)| permission.is_some());
        self.calls += u32::try_from(unknown.len()).unwrap_or(u32::MAX);
        let asked = unknown.into_iter().map(|(_, login)| async move {
            let permission = claims.tracker.permission(repo, &login).await?;
            // A no is never remembered: whoever has just been let in would not be believed, and two would hold.
            if permission >= Permission::Write {
                claims.memory.keep_permission(repo, &login, permission);
            }
            Ok((Some(permission), login))
        });
        let asked: Vec<_> = stream::iter(asked).buffer_unordered(ASKED_AT_ONCE).try_collect().await?;
        let may_write = |permission: Option<Permission>| permission >= Some(Permission::Write);
        self.asked.extend(known.into_iter().chain(asked).map(|(may, login)| (login, may_write(may))));
        Ok(())
    }

    fn is_believed(&self, comment: &Comment) -> bool {
        let Comment { author, .. } = comment;
        // What a person writes through an app is the person's word, not the app's.
        let is_app = author.login.ends_with("[bot]");
        is_app && author.app_id.is_some_and(|app| self.claims.settings.trusted_apps.contains(&app))
            || self.asked.get(&author.login).copied().unwrap_or(false)
    }

    /// Reads the claim ref.
    pub(super) async fn read_tip(&mut self) -> Result<Sighting, TrackerError> {
        let (repo, name) = (&self.issue.repo, self.claim_ref());
        let tip = self.claims.tracker.ref_tip(repo, &name).await?;
        let Dated { value: tip, date, .. } = self.dated(tip);
        let now = self.claims.now();
        let watched = tip.as_ref().map(|tip| self.claims.memory.watched_for(repo, &name, &tip.oid));
        let watched_ms = baton_core::time::millis(watched.unwrap_or_default());
        let first_seen = BootTime { ms: now.ms.saturating_sub(watched_ms) };
        Ok(Sighting { tip, date, first_seen })
    }
}

fn failed(error: TrackerError) -> Answer {
    Answer::Failed(Failure { why: error.to_string(), may_have_happened: error.may_have_happened() })
}
