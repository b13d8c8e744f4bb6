//! What a push means for pull requests beyond their heads: threads that move along, approvals that grow stale, and
//! pull requests whose commits have arrived in their base, which are merged by that.

use git2::{Oid, Repository};
use serde_json::json;

use super::history;
use super::objects::parse_oid;
use super::pull_diff;
use super::ref_changes::{Followers, RefChange, close, close_linked};
use crate::api::pull_news::tell_pull;
use crate::api::review_writing::{dismiss_stale, dismisses_stale};
use crate::db::Tx;
use crate::db::events::{self, Happening, Scene};
use crate::db::issues::{self, Issue};
use crate::db::pulls::{self, Pull};
use crate::db::repos::Repo;
use crate::db::review_threads::{self, Place};
use crate::http::error::ApiError;

/// A pull request whose head is now part of its base.
pub(super) struct Arrival {
    issue: Issue,
    pull: Pull,
    /// The base before the push, against which it is measured what was merged.
    base_before: String,
    /// The commit that brought it in: a merge of its head, or the head itself.
    merged_by: String,
}

impl Followers<'_> {
    /// Where the threads of pull requests stand after a change of their head branch.
    pub(super) fn follow_threads(
        &self,
        repository: &Repository,
        change: &RefChange,
        pulls: &[(Issue, Pull)],
    ) -> Result<Vec<(i64, Option<Place>)>, ApiError> {
        let Some(new) = &change.new else { return Ok(Vec::new()) };
        let mut moves = Vec::new();
        for (_, pull) in pulls {
            let standing = self.db.read(|conn| review_threads::standing(conn, pull.id))??;
            let after = Pull { head_oid: new.oid.clone(), ..pull.clone() };
            moves.extend(pull_diff::follow_threads(repository, (pull, &after), &standing)?);
        }
        Ok(moves)
    }

    /// Finds the open pull requests that a push to their base has merged.
    pub(super) fn arrivals(
        &self,
        repository: &Repository,
        repo_id: i64,
        changes: &[RefChange],
    ) -> Result<Vec<Arrival>, ApiError> {
        let mut found = Vec::new();
        for change in changes {
            let (Some(branch), Some(old), Some(new)) =
                (change.name.strip_prefix("refs/heads/"), &change.old, &change.new)
            else {
                continue;
            };
            let (Some(before), Some(after)) = (parse_oid(old), parse_oid(&new.oid)) else { continue };
            for (issue, pull) in self.db.read(|conn| pulls::open_by_base(conn, repo_id, branch))?? {
                let Some(head) = parse_oid(&head_after(&pull, changes)) else { continue };
                let is_new = !history::contains(repository, before, head);
                if is_new && history::contains(repository, after, head) {
                    let merged_by = bringer(repository, before, after, head)?;
                    found.push(Arrival { issue, pull, base_before: old.clone(), merged_by });
                }
            }
        }
        Ok(found)
    }
}

/// The head of a pull request after a push that may have moved it too.
pub(super) fn head_after(pull: &Pull, changes: &[RefChange]) -> String {
    let name = format!("refs/heads/{}", pull.head_ref);
    let moved = changes.iter().find(|change| change.name == name).and_then(|change| change.new.as_ref());
    moved.map_or_else(|| pull.head_oid.clone(), |row| row.oid.clone())
}

fn bringer(repository: &Repository, before: Oid, after: Oid, head: Oid) -> Result<String, ApiError> {
    let head = head.to_string();
    let commits = history::between(repository, before, after)?;
    let merge = commits.iter().find(|commit| commit.parents.iter().skip(1).any(|parent| *parent == head));
    Ok(merge.map_or(head, |commit| commit.oid.clone()))
}

impl Arrival {
    /// The branch that a branch is merged into by this.
    pub(super) fn base_of(&self, head_ref: &str) -> Option<&str> {
        (self.pull.head_ref == head_ref).then_some(self.pull.base_ref.as_str())
    }

    /// Marks the pull request merged, if it is still open, and closes what its text says it closes.
    pub(super) fn settle(&self, tx: &Tx<'_>, repo: &Repo, actor_id: i64, now: i64) -> Result<(), ApiError> {
        let (issue, pull) = (&self.issue, &self.pull);
        if !issues::by_id(tx, issue.id)?.is_some_and(|issue| issue.is_open()) {
            return Ok(());
        }
        let scene = Scene { repo_id: repo.id, issue_id: issue.id, actor_id, now };
        pulls::set_base(tx, pull.id, &pull.base_ref, &self.base_before)?;
        pulls::set_merged(tx, pull.id, actor_id, &self.merged_by, now)?;
        // What was waited for has come: nobody turned the waiting off.
        pulls::set_auto_merge(tx, pull.id, None)?;
        events::record(tx, scene, &Happening::Merged { commit: &self.merged_by })?;
        close(tx, scene, None, Some(&self.merged_by))?;
        close_linked(tx, scene, pull.id, &self.merged_by)
    }
}

/// Tells that a pull request's head has moved, and takes approvals their weight where the base's protection says so.
pub(super) fn synchronize(tx: &Tx<'_>, scene: Scene, pull: &Pull, after: &str) -> Result<(), ApiError> {
    if dismisses_stale(tx, scene.repo_id, &pull.base_ref)? {
        dismiss_stale(tx, scene, pull.id, after)?;
    }
    tell_pull(tx, scene, "synchronize", json!({ "before": pull.head_oid, "after": after }));
    Ok(())
}
