//! What happened to issues, as events and as a timeline.

use rusqlite::Connection;
use serde::{Serialize, Serializer};

use crate::db::{comments, events};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::wire::event::EventView;
use crate::wire::issue::CommentView;

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let (repo, render) = (call.repo()?, call.render(conn));
    let found = page_of(call, events::of_issue(conn, call.issue(conn)?.id, false)?);
    let views =
        found.items.into_iter().map(|event| render.event(repo, event)).collect::<Result<Vec<_>, _>>()?;
    page::reply(call, found.page, &views, || Ok(found.total))
}

pub(super) fn list_for_repo(call: &Call, conn: &Connection) -> ApiResult {
    let (repo, render, page) = (call.repo()?, call.render(conn), Page::of(call));
    let found = events::of_repo(conn, repo.id, page.size, page.offset())?;
    let views =
        found.into_iter().map(|event| render.event_with_issue(repo, event)).collect::<Result<Vec<_>, _>>()?;
    page::reply(call, page, &views, || Ok(events::count_of_repo(conn, repo.id)?))
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let repo = call.repo()?;
    let event = events::by_id(conn, repo.id, call.id_param("event_id")?)?.ok_or_else(ApiError::not_found)?;
    Reply::ok(&call.render(conn).event_with_issue(repo, event)?)
}

/// One entry of a timeline, before it is rendered.
enum Entry {
    Event(events::Event),
    Comment(comments::Comment),
}

impl Entry {
    /// Events before comments of the same second, each in the order in which they came.
    fn key(&self) -> (i64, bool, i64) {
        match self {
            Self::Event(event) => (event.created_at, false, event.id),
            Self::Comment(comment) => (comment.created_at, true, comment.id),
        }
    }
}

enum EntryView<'a> {
    Event(Box<EventView<'a>>),
    Comment(Box<CommentView<'a>>),
}

impl Serialize for EntryView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Event(view) => view.serialize(serializer),
            Self::Comment(view) => view.serialize(serializer),
        }
    }
}

pub(super) fn timeline(call: &Call, conn: &Connection) -> ApiResult {
    let (repo, render, issue) = (call.repo()?, call.render(conn), call.issue(conn)?);
    let happened = events::of_issue(conn, issue.id, true)?.into_iter().map(Entry::Event);
    let said = comments::of_issue(conn, issue.id, None, i64::MAX, 0)?.into_iter().map(Entry::Comment);
    let mut entries: Vec<Entry> = happened.chain(said).collect();
    entries.sort_by_key(Entry::key);
    let found = page_of(call, entries);
    let view = |entry| -> Result<EntryView<'_>, rusqlite::Error> {
        Ok(match entry {
            Entry::Event(event) => EntryView::Event(Box::new(render.event(repo, event)?)),
            Entry::Comment(comment) => {
                EntryView::Comment(Box::new(render.comment(repo, comment)?.into_event()))
            }
        })
    };
    let views = found.items.into_iter().map(view).collect::<Result<Vec<_>, _>>()?;
    page::reply(call, found.page, &views, || Ok(found.total))
}

struct Cut<T> {
    page: Page,
    total: i64,
    items: Vec<T>,
}

/// Cuts a list before it is rendered, so that a page costs a page.
fn page_of<T>(call: &Call, all: Vec<T>) -> Cut<T> {
    let page = Page::of(call);
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    Cut { page, total, items: page.cut(all) }
}
