//! Branches.

use rusqlite::Connection;

use super::commits;
use crate::db::refs;
use crate::git::objects::{CommitInfo, parse_oid};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::commit::{full_branch, short_branch};

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let rows = refs::with_prefix(conn, call.repo()?.id, "refs/heads/")?;
    // No branch is protected yet, so a list of the protected ones is empty.
    let wanted = call.query.get("protected").as_deref() != Some("true");
    let place = call.place()?;
    page::reply_cut(call, rows.iter().filter(|_| wanted).map(|row| short_branch(place, row)).collect())
}

pub(super) fn get(call: &Call) -> ApiResult {
    let repo = call.repo()?;
    let name = format!("refs/heads/{}", call.param("branch"));
    let missing = || ApiError::new(404, "Branch not found");
    let lag = call.forge.panel.read_lag();
    let row =
        call.forge.db.read_lagging(lag, |conn| refs::find(conn, repo.id, &name))??.ok_or_else(missing)?;
    let repository = call.forge.git.open(repo.id)?;
    let commit = parse_oid(&row.oid).and_then(|oid| repository.find_commit(oid).ok()).ok_or_else(missing)?;
    let commit = CommitInfo::of(&commit);
    let place = call.place()?;
    Reply::ok(&full_branch(place, &row, &commits::view(call, &commit, None)?))
}
