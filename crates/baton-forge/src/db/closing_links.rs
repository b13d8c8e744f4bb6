//! Which issues a pull request's text says that it closes. Both sides are read from here, never from the text.

use rusqlite::{Connection, params};

use super::issues::{self, Issue};
use super::pulls::{self, Pull};

/// Makes a pull request's links exactly these.
pub(crate) fn set(conn: &Connection, pull_id: i64, issue_ids: &[i64]) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM closing_links WHERE pull_id = ?1")?.execute([pull_id])?;
    let sql = "INSERT OR IGNORE INTO closing_links (pull_id, issue_id) VALUES (?1, ?2)";
    for issue_id in issue_ids {
        conn.prepare_cached(sql)?.execute(params![pull_id, issue_id])?;
    }
    Ok(())
}

/// Lists the issues that a pull request closes, oldest first.
pub(crate) fn issues_of(conn: &Connection, pull_id: i64) -> rusqlite::Result<Vec<Issue>> {
    let sql = "SELECT issue_id FROM closing_links WHERE pull_id = ?1 ORDER BY issue_id";
    let mut statement = conn.prepare_cached(sql)?;
    let ids: Vec<i64> = statement.query_map([pull_id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    ids.into_iter().filter_map(|id| issues::by_id(conn, id).transpose()).collect()
}

/// Lists the pull requests that say that they close an issue, oldest first.
pub(crate) fn pulls_of(conn: &Connection, issue_id: i64) -> rusqlite::Result<Vec<(Issue, Pull)>> {
    let sql = "SELECT pull_id FROM closing_links WHERE issue_id = ?1 ORDER BY pull_id";
    let mut statement = conn.prepare_cached(sql)?;
    let ids: Vec<i64> = statement.query_map([issue_id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    ids.into_iter().filter_map(|id| pulls::by_id(conn, id).transpose()).collect()
}
