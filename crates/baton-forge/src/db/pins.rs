//! Pinned issues. An issue is pinned when the last that was written down about it and pins says so.

use rusqlite::{Connection, OptionalExtension};

/// GitHub's limit for each repository.
pub(crate) const PINS_MAX: usize = 3;

const LAST: &str = "SELECT max(id) FROM events WHERE kind IN ('pinned', 'unpinned')";

/// Who pinned an issue, if it is pinned.
pub(crate) fn pinned_by(conn: &Connection, issue_id: i64) -> rusqlite::Result<Option<i64>> {
    let sql =
        format!("SELECT actor_id FROM events WHERE id = ({LAST} AND issue_id = ?1) AND kind = 'pinned'");
    conn.prepare_cached(&sql)?.query_row([issue_id], |row| row.get(0)).optional()
}

/// Lists the pinned issues of a repository, the first pinned first.
pub(crate) fn of_repo(conn: &Connection, repo_id: i64) -> rusqlite::Result<Vec<i64>> {
    let sql = format!(
        "SELECT issue_id FROM events WHERE id IN ({LAST} AND repo_id = ?1 GROUP BY issue_id) AND kind = 'pinned' ORDER BY id"
    );
    conn.prepare_cached(&sql)?.query_map([repo_id], |row| row.get(0))?.collect()
}
