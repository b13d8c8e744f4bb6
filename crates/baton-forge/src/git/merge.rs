//! Merges of pull requests, made in the object database without a work tree.

use git2::{Commit, ErrorCode, MergeOptions, Oid, Repository};

use super::history;
use super::objects::Person;
use crate::http::error::ApiError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MergeMethod {
    Merge,
    Squash,
    Rebase,
}

impl MergeMethod {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "merge" => Self::Merge,
            "squash" => Self::Squash,
            "rebase" => Self::Rebase,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Squash => "squash",
            Self::Rebase => "rebase",
        }
    }
}

/// Tries a merge without writing anything, and returns whether nothing conflicts.
pub(crate) fn is_clean(
    repository: &Repository,
    base: &Commit<'_>,
    head: &Commit<'_>,
) -> Result<bool, git2::Error> {
    let index = repository.merge_commits(base, head, Some(MergeOptions::new().fail_on_conflict(true)));
    match index {
        Ok(index) => Ok(!index.has_conflicts()),
        Err(error) if error.code() == ErrorCode::MergeConflict => Ok(false),
        Err(error) => Err(error),
    }
}

/// Tries a merge and returns the resulting tree, or nothing when it conflicts.
pub(crate) fn trial(
    repository: &Repository,
    base: &Commit<'_>,
    head: &Commit<'_>,
) -> Result<Option<Oid>, git2::Error> {
    let mut index = repository.merge_commits(base, head, Some(&MergeOptions::new()))?;
    if index.has_conflicts() {
        return Ok(None);
    }
    index.write_tree_to(repository).map(Some)
}

/// Makes the commit (or commits) that the base branch moves to; nothing when the two conflict.
pub(crate) fn merge(
    repository: &Repository,
    base: &Commit<'_>,
    head: &Commit<'_>,
    method: MergeMethod,
    message: &str,
    by: &Person,
) -> Result<Option<Oid>, ApiError> {
    if method == MergeMethod::Rebase {
        return rebase(repository, base, head, by);
    }
    let Some(tree) = trial(repository, base, head)? else { return Ok(None) };
    let tree = repository.find_tree(tree)?;
    let signature = by.signature()?;
    let parents: &[&Commit<'_>] = if method == MergeMethod::Squash { &[base] } else { &[base, head] };
    Ok(Some(repository.commit(None, &signature, &signature, message, &tree, parents)?))
}

/// Repeats the head's own commits on top of the base, each with its author and message.
fn rebase(
    repository: &Repository,
    base: &Commit<'_>,
    head: &Commit<'_>,
    by: &Person,
) -> Result<Option<Oid>, ApiError> {
    let committer = by.signature()?;
    let mut tip = base.clone();
    for commit in history::between(repository, base.id(), head.id())? {
        let commit = repository.find_commit(Oid::from_str(&commit.oid)?)?;
        // A merge commit has no single change to repeat; what it brought comes with its parents.
        if commit.parent_count() > 1 {
            continue;
        }
        let mut index = repository.cherrypick_commit(&commit, &tip, 0, None)?;
        if index.has_conflicts() {
            return Ok(None);
        }
        let tree = repository.find_tree(index.write_tree_to(repository)?)?;
        let message = String::from_utf8_lossy(commit.message_bytes()).into_owned();
        let oid = repository.commit(None, &commit.author(), &committer, &message, &tree, &[&tip])?;
        tip = repository.find_commit(oid)?;
    }
    Ok(Some(tip.id()))
}
