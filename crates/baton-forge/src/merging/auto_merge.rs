//! Auto-merge: turned on for a pull request that cannot be merged yet, carried out as the one who turned it on.

use std::sync::Arc;

use super::carry_out::{self, MergeOrder};
use super::state::MergeState;
use super::{referee, standing};
use crate::db::Tx;
use crate::db::accounts::{self, Account};
use crate::db::events::{self, Happening, Scene};
use crate::db::issues::Issue;
use crate::db::pulls::{self, AutoMerge, Pull};
use crate::db::repos::{self, Permission, Repo};
use crate::git::merge::MergeMethod;
use crate::http::error::ApiError;
use crate::news::{News, Scope, What};
use crate::server::Inner;

/// Looks at everything that waits in a repository, or everywhere, and merges what may be merged now.
pub(super) fn look(forge: &Arc<Inner>, repo_id: Option<i64>) -> Result<(), ApiError> {
    let armed = forge.db.read(|conn| pulls::armed(conn, repo_id))??;
    for (issue, pull) in armed {
        if let Err(error) = consider(forge, &issue, &pull) {
            // It stays as it is, and is looked at again when there is news.
            tracing::info!(error = error.message, pull = issue.number, "not merged by itself");
        }
    }
    let closed = forge.db.read(|conn| pulls::armed_but_closed(conn, repo_id))??;
    for (issue, pull) in closed {
        let by = issue.closed_by.unwrap_or(issue.author_id);
        disable(forge, &issue, &pull, by, "Pull request was closed")?;
    }
    Ok(())
}

fn consider(forge: &Arc<Inner>, issue: &Issue, pull: &Pull) -> Result<(), ApiError> {
    let Some(auto) = &pull.auto_merge else { return Ok(()) };
    referee::try_merge(forge, pull.id)?;
    let Some(seen) = forge.db.read(|conn| see(forge, conn, issue, pull.id, auto.by))?? else {
        return Ok(());
    };
    if !seen.may_write {
        return disable(forge, issue, pull, auto.by, "Whoever enabled it may no longer write here");
    }
    if !matches!(seen.state, MergeState::Clean | MergeState::Unstable) {
        return Ok(());
    }
    let order = MergeOrder {
        method: MergeMethod::parse(&auto.method).unwrap_or(MergeMethod::Merge),
        title: auto.title.clone(),
        message: auto.message.clone(),
        expected_head: Some(seen.head),
        by: seen.by,
        may_bypass: false,
        now: forge.clock.now_s(),
    };
    carry_out::merge(forge, &seen.repo, issue.number, &order).map(drop)
}

/// What decides about a merge by itself.
struct Seen {
    repo: Repo,
    by: Account,
    may_write: bool,
    state: MergeState,
    head: String,
}

fn see(
    forge: &Inner,
    conn: &rusqlite::Connection,
    issue: &Issue,
    pull_id: i64,
    by: i64,
) -> Result<Option<Seen>, ApiError> {
    let Some(repo) = repos::by_id(conn, issue.repo_id)? else { return Ok(None) };
    let Some((issue, pull)) = pulls::by_id(conn, pull_id)? else { return Ok(None) };
    let by = accounts::by_id(conn, by)?;
    let may_write = repos::permission(conn, &repo, &by)? >= Permission::Write;
    let state = standing::load(conn, &forge.git, &repo, (&issue, &pull))?.merge_state();
    Ok(Some(Seen { repo, by, may_write, state, head: pull.head_oid }))
}

/// What turning it on is asked with.
pub(crate) struct Enabling {
    pub(crate) method: MergeMethod,
    pub(crate) title: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) expected_head: Option<String>,
    pub(crate) by: i64,
    pub(crate) now: i64,
}

/// Turns auto-merge on, or says in GitHub's words why not.
pub(crate) fn enable(
    forge: &Arc<Inner>,
    repo: &Repo,
    (issue, pull): (&Issue, &Pull),
    enabling: Enabling,
) -> Result<(), ApiError> {
    if !repo.merging.auto_merge {
        return Err(ApiError::unprocessable("Auto merge is not allowed for this repository"));
    }
    carry_out::check_method(repo, enabling.method)?;
    if !issue.is_open() {
        return Err(ApiError::unprocessable("Pull request Pull request is closed"));
    }
    if enabling.expected_head.as_ref().is_some_and(|expected| *expected != pull.head_oid) {
        return Err(carry_out::head_was_modified());
    }
    // Whether it could be merged at once decides, so it must be known.
    referee::try_merge(forge, pull.id)?;
    let (issue, pull) =
        forge.db.read(|conn| pulls::by_id(conn, pull.id))??.ok_or_else(ApiError::not_found)?;
    let state = forge.db.read(|conn| standing::load(conn, &forge.git, repo, (&issue, &pull)))??.merge_state();
    if matches!(state, MergeState::Clean | MergeState::Unstable) {
        let message = format!("Pull request Pull request is in {} status", state.rest_name());
        return Err(ApiError::unprocessable(message));
    }
    let auto = AutoMerge {
        method: enabling.method.name().to_owned(),
        by: enabling.by,
        at: enabling.now,
        title: enabling.title,
        message: enabling.message,
    };
    let scene = Scene { repo_id: repo.id, issue_id: issue.id, actor_id: auto.by, now: auto.at };
    forge.db.writer().write_blocking(move |tx| {
        pulls::set_auto_merge(tx, pull.id, Some(&auto))?;
        events::record(tx, scene, &Happening::AutoMergeEnabled)?;
        tell(tx, scene, "auto_merge_enabled", serde_json::Value::Null);
        Ok(())
    })
}

/// Turns it off.
pub(crate) fn disable(
    forge: &Inner,
    issue: &Issue,
    pull: &Pull,
    by: i64,
    reason: &'static str,
) -> Result<(), ApiError> {
    let scene = Scene { repo_id: issue.repo_id, issue_id: issue.id, actor_id: by, now: forge.clock.now_s() };
    let pull_id = pull.id;
    forge.db.writer().write_blocking(move |tx| {
        pulls::set_auto_merge(tx, pull_id, None)?;
        events::record(tx, scene, &Happening::AutoMergeDisabled)?;
        tell(tx, scene, "auto_merge_disabled", serde_json::json!({ "reason": reason }));
        Ok(())
    })
}

fn tell(tx: &Tx<'_>, scene: Scene, action: &'static str, detail: serde_json::Value) {
    tx.tell(News {
        scope: Scope::Repo(scene.repo_id),
        actor_id: scene.actor_id,
        now: scene.now,
        what: What::Issue { issue_id: scene.issue_id, action, detail },
    });
}
