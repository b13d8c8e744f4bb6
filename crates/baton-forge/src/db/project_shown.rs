//! What a board's built-in fields show of an item's issue or pull request.

use rusqlite::{Connection, Row};

use super::pulls::Pull;
use super::teams::Team;

/// Somebody who is asked for a review or has given one.
#[derive(Debug, Clone)]
pub(crate) enum Reviewer {
    Account(i64),
    Team(Team),
}

/// Lists a pull request's reviewers, those still waited for first.
pub(crate) fn reviewers(conn: &Connection, pull: &Pull, author_id: i64) -> rusqlite::Result<Vec<Reviewer>> {
    let teams = "SELECT t.id, t.org_id, t.slug, t.name, t.description, t.created_at, t.updated_at
                 FROM review_requests r JOIN teams t ON t.id = r.team_id WHERE r.pull_id = ?1 ORDER BY t.id";
    let people = "SELECT account_id FROM review_requests WHERE pull_id = ?1 AND account_id IS NOT NULL
                  UNION SELECT author_id FROM reviews WHERE pull_id = ?1 AND state <> 'PENDING' AND author_id <> ?2";
    let team = |row: &Row<'_>| {
        Ok(Reviewer::Team(Team {
            id: row.get(0)?,
            org_id: row.get(1)?,
            slug: row.get(2)?,
            name: row.get(3)?,
            description: row.get(4)?,
            created_at: row.get(5)?,
            updated_at: row.get(6)?,
        }))
    };
    let mut found: Vec<Reviewer> =
        conn.prepare_cached(teams)?.query_map([pull.id], team)?.collect::<Result<_, _>>()?;
    let mut statement = conn.prepare_cached(people)?;
    for id in statement.query_map([pull.id, author_id], |row| row.get(0))? {
        found.push(Reviewer::Account(id?));
    }
    Ok(found)
}
