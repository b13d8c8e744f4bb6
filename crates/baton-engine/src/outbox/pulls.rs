//! Pull requests and parts of issues, each made once: what an earlier try may have made is found by facts that are ours, the
//! head branch and a mark in the text.

use baton_core::pipeline::effect::Place;
use baton_core::pipeline::markers::SubIssue;
use baton_core::pipeline::names::modifier;
use baton_core::slot::effect::{Tried, marker};
use baton_core::tracker::{IssueKey, IssueState, NewPull, Pull, PullOpening, PullState};
use baton_ports::{Clock, Store, Tracker, TrackerError, TrackerErrorKind};

use super::arbiter::Arbiter;
use super::attempt::Attempt;
use super::leases::Leases;
use super::{Outbox, refusals};

/// What labels of a base branch begin with.
const BASE: &str = "base";
/// How often a pull request is looked for that should be there. Some of the tries may fail for other reasons.
const ABSENT_TRIES: u32 = 4;

impl<S: Store, T: Tracker, C: Clock, L: Leases, A: Arbiter> Outbox<S, T, C, L, A> {
    /// Returns the number under which something is said: that of the issue, or of its pull request.
    pub(super) async fn place(&self, attempt: &Attempt<'_>, on: Place) -> Result<IssueKey, Tried> {
        if on == Place::Issue {
            return Ok(attempt.issue.clone());
        }
        let pull = self.linked(attempt.issue).await?;
        let number = pull.ok_or_else(|| absent(attempt, "there is no pull request to say it on"))?.number;
        Ok(IssueKey { repo: attempt.issue.repo.clone(), number })
    }

    /// Returns the pull request of an issue: the open one from its branch, or else the newest.
    async fn linked(&self, issue: &IssueKey) -> Result<Option<Pull>, Tried> {
        let branch = self.arbiter.branch(issue);
        let pulls = self.tracker.pulls_by_head(&issue.repo, &branch).await;
        let mut pulls = pulls.map_err(|error| refusals::of_read(&error))?;
        let open = pulls.iter().rposition(|pull| pull.state == PullState::Open);
        Ok(open.map(|at| pulls.swap_remove(at)).or_else(|| pulls.pop()))
    }

    pub(super) async fn open_draft(&self, attempt: &Attempt<'_>, summary: Option<&str>) -> Result<(), Tried> {
        let issue = attempt.issue;
        if self.linked(issue).await?.is_some_and(|pull| pull.state == PullState::Open) {
            return Ok(());
        }
        let of_read = |error: TrackerError| refusals::of_read(&error);
        let seen = self.tracker.issue(issue).await.map_err(of_read)?.value;
        let base = match modifier(&seen.labels, BASE) {
            Some(base) => base.to_owned(),
            None => self.tracker.default_branch(&issue.repo).await.map_err(of_read)?,
        };
        let body = body(issue, summary);
        let pull =
            NewPull { head: self.arbiter.branch(issue), base, title: seen.title, body, is_draft: true };
        self.clear_to_write(attempt).await?;
        match self.tracker.open_pull(&issue.repo, &pull).await {
            Ok(PullOpening::Opened(_) | PullOpening::Exists) => Ok(()),
            // A branch that was pushed a moment ago may not be known yet.
            Err(error) if error.kind == TrackerErrorKind::Invalid => Err(absent(attempt, &error.to_string())),
            Err(error) => Err(refusals::of_write(&error)),
        }
    }

    pub(super) async fn mark_ready(&self, attempt: &Attempt<'_>) -> Result<(), Tried> {
        let Some(pull) = self.linked(attempt.issue).await? else {
            return Err(absent(attempt, "there is no pull request to declare ready"));
        };
        if pull.state != PullState::Open {
            return Ok(());
        }
        self.clear_to_write(attempt).await?;
        let marked = self.tracker.mark_ready(&attempt.issue.repo, pull.number).await;
        marked.map_err(|error| match error.kind {
            // One list shows it and another does not yet.
            TrackerErrorKind::NotFound => absent(attempt, &error.to_string()),
            _ => refusals::of_write(&error),
        })
    }

    /// Creates the issues that one was taken apart into, links them, and puts them on the board.
    pub(super) async fn create_parts(&self, attempt: &Attempt<'_>, parts: &[SubIssue]) -> Result<(), Tried> {
        for (place, part) in parts.iter().enumerate() {
            let made = self.create_part(attempt, place, part).await?;
            self.clear_to_write(attempt).await?;
            let linked = self.tracker.link_part(attempt.issue, &made).await;
            linked.map_err(|error| refusals::of_write(&error))?;
            if let Some(column) = self.arbiter.first_column() {
                self.arbiter.move_to(&made, None, &column).await?;
            }
        }
        Ok(())
    }

    /// A try that was put off may have made some of the parts before, and a list of them may lag.
    async fn wait_until_visible(&self, attempt: &Attempt<'_>) -> Result<(), Tried> {
        let visible_at = attempt.visible_at();
        if self.clock.boot_now() < visible_at {
            attempt.may_write(visible_at)?;
            self.clock.sleep_until(visible_at).await;
        }
        Ok(())
    }

    async fn create_part(
        &self,
        attempt: &Attempt<'_>,
        place: usize,
        part: &SubIssue,
    ) -> Result<IssueKey, Tried> {
        let repo = part.repo.clone().unwrap_or_else(|| attempt.issue.repo.clone());
        let mark = marker(attempt.effect.id).replace(" -->", &format!("/{place} -->"));
        let label = self.arbiter.part_label();
        // A first try has made nothing yet, but for the parts before the one that it failed at.
        if attempt.effect.attempts > 1 {
            self.wait_until_visible(attempt).await?;
            let known = self.tracker.issues_labelled(&repo, &label, IssueState::Any).await;
            let known = known.map_err(|error| refusals::of_read(&error))?.value;
            if let Some(made) = known.iter().find(|issue| issue.body.trim_end().ends_with(&mark)) {
                return Ok(IssueKey { repo, number: made.number });
            }
        }
        self.clear_to_write(attempt).await?;
        let body = format!("{}\n\nPart of {}.\n\n{mark}", part.body.trim_end(), attempt.issue);
        let number = self.tracker.open_issue(&repo, &part.title, &body, &[&label]).await;
        Ok(IssueKey { repo, number: number.map_err(|error| refusals::of_write(&error))? })
    }
}

/// Judges a pull request, or its branch, that the tracker does not know. It may be there since a moment ago, and a look may
/// lag.
fn absent(attempt: &Attempt<'_>, why: &str) -> Tried {
    match attempt.effect.attempts < ABSENT_TRIES {
        true => Tried::Later(why.to_owned(), Some(attempt.visible_within)),
        false => Tried::Never(why.to_owned()),
    }
}

fn body(issue: &IssueKey, summary: Option<&str>) -> String {
    let closes = format!("Closes #{}", issue.number);
    match summary.map(str::trim).filter(|summary| !summary.is_empty()) {
        Some(summary) => format!("{summary}\n\n{closes}"),
        None => closes,
    }
}
