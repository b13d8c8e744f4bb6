//! The labels of a repository.

use rusqlite::Connection;
use serde_json::{Map, Value, json};

use super::issue_fields::check_label_name;
use crate::db::Tx;
use crate::db::labels::{self, COLOR_UNSAID, DESCRIPTION_CHARS_MAX, Label};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::news::{News, Scope, What};
use crate::wire::label::{LabelView, label_views};
use crate::wire::path;

fn named(call: &Call, conn: &Connection) -> Result<Label, ApiError> {
    labels::find(conn, call.repo()?.id, call.param("name"))?.ok_or_else(ApiError::not_found)
}

fn view<'a>(call: &'a Call, label: &'a Label) -> Result<LabelView<'a>, ApiError> {
    Ok(LabelView { links: &call.links, repo: call.repo()?, label })
}

/// Tells what happened to a label; a deletion before it is made.
pub(super) fn tell(
    call: &Call,
    tx: &Tx<'_>,
    label: &Label,
    action: &'static str,
    detail: Value,
) -> Result<(), ApiError> {
    let what = What::Label { label_id: label.id, action, detail };
    let scope = Scope::Repo(call.repo()?.id);
    tx.tell(News { scope, actor_id: call.actor_id()?, now: call.now, what });
    Ok(())
}

/// What a label was before, by field.
fn changes(before: &Label, after: &Label) -> Map<String, Value> {
    let text = |label: &Label| label.description.clone().unwrap_or_default();
    let pairs = [
        ("name", before.name.clone(), after.name.clone()),
        ("color", before.color.clone(), after.color.clone()),
        ("description", text(before), text(after)),
    ];
    let changed = pairs.into_iter().filter(|(_, before, after)| before != after);
    changed.map(|(field, before, _)| (field.to_owned(), json!({ "from": before }))).collect()
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let (repo, page) = (call.repo()?, Page::of(call));
    let found = labels::list(conn, repo.id, page.size, page.offset())?;
    let views = label_views(&call.links, repo, &found);
    page::reply(call, page, &views, || Ok(labels::count(conn, repo.id)?))
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    Reply::ok(&view(call, &named(call, conn)?)?)
}

pub(super) fn create(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let fields = call.fields()?;
    let name = fields.str("name")?.trim();
    check_label_name(name)?;
    let color = fields.opt_str("color")?.map_or(Ok(COLOR_UNSAID.to_owned()), clean_color)?;
    let description = fields.opt_str("description")?;
    check_description(description)?;
    let repo_id = call.repo()?.id;
    if labels::find(tx, repo_id, name)?.is_some() {
        return Err(ApiError::invalid("Label", "name", "already_exists"));
    }
    let label = labels::insert(tx, repo_id, name, &color, description)?;
    tell(call, tx, &label, "created", Value::Null)?;
    Reply::created(&view(call, &label)?, call.repo_url(&format!("labels/{}", path(name))))
}

pub(super) fn update(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let fields = call.fields()?;
    let before = named(call, tx)?;
    let mut label = before.clone();
    if let Some(name) = fields.opt_str("new_name")?.or(fields.opt_str("name")?) {
        check_label_name(name)?;
        let taken = labels::find(tx, call.repo()?.id, name)?;
        if taken.is_some_and(|taken| taken.id != label.id) {
            return Err(ApiError::invalid("Label", "name", "already_exists"));
        }
        name.clone_into(&mut label.name);
    }
    if let Some(color) = fields.opt_str("color")? {
        label.color = clean_color(color)?;
    }
    if fields.has("description") {
        let description = fields.opt_str("description")?;
        check_description(description)?;
        label.description = description.map(str::to_owned);
    }
    labels::update(tx, &label)?;
    let changes = changes(&before, &label);
    if !changes.is_empty() {
        tell(call, tx, &label, "edited", json!({ "changes": changes }))?;
    }
    Reply::ok(&view(call, &label)?)
}

pub(super) fn delete(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let label = named(call, tx)?;
    tell(call, tx, &label, "deleted", Value::Null)?;
    labels::delete(tx, label.id)?;
    Reply::no_content()
}

/// Six hexadecimal digits; a leading `#` is refused, as on GitHub.
fn clean_color(color: &str) -> Result<String, ApiError> {
    let is_color = color.len() == 6 && color.bytes().all(|b| b.is_ascii_hexdigit());
    is_color.then(|| color.to_ascii_lowercase()).ok_or_else(|| ApiError::invalid("Label", "color", "invalid"))
}

fn check_description(description: Option<&str>) -> Result<(), ApiError> {
    match description {
        Some(text) if text.chars().count() > DESCRIPTION_CHARS_MAX => Err(ApiError::invalid_because(
            "Label",
            "description",
            "description is too long (maximum is 100 characters)",
        )),
        _ => Ok(()),
    }
}
