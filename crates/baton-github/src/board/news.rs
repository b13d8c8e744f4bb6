//! What changed in a repository lately, at no cost while nothing does.
//!
//! The address of the question stays the same until something comes, so that GitHub answers "not modified", which it does not
//! charge. The question reaches back a little before what came last: what is written at the same time may become visible
//! later.

use std::collections::BTreeMap;
use std::sync::Mutex;

use baton_core::RepoSlug;
use baton_core::time::ServerTime;
use baton_core::tracker::{BoardRow, Dated, IssueKey, Survey};
use http::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::SURVEY_PAGES_MAX;
use super::ledger::Ledger;
use crate::client::{Answer, GitHub};
use crate::graphql::page::time;
use crate::layers::lock;
use crate::wire::LabelsWire;

const LIST: &str = "/repos/{owner}/{repo}/issues";

/// How far back the question reaches.
const OVERLAP_S: u64 = 15;

/// How many entries may be told again and again before it is worth a request to leave them behind.
const REPEATED_MAX: usize = 30;

/// Since when each repository is asked for news.
#[derive(Debug, Default)]
pub(super) struct NewsDesk {
    since: Mutex<BTreeMap<RepoSlug, ServerTime>>,
}

/// An issue or a pull request as lists show it.
#[derive(Debug, Deserialize)]
struct NewsWire {
    number: u64,
    node_id: String,
    title: String,
    state: String,
    labels: LabelsWire,
    #[serde(deserialize_with = "time")]
    updated_at: ServerTime,
    pull_request: Option<IgnoredAny>,
}

/// What changed.
struct Changes {
    /// Issues.
    rows: Vec<BoardRow>,
    /// Pull requests, with when.
    pulls: Vec<(u64, ServerTime)>,
    /// Since when to ask the next time.
    next: ServerTime,
}

impl Changes {
    /// Returns the rows to tell: the issues, where `place` puts them, and the known ones whose pull requests changed.
    fn told(self, github: &GitHub, repo: &RepoSlug, ledger: &mut Ledger, place: Place<'_>) -> Vec<BoardRow> {
        let touched = github.issues_of_pulls(repo, &self.pulls);
        let pulled: Vec<_> = touched.iter().filter_map(|(issue, at)| ledger.touch(issue, *at)).collect();
        let own = self.rows.into_iter().map(|row| BoardRow { column: place(&row), ..row });
        let own: Vec<_> = own.map(|row| ledger.note(row)).collect();
        let is_own = |row: &BoardRow| own.iter().any(|own| own.issue == row.issue);
        let mut rows: Vec<_> = pulled.into_iter().filter(|row| !is_own(row)).collect();
        rows.extend(own);
        rows
    }
}

/// Tells the column of an issue, if its labels do.
type Place<'a> = &'a (dyn Fn(&BoardRow) -> Option<String> + Sync);

impl NewsDesk {
    /// Surveys what changed in repositories. Nothing is noted unless all of them answered.
    pub(super) async fn survey(
        &self,
        github: &GitHub,
        repos: &[RepoSlug],
        ledger: &Mutex<Ledger>,
        place: Place<'_>,
    ) -> Answer<Survey> {
        let mut all = Vec::new();
        for repo in repos {
            all.push((repo, self.changes(github, repo).await?));
        }
        let mut ledger = lock(ledger);
        let mut rows = Vec::new();
        for (repo, changes) in all {
            lock(&self.since).insert(repo.clone(), changes.next);
            rows.extend(changes.told(github, repo, &mut ledger, place));
        }
        Ok(Survey { rows, is_complete: false })
    }

    /// Begins to listen at a moment, unless it is listened already.
    pub(super) fn begin(&self, repo: &RepoSlug, at: ServerTime) {
        lock(&self.since).entry(repo.clone()).or_insert(at.minus(OVERLAP_S));
    }

    /// Returns whether there was a first survey of a repository, which news can add to.
    pub(super) fn has_begun(&self, repo: &RepoSlug) -> bool {
        lock(&self.since).contains_key(repo)
    }

    /// Returns what changed in a repository lately; the same things again while nothing else does.
    async fn changes(&self, github: &GitHub, repo: &RepoSlug) -> Answer<Changes> {
        let since = lock(&self.since).get(repo).copied().unwrap_or(ServerTime(0));
        let since_text = since.to_string();
        let query = [("state", "all"), ("sort", "updated"), ("direction", "desc"), ("since", &since_text)];
        let draft = github.call(Method::GET, repo, LIST, &[])?.query(&query);
        let list: Dated<Vec<NewsWire>> = github.list_up_to(draft, SURVEY_PAGES_MAX).await?;
        let newest = list.value.iter().map(|wire| wire.updated_at).max().unwrap_or(since);
        let next = since.max(next(newest, list.date, list.value.len()));
        let (rows, pulls) = sorted(repo, list.value);
        Ok(Changes { rows, pulls, next })
    }
}

/// Returns since when to ask the next time. It follows what came, not the clock, so that the question stays the same; but a
/// crowd that came long enough ago is left behind, or every idle survey would list it again.
fn next(newest: ServerTime, now: ServerTime, entries: usize) -> ServerTime {
    let is_crowd_over = entries > REPEATED_MAX && now.minus(OVERLAP_S) > newest;
    if is_crowd_over { now } else { newest }.minus(OVERLAP_S)
}

/// Tells issues from pull requests, each once: what changes while pages are read can be on two of them.
fn sorted(repo: &RepoSlug, list: Vec<NewsWire>) -> (Vec<BoardRow>, Vec<(u64, ServerTime)>) {
    let mut by_number: BTreeMap<u64, NewsWire> = BTreeMap::new();
    for wire in list {
        let is_newer = by_number.get(&wire.number).is_none_or(|known| wire.updated_at > known.updated_at);
        if is_newer {
            by_number.insert(wire.number, wire);
        }
    }
    let (pulls, issues): (Vec<_>, Vec<_>) =
        by_number.into_values().partition(|wire| wire.pull_request.is_some());
    let rows = issues.into_iter().map(|wire| row(repo, wire)).collect();
    (rows, pulls.iter().map(|wire| (wire.number, wire.updated_at)).collect())
}

fn row(repo: &RepoSlug, wire: NewsWire) -> BoardRow {
    BoardRow {
        issue: IssueKey { repo: repo.clone(), number: wire.number },
        node_id: wire.node_id,
        title: wire.title,
        column: None,
        is_closed: wire.state != "open",
        labels: wire.labels.names(),
        updated_at: wire.updated_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_follows_what_came_and_leaves_a_crowd_behind() {
        let check = |newest, now, entries, expected| {
            assert_eq!(next(ServerTime(newest), ServerTime(now), entries), ServerTime(expected));
        };
        check(1_000, 5_000, 3, 985);
        check(1_000, 1_010, 300, 985);
        check(1_000, 1_016, 300, 1_001);
    }
}
