//! Commit statuses.

use serde_json::json;

use super::check_runs::{named_commit, tell};
use crate::db::statuses::{self, NewStatus};
use crate::git::objects::resolve;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::news::What;

const STATES: [&str; 4] = ["error", "failure", "pending", "success"];
/// GitHub's bound on statuses of one commit and context.
const STATUSES_MAX: i64 = 1_000;
const DESCRIPTION_CHARS_MAX: usize = 140;
const CONTEXT_CHARS_MAX: usize = 255;

pub(super) fn create(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    check(&fields)?;
    let repository = call.forge.git.open(call.repo()?.id)?;
    let sha = call.param("sha");
    let commit = resolve(&repository, sha)
        .ok_or_else(|| ApiError::unprocessable(format!("No commit found for SHA: {sha}")))?;
    let (oid, scope) = (commit.id().to_string(), call.clone());
    let view = call.forge.db.writer().write_blocking(move |tx| {
        let repo = scope.repo()?;
        let context = fields.opt_str("context")?.unwrap_or("default");
        if statuses::count_in_context(tx, repo.id, &oid, context)? >= STATUSES_MAX {
            return Err(ApiError::invalid_because(
                "Status",
                "base",
                "This SHA and context has reached the maximum number of statuses.",
            ));
        }
        let new = NewStatus {
            repo_id: repo.id,
            oid: &oid,
            state: fields.str("state")?,
            context,
            description: fields.opt_str("description")?,
            target_url: fields.opt_str("target_url")?,
            creator_id: scope.actor_id()?,
            now: scope.now,
        };
        let status = statuses::insert(tx, &new)?;
        tell(&scope, tx, What::Status { status_id: status.id })?;
        Ok(scope.render(tx).commit_status(repo, &status)?)
    })?;
    let location = call.repo_url(&format!("statuses/{}", commit.id()));
    Reply::created(&view, location)
}

fn check(fields: &Fields) -> Result<(), ApiError> {
    if !STATES.contains(&fields.str("state")?) {
        let why = "state is not included in the list";
        return Err(ApiError::invalid_because("Status", "state", why));
    }
    let too_long = |key: &str, max: usize| {
        Ok::<_, ApiError>(fields.opt_str(key)?.is_some_and(|text| text.chars().count() > max))
    };
    for (key, max) in [("description", DESCRIPTION_CHARS_MAX), ("context", CONTEXT_CHARS_MAX)] {
        if too_long(key, max)? {
            let why = format!("{key} is too long (maximum is {max} characters)");
            return Err(ApiError::invalid_because("Status", key, why));
        }
    }
    match fields.opt_str("target_url")? {
        Some(url) if !url.is_empty() && !url.starts_with("http://") && !url.starts_with("https://") => {
            let why = "target_url must use http(s) scheme";
            Err(ApiError::invalid_because("Status", "target_url", why))
        }
        _ => Ok(()),
    }
}

pub(super) fn list(call: &Call) -> ApiResult {
    let (oid, repo, lag) = (named_commit(call)?, call.repo()?, call.forge.panel.read_lag());
    call.forge.db.read_lagging(lag, |conn| {
        let found = statuses::of_commit(conn, repo.id, &oid)?;
        let (total, page, render) = (found.len(), Page::of(call), call.render(conn));
        let mut views = Vec::new();
        for status in page.cut(found) {
            views.push(render.commit_status(repo, &status)?);
        }
        page::reply(call, page, &views, || Ok(i64::try_from(total).unwrap_or(i64::MAX)))
    })?
}

pub(super) fn combined(call: &Call) -> ApiResult {
    let (oid, repo, lag) = (named_commit(call)?, call.repo()?, call.forge.panel.read_lag());
    call.forge.db.read_lagging(lag, |conn| {
        let found = statuses::latest(conn, repo.id, &oid)?;
        let (state, total, page) = (statuses::combined(&found), found.len(), Page::of(call));
        let shown = page.cut(found);
        let view = call.render(conn).combined_status(repo, &oid, state, (&shown, total))?;
        let link = page::link(call, page, i64::try_from(total).unwrap_or(i64::MAX));
        Ok(Reply { link, ..Reply::ok(&json!(view))? })
    })?
}
