//! Threads of review comments: a place in a pull request's difference, followed through its pushes.

use rusqlite::{Connection, OptionalExtension, Row, params};

#[derive(Debug, Clone)]
pub(crate) struct Thread {
    pub(crate) id: i64,
    pub(crate) pull_id: i64,
    pub(crate) resolved_by: Option<i64>,
    pub(crate) outdated: bool,
    pub(crate) place: Place,
    pub(crate) original_line: Option<i64>,
    pub(crate) original_start_line: Option<i64>,
    pub(crate) original_position: Option<i64>,
    pub(crate) original_commit_oid: String,
}

/// Where a thread stands now. `line` and `position` are nothing for a whole file, and once the place is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) path: String,
    /// `line` or `file`.
    pub(crate) subject: &'static str,
    /// `LEFT` or `RIGHT`.
    pub(crate) side: &'static str,
    pub(crate) start_side: Option<&'static str>,
    pub(crate) line: Option<i64>,
    pub(crate) start_line: Option<i64>,
    pub(crate) position: Option<i64>,
    pub(crate) commit_oid: String,
    pub(crate) diff_hunk: String,
}

const SELECT: &str = "SELECT t.id, t.pull_id, t.resolved_by, t.outdated, t.path, t.subject, t.side, t.start_side, t.line,
    t.start_line, t.position, t.commit_oid, t.diff_hunk, t.original_line, t.original_start_line, t.original_position,
    t.original_commit_oid FROM review_threads t";

fn side(text: &str) -> &'static str {
    if text == "LEFT" { "LEFT" } else { "RIGHT" }
}

fn thread_from(row: &Row<'_>) -> rusqlite::Result<Thread> {
    let start_side: Option<String> = row.get(7)?;
    let place = Place {
        path: row.get(4)?,
        subject: if row.get_ref(5)?.as_str()? == "file" { "file" } else { "line" },
        side: side(row.get_ref(6)?.as_str()?),
        start_side: start_side.as_deref().map(side),
        line: row.get(8)?,
        start_line: row.get(9)?,
        position: row.get(10)?,
        commit_oid: row.get(11)?,
        diff_hunk: row.get(12)?,
    };
    Ok(Thread {
        id: row.get(0)?,
        pull_id: row.get(1)?,
        resolved_by: row.get(2)?,
        outdated: row.get(3)?,
        place,
        original_line: row.get(13)?,
        original_start_line: row.get(14)?,
        original_position: row.get(15)?,
        original_commit_oid: row.get(16)?,
    })
}

/// Begins a thread; where it stands now is where it began.
pub(crate) fn insert(conn: &Connection, pull_id: i64, place: &Place, now: i64) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO review_threads (pull_id, path, subject, side, start_side, line, start_line, position, commit_oid,
                 diff_hunk, original_line, original_start_line, original_position, original_commit_oid, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?6, ?7, ?8, ?9, ?11)";
    let values = params![
        pull_id,
        place.path,
        place.subject,
        place.side,
        place.start_side,
        place.line,
        place.start_line,
        place.position,
        place.commit_oid,
        place.diff_hunk,
        now
    ];
    conn.prepare_cached(sql)?.execute(values)?;
    Ok(conn.last_insert_rowid())
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<Thread>> {
    conn.prepare_cached(&format!("{SELECT} WHERE t.id = ?1"))?.query_row([id], thread_from).optional()
}

/// Lists the threads of a pull request in which `viewer_id` can see something, oldest first.
pub(crate) fn of_pull(conn: &Connection, pull_id: i64, viewer_id: i64) -> rusqlite::Result<Vec<Thread>> {
    let sql = format!(
        "{SELECT} WHERE t.pull_id = ?1 AND EXISTS (SELECT 1 FROM review_comments c JOIN reviews r ON r.id = c.review_id
         WHERE c.thread_id = t.id AND (r.state <> 'PENDING' OR r.author_id = ?2)) ORDER BY t.id"
    );
    conn.prepare_cached(&sql)?.query_map([pull_id, viewer_id], thread_from)?.collect()
}

/// Lists the threads of a pull request whose place is still there, whoever wrote them.
pub(crate) fn standing(conn: &Connection, pull_id: i64) -> rusqlite::Result<Vec<Thread>> {
    let sql = format!("{SELECT} WHERE t.pull_id = ?1 AND NOT t.outdated ORDER BY t.id");
    conn.prepare_cached(&sql)?.query_map([pull_id], thread_from)?.collect()
}

pub(crate) fn set_resolved(conn: &Connection, id: i64, by: Option<i64>) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE review_threads SET resolved_by = ?2 WHERE id = ?1")?
        .execute(params![id, by])
        .map(drop)
}

/// Moves a thread to where its lines are now.
pub(crate) fn move_to(conn: &Connection, id: i64, place: &Place) -> rusqlite::Result<()> {
    let sql =
        "UPDATE review_threads SET line = ?2, start_line = ?3, position = ?4, commit_oid = ?5 WHERE id = ?1";
    let values = params![id, place.line, place.start_line, place.position, place.commit_oid];
    conn.prepare_cached(sql)?.execute(values).map(drop)
}

/// Marks that a thread's place is gone.
pub(crate) fn set_outdated(conn: &Connection, id: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE review_threads SET outdated = 1, line = NULL, start_line = NULL, position = NULL WHERE id = ?1";
    conn.prepare_cached(sql)?.execute([id]).map(drop)
}

/// Removes the threads of a pull request in which nothing is said any more.
pub(crate) fn delete_empty(conn: &Connection, pull_id: i64) -> rusqlite::Result<()> {
    let sql = "DELETE FROM review_threads WHERE pull_id = ?1
               AND NOT EXISTS (SELECT 1 FROM review_comments c WHERE c.thread_id = review_threads.id)";
    conn.execute(sql, [pull_id]).map(drop)
}
