//! Who took part in an issue or a pull request.

use rusqlite::Connection;

/// Lists its author, its assignees and those who commented, in the order of their accounts.
pub(crate) fn of_issue(conn: &Connection, issue_id: i64) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT author_id FROM issues WHERE id = ?1
               UNION SELECT account_id FROM issue_assignees WHERE issue_id = ?1
               UNION SELECT author_id FROM comments WHERE issue_id = ?1 ORDER BY 1";
    conn.prepare_cached(sql)?.query_map([issue_id], |row| row.get(0))?.collect()
}
