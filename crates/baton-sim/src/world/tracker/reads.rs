//! How rows of a simulated tracker are shown to a client.

use std::collections::BTreeMap;

use baton_core::RepoSlug;
use baton_core::pipeline::authors::is_bot_login;
use baton_core::pipeline::checks::{Checks, Health};
use baton_core::pipeline::item::{self, Blocker, LinkedPull, MergeState, ReviewDecision, ReviewState};
use baton_core::tracker::{
    Author, BoardRow, Comment, Issue, IssueKey, Permission, Pull, PullState, Sighting,
};

use super::hub::permission;
use super::state::{CommentRow, IssueRow, PullRow, Repo, State};

pub(super) fn issue(repo: &RepoSlug, row: &IssueRow, comments: usize) -> Issue {
    Issue {
        number: row.number,
        title: row.title.clone(),
        body: row.body.clone(),
        url: format!("https://sim.example/{repo}/issues/{}", row.number),
        is_open: row.is_open,
        is_pull: false,
        labels: row.labels.clone(),
        comments: comments as u64,
        author: row.author.clone(),
        created_at: row.created_at,
    }
}

pub(super) fn comment(row: &CommentRow) -> Comment {
    Comment {
        id: row.id,
        author: Author { login: row.author.clone(), app_id: None },
        created_at: row.created_at,
        updated_at: row.updated_at,
        body: row.body.clone(),
    }
}

pub(super) fn pull(repo: &RepoSlug, row: &PullRow) -> Pull {
    Pull {
        number: row.number,
        title: row.title.clone(),
        body: row.body.clone(),
        state: row.state,
        author: row.author.clone(),
        head_branch: row.head_branch.clone(),
        head_sha: row.head_sha.clone(),
        base_branch: row.base.clone(),
        url: format!("https://sim.example/{repo}/pull/{}", row.number),
    }
}

pub(super) fn sighting(state: &State, key: &IssueKey, branch: &str, viewer: &str) -> Option<Sighting> {
    let repo = state.repos.get(&key.repo)?;
    let row = repo.issues.get(&key.number)?;
    let linked = repo.pull_from(branch);
    let mut comments: Vec<_> =
        repo.comments_of(key.number).iter().map(|row| seen(row, viewer, false)).collect();
    let on_pull = linked.iter().flat_map(|pull| repo.comments_of(pull.number));
    comments.extend(on_pull.map(|row| seen(row, viewer, true)));
    comments.sort_by_key(|comment| comment.id);
    Some(Sighting {
        issue: issue(&key.repo, row, repo.comments_of(key.number).len()),
        labelled_at: row.labelled_at(),
        comments,
        blockers: row.blockers.iter().map(|blocker| shown_blocker(state, blocker)).collect(),
        pull: linked.map(|pull| linked_pull(repo, pull, viewer)),
        placements: Vec::new(),
    })
}

fn shown_blocker(state: &State, key: &IssueKey) -> Blocker {
    let row = state.repos.get(&key.repo).and_then(|repo| repo.issues.get(&key.number));
    Blocker { issue: key.clone(), is_open: row.is_some_and(|row| row.is_open) }
}

fn seen(row: &CommentRow, viewer: &str, is_on_pull: bool) -> item::Comment {
    item::Comment {
        id: row.id,
        author: row.author.clone(),
        is_bot: is_bot_login(&row.author),
        may_write: permission(&row.author) >= Permission::Write,
        is_own_account: row.author == viewer,
        body: row.body.clone(),
        created_at: row.created_at,
        has_rocket: row.rockets.contains(viewer),
        is_on_pull,
        signs: Vec::new(),
    }
}

fn linked_pull(repo: &Repo, row: &PullRow, viewer: &str) -> LinkedPull {
    let checks = Checks::from(repo.checks_of(&row.head_sha).to_vec());
    LinkedPull {
        number: row.number,
        author: row.author.clone(),
        state: row.state,
        is_draft: row.is_draft,
        head_sha: row.head_sha.clone(),
        pushed_at: row.pushed_at,
        mergeable: row.mergeable,
        merge_state: merge_state(repo, row),
        reviews: row.reviews.clone(),
        requests: row.requests.clone(),
        decision: decision(repo, row),
        threads: row.threads.iter().map(|thread| shown_thread(thread, viewer)).collect(),
        checks: Some(checks),
        base_failures: Vec::new(),
        required_checks: repo.rules.required.clone(),
    }
}

fn shown_thread(row: &super::state::ThreadRow, viewer: &str) -> item::Thread {
    item::Thread {
        id: row.id.clone(),
        is_resolved: row.is_resolved,
        path: "src/lib.rs".to_owned(),
        line: Some(1),
        comments: row.comments.iter().map(|comment| seen(comment, viewer, true)).collect(),
    }
}

fn decision(repo: &Repo, row: &PullRow) -> ReviewDecision {
    let says = |state| row.reviews.iter().any(|review| review.state == state);
    match (says(ReviewState::ChangesRequested), says(ReviewState::Approved)) {
        _ if !repo.rules.needs_review => ReviewDecision::NoRule,
        (true, _) => ReviewDecision::ChangesRequested,
        (false, true) => ReviewDecision::Approved,
        (false, false) => ReviewDecision::ReviewRequired,
    }
}

/// Returns what the tracker says about merging, by which it also judges merges.
pub(super) fn merge_state(repo: &Repo, row: &PullRow) -> MergeState {
    let checks = Checks::from(repo.checks_of(&row.head_sha).to_vec());
    let required = repo.rules.required.iter().all(|name| checks.has_passed(name));
    let is_reviewed = matches!(decision(repo, row), ReviewDecision::NoRule | ReviewDecision::Approved);
    match row.mergeable {
        _ if row.state != PullState::Open => MergeState::Unknown,
        None => MergeState::Unknown,
        Some(false) => MergeState::Dirty,
        Some(true) if row.is_draft => MergeState::Draft,
        Some(true) if !required || !is_reviewed => MergeState::Blocked,
        Some(true) if checks.any(Health::Failed) || checks.any(Health::Running) => MergeState::Unstable,
        Some(true) => MergeState::Clean,
    }
}

pub(super) fn board_row(repo: &RepoSlug, row: &IssueRow) -> BoardRow {
    BoardRow {
        issue: IssueKey { repo: repo.clone(), number: row.number },
        node_id: format!("I_{repo}_{}", row.number),
        title: row.title.clone(),
        column: row.column(),
        is_closed: !row.is_open,
        labels: row.labels.clone(),
        updated_at: row.updated_at,
    }
}

/// Returns when each label of a sighting was put on, without those that it does not carry.
pub(super) fn newest_column(seen: &Sighting) -> Option<String> {
    let columns = seen
        .issue
        .labels
        .iter()
        .filter_map(|label| Some((seen.labelled_at.get(label), super::state::column_of_label(label)?)));
    let found: BTreeMap<_, _> = columns.collect();
    found.last_key_value().map(|(_, column)| (*column).to_owned())
}
