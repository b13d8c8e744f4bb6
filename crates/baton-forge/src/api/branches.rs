//! Branches.

use rusqlite::Connection;

use super::commits;
use crate::db::protections;
use crate::db::refs::{self, RefRow};
use crate::git::objects::{CommitInfo, parse_oid};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::commit::{full_branch, short_branch};

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let rows = refs::with_prefix(conn, call.repo()?.id, "refs/heads/")?;
    let rules = protections::of_repo(conn, call.repo()?.id)?;
    let wanted = call.query.get("protected").map(|text| text == "true");
    let place = call.place()?;
    let view = |row: &RefRow| {
        let name = row.name.strip_prefix("refs/heads/").unwrap_or(&row.name);
        let is_protected = protections::applying(rules.clone(), name).is_some();
        wanted.is_none_or(|wanted| wanted == is_protected).then(|| short_branch(place, row, is_protected))
    };
    page::reply_cut(call, rows.iter().filter_map(view).collect())
}

pub(super) fn get(call: &Call) -> ApiResult {
    let repo = call.repo()?;
    let name = format!("refs/heads/{}", call.param("branch"));
    let missing = || ApiError::new(404, "Branch not found");
    let lag = call.forge.panel.read_lag();
    let (row, rule) = call.forge.db.read_lagging(lag, |conn| {
        let rule = protections::of_branch(conn, repo.id, call.param("branch"))?;
        Ok::<_, ApiError>((refs::find(conn, repo.id, &name)?, rule))
    })??;
    let row = row.ok_or_else(missing)?;
    let repository = call.forge.git.open(repo.id)?;
    let commit = parse_oid(&row.oid).and_then(|oid| repository.find_commit(oid).ok()).ok_or_else(missing)?;
    let commit = CommitInfo::of(&commit);
    let place = call.place()?;
    let settings = rule.as_ref().map(|rule| &rule.settings);
    Reply::ok(&full_branch(place, &row, &commits::view(call, &commit, None)?, settings))
}
