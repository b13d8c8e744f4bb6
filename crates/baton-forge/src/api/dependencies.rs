//! Dependencies: which issues block which.

use rusqlite::Connection;

use super::issue_fields::scene;
use super::issues::reply_linked;
use super::sub_issues::{reply_issues, visible_issue};
use crate::db::Tx;
use crate::db::events::{self, Happening, Scene};
use crate::db::issues::Issue;
use crate::db::links::{self, BLOCKERS_MAX, Side};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::ApiResult;

pub(super) fn blocked_by(call: &Call, conn: &Connection) -> ApiResult {
    let found = links::dependencies(conn, call.issue(conn)?.id, Side::Blockers)?;
    reply_issues(call, conn, found)
}

pub(super) fn blocking(call: &Call, conn: &Connection) -> ApiResult {
    let found = links::dependencies(conn, call.issue(conn)?.id, Side::Blocked)?;
    reply_issues(call, conn, found)
}

pub(super) fn add(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    let blocker = visible_issue(call, tx, call.fields()?.i64("issue_id")?, "IssueDependency", "issue_id")?;
    check(tx, &issue, &blocker)?;
    if !links::add_blocker(tx, issue.id, blocker.id)? {
        return Err(refuse("The issue is already blocked by that one"));
    }
    record(
        call,
        tx,
        &issue,
        &blocker,
        &Happening::BlockedByAdded(blocker.id),
        &Happening::BlockingAdded(issue.id),
    )?;
    reply_linked(call, tx, issue.id, 201)
}

fn refuse(why: &str) -> ApiError {
    ApiError::invalid_because("IssueDependency", "issue_id", why)
}

fn check(conn: &Connection, issue: &Issue, blocker: &Issue) -> Result<(), ApiError> {
    if issue.id == blocker.id || links::is_blocked_by(conn, blocker.id, issue.id)? {
        return Err(refuse("An issue cannot block itself, directly or through others"));
    }
    if links::dependency_summary(conn, issue.id)?.total_blocked_by >= BLOCKERS_MAX {
        return Err(refuse("An issue has at most 50 blockers"));
    }
    Ok(())
}

/// Writes down both ends of a change.
fn record(
    call: &Call,
    tx: &Tx<'_>,
    issue: &Issue,
    blocker: &Issue,
    here: &Happening<'_>,
    there: &Happening<'_>,
) -> Result<(), ApiError> {
    let scene = scene(call, issue)?;
    events::record(tx, scene, here)?;
    // As on GitHub, a link changes neither issue's own time of update.
    Ok(events::record(tx, Scene { repo_id: blocker.repo_id, issue_id: blocker.id, ..scene }, there)?)
}

pub(super) fn remove(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    let id = call.id_param("issue_id")?;
    let blocker =
        visible_issue(call, tx, id, "IssueDependency", "issue_id").map_err(|_| ApiError::not_found())?;
    if !links::remove_blocker(tx, issue.id, blocker.id)? {
        return Err(ApiError::not_found());
    }
    record(
        call,
        tx,
        &issue,
        &blocker,
        &Happening::BlockedByRemoved(blocker.id),
        &Happening::BlockingRemoved(issue.id),
    )?;
    reply_linked(call, tx, issue.id, 200)
}
