//! The items of a board: issues, pull requests and drafts, in an order of their own.
//!
//! A place is a number with room between neighbours, unique among the items that are not archived. It is also what pages
//! are read by, so that a page costs the same wherever in the board it lies. Where the room is used up, the board is
//! numbered anew, in a range of numbers of its own: from a place it can be told which numbering it belongs to.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::issues::Issue;
use super::keyset::{Key, Range};

/// The room between two items that were added one after the other.
const STEP: i64 = 1 << 20;

/// How many numbers one numbering of a board has; its middle is a multiple of it.
const NUMBERING: i64 = 1 << 48;

/// The highest numbering; behind it they begin again.
const NUMBERING_MAX: i64 = 32_766;

#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) id: i64,
    pub(crate) project_id: i64,
    pub(crate) draft_title: Option<String>,
    pub(crate) draft_body: Option<String>,
    pub(crate) creator_id: i64,
    pub(crate) position: i64,
    pub(crate) archived_at: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    /// The issue or pull request that it shows; nothing for a draft.
    pub(crate) issue: Option<Issue>,
}

macro_rules! select {
    () => {
        "SELECT t.id, t.project_id, t.draft_title, t.draft_body, t.creator_id, t.position, t.archived_at, t.created_at,
         t.updated_at,
         i.id, i.repo_id, i.number, i.is_pull, i.author_id, i.title, i.body, i.state, i.state_reason, i.locked,
         i.lock_reason, i.milestone_id, i.closed_by, i.comments, i.facets, i.created_at, i.updated_at, i.closed_at
         FROM project_items t LEFT JOIN issues i ON i.id = t.issue_id"
    };
}

fn item_from(row: &Row<'_>) -> rusqlite::Result<Item> {
    let shows: Option<i64> = row.get(9)?;
    Ok(Item {
        id: row.get(0)?,
        project_id: row.get(1)?,
        draft_title: row.get(2)?,
        draft_body: row.get(3)?,
        creator_id: row.get(4)?,
        position: row.get(5)?,
        archived_at: row.get(6)?,
        created_at: row.get(7)?,
        updated_at: row.get(8)?,
        issue: shows.map(|id| joined_issue(row, id)).transpose()?,
    })
}

fn joined_issue(row: &Row<'_>, id: i64) -> rusqlite::Result<Issue> {
    Ok(Issue {
        id,
        repo_id: row.get(10)?,
        number: row.get(11)?,
        is_pull: row.get(12)?,
        author_id: row.get(13)?,
        title: row.get(14)?,
        body: row.get(15)?,
        state: row.get(16)?,
        state_reason: row.get(17)?,
        locked: row.get(18)?,
        lock_reason: row.get(19)?,
        milestone_id: row.get(20)?,
        closed_by: row.get(21)?,
        comments: row.get(22)?,
        facets: row.get(23)?,
        created_at: row.get(24)?,
        updated_at: row.get(25)?,
        closed_at: row.get(26)?,
    })
}

pub(crate) fn by_id(conn: &Connection, id: i64) -> rusqlite::Result<Option<Item>> {
    let sql = concat!(select!(), " WHERE t.id = ?1");
    conn.prepare_cached(sql)?.query_row([id], item_from).optional()
}

/// The item that shows an issue on a board, archived or not.
pub(crate) fn of_issue_on(
    conn: &Connection,
    project_id: i64,
    issue_id: i64,
) -> rusqlite::Result<Option<Item>> {
    let sql = concat!(select!(), " WHERE t.project_id = ?1 AND t.issue_id = ?2");
    conn.prepare_cached(sql)?.query_row([project_id, issue_id], item_from).optional()
}

/// Lists the items that show an issue, on whichever boards.
pub(crate) fn of_issue(conn: &Connection, issue_id: i64, archived: bool) -> rusqlite::Result<Vec<Item>> {
    let sql =
        concat!(select!(), " WHERE t.issue_id = ?1 AND (?2 OR t.archived_at IS NULL) ORDER BY t.project_id");
    conn.prepare_cached(sql)?.query_map(params![issue_id, archived], item_from)?.collect()
}

