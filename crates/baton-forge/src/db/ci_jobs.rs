//! What the forge's own CI has to run: a row for each check run that is not completed yet.

use rusqlite::{Connection, Row, params};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CiJob {
    pub(crate) run_id: i64,
    pub(crate) repo_id: i64,
    pub(crate) oid: String,
    /// The full name of the branch that was pushed.
    pub(crate) name: String,
}

fn job_from(row: &Row<'_>) -> rusqlite::Result<CiJob> {
    Ok(CiJob { run_id: row.get(0)?, repo_id: row.get(1)?, oid: row.get(2)?, name: row.get(3)? })
}

pub(crate) fn insert(conn: &Connection, job: &CiJob, now: i64) -> rusqlite::Result<()> {
    let sql =
        "INSERT OR REPLACE INTO ci_jobs (run_id, repo_id, oid, ref, queued_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    conn.execute(sql, params![job.run_id, job.repo_id, job.oid, job.name, now]).map(drop)
}

pub(crate) fn remove(conn: &Connection, run_id: i64) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM ci_jobs WHERE run_id = ?1", [run_id]).map(drop)
}

/// Lists the jobs that were not finished, oldest first.
pub(crate) fn all(conn: &Connection) -> rusqlite::Result<Vec<CiJob>> {
    let sql = "SELECT run_id, repo_id, oid, ref FROM ci_jobs ORDER BY queued_at, run_id";
    conn.prepare_cached(sql)?.query_map([], job_from)?.collect()
}
