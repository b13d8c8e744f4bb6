//! Changes of an issue's labels, assignees, milestone and texts, shared by creation, update and the small endpoints.
//!
//! Each change is written down as an event, once, and only when something changed.

use rusqlite::Connection;

use crate::db::accounts::{self, Account};
use crate::db::events::{self, Happening, Scene};
use crate::db::issues::{self, Issue};
use crate::db::labels::{self, LABEL_CHARS_MAX, Label};
use crate::db::milestones::{self, Milestone};
use crate::db::{Tx, repos};
use crate::http::call::Call;
use crate::http::error::ApiError;

pub(super) const TITLE_CHARS_MAX: usize = 256;
pub(super) const BODY_CHARS_MAX: usize = 65_536;
/// GitHub's limit of assignees; the rest are left out without a word.
const ASSIGNEES_MAX: usize = 10;
/// Logins looked at in one request.
const LOGINS_MAX: usize = 100;
pub(super) const LABELS_MAX: usize = 100;

pub(super) fn scene(call: &Call, issue: &Issue) -> Result<Scene, ApiError> {
    Ok(Scene { repo_id: issue.repo_id, issue_id: issue.id, actor_id: call.actor_id()?, now: call.now })
}

pub(super) fn check_title(resource: &str, title: &str) -> Result<(), ApiError> {
    if title.trim().is_empty() {
        return Err(ApiError::invalid(resource, "title", "missing_field"));
    }
    if title.chars().count() > TITLE_CHARS_MAX {
        return Err(ApiError::invalid_because(
            resource,
            "title",
            "title is too long (maximum is 256 characters)",
        ));
    }
    Ok(())
}