impl Item {
    pub(crate) fn key(&self) -> Key {
        Key { at: self.position, id: self.id }
    }
}

/// Returns those of the items that are not archived that a range of places holds, in its direction.
pub(crate) fn stretch(conn: &Connection, project_id: i64, range: &Range) -> rusqlite::Result<Vec<Item>> {
    let sql = match range.descending {
        false => concat!(
            select!(),
            " WHERE t.project_id = ?1 AND t.archived_at IS NULL
              AND (t.position, t.id) > (?2, ?3) AND (t.position, t.id) < (?4, ?5)
              ORDER BY t.position, t.id LIMIT ?6"
        ),
        true => concat!(
            select!(),
            " WHERE t.project_id = ?1 AND t.archived_at IS NULL
              AND (t.position, t.id) > (?2, ?3) AND (t.position, t.id) < (?4, ?5)
              ORDER BY t.position DESC, t.id DESC LIMIT ?6"
        ),
    };
    let [above, above_id, below, below_id] = range.bounds();
    let values = [project_id, above, above_id, below, below_id, range.limit];
    conn.prepare_cached(sql)?.query_map(values, item_from)?.collect()
}

fn numbering(position: i64) -> i64 {
    position.saturating_add(NUMBERING / 2).div_euclid(NUMBERING)
}

/// Where a page goes on that an older one has led to. The place of its last item still holds, even if that item has moved
/// or gone; only where the board was numbered anew, the item tells where the place is now.
pub(crate) fn resume(conn: &Connection, project_id: i64, cursor: Key) -> rusqlite::Result<Key> {
    let sql = "SELECT position FROM project_items WHERE id = ?1 AND project_id = ?2";
    let present: Option<i64> =
        conn.prepare_cached(sql)?.query_row([cursor.id, project_id], |row| row.get(0)).optional()?;
    let renumbered = present.filter(|position| numbering(*position) != numbering(cursor.at));
    Ok(Key { at: renumbered.unwrap_or(cursor.at), ..cursor })
}

