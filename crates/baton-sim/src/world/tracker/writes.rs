//! What clients of a simulated tracker change, with GitHub's rules.

use std::sync::Arc;

use baton_core::RepoSlug;
use baton_core::board::Happening;
use baton_core::closing::closing_references;
use baton_core::pipeline::effect::Reaction;
use baton_core::pipeline::item::MergeState;
use baton_core::tracker::{
    Comment, IssueKey, Merge, NewPull, PullOpening, PullState, RefAdvance, RefCreation,
};

use super::calls::{Answer, invalid, missing};
use super::later::{look_whether_it_merges, on_new_head};
use super::reads;
use super::state::{Change, CommentRow, IssueRow, PullRow, column_of_label, label_of_column};
use crate::world::dice::Dice;

pub(crate) fn comment(change: &mut Change<'_>, key: &IssueKey, login: &str, body: &str) -> Answer<Comment> {
    let (id, now) = (change.objects.next_id(), change.now);
    let repo = change.repo(&key.repo).ok_or_else(|| missing(&key.to_string()))?;
    let is_pull = repo.pulls.contains_key(&key.number);
    if !is_pull && !repo.issues.contains_key(&key.number) {
        return Err(missing(&key.to_string()));
    }
    let row = CommentRow {
        id,
        author: login.to_owned(),
        body: body.to_owned(),
        created_at: now,
        updated_at: now,
        rockets: std::collections::BTreeSet::new(),
    };
    let shown = reads::comment(&row);
    Arc::make_mut(repo.comments.entry(key.number).or_default()).push(row);
    if is_pull {
        change.tell_of_pull(&key.repo, key.number, Happening::Commented);
    } else {
        change.issue(key);
        change.tell(key, Happening::Commented);
    }
    Ok(shown)
}

/// Finds a comment wherever it is: on an issue, on a pull request, or in a thread.
fn find<T>(
    change: &mut Change<'_>,
    repo: &RepoSlug,
    id: u64,
    make: impl FnOnce(&mut CommentRow) -> T,
) -> Option<T> {
    let row = change.repo(repo)?;
    for comments in row.comments.values_mut() {
        if comments.iter().any(|comment| comment.id == id) {
            return Arc::make_mut(comments).iter_mut().find(|comment| comment.id == id).map(make);
        }
    }
    for pull in row.pulls.values_mut() {
        let has_it =
            |pull: &PullRow| pull.threads.iter().any(|thread| thread.comments.iter().any(|it| it.id == id));
        if has_it(pull) {
            let threads = &mut Arc::make_mut(pull).threads;
            return threads
                .iter_mut()
                .flat_map(|thread| &mut thread.comments)
                .find(|it| it.id == id)
                .map(make);
        }
    }
    None
}

pub(super) fn edit_comment(change: &mut Change<'_>, repo: &RepoSlug, id: u64, body: &str) -> Answer<Comment> {
    let now = change.now;
    let edited = find(change, repo, id, |row| {
        row.body = body.to_owned();
        row.updated_at = now;
        reads::comment(row)
    });
    edited.ok_or_else(|| missing(&format!("comment {id}")))
}

pub(super) fn delete_comment(change: &mut Change<'_>, repo: &RepoSlug, id: u64) -> Answer<()> {
    let row = change.repo(repo).ok_or_else(|| missing(&format!("comment {id}")))?;
    for comments in row.comments.values_mut().filter(|comments| comments.iter().any(|it| it.id == id)) {
        Arc::make_mut(comments).retain(|comment| comment.id != id);
    }
    Ok(())
}

pub(super) fn react(
    change: &mut Change<'_>,
    repo: &RepoSlug,
    id: u64,
    with: Reaction,
    login: &str,
) -> Answer<()> {
    let reacted = find(change, repo, id, |row| {
        if with == Reaction::Rocket {
            row.rockets.insert(login.to_owned());
        }
    });
    reacted.ok_or_else(|| missing(&format!("comment {id}")))
}

pub(crate) fn add_labels(
    change: &mut Change<'_>,
    key: &IssueKey,
    login: &str,
    labels: &[String],
) -> Answer<Vec<String>> {
    let now = change.now;
    let row = change.issue(key).ok_or_else(|| missing(&key.to_string()))?;
    let added: Vec<_> = labels.iter().filter(|label| row.add(label, login, now)).cloned().collect();
    let all = row.labels.clone();
    added.into_iter().for_each(|label| change.tell(key, Happening::Labelled(label)));
    Ok(all)
}

