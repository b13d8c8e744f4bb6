//! Reactions to issues and comments.

use rusqlite::Connection;

use super::{comments, review_comments};
use crate::db::Tx;
use crate::db::reactions::{self, CONTENTS, Subject};
use crate::db::repos::Permission;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};

fn issue(call: &Call, conn: &Connection) -> Result<Subject, ApiError> {
    Ok(Subject::Issue(call.issue(conn)?.id))
}

fn comment(call: &Call, conn: &Connection) -> Result<Subject, ApiError> {
    Ok(Subject::Comment(comments::named(call, conn)?.id))
}

fn review_comment(call: &Call, conn: &Connection) -> Result<Subject, ApiError> {
    Ok(Subject::ReviewComment(review_comments::named(call, conn)?.id))
}

fn check_content(content: &str) -> Result<(), ApiError> {
    match CONTENTS.contains(&content) {
        true => Ok(()),
        false => Err(ApiError::invalid("Reaction", "content", "invalid")),
    }
}

fn list(call: &Call, conn: &Connection, subject: Subject) -> ApiResult {
    let content = call.query.get("content");
    if let Some(content) = &content {
        check_content(content)?;
    }
    let render = call.render(conn);
    let found = reactions::list(conn, subject, content.as_deref())?;
    let views = found.into_iter().map(|reaction| render.reaction(reaction)).collect::<Result<Vec<_>, _>>()?;
    page::reply_cut(call, views)
}

/// 201 for a new reaction, 200 for one that was there.
fn create(call: &Call, tx: &Tx<'_>, subject: Subject) -> ApiResult {
    let fields = call.fields()?;
    let content = fields.str("content")?;
    check_content(content)?;
    let (reaction, is_new) = reactions::react(tx, subject, call.actor_id()?, content, call.now)?;
    Reply::json(if is_new { 201 } else { 200 }, &call.render(tx).reaction(reaction)?)
}

fn delete(call: &Call, tx: &Tx<'_>, subject: Subject) -> ApiResult {
    let reaction =
        reactions::by_id(tx, subject, call.id_param("reaction_id")?)?.ok_or_else(ApiError::not_found)?;
    if reaction.account_id != call.actor_id()? && call.visit()?.permission < Permission::Admin {
        return Err(ApiError::forbidden("Must have admin rights to Repository."));
    }
    reactions::delete(tx, reaction.id)?;
    Reply::no_content()
}

pub(super) fn list_for_issue(call: &Call, conn: &Connection) -> ApiResult {
    list(call, conn, issue(call, conn)?)
}

pub(super) fn create_for_issue(call: &Call, tx: &Tx<'_>) -> ApiResult {
    create(call, tx, issue(call, tx)?)
}

pub(super) fn delete_for_issue(call: &Call, tx: &Tx<'_>) -> ApiResult {
    delete(call, tx, issue(call, tx)?)
}

pub(super) fn list_for_comment(call: &Call, conn: &Connection) -> ApiResult {
    list(call, conn, comment(call, conn)?)
}

pub(super) fn create_for_comment(call: &Call, tx: &Tx<'_>) -> ApiResult {
    create(call, tx, comment(call, tx)?)
}

pub(super) fn delete_for_comment(call: &Call, tx: &Tx<'_>) -> ApiResult {
    delete(call, tx, comment(call, tx)?)
}

pub(super) fn list_for_review_comment(call: &Call, conn: &Connection) -> ApiResult {
    list(call, conn, review_comment(call, conn)?)
}

pub(super) fn create_for_review_comment(call: &Call, tx: &Tx<'_>) -> ApiResult {
    create(call, tx, review_comment(call, tx)?)
}

pub(super) fn delete_for_review_comment(call: &Call, tx: &Tx<'_>) -> ApiResult {
    delete(call, tx, review_comment(call, tx)?)
}
