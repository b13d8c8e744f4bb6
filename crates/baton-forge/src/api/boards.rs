//! Boards and their fields, of organisations and of users.
//!
//! Whose boards they are is in the path; everything else is the same for both.

use rusqlite::Connection;
use serde::Serialize;

use crate::boards::fields::{self, Described};
use crate::boards::projects::is_asked_for;
use crate::boards::rights::{self, Level};
use crate::db::Tx;
use crate::db::accounts::{self, Account, AccountKind};
use crate::db::project_fields::{self, Field};
use crate::db::projects::{self, Project};
use crate::graphql::connection::{Cursor, Mark, Paging};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::page::Page;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::project::{FieldView, project_url};
use crate::wire::segment;

/// The owner that the path names, by login or, where GitHub wants it so, by number.
fn owner(call: &Call, conn: &Connection) -> Result<Account, ApiError> {
    let org = call.param("org");
    if !org.is_empty() {
        let found = accounts::by_login(conn, org)?;
        return found
            .filter(|account| account.kind == AccountKind::Organization)
            .ok_or_else(ApiError::not_found);
    }
    let name = ["username", "user_id"].map(|name| call.param(name)).concat();
    let found = match accounts::by_login(conn, &name)? {
        Some(account) => Some(account),
        None => name.parse().ok().and_then(|id| accounts::by_id(conn, id).ok()),
    };
    found.filter(|account| account.kind != AccountKind::Organization).ok_or_else(ApiError::not_found)
}

/// The board that the path names, with its owner, for whoever has at least this level.
pub(super) fn project(call: &Call, conn: &Connection, needed: Level) -> Result<(Account, Project), ApiError> {
    let owner = owner(call, conn)?;
    let number = call.id_param("project_number")?;
    let found = projects::by_number(conn, owner.id, number)?.ok_or_else(ApiError::not_found)?;
    Ok((owner, rights::open(call, conn, found.id, needed)?))
}

/// Which page was asked for by cursor: the last before one, or else the first after one.
pub(super) fn paging<C: Mark>(call: &Call) -> Result<Paging<C>, ApiError> {
    let cursor = |name: &str| {
        let read = |text: String| {
            Cursor::read::<C>(&text, name).map_err(|error| ApiError::unprocessable(error.message))
        };
        call.query.get(name).map(read).transpose()
    };
    let (after, before) = (cursor("after")?, cursor("before")?);
    Ok(Paging { size: Page::of(call).size, from_end: before.is_some(), after, before })
}

/// Answers with a page by cursor; `around` says whether there is something before and after it.
pub(super) fn reply_page<T: Serialize>(
    call: &Call,
    items: &[T],
    ends: Option<(Cursor, Cursor)>,
    around: (bool, bool),
) -> ApiResult {
    let address = |name: &str, at: Cursor, relation: &str| {
        let kept = call.query.pairs().filter(|(key, _)| key != "after" && key != "before");
        let kept: String =
            kept.map(|(key, value)| format!("{}={}&", segment(&key), segment(&value))).collect();
        let cursor = at.text();
        let (api, path) = (&call.links.api, &call.path);
        format!("<{api}{path}?{kept}{name}={}>; rel=\"{relation}\"", segment(&cursor))
    };
    let mut links = Vec::new();
    if let Some((first, last)) = ends {
        if around.1 {
            links.push(address("after", last, "next"));
        }
        if around.0 {
            links.push(address("before", first, "prev"));
        }
    }
    let link = (!links.is_empty()).then(|| links.join(", "));
    Ok(Reply { link, ..Reply::ok(&items)? })
}