pub(crate) fn remove_label(change: &mut Change<'_>, key: &IssueKey, login: &str, label: &str) -> Answer<()> {
    let now = change.now;
    let row = change.issue(key).ok_or_else(|| missing(&key.to_string()))?;
    if row.remove(label, login, now) {
        change.tell(key, Happening::Unlabelled(label.to_owned()));
    }
    Ok(())
}

pub(crate) fn open_issue(
    change: &mut Change<'_>,
    repo: &RepoSlug,
    login: &str,
    title: &str,
    body: &str,
    labels: &[String],
) -> Answer<u64> {
    let now = change.now;
    let row = change.repo(repo).ok_or_else(|| missing(&repo.to_string()))?;
    row.last_number += 1;
    let number = row.last_number;
    let mut issue = IssueRow {
        number,
        title: title.to_owned(),
        body: body.to_owned(),
        author: login.to_owned(),
        is_open: true,
        labels: Vec::new(),
        events: Vec::new(),
        blockers: std::collections::BTreeSet::new(),
        parts: std::collections::BTreeSet::new(),
        created_at: now,
        updated_at: now,
        closed_by: None,
    };
    for label in labels {
        issue.add(label, login, now);
    }
    row.issues.insert(number, Arc::new(issue));
    change.tell(&IssueKey { repo: repo.clone(), number }, Happening::Appeared);
    Ok(number)
}

pub(crate) fn close_issue(change: &mut Change<'_>, key: &IssueKey, login: &str) -> Answer<()> {
    let row = change.issue(key).ok_or_else(|| missing(&key.to_string()))?;
    if std::mem::replace(&mut row.is_open, false) {
        row.closed_by = Some(login.to_owned());
        change.tell(key, Happening::Closed);
    }
    Ok(())
}

pub(crate) fn move_to(change: &mut Change<'_>, key: &IssueKey, login: &str, column: &str) -> Answer<()> {
    let now = change.now;
    let row = change.issue(key).ok_or_else(|| missing(&key.to_string()))?;
    let wanted = label_of_column(column);
    let others: Vec<_> = row
        .labels
        .iter()
        .filter(|label| column_of_label(label).is_some() && **label != wanted)
        .cloned()
        .collect();
    row.add(&wanted, login, now);
    for label in others {
        row.remove(&label, login, now);
    }
    change.tell(key, Happening::Moved);
    Ok(())
}

pub(super) fn open_pull(
    change: &mut Change<'_>,
    dice: &Dice,
    repo: &RepoSlug,
    login: &str,
    new: &NewPull,
) -> Answer<PullOpening> {
    let now = change.now;
    let row = change.repo(repo).ok_or_else(|| missing(&repo.to_string()))?;
    let what = format!("open pull {repo} from {}", new.head);
    let head_sha = row.refs.get(&format!("refs/heads/{}", new.head)).cloned();
    let head_sha = head_sha.ok_or_else(|| invalid(&what, "there is no such branch"))?;
    let base_sha = row.refs.get(&format!("refs/heads/{}", new.base)).cloned();
    let base_sha = base_sha.ok_or_else(|| invalid(&what, "there is no such base"))?;
    let is_same = |pull: &PullRow| pull.head_branch == new.head && pull.state == PullState::Open;
    if row.pulls.values().any(|pull| is_same(pull)) {
        return Ok(PullOpening::Exists);
    }
    row.last_number += 1;
    let number = row.last_number;
    if change.objects.descends(&base_sha, &head_sha) {
        return Err(invalid(&what, "there are no commits between the branches"));
    }
    let pull = PullRow {
        number,
        title: new.title.clone(),
        body: new.body.clone(),
        author: login.to_owned(),
        state: PullState::Open,
        is_draft: new.is_draft,
        head_branch: new.head.clone(),
        head_sha,
        base: new.base.clone(),
        pushed_at: now,
        mergeable: None,
        conflicts: false,
        reviews: Vec::new(),
        requests: Vec::new(),
        threads: Vec::new(),
    };
    let shown = reads::pull(repo, &pull);
    if let Some(row) = change.repo(repo) {
        row.pulls.insert(number, Arc::new(pull));
    }
    on_new_head(change, dice, repo, number);
    change.tell_of_pull(repo, number, Happening::PullChanged);
    Ok(PullOpening::Opened(shown))
}

