//! Comments on issues and pull requests.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::keyset::{Key, Range};

#[derive(Debug, Clone)]
pub(crate) struct Comment {
    pub(crate) id: i64,
    pub(crate) issue_id: i64,
    pub(crate) issue_number: i64,
    pub(crate) is_pull: bool,
    pub(crate) author_id: i64,
    pub(crate) body: String,
    pub(crate) has_reactions: bool,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

const SELECT: &str =
    "SELECT c.id, c.issue_id, i.number, i.is_pull, c.author_id, c.body, c.has_reactions, c.created_at,
    c.updated_at FROM comments c JOIN issues i ON i.id = c.issue_id";

fn comment_from(row: &Row<'_>) -> rusqlite::Result<Comment> {
    Ok(Comment {
        id: row.get(0)?,
        issue_id: row.get(1)?,
        issue_number: row.get(2)?,
        is_pull: row.get(3)?,
        author_id: row.get(4)?,
        body: row.get(5)?,
        has_reactions: row.get(6)?,
        created_at: row.get(7)?,
        updated_at: row.get(8)?,
    })
}

pub(crate) fn by_id(conn: &Connection, repo_id: i64, id: i64) -> rusqlite::Result<Option<Comment>> {
    let sql = format!("{SELECT} WHERE c.id = ?1 AND c.repo_id = ?2");
    conn.prepare_cached(&sql)?.query_row([id, repo_id], comment_from).optional()
}

pub(crate) fn insert(
    conn: &Connection,
    repo_id: i64,
    issue_id: i64,
    author_id: i64,
    body: &str,
    now: i64,
) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO comments (repo_id, issue_id, author_id, body, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5)";
    conn.prepare_cached(sql)?.execute(params![repo_id, issue_id, author_id, body, now])?;
    let id = conn.last_insert_rowid();
    conn.prepare_cached("UPDATE issues SET comments = comments + 1, updated_at = ?2 WHERE id = ?1")?
        .execute([issue_id, now])?;
    Ok(id)
}

pub(crate) fn set_body(conn: &Connection, id: i64, body: &str, now: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE comments SET body = ?2, updated_at = ?3 WHERE id = ?1")?
        .execute(params![id, body, now])
        .map(drop)
}

pub(crate) fn delete(conn: &Connection, comment: &Comment, now: i64) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM reactions WHERE subject = 'comment' AND subject_id = ?1", [comment.id])?;
    conn.execute("DELETE FROM comments WHERE id = ?1", [comment.id])?;
    let sql = "UPDATE issues SET comments = comments - 1, updated_at = ?2 WHERE id = ?1";
    conn.execute(sql, [comment.issue_id, now]).map(drop)
}

/// Lists an issue's comments changed at or after `since`, oldest first.
pub(crate) fn of_issue(
    conn: &Connection,
    issue_id: i64,
    since: Option<i64>,
    limit: i64,
    offset: i64,
) -> rusqlite::Result<Vec<Comment>> {
    let sql = format!(
        "{SELECT} WHERE c.issue_id = ?1 AND (?2 IS NULL OR c.updated_at >= ?2) ORDER BY c.id LIMIT ?3 OFFSET ?4"
    );
    conn.prepare_cached(&sql)?.query_map(params![issue_id, since, limit, offset], comment_from)?.collect()
}

pub(crate) fn count_of_issue(conn: &Connection, issue_id: i64, since: Option<i64>) -> rusqlite::Result<i64> {
    let sql = "SELECT count(*) FROM comments WHERE issue_id = ?1 AND (?2 IS NULL OR updated_at >= ?2)";
    conn.prepare_cached(sql)?.query_row(params![issue_id, since], |row| row.get(0))
}

/// How the comments of a whole repository are listed.
pub(crate) struct RepoComments {
    pub(crate) since: Option<i64>,
    pub(crate) by_update: bool,
    pub(crate) descending: bool,
}

pub(crate) fn of_repo(
    conn: &Connection,
    repo_id: i64,
    how: &RepoComments,
    limit: i64,
    offset: i64,
) -> rusqlite::Result<Vec<Comment>> {
    let direction = if how.descending { "DESC" } else { "ASC" };
    let order = if how.by_update { "c.updated_at" } else { "c.created_at" };
    let sql = format!(
        "{SELECT} WHERE c.repo_id = ?1 AND (?2 IS NULL OR c.updated_at >= ?2)
         ORDER BY {order} {direction}, c.id {direction} LIMIT ?3 OFFSET ?4"
    );
    conn.prepare_cached(&sql)?.query_map(params![repo_id, how.since, limit, offset], comment_from)?.collect()
}

pub(crate) fn count_of_repo(conn: &Connection, repo_id: i64, since: Option<i64>) -> rusqlite::Result<i64> {
    let sql = "SELECT count(*) FROM comments WHERE repo_id = ?1 AND (?2 IS NULL OR updated_at >= ?2)";
    conn.prepare_cached(sql)?.query_row(params![repo_id, since], |row| row.get(0))
}

/// Returns a comment and the repository that it belongs to.
pub(crate) fn anywhere(conn: &Connection, id: i64) -> rusqlite::Result<Option<(i64, Comment)>> {
    let sql = "SELECT repo_id FROM comments WHERE id = ?1";
    let repo: Option<i64> = conn.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?;
    let Some(repo) = repo else { return Ok(None) };
    Ok(by_id(conn, repo, id)?.map(|comment| (repo, comment)))
}

impl Comment {
    /// Where it stands among the comments of its issue: by age, or by its last change.
    pub(crate) fn key(&self, by_update: bool) -> Key {
        if by_update { Key { at: self.updated_at, id: self.id } } else { Key::of_row(self.id) }
    }
}

/// Lists those of an issue's comments that a range of keys holds, in the range's direction.
pub(crate) fn within(
    conn: &Connection,
    issue_id: i64,
    by_update: bool,
    range: &Range,
) -> rusqlite::Result<Vec<Comment>> {
    let (column, direction) = (if by_update { "c.updated_at" } else { "c.id" }, range.direction());
    let sql = format!(
        "{SELECT} WHERE c.issue_id = ?1 AND ({column}, c.id) > (?2, ?3) AND ({column}, c.id) < (?4, ?5)
         ORDER BY {column} {direction}, c.id {direction} LIMIT ?6"
    );
    let [above, above_id, below, below_id] = range.bounds();
    let values = [issue_id, above, above_id, below, below_id, range.limit];
    conn.prepare_cached(&sql)?.query_map(values, comment_from)?.collect()
}