pub(super) fn check_body(resource: &str, body: Option<&str>) -> Result<(), ApiError> {
    match body {
        Some(body) if body.chars().count() > BODY_CHARS_MAX => {
            Err(ApiError::invalid_because(resource, "body", "body is too long (maximum is 65536 characters)"))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_label_name(name: &str) -> Result<(), ApiError> {
    if name.trim().is_empty() {
        return Err(ApiError::invalid("Label", "name", "missing_field"));
    }
    if name.chars().count() > LABEL_CHARS_MAX {
        return Err(ApiError::invalid_because(
            "Label",
            "name",
            "name is too long (maximum is 50 characters)",
        ));
    }
    if name.chars().any(char::is_control) {
        return Err(ApiError::invalid("Label", "name", "invalid"));
    }
    Ok(())
}

/// Puts labels on an issue, making those that do not exist yet.
pub(super) fn add_labels(call: &Call, tx: &Tx<'_>, issue: &Issue, names: &[String]) -> Result<(), ApiError> {
    names.iter().try_for_each(|name| check_label_name(name))?;
    if names.len() > LABELS_MAX {
        return Err(too_many_labels());
    }
    let mut changed = false;
    for name in names {
        let label = match labels::find(tx, issue.repo_id, name)? {
            Some(label) => label,
            None => {
                let label = labels::find_or_insert(tx, issue.repo_id, name)?;
                super::labels::tell(call, tx, &label, "created", serde_json::Value::Null)?;
                label
            }
        };
        if labels::attach(tx, issue.id, label.id)? {
            events::record(tx, scene(call, issue)?, &Happening::Labeled(&label))?;
            changed = true;
        }
    }
    if labels::of_issue(tx, issue.id)?.len() > LABELS_MAX {
        return Err(too_many_labels());
    }
    touch_if(call, tx, issue, changed)
}

fn too_many_labels() -> ApiError {
    ApiError::invalid_because("Issue", "labels", "an issue has at most 100 labels")
}

pub(super) fn remove_labels(call: &Call, tx: &Tx<'_>, issue: &Issue, gone: &[Label]) -> Result<(), ApiError> {
    let mut changed = false;
    for label in gone {
        if labels::detach(tx, issue.id, label.id)? {
            events::record(tx, scene(call, issue)?, &Happening::Unlabeled(label))?;
            changed = true;
        }
    }
    touch_if(call, tx, issue, changed)
}

/// Makes an issue's labels exactly these.
pub(super) fn set_labels(call: &Call, tx: &Tx<'_>, issue: &Issue, names: &[String]) -> Result<(), ApiError> {
    let is_wanted = |label: &Label| names.iter().any(|name| name.eq_ignore_ascii_case(&label.name));
    let gone: Vec<Label> =
        labels::of_issue(tx, issue.id)?.into_iter().filter(|label| !is_wanted(label)).collect();
    remove_labels(call, tx, issue, &gone)?;
    add_labels(call, tx, issue, names)
}

fn touch_if(call: &Call, conn: &Connection, issue: &Issue, changed: bool) -> Result<(), ApiError> {
    if changed {
        issues::touch(conn, issue.id, call.now)?;
    }
    Ok(())
}

/// The accounts behind logins that may be assigned here; GitHub leaves the others out without a word.
fn assignable(call: &Call, conn: &Connection, logins: &[String]) -> Result<Vec<Account>, ApiError> {
    let mut found = Vec::new();
    for login in logins.iter().take(LOGINS_MAX) {
        let Some(account) = accounts::by_login(conn, login)? else { continue };
        if repos::is_assignable(conn, call.repo()?, &account)? {
            found.push(account);
        }
    }
    Ok(found)
}

pub(super) fn assign_all(call: &Call, tx: &Tx<'_>, issue: &Issue, logins: &[String]) -> Result<(), ApiError> {
    let present = issues::assignees(tx, issue.id)?;
    let room = ASSIGNEES_MAX.saturating_sub(present.len());
    let mut changed = false;
    let new = assignable(call, tx, logins)?.into_iter().filter(|account| !present.contains(&account.id));
    for account in &new.take(room).collect::<Vec<_>>() {
        if issues::assign(tx, issue.id, account)? {
            events::record(tx, scene(call, issue)?, &Happening::Assigned(account))?;
            changed = true;
        }
    }
    touch_if(call, tx, issue, changed)
}

pub(super) fn unassign_all(
    call: &Call,
    tx: &Tx<'_>,
    issue: &Issue,
    logins: &[String],
) -> Result<(), ApiError> {
    let mut changed = false;
    for login in logins.iter().take(LOGINS_MAX) {
        let Some(account) = accounts::by_login(tx, login)? else { continue };
        if issues::unassign(tx, issue.id, account.id)? {
            events::record(tx, scene(call, issue)?, &Happening::Unassigned(&account))?;
            changed = true;
        }
    }
    touch_if(call, tx, issue, changed)
}

/// Makes an issue's assignees exactly these.
pub(super) fn set_assignees(
    call: &Call,
    tx: &Tx<'_>,
    issue: &Issue,
    logins: &[String],
) -> Result<(), ApiError> {
    let present = issues::load_accounts(tx, &issues::assignees(tx, issue.id)?)?;
    let is_wanted = |account: &Account| logins.iter().any(|login| login.eq_ignore_ascii_case(&account.login));
    let gone: Vec<String> =
        present.into_iter().filter(|account| !is_wanted(account)).map(|account| account.login).collect();
    unassign_all(call, tx, issue, &gone)?;
    assign_all(call, tx, issue, logins)
}

/// The milestone of that number, or a refusal.
pub(super) fn milestone_numbered(
    conn: &Connection,
    repo_id: i64,
    number: i64,
) -> Result<Milestone, ApiError> {
    let found = milestones::by_number(conn, repo_id, number)?;
    found.ok_or_else(|| ApiError::invalid("Issue", "milestone", "invalid"))
}

/// Writes down that an issue left one milestone and joined another.
pub(super) fn record_milestone(
    call: &Call,
    tx: &Tx<'_>,
    issue: &Issue,
    before: Option<i64>,
    after: Option<i64>,
) -> Result<(), ApiError> {
    if before == after {
        return Ok(());
    }
    if let Some(id) = before {
        let left = milestones::by_id(tx, id)?;
        events::record(tx, scene(call, issue)?, &Happening::Demilestoned(&left.title))?;
    }
    if let Some(id) = after {
        let joined = milestones::by_id(tx, id)?;
        events::record(tx, scene(call, issue)?, &Happening::Milestoned(&joined.title))?;
    }
    Ok(())
}
