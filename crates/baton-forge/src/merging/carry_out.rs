//! Merging a pull request: a real merge, a moved branch, a closed issue.

use std::sync::Arc;

use git2::{Oid, Repository};

use super::standing;
use crate::api::signature_of;
use crate::db::accounts::Account;
use crate::db::events::{self, Happening, Scene};
use crate::db::issues::Issue;
use crate::db::merge_intents::{self, MergeIntent};
use crate::db::protections;
use crate::db::pulls::{self, Pull};
use crate::db::repos::Repo;
use crate::git::history;
use crate::git::merge::{MergeMethod, merge as merge_commits};
use crate::git::ref_changes::{Followers, close, close_linked};
use crate::git::ref_update::{self, RefEdit, RefOutcome};
use crate::http::error::ApiError;
use crate::server::Inner;
use crate::sync::lock;

/// How, with which words and by whom a pull request is to be merged.
pub(crate) struct MergeOrder {
    pub(crate) method: MergeMethod,
    pub(crate) title: Option<String>,
    pub(crate) message: Option<String>,
    /// What the head must still be.
    pub(crate) expected_head: Option<String>,
    pub(crate) by: Account,
    /// Whether the rules of the base branch bind this merger only where they bind administrators.
    pub(crate) may_bypass: bool,
    pub(crate) now: i64,
}

fn not_mergeable() -> ApiError {
    ApiError::new(405, "Pull Request is not mergeable")
}

pub(crate) fn head_was_modified() -> ApiError {
    ApiError::conflict("Head branch was modified. Review and try the merge again.")
}

/// Refuses a way of merging that the repository does not allow.
pub(crate) fn check_method(repo: &Repo, method: MergeMethod) -> Result<(), ApiError> {
    let (allowed, noun) = match method {
        MergeMethod::Merge => (repo.merging.merge_commit, "Merge commits"),
        MergeMethod::Squash => (repo.merging.squash, "Squash merges"),
        MergeMethod::Rebase => (repo.merging.rebase, "Rebase merges"),
    };
    match allowed {
        true => Ok(()),
        false => Err(ApiError::new(405, format!("{noun} are not allowed on this repository."))),
    }
}

/// Merges, and returns the commit that the base branch has moved to.
pub(crate) fn merge(
    forge: &Arc<Inner>,
    repo: &Repo,
    number: i64,
    order: &MergeOrder,
) -> Result<String, ApiError> {
    check_method(repo, order.method)?;
    let gate = forge.git.gate(repo.id);
    let _held = lock(&gate);
    let (issue, pull) =
        forge.db.read(|conn| pulls::by_number(conn, repo.id, number))??.ok_or_else(ApiError::not_found)?;
    check(forge, repo, (&issue, &pull), order)?;
    let repository = forge.git.open(repo.id)?;
    let (from, to) = make(&repository, repo, (&issue, &pull), order)?;
    intend(forge, &pull, order, (&from, &to))?;
    let name = format!("refs/heads/{}", pull.base_ref);
    let edit = RefEdit::Update { name, to: to.clone(), from: from.clone() };
    if let RefOutcome::Refused(_) = ref_update::apply(&forge.git.path(repo.id), &[edit])? {
        forge.db.writer().write_blocking(move |tx| Ok::<_, ApiError>(merge_intents::remove(tx, pull.id)?))?;
        return Err(ApiError::new(405, "Base branch was modified. Review and try the merge again."));
    }
    finish(forge, repo, (&issue, &pull), order, (&from, &to))?;
    Ok(to)
}

/// Writes down what is about to happen: git and the tables cannot change in one transaction, so that a crash between the
/// two must leave word of the second half.
fn intend(forge: &Inner, pull: &Pull, order: &MergeOrder, (from, to): (&str, &str)) -> Result<(), ApiError> {
    let intent = MergeIntent {
        pull_id: pull.id,
        from: from.to_owned(),
        to: to.to_owned(),
        method: order.method.name().to_owned(),
        by: order.by.id,
        at: order.now,
    };
    forge.db.writer().write_blocking(move |tx| Ok::<_, ApiError>(merge_intents::set(tx, &intent)?))
}

/// Everything that follows git's move of the base branch. The caller holds the repository's gate.
pub(super) fn finish(
    forge: &Inner,
    repo: &Repo,
    (issue, pull): (&Issue, &Pull),
    order: &MergeOrder,
    (from, to): (&str, &str),
) -> Result<(), ApiError> {
    settle(forge, repo, (issue, pull), order, (from, to))?;
    let followers = Followers { db: &forge.db, git: &forge.git, now: order.now };
    followers.follow_held(repo, Some(&[format!("refs/heads/{}", pull.base_ref)]), order.by.id)?;
    if repo.merging.delete_branch {
        delete_head(forge, repo, issue, pull, order)?;
    }
    Ok(())
}

fn check(
    forge: &Inner,
    repo: &Repo,
    (issue, pull): (&Issue, &Pull),
    order: &MergeOrder,
) -> Result<(), ApiError> {
    if pull.merged_at.is_some() || !issue.is_open() {
        return Err(not_mergeable());
    }
    if order.expected_head.as_ref().is_some_and(|expected| *expected != pull.head_oid) {
        return Err(head_was_modified());
    }
    if pull.draft {
        return Err(ApiError::new(405, "Pull Request is still a draft"));
    }
    let standing = forge.db.read(|conn| standing::load(conn, &forge.git, repo, (issue, pull)))??;
    let Some(rules) = &standing.protection else { return Ok(()) };
    if order.may_bypass && !rules.enforce_admins {
        return Ok(());
    }
    if rules.required_linear_history && order.method == MergeMethod::Merge {
        return Err(ApiError::new(405, "This branch must not contain merge commits."));
    }
    standing.refusal().map_or(Ok(()), |why| Err(ApiError::new(405, why)))
}

