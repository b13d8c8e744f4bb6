//! Comments on places of a pull request's difference. Each belongs to a thread, which knows the place, and to a review.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::keyset::{Key, Range};
use super::review_threads;

#[derive(Debug, Clone)]
pub(crate) struct ReviewComment {
    pub(crate) id: i64,
    pub(crate) repo_id: i64,
    pub(crate) pull_id: i64,
    pub(crate) thread_id: i64,
    pub(crate) review_id: i64,
    pub(crate) author_id: i64,
    pub(crate) in_reply_to: Option<i64>,
    pub(crate) body: String,
    pub(crate) has_reactions: bool,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    /// Whether its review is still being written.
    pub(crate) is_pending: bool,
}

const COLUMNS: &str =
    "c.id, c.repo_id, c.pull_id, c.thread_id, c.review_id, c.author_id, c.in_reply_to, c.body,
    c.has_reactions, c.created_at, c.updated_at, r.state = 'PENDING'";
const FROM: &str = "FROM review_comments c JOIN reviews r ON r.id = c.review_id";

fn comment_from(row: &Row<'_>) -> rusqlite::Result<ReviewComment> {
    Ok(ReviewComment {
        id: row.get(0)?,
        repo_id: row.get(1)?,
        pull_id: row.get(2)?,
        thread_id: row.get(3)?,
        review_id: row.get(4)?,
        author_id: row.get(5)?,
        in_reply_to: row.get(6)?,
        body: row.get(7)?,
        has_reactions: row.get(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
        is_pending: row.get(11)?,
    })
}

/// What a new comment is made of.
pub(crate) struct NewReviewComment<'a> {
    pub(crate) repo_id: i64,
    pub(crate) pull_id: i64,
    pub(crate) thread_id: i64,
    pub(crate) review_id: i64,
    pub(crate) author_id: i64,
    pub(crate) in_reply_to: Option<i64>,
    pub(crate) body: &'a str,
    pub(crate) now: i64,
}

pub(crate) fn insert(conn: &Connection, new: &NewReviewComment<'_>) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO review_comments (repo_id, pull_id, thread_id, review_id, author_id, in_reply_to, body, created_at,
                 updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)";
    let values = params![
        new.repo_id,
        new.pull_id,
        new.thread_id,
        new.review_id,
        new.author_id,
        new.in_reply_to,
        new.body,
        new.now
    ];
    conn.prepare_cached(sql)?.execute(values)?;
    Ok(conn.last_insert_rowid())
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<ReviewComment>> {
    let sql = format!("SELECT {COLUMNS} {FROM} WHERE c.id = ?1");
    conn.prepare_cached(&sql)?.query_row([id], comment_from).optional()
}

impl ReviewComment {
    /// Where it stands among others by age.
    pub(crate) fn key(&self) -> Key {
        Key { at: self.created_at, id: self.id }
    }
}

/// Whose comments are listed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Of {
    Repo(i64),
    Pull(i64),
    Review(i64),
    Thread(i64),
}

/// Which comments are listed, how, and for whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listing {
    pub(crate) of: Of,
    pub(crate) viewer_id: i64,
    pub(crate) since: Option<i64>,
    pub(crate) by_update: bool,
    pub(crate) descending: bool,
}

impl Listing {
    /// Everything that somebody sees there, oldest first.
    pub(crate) fn all(of: Of, viewer_id: i64) -> Self {
        Self { of, viewer_id, since: None, by_update: false, descending: false }
    }

    fn condition(&self) -> (&'static str, i64) {
        match self.of {
            Of::Repo(id) => ("c.repo_id", id),
            Of::Pull(id) => ("c.pull_id", id),
            Of::Review(id) => ("c.review_id", id),
            Of::Thread(id) => ("c.thread_id", id),
        }
    }

