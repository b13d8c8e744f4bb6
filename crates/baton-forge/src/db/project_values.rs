//! The values that people gave a board's own fields.

use rusqlite::{Connection, OptionalExtension, Row, params};

/// A value of one of the board's own kinds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Text(String),
    Number(f64),
    /// A day, as `2026-01-31`.
    Date(String),
    /// The id of an option.
    Option(String),
}

#[derive(Debug, Clone)]
pub(crate) struct FieldValue {
    pub(crate) field_id: i64,
    pub(crate) content: Content,
    pub(crate) creator_id: i64,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

macro_rules! select {
    () => {
        "SELECT field_id, text, number, date, option_id, creator_id, created_at, updated_at FROM project_values"
    };
}

fn value_from(row: &Row<'_>) -> rusqlite::Result<Option<FieldValue>> {
    let content = match (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?) {
        (Some(text), _, _, _) => Content::Text(text),
        (_, Some(number), _, _) => Content::Number(number),
        (_, _, Some(date), _) => Content::Date(date),
        (_, _, _, Some(option)) => Content::Option(option),
        _ => return Ok(None),
    };
    Ok(Some(FieldValue {
        field_id: row.get(0)?,
        content,
        creator_id: row.get(5)?,
        created_at: row.get(6)?,
        updated_at: row.get(7)?,
    }))
}

pub(crate) fn get(conn: &Connection, item_id: i64, field_id: i64) -> rusqlite::Result<Option<FieldValue>> {
    let sql = concat!(select!(), " WHERE item_id = ?1 AND field_id = ?2");
    let found = conn.prepare_cached(sql)?.query_row([item_id, field_id], value_from).optional()?;
    Ok(found.flatten())
}

pub(crate) fn of_item(conn: &Connection, item_id: i64) -> rusqlite::Result<Vec<FieldValue>> {
    let sql = concat!(select!(), " WHERE item_id = ?1");
    let found: Vec<Option<FieldValue>> =
        conn.prepare_cached(sql)?.query_map([item_id], value_from)?.collect::<Result<_, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Writes a value over what was there.
pub(crate) fn set(
    conn: &Connection,
    item_id: i64,
    field_id: i64,
    content: &Content,
    (actor_id, now): (i64, i64),
) -> rusqlite::Result<()> {
    let (mut text, mut number, mut date, mut option) = (None, None, None, None);
    match content {
        Content::Text(value) => text = Some(value),
        Content::Number(value) => number = Some(*value),
        Content::Date(value) => date = Some(value),
        Content::Option(value) => option = Some(value),
    }
    let sql = "INSERT INTO project_values (item_id, field_id, text, number, date, option_id, creator_id, created_at, updated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
               ON CONFLICT (item_id, field_id) DO UPDATE SET text = excluded.text, number = excluded.number,
                   date = excluded.date, option_id = excluded.option_id, updated_at = excluded.updated_at";
    let values = params![item_id, field_id, text, number, date, option, actor_id, now];
    conn.prepare_cached(sql)?.execute(values).map(drop)
}

/// Removes a value; returns whether there was one.
pub(crate) fn clear(conn: &Connection, item_id: i64, field_id: i64) -> rusqlite::Result<bool> {
    let sql = "DELETE FROM project_values WHERE item_id = ?1 AND field_id = ?2";
    Ok(conn.prepare_cached(sql)?.execute([item_id, field_id])? > 0)
}
