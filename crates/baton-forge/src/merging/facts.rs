//! What a pull request contains and whether it can be merged, as REST shows both.

use git2::{Oid, Repository};

use super::standing;
use crate::db::issues::Issue;
use crate::db::pulls::Pull;
use crate::db::repos::Repo;
use crate::git::{history, tree_diff};
use crate::http::error::ApiError;
use crate::server::Inner;
use crate::wire::commit::totals;
use crate::wire::pull::PullFacts;

/// Gathers the facts, and orders a trial merge when the last one says nothing any more.
pub(crate) fn pull_facts(
    forge: &Inner,
    repo: &Repo,
    issue: &Issue,
    pull: &Pull,
) -> Result<PullFacts, ApiError> {
    let standing = forge.db.read(|conn| standing::load(conn, &forge.git, repo, (issue, pull)))??;
    if standing.open && standing.trial.is_none() {
        forge.referee.order(pull.id);
    }
    let contained = contained(&forge.git.open(repo.id)?, pull)?.unwrap_or_default();
    Ok(PullFacts {
        mergeable: standing.trial.filter(|_| standing.open),
        mergeable_state: standing.merge_state().rest_name(),
        commits: contained.commits,
        additions: contained.additions,
        deletions: contained.deletions,
        changed_files: contained.changed_files,
    })
}

#[derive(Debug, Default)]
struct Contained {
    commits: usize,
    additions: usize,
    deletions: usize,
    changed_files: usize,
}

/// What lies between the base and the head; nothing when one of them is gone or they have no common history.
fn contained(repository: &Repository, pull: &Pull) -> Result<Option<Contained>, ApiError> {
    let base_ref = repository.find_reference(&format!("refs/heads/{}", pull.base_ref));
    let base = base_ref.ok().and_then(|reference| reference.peel_to_commit().ok());
    let head = Oid::from_str(&pull.head_oid).ok().and_then(|oid| repository.find_commit(oid).ok());
    let Some(head) = head else { return Ok(None) };
    // What a merged pull request contained is measured against the base it was merged into.
    let from = match (pull.merged_at, base) {
        (None, Some(base)) => base.id(),
        _ => Oid::from_str(&pull.base_oid)?,
    };
    let Ok(merge_base) = repository.merge_base(from, head.id()) else { return Ok(None) };
    let before = repository.find_commit(merge_base)?.tree()?;
    let files = tree_diff::changes(repository, Some(&before), Some(&head.tree()?))?;
    let (additions, deletions) = totals(&files);
    let commits = history::between(repository, from, head.id())?.len();
    Ok(Some(Contained { commits, additions, deletions, changed_files: files.len() }))
}
