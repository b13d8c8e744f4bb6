//! Milestones.

use rusqlite::Connection;
use serde_json::{Map, Value, json};

use super::issue_fields::{TITLE_CHARS_MAX, check_body};
use crate::db::milestones::{self, Milestone};
use crate::db::{Tx, labels};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};
use crate::news::{News, Scope, What};
use crate::wire::label::label_views;
use crate::wire::{Time, parse_time};

fn numbered(call: &Call, conn: &Connection) -> Result<Milestone, ApiError> {
    let number = call.id_param("milestone_number")?;
    milestones::by_number(conn, call.repo()?.id, number)?.ok_or_else(ApiError::not_found)
}

/// Tells what happened to a milestone; a deletion before it is made.
fn tell(call: &Call, tx: &Tx<'_>, id: i64, action: &'static str, detail: Value) -> Result<(), ApiError> {
    let what = What::Milestone { milestone_id: id, action, detail };
    let scope = Scope::Repo(call.repo()?.id);
    tx.tell(News { scope, actor_id: call.actor_id()?, now: call.now, what });
    Ok(())
}

fn tell_changes(call: &Call, tx: &Tx<'_>, before: &Milestone, after: &Milestone) -> Result<(), ApiError> {
    let due = |milestone: &Milestone| milestone.due_on.map(|at| Time(at).to_string());
    let pairs = [
        ("title", Some(before.title.clone()), Some(after.title.clone())),
        ("description", before.description.clone(), after.description.clone()),
        ("due_on", due(before), due(after)),
    ];
    let changed = pairs.into_iter().filter(|(_, before, after)| before != after);
    let from = |text: Option<String>| json!({ "from": text.unwrap_or_default() });
    let changes: Map<String, Value> =
        changed.map(|(field, before, _)| (field.to_owned(), from(before))).collect();
    if !changes.is_empty() {
        tell(call, tx, after.id, "edited", json!({ "changes": changes }))?;
    }
    match (before.state.as_str(), after.state.as_str()) {
        ("open", "closed") => tell(call, tx, after.id, "closed", Value::Null),
        ("closed", "open") => tell(call, tx, after.id, "opened", Value::Null),
        _ => Ok(()),
    }
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let repo = call.repo()?;
    let state = call.query.get("state").unwrap_or_else(|| "open".to_owned());
    let render = call.render(conn);
    let found = milestones::list(conn, repo.id, &state)?;
    let views = found
        .into_iter()
        .map(|milestone| render.milestone(repo, milestone))
        .collect::<Result<Vec<_>, _>>()?;
    page::reply_cut(call, views)
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let milestone = numbered(call, conn)?;
    Reply::ok(&call.render(conn).milestone(call.repo()?, milestone)?)
}

pub(super) fn labels(call: &Call, conn: &Connection) -> ApiResult {
    let found = labels::of_milestone(conn, numbered(call, conn)?.id)?;
    page::reply_cut(call, label_views(&call.links, call.repo()?, &found))
}

pub(super) fn create(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let fields = call.fields()?;
    let repo = call.repo()?;
    let mut milestone = Milestone {
        id: 0,
        number: 0,
        title: fields.str("title")?.to_owned(),
        description: None,
        state: "open".to_owned(),
        creator_id: call.actor_id()?,
        due_on: None,
        created_at: call.now,
        updated_at: call.now,
        closed_at: None,
        open_issues: 0,
        closed_issues: 0,
    };
    apply(call, tx, &mut milestone, &fields, None)?;
    let id = milestones::insert(tx, repo.id, &milestone)?;
    tell(call, tx, id, "created", Value::Null)?;
    let milestone = milestones::by_id(tx, id)?;
    let location = call.repo_url(&format!("milestones/{}", milestone.number));
    Reply::created(&call.render(tx).milestone(repo, milestone)?, location)
}

pub(super) fn update(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let fields = call.fields()?;
    let before = numbered(call, tx)?;
    let mut milestone = before.clone();
    if let Some(title) = fields.opt_str("title")? {
        title.clone_into(&mut milestone.title);
    }
    let id = milestone.id;
    apply(call, tx, &mut milestone, &fields, Some(id))?;
    milestones::update(tx, &milestone)?;
    tell_changes(call, tx, &before, &milestone)?;
    Reply::ok(&call.render(tx).milestone(call.repo()?, milestones::by_id(tx, id)?)?)
}

fn apply(
    call: &Call,
    conn: &Connection,
    milestone: &mut Milestone,
    fields: &Fields,
    own: Option<i64>,
) -> Result<(), ApiError> {
    if milestone.title.trim().is_empty() {
        return Err(ApiError::invalid("Milestone", "title", "missing_field"));
    }
    if milestone.title.chars().count() > TITLE_CHARS_MAX {
        return Err(ApiError::invalid("Milestone", "title", "invalid"));
    }
    check_body("Milestone", fields.opt_str("description")?)?;
    if milestones::title_is_taken(conn, call.repo()?.id, &milestone.title, own)? {
        return Err(ApiError::invalid("Milestone", "title", "already_exists"));
    }
    if fields.has("description") {
        milestone.description = fields.opt_str("description")?.map(str::to_owned);
    }
    if fields.has("due_on") {
        let due = fields.opt_str("due_on")?;
        let parse =
            |text| parse_time(text).ok_or_else(|| ApiError::invalid("Milestone", "due_on", "invalid"));
        milestone.due_on = due.map(parse).transpose()?;
    }
    match fields.opt_str("state")? {
        None => {}
        Some(state @ ("open" | "closed")) => {
            state.clone_into(&mut milestone.state);
            milestone.closed_at = (state == "closed").then(|| milestone.closed_at.unwrap_or(call.now));
        }
        Some(_) => return Err(ApiError::invalid("Milestone", "state", "invalid")),
    }
    milestone.updated_at = call.now;
    Ok(())
}

pub(super) fn delete(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let id = numbered(call, tx)?.id;
    tell(call, tx, id, "deleted", Value::Null)?;
    milestones::delete(tx, id)?;
    Reply::no_content()
}
