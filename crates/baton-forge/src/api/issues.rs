//! Issues: listed, opened, read, changed, locked.

use rusqlite::Connection;
use serde_json::{Map, Value, json};

use super::issue_fields::{
    LABELS_MAX, add_labels, assign_all, check_body, check_title, milestone_numbered, record_milestone, scene,
    set_assignees, set_labels,
};
use super::pull_base::Retarget;
use super::{closing, mentions, pulls as pull_api};
use crate::db::events::{self, Happening, Scene};
use crate::db::issue_query::{IssueQuery, Presence, SortBy};
use crate::db::issues::{self, Issue, NewIssue};
use crate::db::repos::{self, Repo};
use crate::db::{Tx, pulls};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::wire::issue::IssueView;

/// Answers with an issue as it now stands.
pub(super) fn reply_issue(call: &Call, conn: &Connection, id: i64, status: u16) -> ApiResult {
    let view = view(call, conn, id)?;
    reply_view(call, &view, status)
}

/// Answers with an issue whose links to others have changed.
pub(super) fn reply_linked(call: &Call, conn: &Connection, id: i64, status: u16) -> ApiResult {
    let view = view(call, conn, id)?.with_repository();
    reply_view(call, &view, status)
}

fn view<'a>(call: &'a Call, conn: &'a Connection, id: i64) -> Result<IssueView<'a>, ApiError> {
    let issue = issues::by_id(conn, id)?.ok_or_else(ApiError::not_found)?;
    Ok(call.render(conn).issue(call.repo()?, issue)?)
}

fn reply_view(call: &Call, view: &IssueView<'_>, status: u16) -> ApiResult {
    let location = call.repo_url(&format!("issues/{}", view.number()));
    match status {
        201 => Reply::created(view, location),
        _ => Reply::json(status, view),
    }
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let issue = call.issue(conn)?;
    let modified_at = issue.updated_at;
    Reply::one(&call.render(conn).issue(call.repo()?, issue)?, modified_at)
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let repo = call.repo()?;
    let query = list_query(call, repo)?;
    let page = Page::of(call);
    let known = if query.is_plain() { Some(plain_total(conn, repo.id, &query)?) } else { None };
    let found = query.page(conn, page.size, page.offset(), known)?;
    let render = call.render(conn);
    let views = found.into_iter().map(|issue| render.issue(repo, issue)).collect::<Result<Vec<_>, _>>()?;
    page::reply(call, page, &views, || Ok(known.map_or_else(|| query.count(conn), Ok)?))
}

/// The length of a list that only the state limits, from the repository's counters.
fn plain_total(conn: &Connection, repo_id: i64, query: &IssueQuery) -> rusqlite::Result<i64> {
    let (open, closed) = repos::counts(conn, repo_id)?;
    Ok(match query.state {
        Some("open") => open,
        Some(_) => closed,
        None => open + closed,
    })
}

fn list_query(call: &Call, repo: &Repo) -> Result<IssueQuery, ApiError> {
    let get = |key: &str| call.query.get(key);
    let state = match get("state").as_deref() {
        None | Some("open") => Some("open"),
        Some("closed") => Some("closed"),
        Some("all") => None,
        Some(_) => return Err(ApiError::invalid("Issue", "state", "invalid")),
    };
    let sort = match get("sort").as_deref() {
        None | Some("created") => SortBy::Created,
        Some("updated") => SortBy::Updated,
        Some("comments") => SortBy::Comments,
        Some(_) => return Err(ApiError::invalid("Issue", "sort", "invalid")),
    };
    let milestone = match get("milestone").as_deref() {
        None => None,
        Some("*") => Some(Presence::Any),
        Some("none") => Some(Presence::None),
        Some(number) => Some(Presence::Is(
            number.parse().map_err(|_| ApiError::invalid("Issue", "milestone", "invalid"))?,
        )),
    };
    let assignee = get("assignee").map(|login| match login.as_str() {
        "*" => Presence::Any,
        "none" => Presence::None,
        _ => Presence::Is(login),
    });
    Ok(IssueQuery {
        repo_ids: vec![repo.id],
        state,
        labels: get("labels").map(|names| split_names(&names)).unwrap_or_default(),
        author: get("creator"),
        assignee,
        milestone,
        mentions: get("mentioned"),
        since: call.query.since()?,
        sort,
        ascending: !call.query.is_descending(true),
        ..IssueQuery::default()
    })
}

