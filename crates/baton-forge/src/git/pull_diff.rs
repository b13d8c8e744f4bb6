//! What a pull request changes: its head against the commit at which it left its base, and where threads stand in it.

use git2::{Commit, Oid, Repository};

use super::patch_lines::{self, Side};
use super::tree_diff::{self, FileChange};
use crate::db::pulls::Pull;
use crate::db::review_threads::{Place, Thread};
use crate::http::error::ApiError;

/// GitHub's limit of files of one pull request.
const FILES_MAX: usize = 3_000;

/// Both ends of what a pull request changes.
pub(crate) struct PullDiff<'r> {
    repository: &'r Repository,
    /// The commit at which the head left the base.
    pub(crate) fork: Commit<'r>,
    pub(crate) head: Commit<'r>,
}

/// The tip of the base as far as the pull request is concerned: what a merged one contained is measured against the
/// base it was merged into, and a base that is gone counts as it was last seen.
pub(crate) fn base_tip<'r>(repository: &'r Repository, pull: &Pull) -> Option<Commit<'r>> {
    let branch = || {
        let reference = repository.find_reference(&format!("refs/heads/{}", pull.base_ref)).ok()?;
        reference.peel_to_commit().ok()
    };
    let seen = || repository.find_commit(Oid::from_str(&pull.base_oid).ok()?).ok();
    if pull.merged_at.is_some() { seen() } else { branch().or_else(seen) }
}

impl<'r> PullDiff<'r> {
    /// The difference up to a commit of the pull request; nothing when git has lost one of the two ends.
    pub(crate) fn up_to(repository: &'r Repository, pull: &Pull, head_oid: &str) -> Option<Self> {
        let head = repository.find_commit(Oid::from_str(head_oid).ok()?).ok()?;
        let base = base_tip(repository, pull)?;
        let fork = repository.merge_base(base.id(), head.id()).ok()?;
        Some(Self { repository, fork: repository.find_commit(fork).ok()?, head })
    }

    pub(crate) fn of(repository: &'r Repository, pull: &Pull) -> Option<Self> {
        Self::up_to(repository, pull, &pull.head_oid)
    }

    pub(crate) fn files(&self) -> Result<Vec<FileChange>, ApiError> {
        let (from, to) = (self.fork.tree()?, self.head.tree()?);
        Ok(tree_diff::changes_up_to(self.repository, Some(&from), Some(&to), FILES_MAX)?)
    }

    pub(crate) fn file(&self, path: &str) -> Result<Option<FileChange>, ApiError> {
        let (from, to) = (self.fork.tree()?, self.head.tree()?);
        Ok(tree_diff::change_of(self.repository, Some(&from), Some(&to), path)?)
    }

    pub(crate) fn text(&self) -> Result<Vec<u8>, ApiError> {
        let (from, to) = (self.fork.tree()?, self.head.tree()?);
        Ok(tree_diff::text(self.repository, Some(&from), Some(&to))?)
    }

    /// Where a thread that stood in `before` stands in this difference; nothing when its place is gone.
    pub(crate) fn follow(&self, before: &PullDiff<'_>, thread: &Thread) -> Result<Option<Place>, ApiError> {
        let place = &thread.place;
        let Some(file) = self.file(&place.path)? else { return Ok(None) };
        let commit_oid = self.head.id().to_string();
        if place.subject == "file" {
            return Ok(Some(Place { commit_oid, ..place.clone() }));
        }
        let (Some(line), Some(patch)) = (place.line, file.patch) else { return Ok(None) };
        let carry = |line: i64, side: &str| self.carry(before, &place.path, line, side);
        let Some(line) = carry(line, place.side)? else { return Ok(None) };
        let side = Side::parse(place.side).unwrap_or(Side::Right);
        let Some(position) = patch_lines::position_of(&patch, side, line) else { return Ok(None) };
        let start_line = match place.start_line {
            Some(start) => carry(start, place.start_side.unwrap_or(place.side))?,
            None => None,
        };
        let moved =
            Place { line: Some(line), start_line, position: Some(position), commit_oid, ..place.clone() };
        Ok(Some(moved))
    }

    /// Where a line of one side of `before` is on the same side of this difference.
    fn carry(
        &self,
        before: &PullDiff<'_>,
        path: &str,
        line: i64,
        side: &str,
    ) -> Result<Option<i64>, ApiError> {
        let (old, new) = match side {
            "LEFT" => (&before.fork, &self.fork),
            _ => (&before.head, &self.head),
        };
        let change = tree_diff::change_of(self.repository, Some(&old.tree()?), Some(&new.tree()?), path)?;
        Ok(match change {
            None => Some(line),
            Some(change) => change.patch.and_then(|patch| patch_lines::moved(&patch, line)),
        })
    }
}

/// Says for each thread where it stands after a pull request's ends have moved; nothing for a place that is gone.
pub(crate) fn follow_threads(
    repository: &Repository,
    (before, after): (&Pull, &Pull),
    threads: &[Thread],
) -> Result<Vec<(i64, Option<Place>)>, ApiError> {
    let Some(diff) = PullDiff::of(repository, after) else {
        return Ok(threads.iter().map(|thread| (thread.id, None)).collect());
    };
    let mut moves = Vec::new();
    for thread in threads {
        let old = PullDiff::up_to(repository, before, &thread.place.commit_oid);
        let place = match old {
            Some(old) => diff.follow(&old, thread)?,
            None => None,
        };
        moves.push((thread.id, place));
    }
    Ok(moves)
}
