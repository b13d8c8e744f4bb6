//! Reactions to issues and comments.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::issues::{FACET_REACTIONS, set_facet};

/// GitHub's eight reactions, in the order of its rollup.
pub(crate) const CONTENTS: [&str; 8] = ["+1", "-1", "laugh", "confused", "heart", "hooray", "eyes", "rocket"];

#[derive(Debug, Clone, Copy)]
pub(crate) enum Subject {
    Issue(i64),
    Comment(i64),
    ReviewComment(i64),
}

impl Subject {
    fn kind(self) -> &'static str {
        match self {
            Self::Issue(_) => "issue",
            Self::Comment(_) => "comment",
            Self::ReviewComment(_) => "review_comment",
        }
    }

    fn id(self) -> i64 {
        match self {
            Self::Issue(id) | Self::Comment(id) | Self::ReviewComment(id) => id,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Reaction {
    pub(crate) id: i64,
    pub(crate) account_id: i64,
    pub(crate) content: String,
    pub(crate) created_at: i64,
}

/// How often each of [`CONTENTS`] was given.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Rollup(pub(crate) [i64; 8]);

fn reaction_from(row: &Row<'_>) -> rusqlite::Result<Reaction> {
    Ok(Reaction { id: row.get(0)?, account_id: row.get(1)?, content: row.get(2)?, created_at: row.get(3)? })
}

/// Reacts; returns the reaction and whether it is new.
pub(crate) fn react(
    conn: &Connection,
    subject: Subject,
    account_id: i64,
    content: &str,
    now: i64,
) -> rusqlite::Result<(Reaction, bool)> {
    let sql = "INSERT OR IGNORE INTO reactions (subject, subject_id, account_id, content, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    let values = params![subject.kind(), subject.id(), account_id, content, now];
    let is_new = conn.prepare_cached(sql)?.execute(values)? > 0;
    if is_new {
        mark(conn, subject)?;
    }
    let sql = "SELECT id, account_id, content, created_at FROM reactions
               WHERE subject = ?1 AND subject_id = ?2 AND account_id = ?3 AND content = ?4";
    let values = params![subject.kind(), subject.id(), account_id, content];
    Ok((conn.prepare_cached(sql)?.query_row(values, reaction_from)?, is_new))
}

fn mark(conn: &Connection, subject: Subject) -> rusqlite::Result<()> {
    match subject {
        Subject::Issue(id) => set_facet(conn, id, FACET_REACTIONS),
        Subject::Comment(id) => conn
            .prepare_cached("UPDATE comments SET has_reactions = 1 WHERE id = ?1")?
            .execute([id])
            .map(drop),
        Subject::ReviewComment(id) => conn
            .prepare_cached("UPDATE review_comments SET has_reactions = 1 WHERE id = ?1")?
            .execute([id])
            .map(drop),
    }
}

/// Lists reactions, of one content or all.
pub(crate) fn list(
    conn: &Connection,
    subject: Subject,
    content: Option<&str>,
) -> rusqlite::Result<Vec<Reaction>> {
    let sql = "SELECT id, account_id, content, created_at FROM reactions
               WHERE subject = ?1 AND subject_id = ?2 AND (?3 IS NULL OR content = ?3) ORDER BY id";
    conn.prepare_cached(sql)?
        .query_map(params![subject.kind(), subject.id(), content], reaction_from)?
        .collect()
}

pub(crate) fn by_id(conn: &Connection, subject: Subject, id: i64) -> rusqlite::Result<Option<Reaction>> {
    let sql = "SELECT id, account_id, content, created_at FROM reactions WHERE subject = ?1 AND subject_id = ?2 AND id = ?3";
    conn.prepare_cached(sql)?.query_row(params![subject.kind(), subject.id(), id], reaction_from).optional()
}

pub(crate) fn delete(conn: &Connection, id: i64) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM reactions WHERE id = ?1", [id]).map(drop)
}

pub(crate) fn rollup(conn: &Connection, subject: Subject) -> rusqlite::Result<Rollup> {
    let sql =
        "SELECT content, count(*) FROM reactions WHERE subject = ?1 AND subject_id = ?2 GROUP BY content";
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params![subject.kind(), subject.id()])?;
    let mut counts = [0; 8];
    while let Some(row) = rows.next()? {
        let content = row.get_ref(0)?.as_str()?;
        if let Some(at) = CONTENTS.iter().position(|known| *known == content) {
            counts[at] = row.get(1)?;
        }
    }
    Ok(Rollup(counts))
}

/// Returns a reaction and what it was given to, by the kind and the id of that.
pub(crate) fn anywhere(conn: &Connection, id: i64) -> rusqlite::Result<Option<(Reaction, String, i64)>> {
    let sql = "SELECT id, account_id, content, created_at, subject, subject_id FROM reactions WHERE id = ?1";
    let found =
        conn.prepare_cached(sql)?.query_row([id], |row| Ok((reaction_from(row)?, row.get(4)?, row.get(5)?)));
    found.optional()
}