/// The nearest place beyond `position` in a direction, if an item is there.
pub(crate) fn neighbour(
    conn: &Connection,
    project_id: i64,
    position: i64,
    backwards: bool,
) -> rusqlite::Result<Option<(i64, i64)>> {
    let sql = match backwards {
        false => {
            "SELECT id, position FROM project_items WHERE project_id = ?1 AND archived_at IS NULL AND position > ?2
                  ORDER BY position LIMIT 1"
        }
        true => {
            "SELECT id, position FROM project_items WHERE project_id = ?1 AND archived_at IS NULL AND position < ?2
                 ORDER BY position DESC LIMIT 1"
        }
    };
    conn.prepare_cached(sql)?
        .query_row([project_id, position], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

fn end_of(conn: &Connection, project_id: i64) -> rusqlite::Result<i64> {
    let last = neighbour(conn, project_id, i64::MAX, true)?;
    Ok(last.map_or(STEP, |(_, position)| position + STEP))
}

/// What a new item is made of: an issue, or a draft's title and text.
pub(crate) struct NewItem<'a> {
    pub(crate) project_id: i64,
    pub(crate) issue_id: Option<i64>,
    pub(crate) draft: Option<(&'a str, &'a str)>,
    pub(crate) creator_id: i64,
    pub(crate) now: i64,
}

/// Adds an item at the end of its board; returns its id.
pub(crate) fn insert(conn: &Connection, new: &NewItem<'_>) -> rusqlite::Result<i64> {
    let position = end_of(conn, new.project_id)?;
    let sql = "INSERT INTO project_items (project_id, issue_id, draft_title, draft_body, creator_id, position, created_at, updated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)";
    let (title, body) = new.draft.unzip();
    let values = params![new.project_id, new.issue_id, title, body, new.creator_id, position, new.now];
    conn.prepare_cached(sql)?.execute(values)?;
    Ok(conn.last_insert_rowid())
}

pub(crate) fn delete(conn: &Connection, id: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM project_items WHERE id = ?1")?.execute([id]).map(drop)
}

pub(crate) fn touch(conn: &Connection, id: i64, now: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE project_items SET updated_at = ?2 WHERE id = ?1")?
        .execute([id, now])
        .map(drop)
}

pub(crate) fn set_draft(
    conn: &Connection,
    id: i64,
    title: &str,
    body: &str,
    now: i64,
) -> rusqlite::Result<()> {
    let sql = "UPDATE project_items SET draft_title = ?2, draft_body = ?3, updated_at = ?4 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute(params![id, title, body, now]).map(drop)
}

/// Makes a draft show an issue instead.
pub(crate) fn become_issue(conn: &Connection, id: i64, issue_id: i64, now: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE project_items SET issue_id = ?2, draft_title = NULL, draft_body = NULL, updated_at = ?3
               WHERE id = ?1";
    conn.prepare_cached(sql)?.execute([id, issue_id, now]).map(drop)
}

pub(crate) fn archive(conn: &Connection, id: i64, now: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE project_items SET archived_at = ?2, updated_at = ?2 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute([id, now]).map(drop)
}

/// Brings an archived item back, at the end: its old place may be another's by now.
pub(crate) fn restore(conn: &Connection, item: &Item, now: i64) -> rusqlite::Result<()> {
    let position = end_of(conn, item.project_id)?;
    let sql = "UPDATE project_items SET archived_at = NULL, position = ?2, updated_at = ?3 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute([item.id, position, now]).map(drop)
}

/// Puts an item behind another one, or first.
pub(crate) fn move_after(
    conn: &Connection,
    item: &Item,
    after: Option<&Item>,
    now: i64,
) -> rusqlite::Result<()> {
    let position = match place_behind(conn, item.project_id, after.map(|after| after.position))? {
        Some(position) => position,
        None => {
            spread(conn, item.project_id)?;
            let after = after.map(|after| by_id(conn, after.id)).transpose()?.flatten();
            place_behind(conn, item.project_id, after.map(|after| after.position))?.unwrap_or(STEP)
        }
    };
    let sql = "UPDATE project_items SET position = ?2, updated_at = ?3 WHERE id = ?1";
    conn.prepare_cached(sql)?.execute([item.id, position, now]).map(drop)
}

/// A free place behind another one, or before all; nothing if there is no room.
fn place_behind(conn: &Connection, project_id: i64, after: Option<i64>) -> rusqlite::Result<Option<i64>> {
    let next = neighbour(conn, project_id, after.unwrap_or(i64::MIN), false)?;
    let (low, high) = match (after, next) {
        (Some(after), Some((_, next))) => (after, next),
        (Some(after), None) => return Ok(Some(after + STEP)),
        (None, Some((_, next))) => (next - 2 * STEP, next),
        (None, None) => return Ok(Some(STEP)),
    };
    Ok((high - low > 1).then(|| low + (high - low) / 2))
}

/// Gives every item of a board room again. Archived ones keep their order among the others, for pages that end with them.
fn spread(conn: &Connection, project_id: i64) -> rusqlite::Result<()> {
    let last = neighbour(conn, project_id, i64::MAX, true)?.map_or(0, |(_, position)| numbering(position));
    let next = if last < NUMBERING_MAX { last + 1 } else { -NUMBERING_MAX };
    let sql = "UPDATE project_items SET position = ?2 + o.place * ?3 FROM
               (SELECT id, row_number() OVER (ORDER BY position, id) AS place FROM project_items
                WHERE project_id = ?1) o
               WHERE project_items.id = o.id";
    conn.prepare_cached(sql)?.execute([project_id, next * NUMBERING, STEP]).map(drop)
}
