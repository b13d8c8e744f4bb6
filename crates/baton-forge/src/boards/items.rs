//! Changes of a board's items: added, archived, moved, converted, deleted.

use serde_json::{Value, json};

use super::rights::{Level, open};
use crate::db::project_items::{self, Item, NewItem};
use crate::db::projects::{self, Project};
use crate::db::{Tx, issues, pulls, repos};
use crate::http::access;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::news::{News, Scope, What};
use crate::wire::{NodeId, Time};

/// GitHub's limit of items on a board that are not archived.
const ITEMS_MAX: i64 = 50_000;
const TITLE_CHARS_MAX: usize = 256;

fn refuse(field: &str, why: impl Into<String>) -> ApiError {
    ApiError::invalid_because("ProjectV2Item", field, why)
}

/// An item of a board, for a change.
pub(super) fn open_item(
    call: &Call,
    tx: &Tx<'_>,
    project_id: i64,
    item_id: i64,
) -> Result<(Project, Item), ApiError> {
    let project = open(call, tx, project_id, Level::Write)?;
    let item = project_items::by_id(tx, item_id)?.filter(|item| item.project_id == project_id);
    Ok((project, item.ok_or_else(ApiError::not_found)?))
}

/// Moves the times that engines watch, and tells what happened to an item.
pub(super) fn record(
    call: &Call,
    tx: &Tx<'_>,
    project: &Project,
    item_id: i64,
    action: &'static str,
    detail: Value,
) -> Result<(), ApiError> {
    project_items::touch(tx, item_id, call.now)?;
    projects::touch(tx, project.id, call.now)?;
    tx.tell(News {
        scope: Scope::Owner(project.owner_id),
        actor_id: call.actor_id()?,
        now: call.now,
        what: What::ProjectItem { item_id, action, detail },
    });
    Ok(())
}

/// Adds an issue or a pull request; returns the item's id. One that is there already stays as it is.
pub(crate) fn add(call: &Call, tx: &Tx<'_>, project_id: i64, issue_id: i64) -> Result<i64, ApiError> {
    let project = open(call, tx, project_id, Level::Write)?;
    let issue = issues::by_id(tx, issue_id)?.ok_or_else(ApiError::not_found)?;
    let repo = repos::by_id(tx, issue.repo_id)?.ok_or_else(ApiError::not_found)?;
    // What the caller may not see does not exist, on a board either.
    access::visit(tx, repo.into(), call.viewer.as_ref())?;
    if let Some(item) = project_items::of_issue_on(tx, project_id, issue_id)? {
        return Ok(item.id);
    }
    insert(call, tx, &project, Some(issue_id), None)
}

pub(crate) fn add_draft(
    call: &Call,
    tx: &Tx<'_>,
    project_id: i64,
    title: &str,
    body: &str,
) -> Result<i64, ApiError> {
    let project = open(call, tx, project_id, Level::Write)?;
    check_title(title)?;
    insert(call, tx, &project, None, Some((title.trim(), body)))
}

fn check_title(title: &str) -> Result<(), ApiError> {
    match title.trim().chars().count() {
        0 => Err(refuse("title", "title can't be blank")),
        length if length > TITLE_CHARS_MAX => {
            Err(refuse("title", format!("title is too long (maximum is {TITLE_CHARS_MAX} characters)")))
        }
        _ => Ok(()),
    }
}

fn insert(
    call: &Call,
    tx: &Tx<'_>,
    project: &Project,
    issue_id: Option<i64>,
    draft: Option<(&str, &str)>,
) -> Result<i64, ApiError> {
    if project.item_count >= ITEMS_MAX {
        return Err(refuse("project_id", format!("a project may have up to {ITEMS_MAX} items")));
    }
    let (project_id, creator_id, now) = (project.id, call.actor_id()?, call.now);
    let id = project_items::insert(tx, &NewItem { project_id, issue_id, draft, creator_id, now })?;
    record(call, tx, project, id, "created", Value::Null)?;
    Ok(id)
}

/// Changes a draft's title or text.
pub(crate) fn update_draft(
    call: &Call,
    tx: &Tx<'_>,
    item_id: i64,
    title: Option<&str>,
    body: Option<&str>,
) -> Result<(), ApiError> {
    let found = project_items::by_id(tx, item_id)?.ok_or_else(ApiError::not_found)?;
    let (project, item) = open_item(call, tx, found.project_id, item_id)?;
    let old_title = item.draft_title.as_deref().ok_or_else(ApiError::not_found)?;
    let old_body = item.draft_body.as_deref().unwrap_or_default();
    let title = title.unwrap_or(old_title);
    check_title(title)?;
    let body = body.unwrap_or(old_body);
    project_items::set_draft(tx, item_id, title.trim(), body, call.now)?;
    // GitHub's webhook knows of the text alone.
    let detail = json!({ "body": { "from": old_body, "to": body } });
    record(call, tx, &project, item_id, "edited", detail)
}

