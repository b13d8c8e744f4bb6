//! Comments on places of a pull request's difference.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::issue_fields::{check_body, scene};
use super::pull_news::{body_change, tell};
use super::review_places::{self, Wanted};
use super::review_writing::{self, Reviewed, Spot};
use super::reviews::{commit_of, reviewed, viewer_id};
use crate::db::repos::Permission;
use crate::db::review_comments::{self, Listing, Of, ReviewComment};
use crate::db::{Tx, issues, pulls, review_threads};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::news::What;

/// The comment that the path names, if the viewer may see it.
pub(super) fn named(call: &Call, conn: &Connection) -> Result<ReviewComment, ApiError> {
    let comment = review_comments::by_id(conn, call.id_param("comment_id")?)?;
    let repo_id = call.repo()?.id;
    let is_visible = |comment: &ReviewComment| {
        comment.repo_id == repo_id && (!comment.is_pending || comment.author_id == viewer_id(call))
    };
    comment.filter(is_visible).ok_or_else(ApiError::not_found)
}

fn listed(call: &Call, conn: &Connection, of: Of) -> ApiResult {
    let by_update = call.query.get("sort").as_deref() == Some("updated");
    let listing = Listing {
        of,
        viewer_id: viewer_id(call),
        since: call.query.since()?,
        by_update,
        descending: call.query.is_descending(false),
    };
    let (repo, render, page) = (call.repo()?, call.render(conn), Page::of(call));
    let found = listing.page(conn, page.size, page.offset())?;
    let views = found
        .into_iter()
        .map(|comment| render.review_comment(repo, comment))
        .collect::<Result<Vec<_>, _>>()?;
    page::reply(call, page, &views, || Ok(listing.count(conn)?))
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    listed(call, conn, Of::Pull(reviewed(call, conn)?.pull.id))
}

pub(super) fn list_for_repo(call: &Call, conn: &Connection) -> ApiResult {
    listed(call, conn, Of::Repo(call.repo()?.id))
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let comment = named(call, conn)?;
    let modified_at = comment.updated_at;
    Reply::one(&call.render(conn).review_comment(call.repo()?, comment)?, modified_at)
}

fn reply_created(call: &Call, conn: &Connection, id: i64) -> ApiResult {
    let comment = review_comments::by_id(conn, id)?.ok_or_else(ApiError::not_found)?;
    let location = call.repo_url(&format!("pulls/comments/{id}"));
    Reply::created(&call.render(conn).review_comment(call.repo()?, comment)?, location)
}

/// A comment at a place, or a reply where the client names what it answers.
pub(super) fn create(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    if let Some(id) = fields.opt_i64("in_reply_to")? {
        let (scope, body) = (call.clone(), fields.str("body")?.to_owned());
        return call.forge.db.writer().write_blocking(move |tx| answer(&scope, tx, id, &body));
    }
    let reviewed = call.forge.db.read(|conn| reviewed(call, conn))??;
    let repository = call.forge.git.open(reviewed.issue.repo_id)?;
    let commit_oid = commit_of(&fields, &reviewed)?;
    let place = review_places::locate(&repository, &reviewed.pull, &commit_oid, &Wanted::read(&fields)?)?;
    let scope = call.clone();
    call.forge.db.writer().write_blocking(move |tx| {
        let said = (Spot::New(&place), fields.str("body")?);
        let id = review_writing::comment_at_once(&scope, tx, &reviewed, said)?;
        reply_created(&scope, tx, id)
    })
}

pub(super) fn reply(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let fields = call.fields()?;
    answer(call, tx, call.id_param("comment_id")?, fields.str("body")?)
}

/// Answers a comment of the pull request that the path names.
fn answer(call: &Call, tx: &Tx<'_>, to: i64, body: &str) -> ApiResult {
    let reviewed = reviewed(call, tx)?;
    let comment = review_comments::by_id(tx, to)?;
    let comment = comment.filter(|comment| comment.pull_id == reviewed.pull.id);
    let comment = comment.filter(|comment| !comment.is_pending || comment.author_id == viewer_id(call));
    let comment = comment.ok_or_else(ApiError::not_found)?;
    let thread = review_threads::by_id(tx, comment.thread_id)?.ok_or_else(ApiError::not_found)?;
    let id = review_writing::comment_at_once(call, tx, &reviewed, (Spot::Reply(&thread), body))?;
    reply_created(call, tx, id)
}

/// A comment is its author's, and of those who may write to the repository.
fn check_owner(call: &Call, comment: &ReviewComment) -> Result<(), ApiError> {
    if comment.author_id == call.actor_id()? || call.visit()?.permission >= Permission::Write {
        return Ok(());
    }
    Err(ApiError::forbidden("Must have admin rights to Repository."))
}

fn body_field(fields: &Fields) -> Result<&str, ApiError> {
    let body = fields.str("body")?;
    if body.trim().is_empty() {
        return Err(ApiError::invalid_because("PullRequestReviewComment", "body", "Body cannot be blank"));
    }
    check_body("PullRequestReviewComment", Some(body))?;
    Ok(body)
}

pub(super) fn update(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let comment = named(call, tx)?;
    check_owner(call, &comment)?;
    let fields = call.fields()?;
    review_comments::set_body(tx, comment.id, body_field(&fields)?, call.now)?;
    if !comment.is_pending {
        touch(call, tx, &comment)?;
        let detail = body_change(&comment.body);
        tell(call, tx, What::ReviewComment { comment_id: comment.id, action: "edited", detail })?;
    }
    let comment = named(call, tx)?;
    Reply::ok(&call.render(tx).review_comment(call.repo()?, comment)?)
}

pub(super) fn delete(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let comment = named(call, tx)?;
    check_owner(call, &comment)?;
    let shown: Value = serde_json::to_value(call.render(tx).review_comment(call.repo()?, comment.clone())?)?;
    review_comments::delete(tx, &comment)?;
    if !comment.is_pending {
        touch(call, tx, &comment)?;
        let detail = json!({ "pull_id": comment.pull_id, "comment": shown });
        tell(call, tx, What::ReviewComment { comment_id: comment.id, action: "deleted", detail })?;
    }
    Reply::no_content()
}

fn touch(call: &Call, tx: &Tx<'_>, comment: &ReviewComment) -> Result<(), ApiError> {
    if let Some((issue, _)) = pulls::by_id(tx, comment.pull_id)? {
        issues::touch(tx, issue.id, call.now)?;
    }
    Ok(())
}

/// Settles a thread, or opens it again. Whoever may write does, and whoever opened the pull request.
pub(crate) fn set_resolved(
    call: &Call,
    tx: &Tx<'_>,
    reviewed: &Reviewed,
    thread_id: i64,
    resolved: bool,
) -> Result<(), ApiError> {
    let actor_id = call.actor_id()?;
    if call.visit()?.permission < Permission::Write && reviewed.issue.author_id != actor_id {
        return Err(ApiError::forbidden("Must have write rights to Repository."));
    }
    let thread = review_threads::by_id(tx, thread_id)?.ok_or_else(ApiError::not_found)?;
    if thread.resolved_by.is_some() == resolved {
        return Ok(());
    }
    review_threads::set_resolved(tx, thread.id, resolved.then_some(actor_id))?;
    let scene = scene(call, &reviewed.issue)?;
    issues::touch(tx, scene.issue_id, call.now)?;
    let action = if resolved { "resolved" } else { "unresolved" };
    tell(call, tx, What::ReviewThread { thread_id: thread.id, action })
}
