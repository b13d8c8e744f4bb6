//! Changes of the values of a board's own fields.

use serde_json::{Value, json};

use super::items::{open_item, record};
use crate::db::project_fields::{self, Field, FieldKind};
use crate::db::project_values::{self, Content};
use crate::db::projects::Project;
use crate::db::{Tx, project_items::Item};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::wire::NodeId;

fn refuse(why: impl Into<String>) -> ApiError {
    ApiError::invalid_because("ProjectV2ItemFieldValue", "value", why)
}

/// An item and a field of one board, for a change of the value between them.
fn open_cell(
    call: &Call,
    tx: &Tx<'_>,
    project_id: i64,
    item_id: i64,
    field_id: i64,
) -> Result<(Project, Item, Field), ApiError> {
    let (project, item) = open_item(call, tx, project_id, item_id)?;
    let field = project_fields::by_id(tx, field_id)?.filter(|field| field.project_id == project_id);
    let field = field.ok_or_else(ApiError::not_found)?;
    if !field.kind.is_own() {
        return Err(refuse(format!("the field {} shows what its issue says and cannot be set", field.name)));
    }
    if item.archived_at.is_some() {
        return Err(refuse("the item is archived and cannot be updated"));
    }
    Ok((project, item, field))
}

pub(crate) fn set(
    call: &Call,
    tx: &Tx<'_>,
    project_id: i64,
    (item_id, field_id): (i64, i64),
    content: &Content,
) -> Result<(), ApiError> {
    let (project, item, field) = open_cell(call, tx, project_id, item_id, field_id)?;
    check(&field, content)?;
    let before = project_values::get(tx, item.id, field.id)?.map(|value| value.content);
    project_values::set(tx, item.id, field.id, content, (call.actor_id()?, call.now))?;
    let detail = change(&project, &field, before.as_ref(), Some(content));
    record(call, tx, &project, item.id, "edited", detail)
}

pub(crate) fn clear(
    call: &Call,
    tx: &Tx<'_>,
    project_id: i64,
    item_id: i64,
    field_id: i64,
) -> Result<(), ApiError> {
    let (project, item, field) = open_cell(call, tx, project_id, item_id, field_id)?;
    let before = project_values::get(tx, item.id, field.id)?.map(|value| value.content);
    if !project_values::clear(tx, item.id, field.id)? {
        return Ok(());
    }
    let detail = change(&project, &field, before.as_ref(), None);
    record(call, tx, &project, item.id, "edited", detail)
}

fn check(field: &Field, content: &Content) -> Result<(), ApiError> {
    let wrong = || refuse(format!("Did not receive a {} value to update the field {}", kind_word(field), field.name));
    match (field.kind, content) {
        (FieldKind::Text, Content::Text(text)) => match text.chars().count() > TEXT_CHARS_MAX {
            true => Err(refuse(format!("text is too long (maximum is {TEXT_CHARS_MAX} characters)"))),
            false => Ok(()),
        },
        (FieldKind::Number, Content::Number(number)) => match number.is_finite() {
            true => Ok(()),
            false => Err(refuse("a number must be finite")),
        },
        (FieldKind::Date, Content::Date(date)) => match date.parse::<jiff::civil::Date>() {
            Ok(day) if day.to_string() == *date => Ok(()),
            _ => Err(refuse(format!("`{date}` is not a date such as 2026-01-31"))),
        },
        (FieldKind::SingleSelect, Content::Option(id)) => match field.option(id) {
            Some(_) => Ok(()),
            None => Err(refuse("The single select option Id does not belong to the field")),
        },
        _ => Err(wrong()),
    }
}

/// GitHub's limit.
const TEXT_CHARS_MAX: usize = 1_024;

fn kind_word(field: &Field) -> String {
    field.kind.as_str().to_ascii_lowercase().replace('_', " ")
}

/// What changed, in the words of GitHub's webhook.
fn change(project: &Project, field: &Field, from: Option<&Content>, to: Option<&Content>) -> Value {
    json!({
        "field_node_id": NodeId(field.kind.prefix(), field.id),
        "field_type": field.kind.as_str().to_ascii_lowercase(),
        "field_name": field.name,
        "project_number": project.number,
        "from": from.map(|content| told(field, content)),
        "to": to.map(|content| told(field, content)),
    })
}

fn told(field: &Field, content: &Content) -> Value {
    match content {
        Content::Text(text) | Content::Date(text) => json!(text),
        // GitHub's description of the payload knows whole numbers only, so any other travels as text.
        Content::Number(number) => match whole(*number) {
            Some(whole) => json!(whole),
            None => json!(number.to_string()),
        },
        Content::Option(id) => match field.option(id) {
            Some(choice) => json!({
                "id": choice.id,
                "name": choice.name,
                "color": choice.color,
                "description": choice.description,
            }),
            None => Value::Null,
        },
    }
}

/// A number without a fraction, as one.
pub(crate) fn whole(number: f64) -> Option<i64> {
    format!("{number}").parse().ok()
}
