//! Links between issues: parents and children, blockers and blocked.

use rusqlite::{Connection, OptionalExtension, params};

use super::issues::{self, FACET_CHILDREN, FACET_DEPENDENCIES, FACET_PARENT, Issue, issue_from, set_facet};

/// GitHub's limit of children per issue.
pub(crate) const CHILDREN_MAX: i64 = 100;
/// GitHub's limit of nesting.
pub(crate) const LEVELS_MAX: usize = 8;
/// GitHub's limit of blockers per issue.
pub(crate) const BLOCKERS_MAX: i64 = 50;

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct ChildSummary {
    pub(crate) total: i64,
    pub(crate) completed: i64,
}

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct DependencySummary {
    pub(crate) blocked_by: i64,
    pub(crate) blocking: i64,
    pub(crate) total_blocked_by: i64,
    pub(crate) total_blocking: i64,
}

pub(crate) fn parent_of(conn: &Connection, child_id: i64) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT parent_id FROM sub_issues WHERE child_id = ?1";
    conn.prepare_cached(sql)?.query_row([child_id], |row| row.get(0)).optional()
}

/// Returns the chain of parents above an issue, nearest first.
pub(crate) fn ancestors(conn: &Connection, id: i64) -> rusqlite::Result<Vec<i64>> {
    let mut chain = Vec::new();
    let mut at = id;
    while let Some(parent) = parent_of(conn, at)? {
        chain.push(parent);
        at = parent;
    }
    Ok(chain)
}

/// Returns how many levels lie below an issue.
pub(crate) fn depth_below(conn: &Connection, id: i64) -> rusqlite::Result<usize> {
    let sql = "WITH RECURSIVE below(id, level) AS (
                 SELECT child_id, 1 FROM sub_issues WHERE parent_id = ?1
                 UNION ALL SELECT s.child_id, b.level + 1 FROM below b JOIN sub_issues s ON s.parent_id = b.id WHERE b.level < 64)
               SELECT coalesce(max(level), 0) FROM below";
    let depth: i64 = conn.prepare_cached(sql)?.query_row([id], |row| row.get(0))?;
    Ok(usize::try_from(depth).unwrap_or(usize::MAX))
}

pub(crate) fn add_child(conn: &Connection, parent_id: i64, child_id: i64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO sub_issues (child_id, parent_id, position)
               VALUES (?1, ?2, (SELECT coalesce(max(position), 0) + 1 FROM sub_issues WHERE parent_id = ?2))";
    conn.prepare_cached(sql)?.execute([child_id, parent_id])?;
    set_facet(conn, parent_id, FACET_CHILDREN)?;
    set_facet(conn, child_id, FACET_PARENT)
}

pub(crate) fn remove_child(conn: &Connection, child_id: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM sub_issues WHERE child_id = ?1")?.execute([child_id]).map(drop)
}

pub(crate) fn children(conn: &Connection, parent_id: i64) -> rusqlite::Result<Vec<Issue>> {
    let sql = format!(
        "{} JOIN sub_issues s ON s.child_id = i.id WHERE s.parent_id = ?1 ORDER BY s.position",
        issues::SELECT
    );
    conn.prepare_cached(&sql)?.query_map([parent_id], issue_from)?.collect()
}

/// Writes the order of an issue's children.
pub(crate) fn set_child_order(conn: &Connection, children: &[i64]) -> rusqlite::Result<()> {
    for (at, child) in children.iter().enumerate() {
        let position = i64::try_from(at).unwrap_or(i64::MAX);
        conn.prepare_cached("UPDATE sub_issues SET position = ?2 WHERE child_id = ?1")?
            .execute([*child, position])?;
    }
    Ok(())
}

pub(crate) fn child_summary(conn: &Connection, parent_id: i64) -> rusqlite::Result<ChildSummary> {
    let sql = "SELECT count(*), coalesce(sum(i.state = 'closed'), 0) FROM sub_issues s JOIN issues i ON i.id = s.child_id
               WHERE s.parent_id = ?1";
    conn.prepare_cached(sql)?
        .query_row([parent_id], |row| Ok(ChildSummary { total: row.get(0)?, completed: row.get(1)? }))
}

/// Adds a blocker; returns whether it was not one before.
pub(crate) fn add_blocker(conn: &Connection, issue_id: i64, blocker_id: i64) -> rusqlite::Result<bool> {
    let sql = "INSERT OR IGNORE INTO dependencies (issue_id, blocker_id) VALUES (?1, ?2)";
    let added = conn.prepare_cached(sql)?.execute([issue_id, blocker_id])? > 0;
    set_facet(conn, issue_id, FACET_DEPENDENCIES)?;
    set_facet(conn, blocker_id, FACET_DEPENDENCIES)?;
    Ok(added)
}

/// Removes a blocker; returns whether it was one.
pub(crate) fn remove_blocker(conn: &Connection, issue_id: i64, blocker_id: i64) -> rusqlite::Result<bool> {
    let sql = "DELETE FROM dependencies WHERE issue_id = ?1 AND blocker_id = ?2";
    Ok(conn.prepare_cached(sql)?.execute([issue_id, blocker_id])? > 0)
}

/// Returns whether `issue_id` is blocked by `blocker_id`, directly or through others.
pub(crate) fn is_blocked_by(conn: &Connection, issue_id: i64, blocker_id: i64) -> rusqlite::Result<bool> {
    let sql = "WITH RECURSIVE above(id) AS (
                 SELECT blocker_id FROM dependencies WHERE issue_id = ?1
                 UNION SELECT d.blocker_id FROM above a JOIN dependencies d ON d.issue_id = a.id)
               SELECT 1 FROM above WHERE id = ?2";
    conn.prepare_cached(sql)?.exists([issue_id, blocker_id])
}

/// Which end of a dependency is asked for.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Blockers,
    Blocked,
}

pub(crate) fn dependencies(conn: &Connection, issue_id: i64, side: Side) -> rusqlite::Result<Vec<Issue>> {
    let (join, ask) = match side {
        Side::Blockers => ("blocker_id", "issue_id"),
        Side::Blocked => ("issue_id", "blocker_id"),
    };
    let sql =
        format!("{} JOIN dependencies d ON d.{join} = i.id WHERE d.{ask} = ?1 ORDER BY i.id", issues::SELECT);
    conn.prepare_cached(&sql)?.query_map(params![issue_id], issue_from)?.collect()
}

pub(crate) fn dependency_summary(conn: &Connection, issue_id: i64) -> rusqlite::Result<DependencySummary> {
    let sql = "SELECT
        (SELECT count(*) FROM dependencies d JOIN issues i ON i.id = d.blocker_id WHERE d.issue_id = ?1 AND i.state = 'open'),
        (SELECT count(*) FROM dependencies d JOIN issues i ON i.id = d.issue_id WHERE d.blocker_id = ?1 AND i.state = 'open'),
        (SELECT count(*) FROM dependencies WHERE issue_id = ?1),
        (SELECT count(*) FROM dependencies WHERE blocker_id = ?1)";
    conn.prepare_cached(sql)?.query_row([issue_id], |row| {
        Ok(DependencySummary {
            blocked_by: row.get(0)?,
            blocking: row.get(1)?,
            total_blocked_by: row.get(2)?,
            total_blocking: row.get(3)?,
        })
    })
}
