//! Comments on issues and pull requests.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::issue_fields::check_body;
use super::mentions;
use crate::db::comments::{self, Comment, RepoComments};
use crate::db::repos::Permission;
use crate::db::{Tx, issues};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::news::{News, Scope, What};

/// The comment that the path names.
pub(super) fn named(call: &Call, conn: &Connection) -> Result<Comment, ApiError> {
    comments::by_id(conn, call.repo()?.id, call.id_param("comment_id")?)?.ok_or_else(ApiError::not_found)
}

fn reply_page(
    call: &Call,
    conn: &Connection,
    page: Page,
    found: Vec<Comment>,
    count: impl FnOnce() -> Result<i64, ApiError>,
) -> ApiResult {
    let (repo, render) = (call.repo()?, call.render(conn));
    let views =
        found.into_iter().map(|comment| render.comment(repo, comment)).collect::<Result<Vec<_>, _>>()?;
    page::reply(call, page, &views, count)
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let (issue, page, since) = (call.issue(conn)?, Page::of(call), call.query.since()?);
    let found = comments::of_issue(conn, issue.id, since, page.size, page.offset())?;
    reply_page(call, conn, page, found, || match since {
        None => Ok(issue.comments),
        Some(_) => Ok(comments::count_of_issue(conn, issue.id, since)?),
    })
}

pub(super) fn list_for_repo(call: &Call, conn: &Connection) -> ApiResult {
    let (repo_id, page, since) = (call.repo()?.id, Page::of(call), call.query.since()?);
    let how = RepoComments {
        since,
        by_update: call.query.get("sort").as_deref() == Some("updated"),
        descending: call.query.is_descending(false),
    };
    let found = comments::of_repo(conn, repo_id, &how, page.size, page.offset())?;
    reply_page(call, conn, page, found, || Ok(comments::count_of_repo(conn, repo_id, since)?))
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let comment = named(call, conn)?;
    let modified_at = comment.updated_at;
    Reply::one(&call.render(conn).comment(call.repo()?, comment)?, modified_at)
}

/// Tells what happened to a comment; a deletion before it is made.
fn tell(
    call: &Call,
    tx: &Tx<'_>,
    (comment_id, issue_id): (i64, i64),
    action: &'static str,
    detail: Value,
) -> Result<(), ApiError> {
    let what = What::Comment { comment_id, issue_id, action, detail };
    let scope = Scope::Repo(call.repo()?.id);
    tx.tell(News { scope, actor_id: call.actor_id()?, now: call.now, what });
    Ok(())
}

fn body_field(call: &Call) -> Result<String, ApiError> {
    let fields = call.fields()?;
    let body = fields.str("body")?;
    if body.trim().is_empty() {
        return Err(ApiError::invalid_because("IssueComment", "data", "Body cannot be blank"));
    }
    check_body("IssueComment", Some(body))?;
    Ok(body.to_owned())
}

pub(super) fn create(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    let body = body_field(call)?;
    let visit = call.visit()?;
    if issue.locked && visit.permission < Permission::Write {
        return Err(ApiError::forbidden("Unable to create comment because issue is locked."));
    }
    let id = comments::insert(tx, visit.repo.id, issue.id, call.actor_id()?, &body, call.now)?;
    tell(call, tx, (id, issue.id), "created", Value::Null)?;
    mentions::record(call, tx, &issue, Some(&body))?;
    let comment = comments::by_id(tx, visit.repo.id, id)?.ok_or_else(ApiError::not_found)?;
    let location = call.repo_url(&format!("issues/comments/{id}"));
    Reply::created(&call.render(tx).comment(&visit.repo, comment)?, location)
}

/// A comment is its author's, and of those who may write to the repository.
fn check_owner(call: &Call, comment: &Comment) -> Result<(), ApiError> {
    if comment.author_id == call.actor_id()? || call.visit()?.permission >= Permission::Write {
        return Ok(());
    }
    Err(ApiError::forbidden("Must have admin rights to Repository."))
}

pub(super) fn update(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let comment = named(call, tx)?;
    check_owner(call, &comment)?;
    let body = body_field(call)?;
    comments::set_body(tx, comment.id, &body, call.now)?;
    if body != comment.body {
        let changes = json!({ "changes": { "body": { "from": comment.body } } });
        tell(call, tx, (comment.id, comment.issue_id), "edited", changes)?;
    }
    issues::touch(tx, comment.issue_id, call.now)?;
    if let Some(issue) = issues::by_id(tx, comment.issue_id)? {
        mentions::record(call, tx, &issue, Some(&body))?;
    }
    let comment = named(call, tx)?;
    Reply::ok(&call.render(tx).comment(call.repo()?, comment)?)
}

pub(super) fn delete(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let comment = named(call, tx)?;
    check_owner(call, &comment)?;
    tell(call, tx, (comment.id, comment.issue_id), "deleted", Value::Null)?;
    comments::delete(tx, &comment, call.now)?;
    Reply::no_content()
}
