//! Finishes merges that a crash has cut in two: git had moved the base branch, and the tables did not know yet.
//!
//! Nothing else could tell: the commits of a squash or a rebase are not those of the pull request, so it would stay open
//! beside its own changes. What had not moved the branch is forgotten; whoever asked for it got no answer.

use super::carry_out::{self, MergeOrder};
use crate::db::merge_intents::{self, MergeIntent};
use crate::db::{accounts, pulls, repos};
use crate::git::history;
use crate::git::merge::MergeMethod;
use crate::git::objects::parse_oid;
use crate::http::error::ApiError;
use crate::server::Inner;
use crate::sync::lock;

/// Finishes or forgets every merge that was under way when the forge ended. It must run before pushes are followed, which
/// would take a finished half for a push.
pub(crate) fn finish_all(forge: &Inner) -> Result<(), ApiError> {
    for intent in forge.db.read(merge_intents::all)?? {
        if let Err(error) = finish(forge, &intent) {
            // It stays written down for the next start.
            tracing::error!(pull = intent.pull_id, error = error.message, "cannot finish its merge");
        }
    }
    Ok(())
}

fn finish(forge: &Inner, intent: &MergeIntent) -> Result<(), ApiError> {
    let found = forge.db.read(|conn| {
        let Some((issue, pull)) = pulls::by_id(conn, intent.pull_id)? else { return Ok(None) };
        let Some(repo) = repos::by_id(conn, issue.repo_id)? else { return Ok(None) };
        let by = accounts::by_id(conn, intent.by)?;
        Ok::<_, ApiError>(Some((repo, issue, pull, by)))
    })??;
    let Some((repo, issue, pull, by)) = found else { return forget(forge, intent) };
    let gate = forge.git.gate(repo.id);
    let _held = lock(&gate);
    let is_under_way = issue.is_open() && pull.merged_at.is_none();
    if !is_under_way || !has_moved(forge, repo.id, &pull.base_ref, &intent.to)? {
        return forget(forge, intent);
    }
    let order = MergeOrder {
        method: MergeMethod::parse(&intent.method).unwrap_or(MergeMethod::Merge),
        title: None,
        message: None,
        expected_head: None,
        by,
        may_bypass: false,
        now: intent.at,
    };
    carry_out::finish(forge, &repo, (&issue, &pull), &order, (&intent.from, &intent.to))
}

/// Whether the base branch has the commit that the merge made.
fn has_moved(forge: &Inner, repo_id: i64, base: &str, to: &str) -> Result<bool, ApiError> {
    let repository = forge.git.open(repo_id)?;
    let tip = repository.refname_to_id(&format!("refs/heads/{base}")).ok();
    Ok(match (tip, parse_oid(to)) {
        (Some(tip), Some(to)) => history::contains(&repository, tip, to),
        _ => false,
    })
}

fn forget(forge: &Inner, intent: &MergeIntent) -> Result<(), ApiError> {
    let pull_id = intent.pull_id;
    forge.db.writer().write_blocking(move |tx| Ok::<_, ApiError>(merge_intents::remove(tx, pull_id)?))
}
