//! Issues: the rows that issues and pull requests share.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::accounts::{self, Account};
use super::repos;

pub(crate) const FACET_LABELS: i64 = 1;
pub(crate) const FACET_ASSIGNEES: i64 = 2;
pub(crate) const FACET_REACTIONS: i64 = 4;
pub(crate) const FACET_CHILDREN: i64 = 8;
pub(crate) const FACET_PARENT: i64 = 16;
pub(crate) const FACET_DEPENDENCIES: i64 = 32;

#[derive(Debug, Clone)]
pub(crate) struct Issue {
    pub(crate) id: i64,
    pub(crate) repo_id: i64,
    pub(crate) number: i64,
    pub(crate) is_pull: bool,
    pub(crate) author_id: i64,
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) state: String,
    pub(crate) state_reason: Option<String>,
    pub(crate) locked: bool,
    pub(crate) lock_reason: Option<String>,
    pub(crate) milestone_id: Option<i64>,
    pub(crate) closed_by: Option<i64>,
    pub(crate) comments: i64,
    pub(crate) facets: i64,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) closed_at: Option<i64>,
}

impl Issue {
    pub(crate) fn is_open(&self) -> bool {
        self.state == "open"
    }

    pub(crate) fn may_have(&self, facet: i64) -> bool {
        self.facets & facet != 0
    }
}

/// The columns of an issue, under the alias `i`, in the order that [`issue_from`] reads.
macro_rules! select {
    () => {
        "SELECT i.id, i.repo_id, i.number, i.is_pull, i.author_id, i.title, i.body, i.state, i.state_reason, i.locked,
         i.lock_reason, i.milestone_id, i.closed_by, i.comments, i.facets, i.created_at, i.updated_at, i.closed_at
         FROM issues i"
    };
}
pub(crate) const SELECT: &str = select!();

pub(crate) fn issue_from(row: &Row<'_>) -> rusqlite::Result<Issue> {
    Ok(Issue {
        id: row.get(0)?,
        repo_id: row.get(1)?,
        number: row.get(2)?,
        is_pull: row.get(3)?,
        author_id: row.get(4)?,
        title: row.get(5)?,
        body: row.get(6)?,
        state: row.get(7)?,
        state_reason: row.get(8)?,
        locked: row.get(9)?,
        lock_reason: row.get(10)?,
        milestone_id: row.get(11)?,
        closed_by: row.get(12)?,
        comments: row.get(13)?,
        facets: row.get(14)?,
        created_at: row.get(15)?,
        updated_at: row.get(16)?,
        closed_at: row.get(17)?,
    })
}

pub(crate) fn by_number(conn: &Connection, repo_id: i64, number: i64) -> rusqlite::Result<Option<Issue>> {
    let sql = concat!(select!(), " WHERE i.repo_id = ?1 AND i.number = ?2");
    conn.prepare_cached(sql)?.query_row([repo_id, number], issue_from).optional()
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<Issue>> {
    conn.prepare_cached(concat!(select!(), " WHERE i.id = ?1"))?.query_row([id], issue_from).optional()
}

/// What a new issue is made of.
pub(crate) struct NewIssue<'a> {
    pub(crate) repo_id: i64,
    pub(crate) author_id: i64,
    pub(crate) title: &'a str,
    pub(crate) body: Option<&'a str>,
    pub(crate) is_pull: bool,
    pub(crate) now: i64,
}

pub(crate) fn insert(conn: &Connection, new: &NewIssue<'_>) -> rusqlite::Result<Issue> {
    let number = repos::take_number(conn, new.repo_id)?;
    let sql = "INSERT INTO issues (repo_id, number, is_pull, author_id, title, body, created_at, updated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)";
    let values = params![new.repo_id, number, new.is_pull, new.author_id, new.title, new.body, new.now];
    conn.prepare_cached(sql)?.execute(values)?;
    let id = conn.last_insert_rowid();
    conn.prepare_cached(concat!(select!(), " WHERE i.id = ?1"))?.query_row([id], issue_from)
}

/// Writes the fields that a client may change, and counts a change of state.
pub(crate) fn update(conn: &Connection, before: &Issue, after: &Issue) -> rusqlite::Result<()> {
    let sql = "UPDATE issues SET title = ?2, body = ?3, state = ?4, state_reason = ?5, locked = ?6, lock_reason = ?7,
               milestone_id = ?8, closed_by = ?9, updated_at = ?10, closed_at = ?11 WHERE id = ?1";
    let values = params![
        after.id,
        after.title,
        after.body,
        after.state,
        after.state_reason,
        after.locked,
        after.lock_reason,
        after.milestone_id,
        after.closed_by,
        after.updated_at,
        after.closed_at
    ];
    conn.prepare_cached(sql)?.execute(values)?;
    if before.is_open() != after.is_open() {
        repos::count_closed(conn, after.repo_id, !after.is_open())?;
    }
    Ok(())
}

pub(crate) fn touch(conn: &Connection, id: i64, now: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE issues SET updated_at = ?2 WHERE id = ?1")?.execute([id, now]).map(drop)
}

pub(crate) fn set_facet(conn: &Connection, id: i64, facet: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE issues SET facets = facets | ?2 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute([id, facet]).map(drop)
}

pub(crate) fn assignees(conn: &Connection, issue_id: i64) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT account_id FROM issue_assignees WHERE issue_id = ?1 ORDER BY account_id";
    conn.prepare_cached(sql)?.query_map([issue_id], |row| row.get(0))?.collect()
}

/// Assigns an account; returns whether it was not assigned before.
pub(crate) fn assign(conn: &Connection, issue_id: i64, account: &Account) -> rusqlite::Result<bool> {
    let sql = "INSERT OR IGNORE INTO issue_assignees (issue_id, account_id) VALUES (?1, ?2)";
    let added = conn.prepare_cached(sql)?.execute([issue_id, account.id])? > 0;
    if added {
        set_facet(conn, issue_id, FACET_ASSIGNEES)?;
    }
    Ok(added)
}

/// Takes an assignment back; returns whether there was one.
pub(crate) fn unassign(conn: &Connection, issue_id: i64, account_id: i64) -> rusqlite::Result<bool> {
    let sql = "DELETE FROM issue_assignees WHERE issue_id = ?1 AND account_id = ?2";
    Ok(conn.prepare_cached(sql)?.execute([issue_id, account_id])? > 0)
}

/// Returns the accounts of `ids`, in order.
pub(crate) fn load_accounts(conn: &Connection, ids: &[i64]) -> rusqlite::Result<Vec<Account>> {
    ids.iter().map(|id| accounts::by_id(conn, *id)).collect()
}
