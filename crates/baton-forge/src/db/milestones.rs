//! Milestones of a repository.

use rusqlite::{Connection, OptionalExtension, Row, params};

#[derive(Debug, Clone)]
pub(crate) struct Milestone {
    pub(crate) id: i64,
    pub(crate) number: i64,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) state: String,
    pub(crate) creator_id: i64,
    pub(crate) due_on: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) closed_at: Option<i64>,
    pub(crate) open_issues: i64,
    pub(crate) closed_issues: i64,
}

const SELECT: &str =
    "SELECT id, number, title, description, state, creator_id, due_on, created_at, updated_at, closed_at,
    (SELECT count(*) FROM issues i WHERE i.milestone_id = m.id AND i.state = 'open'),
    (SELECT count(*) FROM issues i WHERE i.milestone_id = m.id AND i.state = 'closed') FROM milestones m";

fn milestone_from(row: &Row<'_>) -> rusqlite::Result<Milestone> {
    Ok(Milestone {
        id: row.get(0)?,
        number: row.get(1)?,
        title: row.get(2)?,
        description: row.get(3)?,
        state: row.get(4)?,
        creator_id: row.get(5)?,
        due_on: row.get(6)?,
        created_at: row.get(7)?,
        updated_at: row.get(8)?,
        closed_at: row.get(9)?,
        open_issues: row.get(10)?,
        closed_issues: row.get(11)?,
    })
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Milestone> {
    conn.prepare_cached(&format!("{SELECT} WHERE m.id = ?1"))?.query_row([id], milestone_from)
}

pub(crate) fn by_number(conn: &Connection, repo_id: i64, number: i64) -> rusqlite::Result<Option<Milestone>> {
    let sql = format!("{SELECT} WHERE m.repo_id = ?1 AND m.number = ?2");
    conn.prepare_cached(&sql)?.query_row([repo_id, number], milestone_from).optional()
}

pub(crate) fn by_title(conn: &Connection, repo_id: i64, title: &str) -> rusqlite::Result<Option<Milestone>> {
    let sql = format!("{SELECT} WHERE m.repo_id = ?1 AND m.title = ?2");
    conn.prepare_cached(&sql)?.query_row(params![repo_id, title], milestone_from).optional()
}

pub(crate) fn title_is_taken(
    conn: &Connection,
    repo_id: i64,
    title: &str,
    but: Option<i64>,
) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM milestones WHERE repo_id = ?1 AND title = ?2 AND id IS NOT ?3";
    conn.prepare_cached(sql)?.exists(params![repo_id, title, but])
}

/// Lists milestones in the given state (`all` for both), soonest due first as GitHub does.
pub(crate) fn list(conn: &Connection, repo_id: i64, state: &str) -> rusqlite::Result<Vec<Milestone>> {
    let sql = format!(
        "{SELECT} WHERE m.repo_id = ?1 AND (?2 = 'all' OR m.state = ?2) ORDER BY m.due_on IS NULL, m.due_on, m.number"
    );
    conn.prepare_cached(&sql)?.query_map(params![repo_id, state], milestone_from)?.collect()
}

pub(crate) fn insert(conn: &Connection, repo_id: i64, new: &Milestone) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO milestones (repo_id, number, title, description, state, creator_id, due_on, created_at, updated_at, closed_at)
               VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM milestones WHERE repo_id = ?1),
                       ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8) RETURNING id";
    let values = params![
        repo_id,
        new.title,
        new.description,
        new.state,
        new.creator_id,
        new.due_on,
        new.created_at,
        new.closed_at
    ];
    conn.query_row(sql, values, |row| row.get(0))
}

pub(crate) fn update(conn: &Connection, milestone: &Milestone) -> rusqlite::Result<()> {
    let sql = "UPDATE milestones SET title = ?2, description = ?3, state = ?4, due_on = ?5, updated_at = ?6, closed_at = ?7
               WHERE id = ?1";
    let values = params![
        milestone.id,
        milestone.title,
        milestone.description,
        milestone.state,
        milestone.due_on,
        milestone.updated_at,
        milestone.closed_at
    ];
    conn.execute(sql, values).map(drop)
}

pub(crate) fn delete(conn: &Connection, id: i64) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM milestones WHERE id = ?1", [id]).map(drop)
}

/// Returns a milestone and the repository that it belongs to.
pub(crate) fn anywhere(conn: &Connection, id: i64) -> rusqlite::Result<Option<(i64, Milestone)>> {
    let sql = "SELECT repo_id FROM milestones WHERE id = ?1";
    let repo: Option<i64> = conn.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?;
    repo.map(|repo| Ok((repo, by_id(conn, id)?))).transpose()
}
