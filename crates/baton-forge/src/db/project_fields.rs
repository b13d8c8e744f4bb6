//! The fields of a board and the options of those that have some.

use rusqlite::{Connection, OptionalExtension, Row, params};

/// What kind of value a field holds. The first kinds can be made and written by people; the others show what an item's
/// issue or pull request says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Text,
    Number,
    Date,
    SingleSelect,
    Title,
    Assignees,
    Labels,
    LinkedPullRequests,
    Milestone,
    Repository,
    Reviewers,
    ParentIssue,
    SubIssuesProgress,
}

/// Each kind with GitHub's name of it.
const KINDS: [(FieldKind, &str); 13] = [
    (FieldKind::Text, "TEXT"),
    (FieldKind::Number, "NUMBER"),
    (FieldKind::Date, "DATE"),
    (FieldKind::SingleSelect, "SINGLE_SELECT"),
    (FieldKind::Title, "TITLE"),
    (FieldKind::Assignees, "ASSIGNEES"),
    (FieldKind::Labels, "LABELS"),
    (FieldKind::LinkedPullRequests, "LINKED_PULL_REQUESTS"),
    (FieldKind::Milestone, "MILESTONE"),
    (FieldKind::Repository, "REPOSITORY"),
    (FieldKind::Reviewers, "REVIEWERS"),
    (FieldKind::ParentIssue, "PARENT_ISSUE"),
    (FieldKind::SubIssuesProgress, "SUB_ISSUES_PROGRESS"),
];

impl FieldKind {
    pub(crate) fn as_str(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Reads GitHub's name, in either case.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        KINDS.iter().find(|(_, name)| name.eq_ignore_ascii_case(text)).map(|(kind, _)| *kind)
    }

    /// Returns whether its values are the board's own, instead of what an issue says.
    pub(crate) fn is_own(self) -> bool {
        matches!(self, Self::Text | Self::Number | Self::Date | Self::SingleSelect)
    }

    /// The prefix of its fields' node ids.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::SingleSelect => "PVTSSF",
            _ => "PVTF",
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) id: i64,
    pub(crate) project_id: i64,
    pub(crate) name: String,
    pub(crate) kind: FieldKind,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) options: Vec<Choice>,
}

impl Field {
    pub(crate) fn option(&self, id: &str) -> Option<&Choice> {
        self.options.iter().find(|option| option.id == id)
    }
}

/// One option of a single-select field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Eight hexadecimal digits, which stay the same when the option is renamed or moved.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) color: String,
    pub(crate) description: String,
}

const SELECT: &str = "SELECT id, project_id, name, data_type, created_at, updated_at FROM project_fields";

fn field_from(row: &Row<'_>) -> rusqlite::Result<Field> {
    let kind = FieldKind::parse(row.get_ref(3)?.as_str()?).unwrap_or(FieldKind::Text);
    Ok(Field {
        id: row.get(0)?,
        project_id: row.get(1)?,
        name: row.get(2)?,
        kind,
        created_at: row.get(4)?,
        updated_at: row.get(5)?,
        options: Vec::new(),
    })
}

fn with_options(conn: &Connection, mut field: Field) -> rusqlite::Result<Field> {
    if field.kind == FieldKind::SingleSelect {
        field.options = options(conn, field.id)?;
    }
    Ok(field)
}

fn options(conn: &Connection, field_id: i64) -> rusqlite::Result<Vec<Choice>> {
    let sql =
        "SELECT id, name, color, description FROM project_options WHERE field_id = ?1 ORDER BY position, id";
    let choice = |row: &Row<'_>| {
        Ok(Choice { id: row.get(0)?, name: row.get(1)?, color: row.get(2)?, description: row.get(3)? })
    };
    conn.prepare_cached(sql)?.query_map([field_id], choice)?.collect()
}

/// Lists a board's fields with their options, in their order.
pub(crate) fn list(conn: &Connection, project_id: i64) -> rusqlite::Result<Vec<Field>> {
    let sql = format!("{SELECT} WHERE project_id = ?1 ORDER BY position, id");
    let found: Vec<Field> =
        conn.prepare_cached(&sql)?.query_map([project_id], field_from)?.collect::<Result<_, _>>()?;
    found.into_iter().map(|field| with_options(conn, field)).collect()
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<Field>> {
    let sql = format!("{SELECT} WHERE id = ?1");
    let found = conn.prepare_cached(&sql)?.query_row([id], field_from).optional()?;
    found.map(|field| with_options(conn, field)).transpose()
}

pub(crate) fn name_is_taken(
    conn: &Connection,
    project_id: i64,
    name: &str,
    but: Option<i64>,
) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM project_fields WHERE project_id = ?1 AND name = ?2 AND id IS NOT ?3";
    conn.prepare_cached(sql)?.exists(params![project_id, name, but])
}

pub(crate) fn insert(
    conn: &Connection,
    project_id: i64,
    name: &str,
    kind: FieldKind,
    now: i64,
) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO project_fields (project_id, name, data_type, position, created_at, updated_at)
               VALUES (?1, ?2, ?3, (SELECT coalesce(max(position), 0) + 1 FROM project_fields WHERE project_id = ?1),
                       ?4, ?4) RETURNING id";
    conn.prepare_cached(sql)?.query_row(params![project_id, name, kind.as_str(), now], |row| row.get(0))
}

pub(crate) fn rename(conn: &Connection, id: i64, name: &str, now: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE project_fields SET name = ?2, updated_at = ?3 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute(params![id, name, now]).map(drop)
}

pub(crate) fn delete(conn: &Connection, id: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM project_fields WHERE id = ?1")?.execute([id]).map(drop)
}

/// Replaces a field's options. Values that name an option which is no longer there go with it.
pub(crate) fn set_options(conn: &Connection, id: i64, options: &[Choice], now: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM project_options WHERE field_id = ?1")?.execute([id])?;
    for (position, option) in (0_i64..).zip(options) {
        let sql = "INSERT INTO project_options (id, field_id, name, color, description, position)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let values = params![option.id, id, option.name, option.color, option.description, position];
        conn.prepare_cached(sql)?.execute(values)?;
    }
    let sql = "DELETE FROM project_values WHERE field_id = ?1
               AND option_id NOT IN (SELECT id FROM project_options WHERE field_id = ?1)";
    conn.prepare_cached(sql)?.execute([id])?;
    let sql = "UPDATE project_fields SET updated_at = ?2 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute([id, now]).map(drop)
}
