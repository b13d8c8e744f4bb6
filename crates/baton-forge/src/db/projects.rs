//! Boards and the repositories that they are linked to.

use rusqlite::{Connection, OptionalExtension, Row, params};

#[derive(Debug, Clone)]
pub(crate) struct Project {
    pub(crate) id: i64,
    pub(crate) owner_id: i64,
    pub(crate) number: i64,
    pub(crate) title: String,
    pub(crate) short_description: Option<String>,
    pub(crate) readme: Option<String>,
    pub(crate) public: bool,
    pub(crate) template: bool,
    pub(crate) creator_id: i64,
    /// How many items are on it and not archived.
    pub(crate) item_count: i64,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) closed_at: Option<i64>,
    pub(crate) deleted_at: Option<i64>,
}

macro_rules! select {
    () => {
        "SELECT p.id, p.owner_id, p.number, p.title, p.short_description, p.readme, p.public, p.template, p.creator_id,
         p.item_count, p.created_at, p.updated_at, p.closed_at, p.deleted_at FROM projects p"
    };
}

fn project_from(row: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        id: row.get(0)?,
        owner_id: row.get(1)?,
        number: row.get(2)?,
        title: row.get(3)?,
        short_description: row.get(4)?,
        readme: row.get(5)?,
        public: row.get(6)?,
        template: row.get(7)?,
        creator_id: row.get(8)?,
        item_count: row.get(9)?,
        created_at: row.get(10)?,
        updated_at: row.get(11)?,
        closed_at: row.get(12)?,
        deleted_at: row.get(13)?,
    })
}

/// Returns a board that has not been deleted.
pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<Project>> {
    let sql = concat!(select!(), " WHERE p.id = ?1 AND p.deleted_at IS NULL");
    conn.prepare_cached(sql)?.query_row([id], project_from).optional()
}

/// Returns a board, deleted or not: what is told of a deleted one shows it.
pub(crate) fn even_deleted(conn: &Connection, id: i64) -> rusqlite::Result<Option<Project>> {
    conn.prepare_cached(concat!(select!(), " WHERE p.id = ?1"))?.query_row([id], project_from).optional()
}

pub(crate) fn by_number(conn: &Connection, owner_id: i64, number: i64) -> rusqlite::Result<Option<Project>> {
    let sql = concat!(select!(), " WHERE p.owner_id = ?1 AND p.number = ?2 AND p.deleted_at IS NULL");
    conn.prepare_cached(sql)?.query_row([owner_id, number], project_from).optional()
}

/// Lists an owner's boards by number; who may see which is for the caller to filter.
pub(crate) fn of_owner(conn: &Connection, owner_id: i64) -> rusqlite::Result<Vec<Project>> {
    let sql = concat!(select!(), " WHERE p.owner_id = ?1 AND p.deleted_at IS NULL ORDER BY p.number");
    conn.prepare_cached(sql)?.query_map([owner_id], project_from)?.collect()
}

/// Lists the boards that a repository is linked to.
pub(crate) fn of_repo(conn: &Connection, repo_id: i64) -> rusqlite::Result<Vec<Project>> {
    let sql = concat!(
        select!(),
        " JOIN project_repos r ON r.project_id = p.id WHERE r.repo_id = ?1 AND p.deleted_at IS NULL ORDER BY p.number"
    );
    conn.prepare_cached(sql)?.query_map([repo_id], project_from)?.collect()
}

/// Lists the boards that an issue or a pull request is on.
pub(crate) fn of_issue(conn: &Connection, issue_id: i64) -> rusqlite::Result<Vec<Project>> {
    let sql = concat!(
        select!(),
        " JOIN project_items t ON t.project_id = p.id WHERE t.issue_id = ?1 AND p.deleted_at IS NULL ORDER BY p.number"
    );
    conn.prepare_cached(sql)?.query_map([issue_id], project_from)?.collect()
}

pub(crate) fn insert(
    conn: &Connection,
    owner_id: i64,
    title: &str,
    creator_id: i64,
    now: i64,
) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO projects (owner_id, number, title, creator_id, created_at, updated_at)
               VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM projects WHERE owner_id = ?1), ?2, ?3, ?4, ?4)
               RETURNING id";
    conn.prepare_cached(sql)?.query_row(params![owner_id, title, creator_id, now], |row| row.get(0))
}

/// Writes the fields that a client may change.
pub(crate) fn update(conn: &Connection, project: &Project) -> rusqlite::Result<()> {
    let sql =
        "UPDATE projects SET title = ?2, short_description = ?3, readme = ?4, public = ?5, template = ?6,
               updated_at = ?7, closed_at = ?8, deleted_at = ?9 WHERE id = ?1";
    let values = params![
        project.id,
        project.title,
        project.short_description,
        project.readme,
        project.public,
        project.template,
        project.updated_at,
        project.closed_at,
        project.deleted_at
    ];
    conn.prepare_cached(sql)?.execute(values).map(drop)
}

pub(crate) fn touch(conn: &Connection, id: i64, now: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE projects SET updated_at = ?2 WHERE id = ?1")?.execute([id, now]).map(drop)
}

pub(crate) fn link(conn: &Connection, id: i64, repo_id: i64) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO project_repos (project_id, repo_id) VALUES (?1, ?2)";
    conn.prepare_cached(sql)?.execute([id, repo_id]).map(drop)
}

pub(crate) fn unlink(conn: &Connection, id: i64, repo_id: i64) -> rusqlite::Result<()> {
    let sql = "DELETE FROM project_repos WHERE project_id = ?1 AND repo_id = ?2";
    conn.prepare_cached(sql)?.execute([id, repo_id]).map(drop)
}

/// Returns the ids of the linked repositories.
pub(crate) fn linked(conn: &Connection, id: i64) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT repo_id FROM project_repos WHERE project_id = ?1 ORDER BY repo_id";
    conn.prepare_cached(sql)?.query_map([id], |row| row.get(0))?.collect()
}
