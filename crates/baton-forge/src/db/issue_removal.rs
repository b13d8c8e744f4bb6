//! The removal of an issue with everything that hangs on it.
//!
//! What refers to its row goes with it by the schema's own rules; here is what those do not reach: reactions, which have
//! several kinds of subjects, and counters.

use rusqlite::Connection;

use super::issues::Issue;

const REACTIONS: &str = "DELETE FROM reactions WHERE (subject = 'issue' AND subject_id = ?1)
    OR (subject = 'comment' AND subject_id IN (SELECT id FROM comments WHERE issue_id = ?1))";
const BOARDS: &str = "UPDATE projects SET item_count = item_count - 1 WHERE id IN
    (SELECT project_id FROM project_items WHERE issue_id = ?1 AND archived_at IS NULL)";

pub(crate) fn remove(conn: &Connection, issue: &Issue) -> rusqlite::Result<()> {
    conn.execute(REACTIONS, [issue.id])?;
    conn.execute(BOARDS, [issue.id])?;
    conn.execute("DELETE FROM issues WHERE id = ?1", [issue.id])?;
    let counter = if issue.is_open() { "open_count" } else { "closed_count" };
    let sql = format!("UPDATE repos SET {counter} = {counter} - 1 WHERE id = ?1");
    conn.execute(&sql, [issue.repo_id]).map(drop)
}
