//! Teams of organisations and who is in them.

use rusqlite::{Connection, OptionalExtension, Row, params};

#[derive(Debug, Clone)]
pub(crate) struct Team {
    pub(crate) id: i64,
    pub(crate) org_id: i64,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

const SELECT: &str = "SELECT id, org_id, slug, name, description, created_at, updated_at FROM teams";

fn team_from(row: &Row<'_>) -> rusqlite::Result<Team> {
    Ok(Team {
        id: row.get(0)?,
        org_id: row.get(1)?,
        slug: row.get(2)?,
        name: row.get(3)?,
        description: row.get(4)?,
        created_at: row.get(5)?,
        updated_at: row.get(6)?,
    })
}

/// The slug that GitHub makes of a team's name: lower case, with dashes for what is no letter or digit.
pub(crate) fn slug_of(name: &str) -> String {
    let dashed: String =
        name.to_lowercase().chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    dashed.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<Team>> {
    conn.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?.query_row([id], team_from).optional()
}

pub(crate) fn by_slug(conn: &Connection, org_id: i64, slug: &str) -> rusqlite::Result<Option<Team>> {
    let sql = format!("{SELECT} WHERE org_id = ?1 AND slug = ?2");
    conn.prepare_cached(&sql)?.query_row(params![org_id, slug], team_from).optional()
}

pub(crate) fn of_org(conn: &Connection, org_id: i64) -> rusqlite::Result<Vec<Team>> {
    conn.prepare_cached(&format!("{SELECT} WHERE org_id = ?1 ORDER BY slug"))?
        .query_map([org_id], team_from)?
        .collect()
}

pub(crate) fn insert(
    conn: &Connection,
    org_id: i64,
    name: &str,
    description: Option<&str>,
    now: i64,
) -> rusqlite::Result<Team> {
    let sql = "INSERT INTO teams (org_id, slug, name, description, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5)";
    conn.execute(sql, params![org_id, slug_of(name), name, description, now])?;
    let id = conn.last_insert_rowid();
    conn.query_row(&format!("{SELECT} WHERE id = ?1"), [id], team_from)
}

pub(crate) fn update(conn: &Connection, team: &Team, now: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE teams SET slug = ?2, name = ?3, description = ?4, updated_at = ?5 WHERE id = ?1";
    conn.execute(sql, params![team.id, slug_of(&team.name), team.name, team.description, now]).map(drop)
}

pub(crate) fn delete(conn: &Connection, id: i64) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM teams WHERE id = ?1", [id]).map(drop)
}

/// Lists the ids of a team's members, of one role or all.
pub(crate) fn members(conn: &Connection, team_id: i64, role: Option<&str>) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT account_id FROM team_members WHERE team_id = ?1 AND (?2 IS NULL OR role = ?2) ORDER BY account_id";
    conn.prepare_cached(sql)?.query_map(params![team_id, role], |row| row.get(0))?.collect()
}

pub(crate) fn role(conn: &Connection, team_id: i64, account_id: i64) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT role FROM team_members WHERE team_id = ?1 AND account_id = ?2";
    conn.prepare_cached(sql)?.query_row([team_id, account_id], |row| row.get(0)).optional()
}

pub(crate) fn set_role(conn: &Connection, team_id: i64, account_id: i64, role: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO team_members (team_id, account_id, role) VALUES (?1, ?2, ?3)
               ON CONFLICT (team_id, account_id) DO UPDATE SET role = excluded.role";
    conn.execute(sql, params![team_id, account_id, role]).map(drop)
}

/// Takes somebody out of a team; returns whether they were in it.
pub(crate) fn remove_member(conn: &Connection, team_id: i64, account_id: i64) -> rusqlite::Result<bool> {
    let sql = "DELETE FROM team_members WHERE team_id = ?1 AND account_id = ?2";
    Ok(conn.execute(sql, [team_id, account_id])? > 0)
}

/// Lists the members of an organisation with their roles, by account.
pub(crate) fn org_members(conn: &Connection, org_id: i64, role: Option<&str>) -> rusqlite::Result<Vec<i64>> {
    let sql =
        "SELECT user_id FROM org_members WHERE org_id = ?1 AND (?2 IS NULL OR role = ?2) ORDER BY user_id";
    conn.prepare_cached(sql)?.query_map(params![org_id, role], |row| row.get(0))?.collect()
}

/// Takes somebody out of an organisation and of its teams; returns whether they were in it.
pub(crate) fn remove_org_member(conn: &Connection, org_id: i64, account_id: i64) -> rusqlite::Result<bool> {
    let teams = "DELETE FROM team_members WHERE account_id = ?2 AND team_id IN (SELECT id FROM teams WHERE org_id = ?1)";
    conn.execute(teams, [org_id, account_id])?;
    let sql = "DELETE FROM org_members WHERE org_id = ?1 AND user_id = ?2";
    Ok(conn.execute(sql, [org_id, account_id])? > 0)
}

#[cfg(test)]
mod tests {
    use super::slug_of;

    #[test]
    fn a_slug_is_the_name_in_small_letters_with_dashes() {
        for (name, slug) in
            [("Core Team", "core-team"), ("a  &  b", "a-b"), ("Über", "über"), ("x_y", "x_y"), ("!", "")]
        {
            assert_eq!(slug_of(name), slug, "{name}");
        }
    }
}
