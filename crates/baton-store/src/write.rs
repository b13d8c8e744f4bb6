//! Writing a plan, inside the transaction that has the item's row.

use baton_core::slot::WorkerLease;

use crate::arg::{Arg, args};
use crate::count::{Counting, count};
use crate::fault::Fault;
use crate::plan::{Plan, Write};
use crate::row::Row;
use crate::session::Session;
use crate::sql::push_shifted;

/// What nudges those who listen. It is delivered with the commit.
pub(crate) const NOTIFY: &str = "pg_notify('baton', '')::text";

const BURY: &str = "UPDATE workers SET is_buried = true WHERE id = $1 AND until = $2 AND NOT is_buried";

/// Whether everything could be written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written {
    All,
    /// A counter has no room.
    Full(String),
    /// A worker is not as it was seen.
    WorkerCameBack,
}

/// Writes a plan. What is not [`Written::All`] must be rolled back.
pub(crate) async fn write(session: &mut Session, plan: &Plan<'_>) -> Result<Written, Fault> {
    for lease in &plan.buried {
        if !bury(session, lease).await? {
            return Ok(Written::WorkerCameBack);
        }
    }
    let counting = Counting::split(&plan.counts);
    let full = if session.is_postgres() {
        write_together(session, plan, &counting).await?
    } else {
        write_in_a_row(session, plan, &counting).await?
    };
    Ok(full.map_or(Written::All, Written::Full))
}

async fn bury(session: &mut Session, seen: &WorkerLease) -> Result<bool, Fault> {
    Ok(session.execute(BURY, args![seen.worker.0, seen.until]).await? == 1)
}

/// Hands all statements over at once: SQLite's connection is another thread, and each word with it costs more than most
/// statements do.
async fn write_in_a_row(
    session: &mut Session,
    plan: &Plan<'_>,
    counting: &[Counting<'_>],
) -> Result<Option<String>, Fault> {
    let (first, rest) = split(counting);
    let (mut text, mut args) = (String::new(), Vec::new());
    for write in plan.groups.iter().flatten() {
        push_statement(&mut text, &write.sql, &mut args, write.args.clone());
    }
    if let Some(counting) = first {
        push_statement(&mut text, &counting.sql(), &mut args, counting.args());
    }
    if text.is_empty() {
        return Ok(None);
    }
    // What nothing can be said against any more is committed with it.
    let is_last = rest.is_empty() && !first.is_some_and(Counting::needs_room);
    if is_last {
        text.push_str("; COMMIT");
    }
    let rows = session.rows(text, args).await?;
    session.is_committed = is_last;
    check_then_count(session, first, rest, &rows).await
}

fn push_statement<'a>(text: &mut String, sql: &str, args: &mut Vec<Arg<'a>>, values: Vec<Arg<'a>>) {
    if !text.is_empty() {
        text.push_str("; ");
    }
    push_shifted(text, sql, args.len());
    args.extend(values);
}

fn split<'c, 'a>(counting: &'c [Counting<'a>]) -> (Option<&'c Counting<'a>>, &'c [Counting<'a>]) {
    match counting.split_first() {
        Some((first, rest)) => (Some(first), rest),
        None => (None, &[]),
    }
}

/// Looks whether the counters of the first statement had room, by the rows that answered it, and changes the others.
async fn check_then_count(
    session: &mut Session,
    first: Option<&Counting<'_>>,
    rest: &[Counting<'_>],
    rows: &[Row],
) -> Result<Option<String>, Fault> {
    if let Some(counting) = first {
        let names: Result<Vec<_>, _> = rows.iter().map(|row| row.columns("counters").text()).collect();
        if let Some(full) = counting.full(&names?) {
            return Ok(Some(full));
        }
    }
    count_all(session, rest).await
}

async fn count_all(session: &mut Session, counting: &[Counting<'_>]) -> Result<Option<String>, Fault> {
    for counting in counting {
        if let Some(full) = count(session, counting).await? {
            return Ok(Some(full));
        }
    }
    Ok(None)
}

/// Writes each group by one statement. The last group has the counters and the nudge with it.
async fn write_together(
    session: &mut Session,
    plan: &Plan<'_>,
    counting: &[Counting<'_>],
) -> Result<Option<String>, Fault> {
    let (last, before) = match plan.groups.split_last() {
        Some((last, before)) => (last.as_slice(), before),
        None => (&[][..], &[][..]),
    };
    for group in before {
        let (text, args) = joined(group, None, false);
        session.execute(text, args).await?;
    }
    let (first, rest) = split(counting);
    if last.is_empty() && first.is_none() && !plan.is_news {
        return Ok(None);
    }
    let (text, args) = joined(last, first, plan.is_news);
    let rows = session.rows(text, args).await?;
    check_then_count(session, first, rest, &rows).await
}

/// Joins statements into one. It answers with the names of counters that had room.
fn joined<'a>(group: &[Write<'a>], counting: Option<&Counting<'a>>, is_news: bool) -> (String, Vec<Arg<'a>>) {
    let (mut text, mut args) = (String::new(), Vec::new());
    let mut part = |sql: &str, name: &str, values: Vec<Arg<'a>>| {
        text.push_str(if args.is_empty() { "WITH " } else { ", " });
        text.push_str(name);
        text.push_str(" AS (");
        push_shifted(&mut text, sql, args.len());
        text.push(')');
        args.extend(values);
    };
    for (place, write) in group.iter().enumerate() {
        part(&write.sql, &format!("write_{place}"), write.args.clone());
    }
    if let Some(counting) = counting {
        part(&counting.sql(), "counted", counting.args());
    }
    text.push_str(match (counting.is_some(), is_news) {
        (true, true) => " SELECT name, pg_notify('baton', '')::text FROM counted",
        (true, false) => " SELECT name FROM counted",
        (false, true) => " SELECT pg_notify('baton', '')::text",
        (false, false) => " SELECT 1",
    });
    (text, args)
}
