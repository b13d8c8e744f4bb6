//! What a simulated tracker does by itself after a while: it finds out whether branches merge, and checks begin and end.

use std::sync::Arc;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::board::Happening;
use baton_core::pipeline::checks::{Check, Conclusion};

use super::state::Change;
use crate::world::dice::Dice;

/// Something that happens after a while.
#[derive(Debug, Clone)]
pub(crate) struct Later {
    pub(crate) after: Duration,
    pub(crate) what: Event,
}

/// What happens.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// The tracker knows whether a pull request merges.
    Mergeable { repo: RepoSlug, pull: u64 },
    /// A check of a commit begins.
    CheckBegins { repo: RepoSlug, sha: String, name: String },
    /// A check of a commit ends.
    CheckEnds { repo: RepoSlug, sha: String, id: u64, conclusion: Conclusion },
}

/// How checks go, in times of a thousand.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckLuck {
    /// How often one fails.
    pub fails: u64,
    /// How often one never ends.
    pub hangs: u64,
}

impl Event {
    /// Lets it happen.
    pub(crate) fn happen(self, change: &mut Change<'_>, dice: &Dice, luck: CheckLuck) {
        match self {
            Self::Mergeable { repo, pull } => mergeable(change, &repo, pull),
            Self::CheckBegins { repo, sha, name } => begin_check(change, dice, luck, &repo, &sha, &name),
            Self::CheckEnds { repo, sha, id, conclusion } => end_check(change, &repo, &sha, id, conclusion),
        }
    }
}

fn mergeable(change: &mut Change<'_>, repo: &RepoSlug, number: u64) {
    let Some(pull) = change.pull(repo, number) else { return };
    pull.mergeable = Some(!pull.conflicts);
    // GitHub sends no webhook when it has found out.
}

fn begin_check(
    change: &mut Change<'_>,
    dice: &Dice,
    luck: CheckLuck,
    repo: &RepoSlug,
    sha: &str,
    name: &str,
) {
    let (id, now) = (change.objects.next_id(), change.now);
    let Some(row) = change.repo(repo) else { return };
    let check = Check { id, name: name.to_owned(), conclusion: None, changed_at: now };
    Arc::make_mut(row.checks.entry(sha.to_owned()).or_default()).push(check);
    if dice.per_mille(luck.hangs) {
        return;
    }
    let conclusion = if dice.per_mille(luck.fails) { Conclusion::Failure } else { Conclusion::Success };
    let what = Event::CheckEnds { repo: repo.clone(), sha: sha.to_owned(), id, conclusion };
    change.later.push(Later { after: dice.millis(5_000, 300_000), what });
}

fn end_check(change: &mut Change<'_>, repo: &RepoSlug, sha: &str, id: u64, conclusion: Conclusion) {
    let now = change.now;
    let Some(row) = change.repo(repo) else { return };
    if let Some(checks) = row.checks.get_mut(sha) {
        for check in Arc::make_mut(checks).iter_mut().filter(|check| check.id == id) {
            check.conclusion = Some(conclusion);
            check.changed_at = now;
        }
    }
    let pulls: Vec<_> =
        row.pulls.values().filter(|pull| pull.head_sha == sha).map(|pull| pull.number).collect();
    pulls.into_iter().for_each(|pull| change.tell_of_pull(repo, pull, Happening::Checked));
}

/// Begins what a new head of a pull request brings about.
pub(crate) fn on_new_head(change: &mut Change<'_>, dice: &Dice, repo: &RepoSlug, number: u64) {
    look_whether_it_merges(change, dice, repo, number);
    let Some(sha) = change.pull(repo, number).map(|pull| pull.head_sha.clone()) else { return };
    let Some(row) = change.repo(repo) else { return };
    if !row.checks_of(&sha).is_empty() {
        return;
    }
    for name in row.rules.checks.clone() {
        let what = Event::CheckBegins { repo: repo.clone(), sha: sha.clone(), name };
        change.later.push(Later { after: dice.millis(500, 20_000), what });
    }
}

/// Lets the tracker find out anew whether a pull request merges.
pub(crate) fn look_whether_it_merges(change: &mut Change<'_>, dice: &Dice, repo: &RepoSlug, number: u64) {
    if let Some(pull) = change.pull(repo, number) {
        pull.mergeable = None;
        let what = Event::Mergeable { repo: repo.clone(), pull: number };
        change.later.push(Later { after: dice.millis(200, 30_000), what });
    }
}
