//! An issue's move to another repository, with everything that hangs on it.
//!
//! The row stays the same one, so comments, reactions, links and the places on boards come along. Labels and the
//! milestone belong to a repository, so they are replaced by those of the same name.

use rusqlite::{Connection, params};

use super::issues::Issue;
use super::labels::{self, Label};
use super::{milestones, repos};

/// Moves an issue; returns its number in the other repository.
pub(crate) fn transfer(
    conn: &Connection,
    issue: &Issue,
    to: i64,
    makes_labels: bool,
    now: i64,
) -> rusqlite::Result<i64> {
    let kept = labels::of_issue(conn, issue.id)?;
    let milestone = match issue.milestone_id {
        None => None,
        Some(id) => milestones::by_title(conn, to, &milestones::by_id(conn, id)?.title)?,
    };
    let number = repos::take_number(conn, to)?;
    let sql = "UPDATE issues SET repo_id = ?2, number = ?3, milestone_id = ?4, updated_at = ?5 WHERE id = ?1";
    conn.execute(sql, params![issue.id, to, number, milestone.map(|milestone| milestone.id), now])?;
    for table in ["comments", "events"] {
        conn.execute(&format!("UPDATE {table} SET repo_id = ?2 WHERE issue_id = ?1"), [issue.id, to])?;
    }
    for label in &kept {
        relabel(conn, issue.id, label, to, makes_labels)?;
    }
    count(conn, issue, to)?;
    Ok(number)
}

fn relabel(conn: &Connection, issue_id: i64, label: &Label, to: i64, makes: bool) -> rusqlite::Result<()> {
    labels::detach(conn, issue_id, label.id)?;
    let there = match labels::find(conn, to, &label.name)? {
        None if makes => {
            Some(labels::insert(conn, to, &label.name, &label.color, label.description.as_deref())?)
        }
        found => found,
    };
    if let Some(there) = there {
        labels::attach(conn, issue_id, there.id)?;
    }
    Ok(())
}

/// A new number counts as an open issue, which it need not be.
fn count(conn: &Connection, issue: &Issue, to: i64) -> rusqlite::Result<()> {
    if !issue.is_open() {
        repos::count_closed(conn, to, true)?;
    }
    repos::forget(conn, issue.repo_id, issue.is_open())
}
