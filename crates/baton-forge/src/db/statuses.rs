//! Commit statuses: what programs without check runs say about a commit, newest per context.

use rusqlite::{Connection, OptionalExtension, Row, params};

#[derive(Debug, Clone)]
pub(crate) struct Status {
    pub(crate) id: i64,
    pub(crate) repo_id: i64,
    pub(crate) oid: String,
    pub(crate) state: String,
    pub(crate) context: String,
    pub(crate) description: Option<String>,
    pub(crate) target_url: Option<String>,
    pub(crate) creator_id: i64,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// What a new status says.
pub(crate) struct NewStatus<'a> {
    pub(crate) repo_id: i64,
    pub(crate) oid: &'a str,
    pub(crate) state: &'a str,
    pub(crate) context: &'a str,
    pub(crate) description: Option<&'a str>,
    pub(crate) target_url: Option<&'a str>,
    pub(crate) creator_id: i64,
    pub(crate) now: i64,
}

const COLUMNS: &str =
    "id, repo_id, oid, state, context, description, target_url, creator_id, created_at, updated_at";

fn status_from(row: &Row<'_>) -> rusqlite::Result<Status> {
    Ok(Status {
        id: row.get(0)?,
        repo_id: row.get(1)?,
        oid: row.get(2)?,
        state: row.get(3)?,
        context: row.get(4)?,
        description: row.get(5)?,
        target_url: row.get(6)?,
        creator_id: row.get(7)?,
        created_at: row.get(8)?,
        updated_at: row.get(9)?,
    })
}

pub(crate) fn insert(conn: &Connection, new: &NewStatus<'_>) -> rusqlite::Result<Status> {
    let sql = format!(
        "INSERT INTO statuses (repo_id, oid, state, context, description, target_url, creator_id, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) RETURNING {COLUMNS}"
    );
    let values = params![
        new.repo_id,
        new.oid,
        new.state,
        new.context,
        new.description,
        new.target_url,
        new.creator_id,
        new.now
    ];
    conn.prepare_cached(&sql)?.query_row(values, status_from)
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<Status>> {
    let sql = format!("SELECT {COLUMNS} FROM statuses WHERE id = ?1");
    conn.prepare_cached(&sql)?.query_row([id], status_from).optional()
}

/// How many statuses a commit has had in one context.
pub(crate) fn count_in_context(
    conn: &Connection,
    repo_id: i64,
    oid: &str,
    context: &str,
) -> rusqlite::Result<i64> {
    let sql = "SELECT count(*) FROM statuses WHERE repo_id = ?1 AND oid = ?2 AND context = ?3 COLLATE NOCASE";
    conn.prepare_cached(sql)?.query_row(params![repo_id, oid, context], |row| row.get(0))
}

/// Lists everything that was said about a commit, newest first.
pub(crate) fn of_commit(conn: &Connection, repo_id: i64, oid: &str) -> rusqlite::Result<Vec<Status>> {
    let sql = format!("SELECT {COLUMNS} FROM statuses WHERE repo_id = ?1 AND oid = ?2 ORDER BY id DESC");
    conn.prepare_cached(&sql)?.query_map(params![repo_id, oid], status_from)?.collect()
}

/// Lists the newest status of each context. Contexts are the same whatever their case.
pub(crate) fn latest(conn: &Connection, repo_id: i64, oid: &str) -> rusqlite::Result<Vec<Status>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM statuses WHERE id IN
         (SELECT max(id) FROM statuses WHERE repo_id = ?1 AND oid = ?2 GROUP BY context COLLATE NOCASE) ORDER BY id"
    );
    conn.prepare_cached(&sql)?.query_map(params![repo_id, oid], status_from)?.collect()
}

/// GitHub's word for all contexts together; `pending` when there is none.
pub(crate) fn combined(latest: &[Status]) -> &'static str {
    let has = |states: &[&str]| latest.iter().any(|status| states.contains(&status.state.as_str()));
    match () {
        () if has(&["error", "failure"]) => "failure",
        () if latest.is_empty() || has(&["pending"]) => "pending",
        () => "success",
    }
}