/// Writes the merge's commits; returns the base's tip before and the one to move to.
fn make(
    repository: &Repository,
    repo: &Repo,
    (issue, pull): (&Issue, &Pull),
    order: &MergeOrder,
) -> Result<(String, String), ApiError> {
    let base =
        repository.find_reference(&format!("refs/heads/{}", pull.base_ref)).map_err(|_| not_mergeable())?;
    let base = base.peel_to_commit().map_err(|_| not_mergeable())?;
    let head = repository.find_commit(Oid::from_str(&pull.head_oid)?).map_err(|_| not_mergeable())?;
    let (title, body) = words(repository, repo, (issue, pull), order)?;
    let message = if body.is_empty() { title } else { format!("{title}\n\n{body}") };
    let by = signature_of(&order.by, order.now);
    let merged =
        merge_commits(repository, &base, &head, order.method, &message, &by)?.ok_or_else(not_mergeable)?;
    Ok((base.id().to_string(), merged.to_string()))
}

/// The client's words, or GitHub's where it gave none.
fn words(
    repository: &Repository,
    repo: &Repo,
    (issue, pull): (&Issue, &Pull),
    order: &MergeOrder,
) -> Result<(String, String), ApiError> {
    let title = order.title.clone().unwrap_or_else(|| default_title(repo, issue, pull, order.method));
    let body = match &order.message {
        Some(body) => body.clone(),
        None => default_body(repository, issue, pull, order.method)?,
    };
    Ok((title, body))
}

pub(crate) fn default_title(repo: &Repo, issue: &Issue, pull: &Pull, method: MergeMethod) -> String {
    match method {
        MergeMethod::Squash => format!("{} (#{})", issue.title, issue.number),
        _ => format!("Merge pull request #{} from {}/{}", issue.number, repo.owner.login, pull.head_ref),
    }
}

pub(crate) fn default_body(
    repository: &Repository,
    issue: &Issue,
    pull: &Pull,
    method: MergeMethod,
) -> Result<String, ApiError> {
    match method {
        MergeMethod::Squash => squashed(repository, pull),
        _ => Ok(issue.title.clone()),
    }
}

/// The messages of the commits that a squash folds into one.
fn squashed(repository: &Repository, pull: &Pull) -> Result<String, ApiError> {
    let (base, head) = (Oid::from_str(&pull.base_oid)?, Oid::from_str(&pull.head_oid)?);
    let commits = history::between(repository, base, head)?;
    Ok(match commits.as_slice() {
        [only] => only.message.split_once("\n\n").map(|(_, body)| body.to_owned()).unwrap_or_default(),
        many => many.iter().map(|commit| format!("* {}", commit.message)).collect::<Vec<_>>().join("\n\n"),
    })
}

/// Marks the pull request merged and closes what its text says it closes.
fn settle(
    forge: &Inner,
    repo: &Repo,
    (issue, pull): (&Issue, &Pull),
    order: &MergeOrder,
    (from, to): (&str, &str),
) -> Result<(), ApiError> {
    let pull = pull.clone();
    let (base, merged) = (from.to_owned(), to.to_owned());
    let scene = Scene { repo_id: repo.id, issue_id: issue.id, actor_id: order.by.id, now: order.now };
    forge.db.writer().write_blocking(move |tx| {
        // What it contained is measured against the base as it was.
        pulls::set_base(tx, pull.id, &pull.base_ref, &base)?;
        pulls::set_merged(tx, pull.id, scene.actor_id, &merged, scene.now)?;
        pulls::set_auto_merge(tx, pull.id, None)?;
        merge_intents::remove(tx, pull.id)?;
        events::record(tx, scene, &Happening::Merged { commit: &merged })?;
        close(tx, scene, None, Some(&merged))?;
        close_linked(tx, scene, pull.id, &merged)
    })
}

/// Removes the merged branch where the repository wants that. A branch that is needed stays: the default one, a
/// protected one, and one that has moved since. What goes into the removed one is turned when its going is followed.
fn delete_head(
    forge: &Inner,
    repo: &Repo,
    issue: &Issue,
    pull: &Pull,
    order: &MergeOrder,
) -> Result<(), ApiError> {
    let protection = forge.db.read(|conn| protections::of_branch(conn, repo.id, &pull.head_ref))??;
    let is_kept = protection.is_some_and(|rule| !rule.settings.allow_deletions);
    if pull.head_ref == repo.default_branch || pull.head_repo_id != repo.id || is_kept {
        return Ok(());
    }
    let name = format!("refs/heads/{}", pull.head_ref);
    let edit = RefEdit::Delete { name: name.clone(), from: pull.head_oid.clone() };
    if ref_update::apply(&forge.git.path(repo.id), &[edit])? != RefOutcome::Done {
        return Ok(());
    }
    let scene = Scene { repo_id: repo.id, issue_id: issue.id, actor_id: order.by.id, now: order.now };
    forge.db.writer().write_blocking(move |tx| {
        Ok::<_, ApiError>(events::record(tx, scene, &Happening::HeadRefDeleted)?)
    })?;
    let followers = Followers { db: &forge.db, git: &forge.git, now: order.now };
    followers.follow_held(repo, Some(&[name]), order.by.id)
}