fn split_names(names: &str) -> Vec<String> {
    names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .take(LABELS_MAX)
        .map(str::to_owned)
        .collect()
}

pub(super) fn create(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let fields = call.fields()?;
    let repo = call.repo()?;
    if !repo.has_issues {
        return Err(ApiError::new(410, "Issues has been disabled in this repository."));
    }
    let title = title_of(&fields)?;
    let body = fields.opt_str("body")?;
    check_title("Issue", &title)?;
    check_body("Issue", body)?;
    let new = NewIssue {
        repo_id: repo.id,
        author_id: call.actor_id()?,
        title: &title,
        body,
        is_pull: false,
        now: call.now,
    };
    let issue = issues::insert(tx, &new)?;
    scene(call, &issue)?.tell(tx, "opened", Value::Null);
    set_up(call, tx, &issue, &fields)?;
    mentions::record(call, tx, &issue, body)?;
    reply_issue(call, tx, issue.id, 201)
}

/// A title is text; GitHub takes a number for it too.
fn title_of(fields: &Fields) -> Result<String, ApiError> {
    match fields.raw("title") {
        Some(Value::Number(number)) => Ok(number.to_string()),
        _ => fields.str("title").map(str::to_owned),
    }
}

/// Labels, assignees and milestone of a new issue. Whoever may not set them is not refused: they are left out.
fn set_up(call: &Call, tx: &Tx<'_>, issue: &Issue, fields: &Fields) -> Result<(), ApiError> {
    let labels = fields.opt_label_names("labels")?.unwrap_or_default();
    let assignees = wanted_assignees(fields)?.unwrap_or_default();
    let milestone = fields.opt_lenient_i64("milestone")?;
    if !call.may_triage() {
        return Ok(());
    }
    add_labels(call, tx, issue, &labels)?;
    assign_all(call, tx, issue, &assignees)?;
    if let Some(number) = milestone {
        let milestone = milestone_numbered(tx, issue.repo_id, number)?;
        let after = Issue { milestone_id: Some(milestone.id), ..issue.clone() };
        issues::update(tx, issue, &after)?;
        record_milestone(call, tx, issue, None, after.milestone_id)?;
    }
    Ok(())
}

/// `assignees`, or the older `assignee`.
fn wanted_assignees(fields: &Fields) -> Result<Option<Vec<String>>, ApiError> {
    if let Some(logins) = fields.opt_strings("assignees")? {
        return Ok(Some(logins));
    }
    match fields.has("assignee") {
        true => Ok(Some(
            fields
                .opt_str("assignee")?
                .filter(|login| !login.is_empty())
                .map(str::to_owned)
                .into_iter()
                .collect(),
        )),
        false => Ok(None),
    }
}

/// An author changes the own text and state; everything else takes more.
pub(super) fn update(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    let fields = call.fields()?;
    change(call, tx, &issue, &fields, None)?;
    reply_issue(call, tx, issue.id, 200)
}

/// Applies a PATCH's fields to an issue or pull request, whose base may change by the same request.
pub(super) fn change(
    call: &Call,
    tx: &Tx<'_>,
    issue: &Issue,
    fields: &Fields,
    retarget: Option<&Retarget>,
) -> Result<(), ApiError> {
    if !call.may_triage() && issue.author_id != call.actor_id()? {
        return Err(ApiError::forbidden("Must have admin rights to Repository."));
    }
    let after = changed(call, tx, issue, fields)?;
    if !issue.is_open() && after.is_open() && issue.is_pull {
        pull_api::reopen(call, tx, issue)?;
    }
    issues::update(tx, issue, &after)?;
    if let Some(retarget) = retarget {
        retarget.apply(tx, call.repo()?, scene(call, issue)?)?;
    }
    record_changes(call, tx, issue, &after, retarget)?;
    if fields.has("body") {
        mentions::record(call, tx, issue, after.body.as_deref())?;
    }
    if let Some(pull) = pulls::of_issue(tx, issue.id)? {
        closing::refresh(tx, call.repo()?, &after, &pull)?;
    }
    let (labels, assignees) = (fields.opt_label_names("labels")?, wanted_assignees(fields)?);
    if call.may_triage() {
        if let Some(names) = labels {
            set_labels(call, tx, issue, &names)?;
        }
        if let Some(logins) = assignees {
            set_assignees(call, tx, issue, &logins)?;
        }
    }
    Ok(())
}

