//! Who may see and change a board.
//!
//! A person's boards are the person's. An organisation's boards are written by its members and administered by its
//! owners and by whoever made the board. A public board is read by everybody.

use rusqlite::Connection;

use crate::db::accounts::{self, Account, AccountKind, TokenRole};
use crate::db::projects::{self, Project};
use crate::http::call::{Call, Viewer};
use crate::http::error::ApiError;

/// What somebody may do with a board, each level including those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    None,
    Read,
    Write,
    Admin,
}

/// Returns what the viewer may do with the boards of an owner, whatever board it is.
pub(crate) fn with_owner(
    conn: &Connection,
    owner: &Account,
    viewer: Option<&Viewer>,
) -> rusqlite::Result<Level> {
    let Some(viewer) = viewer else { return Ok(Level::None) };
    // A token for listed repositories reaches no boards: they belong to no repository.
    if viewer.token.restricted {
        return Ok(Level::None);
    }
    let own = match owner.kind {
        _ if viewer.account.site_admin || viewer.account.id == owner.id => Level::Admin,
        AccountKind::Organization => {
            match accounts::org_role(conn, owner.id, viewer.account.id)?.as_deref() {
                Some("admin") => Level::Admin,
                Some(_) => Level::Write,
                None => Level::None,
            }
        }
        _ => Level::None,
    };
    Ok(own.min(limit(viewer.token.role)))
}

fn limit(role: TokenRole) -> Level {
    match role {
        TokenRole::Read => Level::Read,
        TokenRole::Write | TokenRole::Admin => Level::Admin,
    }
}

/// Returns what the viewer may do with a board.
pub(crate) fn with_project(
    conn: &Connection,
    project: &Project,
    viewer: Option<&Viewer>,
) -> rusqlite::Result<Level> {
    let owner = accounts::by_id(conn, project.owner_id)?;
    let mut level = with_owner(conn, &owner, viewer)?;
    if let Some(viewer) = viewer
        && level == Level::Write
        && viewer.account.id == project.creator_id
    {
        level = Level::Admin.min(limit(viewer.token.role));
    }
    let public = if project.public { Level::Read } else { Level::None };
    Ok(level.max(public))
}

/// Opens a board for a change. What may not be seen does not exist.
pub(crate) fn open(
    call: &Call,
    conn: &Connection,
    project_id: i64,
    needed: Level,
) -> Result<Project, ApiError> {
    let project = projects::by_id(conn, project_id)?.ok_or_else(ApiError::not_found)?;
    let level = with_project(conn, &project, call.viewer.as_ref())?;
    match level {
        Level::None => Err(ApiError::not_found()),
        level if level < needed => Err(refusal(needed)),
        _ => Ok(project),
    }
}

pub(crate) fn refusal(needed: Level) -> ApiError {
    let wanted = if needed == Level::Admin { "admin" } else { "write" };
    ApiError::forbidden(format!("You must have {wanted} access to this project."))
}