pub(crate) fn merge(
    change: &mut Change<'_>,
    dice: &Dice,
    conflicts: u64,
    repo: &RepoSlug,
    number: u64,
    head_sha: &str,
    login: &str,
) -> Answer<Merge> {
    let what = format!("merge {repo} {number}");
    let row = change.repo(repo).ok_or_else(|| missing(&what))?;
    let pull = row.pulls.get(&number).cloned().ok_or_else(|| missing(&what))?;
    if pull.state != PullState::Open {
        return Ok(Merge::NotMergeable("405 it is not open".to_owned()));
    }
    if pull.head_sha != head_sha {
        return Ok(Merge::HeadMoved);
    }
    let state = reads::merge_state(row, &pull);
    if !matches!(state, MergeState::Clean | MergeState::Unstable) {
        return Ok(Merge::NotMergeable(format!("405 its merge state is {state}")));
    }
    let base = format!("refs/heads/{}", pull.base);
    let parents = [row.refs.get(&base).cloned(), Some(pull.head_sha.clone())].into_iter().flatten().collect();
    let now = change.now;
    let commit = change.objects.commit(&format!("merge #{number}"), parents, now);
    if let Some(row) = change.repo(repo) {
        row.refs.insert(base, commit.oid.clone());
    }
    if let Some(pull) = change.pull(repo, number) {
        pull.state = PullState::Merged;
    }
    change.tell_of_pull(repo, number, Happening::PullChanged);
    close_what_it_closes(change, repo, &pull, login);
    trouble_others(change, dice, conflicts, repo, number, &pull.base);
    Ok(Merge::Merged(commit.oid))
}

fn close_what_it_closes(change: &mut Change<'_>, repo: &RepoSlug, pull: &PullRow, login: &str) {
    for named in closing_references(&pull.body) {
        let other = named.owner.as_deref().zip(named.repo.as_deref());
        let other = other.and_then(|(owner, name)| RepoSlug::new(owner, name).ok());
        let key = IssueKey { repo: other.unwrap_or_else(|| repo.clone()), number: named.number };
        // What is not there is not closed.
        let _ = close_issue(change, &key, login);
    }
}

/// A merge may leave others in conflict; the tracker finds out anew about all of them.
fn trouble_others(
    change: &mut Change<'_>,
    dice: &Dice,
    conflicts: u64,
    repo: &RepoSlug,
    merged: u64,
    base: &str,
) {
    let Some(row) = change.repo(repo) else { return };
    let is_other =
        |pull: &PullRow| pull.number != merged && pull.state == PullState::Open && pull.base == base;
    let others: Vec<_> = row.pulls.values().filter(|pull| is_other(pull)).map(|pull| pull.number).collect();
    for other in others {
        if let Some(pull) = change.pull(repo, other).filter(|_| dice.per_mille(conflicts)) {
            pull.conflicts = true;
        }
        look_whether_it_merges(change, dice, repo, other);
    }
}

pub(super) fn create_ref(
    change: &mut Change<'_>,
    repo: &RepoSlug,
    name: &str,
    oid: &str,
) -> Answer<RefCreation> {
    let is_known = change.objects.commits.contains_key(oid);
    let row = change.repo(repo).ok_or_else(|| missing(&repo.to_string()))?;
    if !is_known {
        return Err(invalid(name, "there is no such object"));
    }
    if row.refs.contains_key(name) {
        return Ok(RefCreation::Exists);
    }
    row.refs.insert(name.to_owned(), oid.to_owned());
    Ok(RefCreation::Created)
}

pub(super) fn advance_ref(
    change: &mut Change<'_>,
    repo: &RepoSlug,
    name: &str,
    oid: &str,
) -> Answer<RefAdvance> {
    let row = change.repo(repo).ok_or_else(|| missing(&repo.to_string()))?;
    let Some(current) = row.refs.get(name).cloned() else { return Ok(RefAdvance::Missing) };
    if !change.objects.commits.contains_key(oid) {
        return Err(invalid(name, "there is no such object"));
    }
    if !change.objects.descends(oid, &current) {
        return Ok(RefAdvance::NotFastForward);
    }
    if let Some(row) = change.repo(repo) {
        row.refs.insert(name.to_owned(), oid.to_owned());
    }
    Ok(RefAdvance::Advanced)
}

/// Moves a ref wherever somebody wants it, as no tracker does; it is for a planted bug.
pub(super) fn overwrite_ref(change: &mut Change<'_>, repo: &RepoSlug, name: &str, oid: &str) -> Answer<()> {
    let row = change.repo(repo).ok_or_else(|| missing(&repo.to_string()))?;
    row.refs.insert(name.to_owned(), oid.to_owned());
    Ok(())
}

pub(super) fn resolve(change: &mut Change<'_>, repo: &RepoSlug, thread: &str) {
    let Some(row) = change.repo(repo) else { return };
    for pull in row.pulls.values_mut() {
        if pull.threads.iter().any(|row| row.id == thread && !row.is_resolved) {
            let threads = &mut Arc::make_mut(pull).threads;
            threads.iter_mut().filter(|row| row.id == thread).for_each(|row| row.is_resolved = true);
        }
    }
}