/// Answers with a page of a list that was loaded whole; cursors are places in it, counted from one.
fn reply_cut<T: Serialize>(call: &Call, mut all: Vec<T>) -> ApiResult {
    let page: Paging = paging(call)?;
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let (start, end) = match page.before {
        Some(before) => ((before - 1 - page.size).max(0), before - 1),
        None => (page.after.unwrap_or(0), page.after.unwrap_or(0).saturating_add(page.size)),
    };
    let (start, end) = (start.clamp(0, total), end.clamp(0, total));
    let at = |number: i64| usize::try_from(number).unwrap_or(0);
    let items: Vec<T> = all.drain(at(start)..at(end.max(start))).collect();
    let ends = (!items.is_empty()).then_some((Cursor::Place(start + 1), Cursor::Place(end)));
    reply_page(call, &items, ends, (start > 0, end < total))
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let owner = owner(call, conn)?;
    let (query, render) = (call.query.get("q").unwrap_or_default(), call.render(conn));
    let mut views = Vec::new();
    for project in projects::of_owner(conn, owner.id)?.into_iter().rev() {
        let level = rights::with_project(conn, &project, call.viewer.as_ref())?;
        if level >= Level::Read && is_asked_for(&project, &query) {
            views.push(render.project(project)?);
        }
    }
    reply_cut(call, views)
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let (_, project) = project(call, conn, Level::Read)?;
    let modified_at = project.updated_at;
    Reply::one(&call.render(conn).project(project)?, modified_at)
}

pub(super) fn list_fields(call: &Call, conn: &Connection) -> ApiResult {
    let (owner, project) = project(call, conn, Level::Read)?;
    let (url, found) =
        (project_url(&call.links, &owner, project.number), project_fields::list(conn, project.id)?);
    let views = found.iter().map(|field| FieldView { project_url: &url, field }).collect();
    reply_cut(call, views)
}

/// A field of a board.
pub(super) fn field_of(conn: &Connection, project: &Project, id: i64) -> Result<Field, ApiError> {
    let found = project_fields::by_id(conn, id)?.filter(|field| field.project_id == project.id);
    found.ok_or_else(ApiError::not_found)
}

pub(super) fn get_field(call: &Call, conn: &Connection) -> ApiResult {
    let (owner, project) = project(call, conn, Level::Read)?;
    let field = field_of(conn, &project, call.id_param("field_id")?)?;
    let url = project_url(&call.links, &owner, project.number);
    Reply::one(&FieldView { project_url: &url, field: &field }, field.updated_at)
}

pub(super) fn add_field(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (owner, project) = project(call, tx, Level::Write)?;
    let sent = call.fields()?;
    if sent.has("issue_field_id") {
        let why = "fields of issues are not supported by this forge";
        return Err(ApiError::invalid_because("ProjectV2Field", "issue_field_id", why));
    }
    let (name, kind) = (sent.str("name")?, fields::own_kind(sent.str("data_type")?)?);
    let options = options(&sent)?;
    let id = fields::create(call, tx, project.id, (name, kind), &options)?;
    let field = field_of(tx, &project, id)?;
    let url = project_url(&call.links, &owner, project.number);
    Reply::created(&FieldView { project_url: &url, field: &field }, format!("{url}/fields/{id}"))
}

fn options(sent: &Fields) -> Result<Vec<Described>, ApiError> {
    let Some(given) = sent.opt_list("single_select_options")? else { return Ok(Vec::new()) };
    let describe = |option| -> Result<Described, ApiError> {
        let option = Fields::try_from(option)?;
        Ok(Described {
            id: None,
            name: text(&option, "name")?.unwrap_or_default(),
            color: option.opt_str("color")?.unwrap_or("GRAY").to_owned(),
            description: text(&option, "description")?.unwrap_or_default(),
        })
    };
    given.iter().map(describe).collect()
}

/// A text that GitHub's description gives as one and its example as an object with the raw text in it.
fn text(option: &Fields, name: &str) -> Result<Option<String>, ApiError> {
    match option.raw(name).and_then(|value| value.get("raw")).and_then(|raw| raw.as_str()) {
        Some(raw) => Ok(Some(raw.to_owned())),
        None => Ok(option.opt_str(name)?.map(str::to_owned)),
    }
}
