//! The items of a board.

use rusqlite::Connection;
use serde_json::Value;
use serde_json::value::to_raw_value;

use super::board_values;
use super::boards::{field_of, paging, project, reply_page};
use crate::boards::filter::Filter;
use crate::boards::items;
use crate::boards::rights::Level;
use crate::boards::values;
use crate::db::accounts::Account;
use crate::db::keyset::{Key, Range};
use crate::db::project_fields::{self, Field, FieldKind};
use crate::db::project_items::{self, Item};
use crate::db::project_values::Content;
use crate::db::projects::Project;
use crate::db::repos::{self, Repo};
use crate::db::{Tx, issues, pulls};
use crate::graphql::connection::{Cursor, Keyed, Paging};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::Render;
use crate::wire::project::{DraftView, ItemView, project_url};

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let (owner, project) = project(call, conn, Level::Read)?;
    let fields = asked_fields(call, conn, &project)?;
    let render = call.render(conn);
    let filter = call.query.get("q").and_then(|query| Filter::parse(&query));
    let page = found(&render, &project, paging(call)?, filter.as_ref())?;
    let ends = page.entries.first().zip(page.entries.last());
    let ends = ends.map(|((first, _), (last, _))| (Cursor::Key(*first), Cursor::Key(*last)));
    let url = project_url(&call.links, &owner, project.number);
    let views = page.entries.into_iter().map(|(_, item)| view(call, &render, &url, item, Some(&fields)));
    let views = views.collect::<Result<Vec<_>, _>>()?;
    reply_page(call, &views, ends, (page.has_previous, page.has_next))
}

fn found(
    render: &Render<'_>,
    project: &Project,
    asked: Paging<Key>,
    filter: Option<&Filter>,
) -> rusqlite::Result<Keyed<Item>> {
    let resume = |cursor| project_items::resume(render.conn, project.id, cursor);
    let (after, before) = (asked.after.map(resume).transpose()?, asked.before.map(resume).transpose()?);
    let paging = Paging { after, before, ..asked };
    let Some(filter) = filter else {
        let read = |range: &Range| project_items::stretch(render.conn, project.id, range);
        return paging.page(project.item_count, false, read, Item::key);
    };
    let all = filter.apply(render, project)?;
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    paging.page(total, false, |range| Ok(range.pick(&all, Item::key)), Item::key)
}

/// The fields that the query names; the title where it names none.
fn asked_fields(call: &Call, conn: &Connection, project: &Project) -> Result<Vec<Field>, ApiError> {
    let named: Vec<String> = call
        .query
        .pairs()
        .filter(|(key, _)| key == "fields" || key == "fields[]")
        .flat_map(|(_, value)| value.split(',').map(str::to_owned).collect::<Vec<_>>())
        .filter(|id| !id.is_empty())
        .collect();
    let all = project_fields::list(conn, project.id)?;
    if named.is_empty() {
        return Ok(all.into_iter().filter(|field| field.kind == FieldKind::Title).collect());
    }
    let find = |id: &String| {
        let found = all.iter().find(|field| field.id.to_string() == *id).cloned();
        found.ok_or_else(|| ApiError::unprocessable(format!("There is no field {id} on this project.")))
    };
    named.iter().map(find).collect()
}

/// The repository of what an item shows, if the reader may see it.
fn visible_repo(render: &Render<'_>, item: &Item) -> Result<Option<Repo>, ApiError> {
    let Some(issue) = &item.issue else { return Ok(None) };
    let repo = repos::by_id(render.conn, issue.repo_id)?;
    Ok(match repo {
        Some(repo) if render.may_see(&repo)? => Some(repo),
        _ => None,
    })
}

fn view<'a>(
    call: &'a Call,
    render: &Render<'a>,
    url: &'a str,
    item: Item,
    fields: Option<&[Field]>,
) -> Result<ItemView<'a>, ApiError> {
    let repo = visible_repo(render, &item)?;
    let creator = render.account(item.creator_id)?;
    let content = match (&item.issue, &repo) {
        (None, _) => {
            let view = DraftView { links: &call.links, item: item.clone(), creator: creator.clone() };
            Some(to_raw_value(&view)?)
        }
        (Some(issue), Some(repo)) if issue.is_pull => {
            let pull = pulls::of_issue(render.conn, issue.id)?;
            let view = pull.map(|pull| render.pull(repo, issue.clone(), pull, None)).transpose()?;
            view.map(|view| to_raw_value(&view)).transpose()?
        }
        (Some(issue), Some(repo)) => Some(to_raw_value(&render.issue(repo, issue.clone())?)?),
        (Some(_), None) => None,
    };
    let is_redacted = item.issue.is_some() && repo.is_none();
    let fields = match fields {
        Some(_) if is_redacted => Some(Vec::new()),
        Some(fields) => Some(board_values::show(render, repo.as_ref(), &item, fields)?),
        None => None,
    };
    Ok(ItemView { links: &call.links, project_url: url, item, creator, content, fields })
}