    fn clause(column: &str) -> String {
        format!(
            "WHERE {column} = ?1 AND (r.state <> 'PENDING' OR r.author_id = ?2) AND (?3 IS NULL OR c.updated_at >= ?3)"
        )
    }

    pub(crate) fn page(
        &self,
        conn: &Connection,
        limit: i64,
        offset: i64,
    ) -> rusqlite::Result<Vec<ReviewComment>> {
        let (column, id) = self.condition();
        let order = if self.by_update { "c.updated_at" } else { "c.created_at" };
        let direction = if self.descending { "DESC" } else { "ASC" };
        let clause = Self::clause(column);
        let sql = format!(
            "SELECT {COLUMNS} {FROM} {clause} ORDER BY {order} {direction}, c.id {direction} LIMIT ?4 OFFSET ?5"
        );
        let values = params![id, self.viewer_id, self.since, limit, offset];
        conn.prepare_cached(&sql)?.query_map(values, comment_from)?.collect()
    }

    /// Returns what a range of keys holds, oldest first or last as the range goes.
    pub(crate) fn within(&self, conn: &Connection, range: &Range) -> rusqlite::Result<Vec<ReviewComment>> {
        let (column, id) = self.condition();
        let (clause, direction) = (Self::clause(column), range.direction());
        let sql = format!(
            "SELECT {COLUMNS} {FROM} {clause} AND (c.created_at, c.id) > (?4, ?5) AND (c.created_at, c.id) < (?6, ?7)
             ORDER BY c.created_at {direction}, c.id {direction} LIMIT ?8"
        );
        let [above, above_id, below, below_id] = range.bounds();
        let values = params![id, self.viewer_id, self.since, above, above_id, below, below_id, range.limit];
        conn.prepare_cached(&sql)?.query_map(values, comment_from)?.collect()
    }

    pub(crate) fn count(&self, conn: &Connection) -> rusqlite::Result<i64> {
        let (column, id) = self.condition();
        let sql = format!("SELECT count(*) {FROM} {}", Self::clause(column));
        conn.prepare_cached(&sql)?.query_row(params![id, self.viewer_id, self.since], |row| row.get(0))
    }
}

/// Lists the comments of a review, oldest first, whoever looks.
pub(crate) fn of_review(conn: &Connection, review_id: i64) -> rusqlite::Result<Vec<ReviewComment>> {
    let sql = format!("SELECT {COLUMNS} {FROM} WHERE c.review_id = ?1 ORDER BY c.id");
    conn.prepare_cached(&sql)?.query_map([review_id], comment_from)?.collect()
}

/// The comment that began a thread, which replies name.
pub(crate) fn first_of_thread(conn: &Connection, thread_id: i64) -> rusqlite::Result<Option<i64>> {
    conn.prepare_cached("SELECT min(id) FROM review_comments WHERE thread_id = ?1")?
        .query_row([thread_id], |row| row.get(0))
}

pub(crate) fn count_public(conn: &Connection, pull_id: i64) -> rusqlite::Result<i64> {
    Listing::all(Of::Pull(pull_id), 0).count(conn)
}

pub(crate) fn set_body(conn: &Connection, id: i64, body: &str, now: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE review_comments SET body = ?2, updated_at = ?3 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute(params![id, body, now]).map(drop)
}

/// Removes a comment; with it go a thread that it leaves empty and a review that said nothing else.
pub(crate) fn delete(conn: &Connection, comment: &ReviewComment) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM reactions WHERE subject = 'review_comment' AND subject_id = ?1", [comment.id])?;
    conn.execute("DELETE FROM review_comments WHERE id = ?1", [comment.id])?;
    let silent = "DELETE FROM reviews WHERE id = ?1 AND state = 'COMMENTED' AND body = ''
                  AND NOT EXISTS (SELECT 1 FROM review_comments c WHERE c.review_id = reviews.id)";
    conn.execute(silent, [comment.review_id])?;
    review_threads::delete_empty(conn, comment.pull_id)
}
