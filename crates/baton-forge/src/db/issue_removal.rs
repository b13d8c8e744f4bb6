//! The removal of an issue with everything that hangs on it.
//!
//! What refers to its row goes with it by the schema's own rules; here is what those do not reach: reactions, which have
//! several kinds of subjects, and counters.

use rusqlite::Connection;

use super::issues::Issue;
use super::repos;

const REACTIONS: &str = "DELETE FROM reactions WHERE (subject = 'issue' AND subject_id = ?1)
    OR (subject = 'comment' AND subject_id IN (SELECT id FROM comments WHERE issue_id = ?1))";

pub(crate) fn remove(conn: &Connection, issue: &Issue) -> rusqlite::Result<()> {
    conn.execute(REACTIONS, [issue.id])?;
    conn.execute("DELETE FROM issues WHERE id = ?1", [issue.id])?;
    repos::forget(conn, issue.repo_id, issue.is_open())
}
