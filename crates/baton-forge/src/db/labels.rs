//! Labels of a repository and of an issue.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::issues::{FACET_LABELS, set_facet};

/// GitHub's limit, in characters.
pub(crate) const LABEL_CHARS_MAX: usize = 50;
pub(crate) const DESCRIPTION_CHARS_MAX: usize = 100;
/// The colour GitHub gives a label that came into being by being put on an issue.
pub(crate) const COLOR_UNSAID: &str = "ededed";

#[derive(Debug, Clone)]
pub(crate) struct Label {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) color: String,
    pub(crate) description: Option<String>,
    pub(crate) is_default: bool,
}

/// The labels every new repository starts with on GitHub.
const DEFAULTS: [(&str, &str, &str); 9] = [
    ("bug", "d73a4a", "Something isn't working"),
    ("documentation", "0075ca", "Improvements or additions to documentation"),
    ("duplicate", "cfd3d7", "This issue or pull request already exists"),
    ("enhancement", "a2eeef", "New feature or request"),
    ("good first issue", "7057ff", "Good for newcomers"),
    ("help wanted", "008672", "Extra attention is needed"),
    ("invalid", "e4e669", "This doesn't seem right"),
    ("question", "d876e3", "Further information is requested"),
    ("wontfix", "ffffff", "This will not be worked on"),
];

const COLUMNS: &str = "id, name, color, description, is_default";

fn label_from(row: &Row<'_>) -> rusqlite::Result<Label> {
    Ok(Label {
        id: row.get(0)?,
        name: row.get(1)?,
        color: row.get(2)?,
        description: row.get(3)?,
        is_default: row.get(4)?,
    })
}

pub(crate) fn insert_defaults(conn: &Connection, repo_id: i64) -> rusqlite::Result<()> {
    for (name, color, description) in DEFAULTS {
        let sql =
            "INSERT INTO labels (repo_id, name, color, description, is_default) VALUES (?1, ?2, ?3, ?4, 1)";
        conn.execute(sql, params![repo_id, name, color, description])?;
    }
    Ok(())
}

pub(crate) fn find(conn: &Connection, repo_id: i64, name: &str) -> rusqlite::Result<Option<Label>> {
    let sql = format!("SELECT {COLUMNS} FROM labels WHERE repo_id = ?1 AND name = ?2");
    conn.prepare_cached(&sql)?.query_row(params![repo_id, name], label_from).optional()
}

pub(crate) fn insert(
    conn: &Connection,
    repo_id: i64,
    name: &str,
    color: &str,
    description: Option<&str>,
) -> rusqlite::Result<Label> {
    let sql = format!(
        "INSERT INTO labels (repo_id, name, color, description) VALUES (?1, ?2, ?3, ?4) RETURNING {COLUMNS}"
    );
    conn.prepare_cached(&sql)?.query_row(params![repo_id, name, color, description], label_from)
}

/// Returns the label of that name, making it as GitHub does when it is first put on an issue.
pub(crate) fn find_or_insert(conn: &Connection, repo_id: i64, name: &str) -> rusqlite::Result<Label> {
    match find(conn, repo_id, name)? {
        Some(label) => Ok(label),
        None => insert(conn, repo_id, name, COLOR_UNSAID, None),
    }
}

pub(crate) fn update(conn: &Connection, label: &Label) -> rusqlite::Result<()> {
    let sql = "UPDATE labels SET name = ?2, color = ?3, description = ?4, is_default = ?5 WHERE id = ?1";
    conn.execute(sql, params![label.id, label.name, label.color, label.description, label.is_default])
        .map(drop)
}

pub(crate) fn delete(conn: &Connection, id: i64) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM labels WHERE id = ?1", [id]).map(drop)
}

pub(crate) fn list(conn: &Connection, repo_id: i64, limit: i64, offset: i64) -> rusqlite::Result<Vec<Label>> {
    let sql = format!("SELECT {COLUMNS} FROM labels WHERE repo_id = ?1 ORDER BY name LIMIT ?2 OFFSET ?3");
    conn.prepare_cached(&sql)?.query_map([repo_id, limit, offset], label_from)?.collect()
}

pub(crate) fn count(conn: &Connection, repo_id: i64) -> rusqlite::Result<i64> {
    conn.prepare_cached("SELECT count(*) FROM labels WHERE repo_id = ?1")?
        .query_row([repo_id], |row| row.get(0))
}

/// Returns an issue's labels in the order in which they came into being.
pub(crate) fn of_issue(conn: &Connection, issue_id: i64) -> rusqlite::Result<Vec<Label>> {
    let sql = "SELECT l.id, l.name, l.color, l.description, l.is_default FROM issue_labels il
               JOIN labels l ON l.id = il.label_id WHERE il.issue_id = ?1 ORDER BY il.label_id";
    conn.prepare_cached(sql)?.query_map([issue_id], label_from)?.collect()
}

/// Returns the labels that the issues of a milestone carry.
pub(crate) fn of_milestone(conn: &Connection, milestone_id: i64) -> rusqlite::Result<Vec<Label>> {
    let sql = "SELECT DISTINCT l.id, l.name, l.color, l.description, l.is_default FROM issues i
               JOIN issue_labels il ON il.issue_id = i.id JOIN labels l ON l.id = il.label_id
               WHERE i.milestone_id = ?1 ORDER BY l.name";
    conn.prepare_cached(sql)?.query_map([milestone_id], label_from)?.collect()
}

/// Puts a label on an issue; returns whether it was not there before.
pub(crate) fn attach(conn: &Connection, issue_id: i64, label_id: i64) -> rusqlite::Result<bool> {
    let sql = "INSERT OR IGNORE INTO issue_labels (issue_id, label_id) VALUES (?1, ?2)";
    let added = conn.prepare_cached(sql)?.execute([issue_id, label_id])? > 0;
    if added {
        set_facet(conn, issue_id, FACET_LABELS)?;
    }
    Ok(added)
}

/// Takes a label off an issue; returns whether it was there.
pub(crate) fn detach(conn: &Connection, issue_id: i64, label_id: i64) -> rusqlite::Result<bool> {
    let sql = "DELETE FROM issue_labels WHERE issue_id = ?1 AND label_id = ?2";
    Ok(conn.prepare_cached(sql)?.execute([issue_id, label_id])? > 0)
}

/// Returns a label and the repository that it belongs to.
pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<(i64, Label)>> {
    let sql = format!("SELECT {COLUMNS}, repo_id FROM labels WHERE id = ?1");
    let found = conn.prepare_cached(&sql)?.query_row([id], |row| Ok((row.get(5)?, label_from(row)?)));
    found.optional()
}

/// How the labels of a repository are listed.
pub(crate) struct LabelQuery<'a> {
    /// Part of a name or a description.
    pub(crate) text: Option<&'a str>,
    pub(crate) by_name: bool,
    pub(crate) descending: bool,
}

/// Lists all labels of a repository that match.
pub(crate) fn matching(
    conn: &Connection,
    repo_id: i64,
    query: &LabelQuery<'_>,
) -> rusqlite::Result<Vec<Label>> {
    let order = if query.by_name { "name" } else { "id" };
    let direction = if query.descending { "DESC" } else { "ASC" };
    let sql = format!(
        "SELECT {COLUMNS} FROM labels WHERE repo_id = ?1 AND (?2 IS NULL OR instr(lower(name), lower(?2)) > 0
         OR instr(lower(coalesce(description, '')), lower(?2)) > 0) ORDER BY {order} {direction}"
    );
    conn.prepare_cached(&sql)?.query_map(params![repo_id, query.text], label_from)?.collect()
}
