//! The copy of each repository's refs that lists and lagging reads are answered from.

use rusqlite::{Connection, OptionalExtension, Row, params};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefRow {
    pub(crate) name: String,
    pub(crate) oid: String,
    pub(crate) kind: String,
}

fn ref_from(row: &Row<'_>) -> rusqlite::Result<RefRow> {
    Ok(RefRow { name: row.get(0)?, oid: row.get(1)?, kind: row.get(2)? })
}

pub(crate) fn find(conn: &Connection, repo_id: i64, name: &str) -> rusqlite::Result<Option<RefRow>> {
    let sql = "SELECT name, oid, kind FROM refs WHERE repo_id = ?1 AND name = ?2";
    conn.prepare_cached(sql)?.query_row(params![repo_id, name], ref_from).optional()
}

/// Lists refs whose name starts with `prefix`, by name.
pub(crate) fn with_prefix(conn: &Connection, repo_id: i64, prefix: &str) -> rusqlite::Result<Vec<RefRow>> {
    // The end of the range is the prefix followed by the largest character, so that the primary key serves it.
    let sql = "SELECT name, oid, kind FROM refs WHERE repo_id = ?1 AND name >= ?2 AND name < ?2 || char(1114111) ORDER BY name";
    conn.prepare_cached(sql)?.query_map(params![repo_id, prefix], ref_from)?.collect()
}

pub(crate) fn set(conn: &Connection, repo_id: i64, row: &RefRow) -> rusqlite::Result<()> {
    let sql = "INSERT INTO refs (repo_id, name, oid, kind) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (repo_id, name) DO UPDATE SET oid = excluded.oid, kind = excluded.kind";
    conn.prepare_cached(sql)?.execute(params![repo_id, row.name, row.oid, row.kind]).map(drop)
}

pub(crate) fn remove(conn: &Connection, repo_id: i64, name: &str) -> rusqlite::Result<()> {
    let sql = "DELETE FROM refs WHERE repo_id = ?1 AND name = ?2";
    conn.prepare_cached(sql)?.execute(params![repo_id, name]).map(drop)
}