fn changed(call: &Call, conn: &Connection, issue: &Issue, fields: &Fields) -> Result<Issue, ApiError> {
    let mut after = Issue { updated_at: call.now, ..issue.clone() };
    if fields.has("title") {
        after.title = title_of(fields)?;
        check_title("Issue", &after.title)?;
    }
    if fields.has("body") {
        after.body = fields.opt_str("body")?.map(str::to_owned);
        check_body("Issue", after.body.as_deref())?;
    }
    if fields.has("milestone") && call.may_triage() {
        let number = fields.opt_lenient_i64("milestone")?;
        let milestone = number.map(|number| milestone_numbered(conn, issue.repo_id, number)).transpose()?;
        after.milestone_id = milestone.map(|milestone| milestone.id);
    }
    change_state(call, issue, &mut after, fields)?;
    Ok(after)
}

fn change_state(call: &Call, before: &Issue, after: &mut Issue, fields: &Fields) -> Result<(), ApiError> {
    let reason = fields.opt_str("state_reason")?;
    if reason.is_some_and(|reason| !["completed", "not_planned", "reopened", "duplicate"].contains(&reason)) {
        return Err(ApiError::invalid("Issue", "state_reason", "invalid"));
    }
    match fields.opt_str("state")? {
        None => {}
        Some("closed") => {
            let reason = reason.filter(|reason| *reason != "reopened");
            if (before.is_open() || reason.is_some()) && !before.is_pull {
                after.state_reason = Some(reason.unwrap_or("completed").to_owned());
            }
            if before.is_open() {
                after.state = "closed".to_owned();
                after.closed_at = Some(call.now);
                after.closed_by = Some(call.actor_id()?);
            }
        }
        Some("open") if !before.is_open() => {
            after.state = "open".to_owned();
            after.state_reason = (!before.is_pull).then(|| "reopened".to_owned());
            after.closed_at = None;
            after.closed_by = None;
        }
        Some("open") => {}
        Some(_) => return Err(ApiError::invalid("Issue", "state", "invalid")),
    }
    Ok(())
}

fn record_changes(
    call: &Call,
    tx: &Tx<'_>,
    before: &Issue,
    after: &Issue,
    retarget: Option<&Retarget>,
) -> Result<(), ApiError> {
    let scene = scene(call, before)?;
    tell_edits(tx, scene, before, after, retarget);
    if before.title != after.title {
        events::record(tx, scene, &Happening::Renamed { from: &before.title, to: &after.title })?;
    }
    match (before.is_open(), after.is_open()) {
        (true, false) => {
            let reason = after.state_reason.as_deref();
            events::record(tx, scene, &Happening::Closed { reason, commit: None })?;
        }
        (false, true) => events::record(tx, scene, &Happening::Reopened)?,
        _ => {}
    }
    record_milestone(call, tx, before, before.milestone_id, after.milestone_id)
}

/// Tells what a text or a base was before; everything that one request changes is one edit.
fn tell_edits(tx: &Tx<'_>, scene: Scene, before: &Issue, after: &Issue, retarget: Option<&Retarget>) {
    let mut changes = Map::new();
    if let Some(retarget) = retarget {
        changes.insert("base".to_owned(), retarget.base_before());
    }
    if before.title != after.title {
        changes.insert("title".to_owned(), json!({ "from": before.title }));
    }
    if before.body != after.body {
        changes.insert("body".to_owned(), json!({ "from": before.body.as_deref().unwrap_or_default() }));
    }
    if !changes.is_empty() {
        scene.tell(tx, "edited", json!({ "changes": changes }));
    }
}

pub(super) fn lock(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    let fields = call.fields()?;
    let reason = fields.opt_str("lock_reason")?;
    if reason.is_some_and(|reason| !["off-topic", "too heated", "resolved", "spam"].contains(&reason)) {
        return Err(ApiError::invalid("Issue", "lock_reason", "invalid"));
    }
    let after = Issue { locked: true, lock_reason: reason.map(str::to_owned), ..issue.clone() };
    issues::update(tx, &issue, &after)?;
    if !issue.locked {
        events::record(tx, scene(call, &issue)?, &Happening::Locked(reason))?;
    }
    Reply::no_content()
}

pub(super) fn unlock(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    let after = Issue { locked: false, lock_reason: None, ..issue.clone() };
    issues::update(tx, &issue, &after)?;
    if issue.locked {
        events::record(tx, scene(call, &issue)?, &Happening::Unlocked)?;
    }
    Reply::no_content()
}
