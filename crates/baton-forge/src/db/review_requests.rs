//! Whose review of a pull request is waited for.

use rusqlite::{Connection, OptionalExtension, Row, params};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reviewer {
    Account(i64),
    Team(i64),
}

impl Reviewer {
    fn columns(self) -> (Option<i64>, Option<i64>) {
        match self {
            Self::Account(id) => (Some(id), None),
            Self::Team(id) => (None, Some(id)),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ReviewRequest {
    pub(crate) id: i64,
    pub(crate) pull_id: i64,
    pub(crate) reviewer: Reviewer,
}

fn request_from(row: &Row<'_>) -> rusqlite::Result<ReviewRequest> {
    let (account, team): (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
    // The table has one of the two.
    let reviewer = team.map_or(Reviewer::Account(account.unwrap_or_default()), Reviewer::Team);
    Ok(ReviewRequest { id: row.get(0)?, pull_id: row.get(1)?, reviewer })
}

pub(crate) fn of_pull(conn: &Connection, pull_id: i64) -> rusqlite::Result<Vec<ReviewRequest>> {
    let sql = "SELECT id, pull_id, account_id, team_id FROM review_requests WHERE pull_id = ?1 ORDER BY id";
    conn.prepare_cached(sql)?.query_map([pull_id], request_from)?.collect()
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<ReviewRequest>> {
    let sql = "SELECT id, pull_id, account_id, team_id FROM review_requests WHERE id = ?1";
    conn.prepare_cached(sql)?.query_row([id], request_from).optional()
}

/// Asks for a review; returns whether it was not asked for before.
pub(crate) fn add(
    conn: &Connection,
    pull_id: i64,
    reviewer: Reviewer,
    by: i64,
    now: i64,
) -> rusqlite::Result<bool> {
    let sql = "INSERT OR IGNORE INTO review_requests (pull_id, account_id, team_id, requested_by, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5)";
    let (account, team) = reviewer.columns();
    Ok(conn.prepare_cached(sql)?.execute(params![pull_id, account, team, by, now])? > 0)
}

/// Takes a request back; returns whether there was one.
pub(crate) fn remove(conn: &Connection, pull_id: i64, reviewer: Reviewer) -> rusqlite::Result<bool> {
    let sql = "DELETE FROM review_requests WHERE pull_id = ?1 AND (account_id = ?2 OR team_id = ?3)";
    let (account, team) = reviewer.columns();
    Ok(conn.prepare_cached(sql)?.execute(params![pull_id, account, team])? > 0)
}

/// Settles what a submitted review answers: the request to its author, and those to the author's teams.
pub(crate) fn settle(conn: &Connection, pull_id: i64, author_id: i64) -> rusqlite::Result<()> {
    let sql = "DELETE FROM review_requests WHERE pull_id = ?1
               AND (account_id = ?2 OR team_id IN (SELECT team_id FROM team_members WHERE account_id = ?2))";
    conn.prepare_cached(sql)?.execute([pull_id, author_id]).map(drop)
}
