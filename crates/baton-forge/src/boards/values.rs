//! Changes of the values of a board's own fields.

use serde_json::{Value, json};

use super::items::{open_item, record};
use crate::db::project_fields::{self, Field, FieldKind};
use crate::db::project_values::{self, Content};
use crate::db::projects::Project;
use crate::db::{Tx, project_items::Item};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::wire::{NodeId, parse_time};

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
    let content = &settle(&field, content)?;
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

/// The value as it is kept, if it fits the field.
fn settle(field: &Field, content: &Content) -> Result<Content, ApiError> {
    let refusal = match (field.kind, content) {
        (FieldKind::Text, Content::Text(text)) => match text.chars().count() > TEXT_CHARS_MAX {
            true => format!("text is too long (maximum is {TEXT_CHARS_MAX} characters)"),
            false => return Ok(content.clone()),
        },
        (FieldKind::Number, Content::Number(number)) => match number.is_finite() {
            true => return Ok(content.clone()),
            false => "a number must be finite".to_owned(),
        },
        (FieldKind::Date, Content::Date(date)) => match day(date) {
            Some(day) => return Ok(Content::Date(day)),
            None => format!("`{date}` is not a date such as 2026-01-31"),
        },
        (FieldKind::SingleSelect, Content::Option(id)) => match field.option(id) {
            Some(_) => return Ok(content.clone()),
            None => "The single select option Id does not belong to the field".to_owned(),
        },
        _ => format!("Did not receive a {} value to update the field {}", kind_word(field), field.name),
    };
    Err(refuse(refusal))
}

/// A day, which clients also send as a time.
fn day(text: &str) -> Option<String> {
    let day = match text.split_once('T') {
        Some((day, _)) => parse_time(text).map(|_| day)?,
        None => text,
    };
    let read: jiff::civil::Date = day.parse().ok()?;
    (read.to_string() == day).then(|| day.to_owned())
}

/// GitHub's limit.
const TEXT_CHARS_MAX: usize = 1_024;

fn kind_word(field: &Field) -> String {
    field.kind.as_str().to_ascii_lowercase().replace('_', " ")
}

/// What changed, in the words of GitHub's webhook.
fn change(project: &Project, field: &Field, from: Option<&Content>, to: Option<&Content>) -> Value {
    json!({ "field_value": {
        "field_node_id": NodeId(field.kind.prefix(), field.id),
        "field_type": field.kind.as_str().to_ascii_lowercase(),
        "field_name": field.name,
        "project_number": project.number,
        "from": from.map(|content| told(field, content)),
        "to": to.map(|content| told(field, content)),
    } })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_from_a_date_and_from_a_time() {
        for text in ["2026-02-28", "2026-02-28T00:00:00Z"] {
            assert_eq!(day(text).as_deref(), Some("2026-02-28"), "{text}");
        }
        for text in ["", "2026-02-30", "28.2.2026", "2026-02-28T", "20260228", "2026-02-28 "] {
            assert_eq!(day(text), None, "{text}");
        }
    }

    #[test]
    fn a_whole_number_is_told_as_one() {
        assert_eq!((whole(3.0), whole(-2.0), whole(2.5), whole(1e300)), (Some(3), Some(-2), None, None));
    }
}
