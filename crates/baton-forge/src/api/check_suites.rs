//! Check suites: one for each commit and reporting program.

use rusqlite::Connection;
use serde_json::json;

use super::check_runs::{branch_at, head_sha, named_commit, tell};
use crate::db::Tx;
use crate::db::checks::{self, CheckSuite, SuitePlace};
use crate::git::objects::{CommitInfo, parse_oid};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::news::What;

/// The suite that the path names.
pub(super) fn numbered(call: &Call, conn: &Connection) -> Result<CheckSuite, ApiError> {
    let suite = checks::suite(conn, call.id_param("check_suite_id")?)?;
    let repo_id = call.repo()?.id;
    suite.filter(|suite| suite.repo_id == repo_id).ok_or_else(ApiError::not_found)
}

/// A suite's commit. Git may have lost it since, and then so is the suite.
fn head_of(call: &Call, oid: &str) -> Result<CommitInfo, ApiError> {
    let repository = call.forge.git.open(call.repo()?.id)?;
    let commit = parse_oid(oid).and_then(|oid| repository.find_commit(oid).ok());
    commit.map(|commit| CommitInfo::of(&commit)).ok_or_else(ApiError::not_found)
}

pub(super) fn get(call: &Call) -> ApiResult {
    let lag = call.forge.panel.read_lag();
    let suite = call.forge.db.read_lagging(lag, |conn| numbered(call, conn))??;
    reply_suite(call, &suite, 200)
}

fn reply_suite(call: &Call, suite: &CheckSuite, status: u16) -> ApiResult {
    let head = head_of(call, &suite.head_oid)?;
    let view = call
        .forge
        .db
        .read(|conn| call.render(conn).check_suite(call.repo()?, suite, &head).map_err(ApiError::from))??;
    match status {
        201 => Reply::created(&view, call.repo_url(&format!("check-suites/{}", suite.id))),
        _ => Reply::ok(&view),
    }
}

pub(super) fn create(call: &Call) -> ApiResult {
    let oid = head_sha(call, &call.fields()?)?;
    let scope = call.clone();
    let (suite, is_new) = call.forge.db.writer().write_blocking(move |tx| {
        let branch = branch_at(tx, &scope, &oid)?;
        let place = SuitePlace {
            repo_id: scope.repo()?.id,
            app_id: checks::REPORTER.id,
            head_oid: &oid,
            head_branch: branch.as_deref(),
            before_oid: None,
        };
        let (suite, is_new) = checks::ensure_suite(tx, &place, scope.now)?;
        if is_new {
            tell(&scope, tx, What::CheckSuite { suite_id: suite.id, action: "requested" })?;
        }
        Ok::<_, ApiError>((suite, is_new))
    })?;
    reply_suite(call, &suite, if is_new { 201 } else { 200 })
}

pub(super) fn list_for_ref(call: &Call) -> ApiResult {
    let oid = named_commit(call)?;
    let (head, repo, lag) = (head_of(call, &oid)?, call.repo()?, call.forge.panel.read_lag());
    let (name, app) = (call.query.get("check_name"), call.query.get("app_id"));
    call.forge.db.read_lagging(lag, |conn| {
        let mut found = Vec::new();
        for suite in checks::suites_of(conn, repo.id, &oid)? {
            let is_of_app = app.as_ref().is_none_or(|app| suite.app_id.to_string() == *app);
            let has_name = match &name {
                Some(name) => checks::runs_in(conn, suite.id, true)?.iter().any(|run| run.name == *name),
                None => true,
            };
            if is_of_app && has_name {
                found.push(suite);
            }
        }
        let (total, page, render) = (found.len(), Page::of(call), call.render(conn));
        let mut views = Vec::new();
        for suite in page.cut(found) {
            views.push(render.check_suite(repo, &suite, &head)?);
        }
        let link = page::link(call, page, i64::try_from(total).unwrap_or(i64::MAX));
        Ok(Reply { link, ..Reply::ok(&json!({ "total_count": total, "check_suites": views }))? })
    })?
}

/// Asks for everything in a suite to be reported again.
pub(super) fn rerequest(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let suite = numbered(call, tx)?;
    tell(call, tx, What::CheckSuite { suite_id: suite.id, action: "rerequested" })?;
    Reply::json(201, &json!({}))
}