/// Answers with an item as it stands, with its fields or without.
fn reply_item(
    call: &Call,
    conn: &Connection,
    (owner, project): &(Account, Project),
    id: i64,
    fields: Option<&[Field]>,
) -> ApiResult {
    let url = project_url(&call.links, owner, project.number);
    let item = item_of(conn, project, id)?;
    let modified_at = item.updated_at;
    let view = view(call, &call.render(conn), &url, item, fields)?;
    match fields {
        Some(_) => Reply::one(&view, modified_at),
        None => Reply::created(&view, format!("{url}/items/{id}")),
    }
}

fn item_of(conn: &Connection, project: &Project, id: i64) -> Result<Item, ApiError> {
    let found = project_items::by_id(conn, id)?.filter(|item| item.project_id == project.id);
    found.ok_or_else(ApiError::not_found)
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let found = project(call, conn, Level::Read)?;
    let fields = asked_fields(call, conn, &found.1)?;
    reply_item(call, conn, &found, call.id_param("item_id")?, Some(&fields))
}

pub(super) fn add(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let found = project(call, tx, Level::Write)?;
    let issue_id = named_issue(tx, &call.fields()?)?;
    let id = items::add(call, tx, found.1.id, issue_id)?;
    reply_item(call, tx, &found, id, None)
}

/// The issue or pull request that a body names, by its id or by its place.
fn named_issue(tx: &Tx<'_>, sent: &Fields) -> Result<i64, ApiError> {
    let is_pull = match sent.str("type")? {
        "Issue" => false,
        "PullRequest" => true,
        other => {
            let why = format!("`{other}` is neither Issue nor PullRequest");
            return Err(ApiError::invalid_because("ProjectV2Item", "type", why));
        }
    };
    let found = match sent.opt_i64("id")? {
        Some(id) if is_pull => pulls::by_id(tx, id)?.map(|(issue, _)| issue),
        Some(id) => issues::by_id(tx, id)?,
        None => match repos::find(tx, sent.str("owner")?, sent.str("repo")?)? {
            Some(repo) => issues::by_number(tx, repo.id, sent.i64("number")?)?,
            None => None,
        },
    };
    let found = found.filter(|issue| issue.is_pull == is_pull);
    Ok(found.ok_or_else(ApiError::not_found)?.id)
}

pub(super) fn add_draft(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let found = project(call, tx, Level::Write)?;
    let sent = call.fields()?;
    let (title, body) = (sent.str("title")?, sent.opt_str("body")?.unwrap_or_default());
    let id = items::add_draft(call, tx, found.1.id, title, body)?;
    reply_item(call, tx, &found, id, None)
}

pub(super) fn update(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let found = project(call, tx, Level::Write)?;
    let item = item_of(tx, &found.1, call.id_param("item_id")?)?;
    let sent = call.fields()?;
    let Some(changes) = sent.opt_list("fields")? else {
        return Err(ApiError::unprocessable("Invalid request.\n\n\"fields\" wasn't supplied."));
    };
    for change in changes {
        let change = Fields::try_from(change)?;
        let field = field_of(tx, &found.1, change.i64("id")?)?;
        match change.raw("value") {
            None => return Err(ApiError::unprocessable("Invalid request.\n\n\"value\" wasn't supplied.")),
            Some(Value::Null) => values::clear(call, tx, found.1.id, item.id, field.id)?,
            Some(value) => {
                let content = content(&field, value)?;
                values::set(call, tx, found.1.id, (item.id, field.id), &content)?;
            }
        }
    }
    let fields = asked_fields(call, tx, &found.1)?;
    reply_item(call, tx, &found, item.id, Some(&fields))
}

/// A value as the kind of its field reads it.
fn content(field: &Field, value: &Value) -> Result<Content, ApiError> {
    Ok(match (field.kind, value) {
        (FieldKind::SingleSelect, Value::String(id)) => Content::Option(id.clone()),
        (FieldKind::Date, Value::String(date)) => Content::Date(date.clone()),
        (_, Value::String(text)) => Content::Text(text.clone()),
        (_, Value::Number(number)) => Content::Number(number.as_f64().unwrap_or(f64::NAN)),
        _ => {
            let why = format!("the value for the field {} is neither text nor a number", field.name);
            return Err(ApiError::invalid_because("ProjectV2ItemFieldValue", "value", why));
        }
    })
}

pub(super) fn delete(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (_, project) = project(call, tx, Level::Write)?;
    items::delete(call, tx, project.id, call.id_param("item_id")?)?;
    Reply::no_content()
}
