//! Reviews: a verdict or a comment on a pull request as a whole, or one that its author still writes.
//!
//! A pending review exists for its author alone; every list takes who looks.

use rusqlite::{Connection, OptionalExtension, Row, params};

#[derive(Debug, Clone)]
pub(crate) struct Review {
    pub(crate) id: i64,
    pub(crate) repo_id: i64,
    pub(crate) pull_id: i64,
    pub(crate) author_id: i64,
    /// One of GitHub's five states, in capitals.
    pub(crate) state: String,
    pub(crate) body: String,
    pub(crate) commit_oid: String,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) submitted_at: Option<i64>,
}

impl Review {
    pub(crate) fn is_pending(&self) -> bool {
        self.state == "PENDING"
    }

    /// Returns whether somebody may see it; nobody is account zero.
    pub(crate) fn is_visible_to(&self, account_id: i64) -> bool {
        !self.is_pending() || self.author_id == account_id
    }
}

const SELECT: &str =
    "SELECT id, repo_id, pull_id, author_id, state, body, commit_oid, created_at, updated_at, submitted_at
    FROM reviews";

fn review_from(row: &Row<'_>) -> rusqlite::Result<Review> {
    Ok(Review {
        id: row.get(0)?,
        repo_id: row.get(1)?,
        pull_id: row.get(2)?,
        author_id: row.get(3)?,
        state: row.get(4)?,
        body: row.get(5)?,
        commit_oid: row.get(6)?,
        created_at: row.get(7)?,
        updated_at: row.get(8)?,
        submitted_at: row.get(9)?,
    })
}

/// What a new review is made of. It begins as a pending one.
pub(crate) struct NewReview<'a> {
    pub(crate) repo_id: i64,
    pub(crate) pull_id: i64,
    pub(crate) author_id: i64,
    pub(crate) body: &'a str,
    pub(crate) commit_oid: &'a str,
    pub(crate) now: i64,
}

pub(crate) fn insert(conn: &Connection, new: &NewReview<'_>) -> rusqlite::Result<Review> {
    let sql =
        "INSERT INTO reviews (repo_id, pull_id, author_id, state, body, commit_oid, created_at, updated_at)
               VALUES (?1, ?2, ?3, 'PENDING', ?4, ?5, ?6, ?6)";
    let values = params![new.repo_id, new.pull_id, new.author_id, new.body, new.commit_oid, new.now];
    conn.prepare_cached(sql)?.execute(values)?;
    let id = conn.last_insert_rowid();
    conn.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?.query_row([id], review_from)
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<Review>> {
    conn.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?.query_row([id], review_from).optional()
}

/// Lists a pull request's reviews as `viewer_id` sees them, oldest first.
pub(crate) fn of_pull(conn: &Connection, pull_id: i64, viewer_id: i64) -> rusqlite::Result<Vec<Review>> {
    let sql = format!("{SELECT} WHERE pull_id = ?1 AND (state <> 'PENDING' OR author_id = ?2) ORDER BY id");
    conn.prepare_cached(&sql)?.query_map([pull_id, viewer_id], review_from)?.collect()
}

/// The review that somebody still writes.
pub(crate) fn pending_of(
    conn: &Connection,
    pull_id: i64,
    author_id: i64,
) -> rusqlite::Result<Option<Review>> {
    let sql = format!("{SELECT} WHERE pull_id = ?1 AND author_id = ?2 AND state = 'PENDING'");
    conn.prepare_cached(&sql)?.query_row([pull_id, author_id], review_from).optional()
}

/// Lists each reviewer's last submitted review, oldest first; of those that decide, where `decides` is set.
pub(crate) fn latest(conn: &Connection, pull_id: i64, decides: bool) -> rusqlite::Result<Vec<Review>> {
    let sql = format!(
        "{SELECT} WHERE id IN (SELECT max(id) FROM reviews WHERE pull_id = ?1 AND state <> 'PENDING'
         AND (state <> 'COMMENTED' OR NOT ?2) GROUP BY author_id) ORDER BY id"
    );
    conn.prepare_cached(&sql)?.query_map(params![pull_id, decides], review_from)?.collect()
}

/// Lists the approvals of a pull request that still count.
pub(crate) fn approvals(conn: &Connection, pull_id: i64) -> rusqlite::Result<Vec<Review>> {
    let sql = format!("{SELECT} WHERE pull_id = ?1 AND state = 'APPROVED' ORDER BY id");
    conn.prepare_cached(&sql)?.query_map([pull_id], review_from)?.collect()
}

/// Makes a pending review public.
pub(crate) fn submit(conn: &Connection, id: i64, state: &str, body: &str, now: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE reviews SET state = ?2, body = ?3, submitted_at = ?4, updated_at = ?4 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute(params![id, state, body, now]).map(drop)
}

pub(crate) fn set_body(conn: &Connection, id: i64, body: &str, now: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE reviews SET body = ?2, updated_at = ?3 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute(params![id, body, now]).map(drop)
}

pub(crate) fn set_dismissed(conn: &Connection, id: i64, now: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE reviews SET state = 'DISMISSED', updated_at = ?2 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute([id, now]).map(drop)
}

/// Removes a review with its comments, and the threads that it leaves empty.
pub(crate) fn delete(conn: &Connection, review: &Review) -> rusqlite::Result<()> {
    conn.execute(
        "DELETE FROM reactions WHERE subject = 'review_comment'
         AND subject_id IN (SELECT id FROM review_comments WHERE review_id = ?1)",
        [review.id],
    )?;
    conn.execute("DELETE FROM review_comments WHERE review_id = ?1", [review.id])?;
    conn.execute("DELETE FROM reviews WHERE id = ?1", [review.id])?;
    super::review_threads::delete_empty(conn, review.pull_id)
}
