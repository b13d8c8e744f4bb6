//! Merges that are about to move their base branch, or were when the forge ended.

use rusqlite::{Connection, params};

/// What a merge is about to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MergeIntent {
    pub(crate) pull_id: i64,
    /// The base's tip before.
    pub(crate) from: String,
    /// The commit that the base moves to.
    pub(crate) to: String,
    pub(crate) method: String,
    pub(crate) by: i64,
    pub(crate) at: i64,
}

/// Writes an intent down, in place of one that the same pull request may have had.
pub(crate) fn set(conn: &Connection, intent: &MergeIntent) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO merge_intents (pull_id, from_oid, to_oid, method, by_id, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let MergeIntent { pull_id, from, to, method, by, at } = intent;
    conn.prepare_cached(sql)?.execute(params![pull_id, from, to, method, by, at]).map(drop)
}

pub(crate) fn remove(conn: &Connection, pull_id: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM merge_intents WHERE pull_id = ?1")?.execute([pull_id]).map(drop)
}

/// Lists all, oldest first.
pub(crate) fn all(conn: &Connection) -> rusqlite::Result<Vec<MergeIntent>> {
    let sql = "SELECT pull_id, from_oid, to_oid, method, by_id, created_at FROM merge_intents
               ORDER BY created_at, pull_id";
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        Ok(MergeIntent {
            pull_id: row.get(0)?,
            from: row.get(1)?,
            to: row.get(2)?,
            method: row.get(3)?,
            by: row.get(4)?,
            at: row.get(5)?,
        })
    })?;
    rows.collect()
}
