//! Sub-issues: parents and children, in an order.

use std::sync::Arc;

use rusqlite::Connection;

use super::issue_fields::scene;
use super::issues::reply_linked;
use crate::db::Tx;
use crate::db::events::{self, Happening, Scene};
use crate::db::issues::{self, Issue};
use crate::db::links::{self, CHILDREN_MAX, LEVELS_MAX};
use crate::db::repos::{self, Permission};
use crate::http::access;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};

/// Renders issues that may live in several repositories.
pub(super) fn reply_issues(call: &Call, conn: &Connection, found: Vec<Issue>) -> ApiResult {
    let mut views = Vec::new();
    for issue in found {
        let Some(repo) = repos::by_id(conn, issue.repo_id)? else { continue };
        // A link does not make a private repository public.
        if !call.render(conn).may_see(&repo)? {
            continue;
        }
        views.push(serde_json::to_value(call.render(conn).issue(&repo, issue)?.with_repository())?);
    }
    page::reply_cut(call, views)
}

/// An issue named by its database id, anywhere the viewer may look.
pub(super) fn visible_issue(
    call: &Call,
    conn: &Connection,
    id: i64,
    resource: &str,
    field: &str,
) -> Result<Issue, ApiError> {
    let refused =
        || ApiError::invalid_because(resource, field, format!("The provided {field} does not exist"));
    let issue = issues::by_id(conn, id)?.ok_or_else(refused)?;
    let repo = repos::by_id(conn, issue.repo_id)?.ok_or_else(refused)?;
    access::visit(conn, Arc::new(repo), call.viewer.as_ref()).map_err(|_| refused())?;
    Ok(issue)
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let found = links::children(conn, call.issue(conn)?.id)?;
    reply_issues(call, conn, found)
}

pub(super) fn parent(call: &Call, conn: &Connection) -> ApiResult {
    let id = links::parent_of(conn, call.issue(conn)?.id)?.ok_or_else(ApiError::not_found)?;
    let parent = issues::by_id(conn, id)?.ok_or_else(ApiError::not_found)?;
    let repo = repos::by_id(conn, parent.repo_id)?.ok_or_else(ApiError::not_found)?;
    if !call.render(conn).may_see(&repo)? {
        return Err(ApiError::not_found());
    }
    Reply::ok(&call.render(conn).issue(&repo, parent)?.with_repository())
}

pub(super) fn add(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let parent = call.issue(tx)?;
    let fields = call.fields()?;
    let child = visible_issue(call, tx, fields.i64("sub_issue_id")?, "SubIssue", "sub_issue_id")?;
    let replace = fields.opt_bool("replace_parent")?.unwrap_or(false);
    check_may_triage(call, tx, &child)?;
    check_new_child(tx, &parent, &child)?;
    if let Some(before) = links::parent_of(tx, child.id)? {
        if !replace {
            return Err(refuse("Sub-issue may only have one parent"));
        }
        unlink(call, tx, before, &child)?;
    }
    links::add_child(tx, parent.id, child.id)?;
    let here = scene(call, &parent)?;
    events::record(tx, here, &Happening::SubIssueAdded(child.id))?;
    let there = Scene { repo_id: child.repo_id, issue_id: child.id, ..here };
    events::record(tx, there, &Happening::ParentAdded(parent.id))?;
    reply_linked(call, tx, parent.id, 201)
}

/// A link changes both of its ends, so it takes the same right on both.
fn check_may_triage(call: &Call, conn: &Connection, issue: &Issue) -> Result<(), ApiError> {
    let repo = repos::by_id(conn, issue.repo_id)?.ok_or_else(ApiError::not_found)?;
    match access::permission(conn, &repo, call.viewer.as_ref())? >= Permission::Triage {
        true => Ok(()),
        false => Err(ApiError::forbidden("Must have admin rights to Repository.")),
    }
}

fn refuse(why: &str) -> ApiError {
    ApiError::invalid_because("SubIssue", "issue", why)
}

fn check_new_child(conn: &Connection, parent: &Issue, child: &Issue) -> Result<(), ApiError> {
    if parent.is_pull || child.is_pull {
        return Err(refuse("Pull requests cannot be sub-issues or have them"));
    }
    let above = links::ancestors(conn, parent.id)?;
    if child.id == parent.id || above.contains(&child.id) {
        return Err(refuse("An issue cannot be its own sub-issue, directly or through others"));
    }
    if links::child_summary(conn, parent.id)?.total >= CHILDREN_MAX {
        return Err(refuse("An issue has at most 100 sub-issues"));
    }
    if above.len() + 1 + links::depth_below(conn, child.id)? >= LEVELS_MAX {
        return Err(refuse("Sub-issues nest at most eight levels deep"));
    }
    Ok(())
}

fn unlink(call: &Call, tx: &Tx<'_>, parent_id: i64, child: &Issue) -> Result<(), ApiError> {
    links::remove_child(tx, child.id)?;
    let there = scene(call, child)?;
    events::record(tx, there, &Happening::ParentRemoved(parent_id))?;
    if let Some(parent) = issues::by_id(tx, parent_id)? {
        check_may_triage(call, tx, &parent)?;
        events::record(tx, scene(call, &parent)?, &Happening::SubIssueRemoved(child.id))?;
    }
    Ok(())
}

fn child_of(call: &Call, conn: &Connection, parent: &Issue, id: i64) -> Result<Issue, ApiError> {
    let child =
        visible_issue(call, conn, id, "SubIssue", "sub_issue_id").map_err(|_| ApiError::not_found())?;
    match links::parent_of(conn, child.id)? == Some(parent.id) {
        true => Ok(child),
        false => Err(ApiError::not_found()),
    }
}

pub(super) fn remove(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let parent = call.issue(tx)?;
    let child = child_of(call, tx, &parent, call.fields()?.i64("sub_issue_id")?)?;
    unlink(call, tx, parent.id, &child)?;
    reply_linked(call, tx, parent.id, 200)
}

pub(super) fn reprioritize(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let parent = call.issue(tx)?;
    let fields = call.fields()?;
    let child = child_of(call, tx, &parent, fields.i64("sub_issue_id")?)?;
    let mut order: Vec<i64> = links::children(tx, parent.id)?.iter().map(|issue| issue.id).collect();
    order.retain(|id| *id != child.id);
    let place = |id: i64| {
        let at = order.iter().position(|known| *known == id);
        at.ok_or_else(|| {
            ApiError::unprocessable("The issue to move beside is not a sub-issue of the same parent")
        })
    };
    let at = match (fields.opt_i64("after_id")?, fields.opt_i64("before_id")?) {
        (Some(after), None) => place(after)? + 1,
        (None, Some(before)) => place(before)?,
        _ => return Err(ApiError::unprocessable("Give exactly one of after_id and before_id")),
    };
    order.insert(at, child.id);
    links::set_child_order(tx, &order)?;
    reply_linked(call, tx, parent.id, 200)
}