/// Makes a draft show an issue that was opened from it.
pub(crate) fn convert(call: &Call, tx: &Tx<'_>, item_id: i64, issue_id: i64) -> Result<(), ApiError> {
    let found = project_items::by_id(tx, item_id)?.ok_or_else(ApiError::not_found)?;
    let (project, item) = open_item(call, tx, found.project_id, item_id)?;
    if item.issue.is_some() {
        return Err(refuse("item_id", "only draft issues can be converted"));
    }
    project_items::become_issue(tx, item_id, issue_id, call.now)?;
    let detail = json!({ "content_type": { "from": "DraftIssue", "to": "Issue" } });
    record(call, tx, &project, item_id, "converted", detail)
}

/// Deletes an item. The news carries what is gone, in the words of GitHub's webhook.
pub(crate) fn delete(call: &Call, tx: &Tx<'_>, project_id: i64, item_id: i64) -> Result<(), ApiError> {
    let (project, item) = open_item(call, tx, project_id, item_id)?;
    let content = content_node(tx, &item)?;
    let detail = json!({
        "project_id": project.id,
        "creator_id": item.creator_id,
        "content_node_id": content.to_string(),
        "content_type": content_type(&item),
        "created_at": Time(item.created_at),
        "updated_at": Time(item.updated_at),
        "archived_at": item.archived_at.map(Time),
    });
    project_items::delete(tx, item_id)?;
    record(call, tx, &project, item_id, "deleted", detail)
}

/// What an item shows, in GitHub's word.
pub(crate) fn content_type(item: &Item) -> &'static str {
    match &item.issue {
        None => "DraftIssue",
        Some(issue) if issue.is_pull => "PullRequest",
        Some(_) => "Issue",
    }
}

/// The node id of what an item shows.
pub(crate) fn content_node(conn: &rusqlite::Connection, item: &Item) -> rusqlite::Result<NodeId> {
    Ok(match &item.issue {
        None => NodeId("DI", item.id),
        Some(issue) if issue.is_pull => {
            let pull = pulls::of_issue(conn, issue.id)?;
            NodeId("PR", pull.map_or(issue.id, |pull| pull.id))
        }
        Some(issue) => NodeId("I", issue.id),
    })
}

pub(crate) fn archive(call: &Call, tx: &Tx<'_>, project_id: i64, item_id: i64) -> Result<(), ApiError> {
    let (project, item) = open_item(call, tx, project_id, item_id)?;
    if item.archived_at.is_some() {
        return Ok(());
    }
    project_items::archive(tx, item_id, call.now)?;
    let detail = json!({ "archived_at": { "from": null, "to": Time(call.now) } });
    record(call, tx, &project, item_id, "archived", detail)
}

pub(crate) fn restore(call: &Call, tx: &Tx<'_>, project_id: i64, item_id: i64) -> Result<(), ApiError> {
    let (project, item) = open_item(call, tx, project_id, item_id)?;
    let Some(archived_at) = item.archived_at else { return Ok(()) };
    project_items::restore(tx, &item, call.now)?;
    let detail = json!({ "archived_at": { "from": Time(archived_at), "to": null } });
    record(call, tx, &project, item_id, "restored", detail)
}

/// Puts an item behind another one of its board, or first.
pub(crate) fn place(
    call: &Call,
    tx: &Tx<'_>,
    project_id: i64,
    item_id: i64,
    after_id: Option<i64>,
) -> Result<(), ApiError> {
    let (project, item) = open_item(call, tx, project_id, item_id)?;
    let after = after_id.map(|id| open_item(call, tx, project_id, id)).transpose()?.map(|(_, after)| after);
    let is_gone = |item: &Item| item.archived_at.is_some();
    if is_gone(&item) || after.as_ref().is_some_and(is_gone) {
        return Err(refuse("item_id", "archived items have no place on the board"));
    }
    if after_id == Some(item_id) {
        return Err(refuse("after_id", "an item cannot be placed after itself"));
    }
    let behind = |position| project_items::neighbour(tx, project_id, position, true);
    let node = |id: Option<i64>| id.map(|id| NodeId("PVTI", id));
    let from = behind(item.position)?.map(|(id, _)| id);
    project_items::move_after(tx, &item, after.as_ref(), call.now)?;
    let detail = json!({ "previous_projects_v2_item_node_id": { "from": node(from), "to": node(after_id) } });
    record(call, tx, &project, item_id, "reordered", detail)
}
