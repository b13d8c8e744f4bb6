//! What happened to issues, as events and as a timeline.

use rusqlite::Connection;
use serde::{Serialize, Serializer};

use crate::db::comments;
use crate::db::events::{self, TimelineId};
use crate::db::reviews;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::wire::event::EventView;
use crate::wire::issue::CommentView;
use crate::wire::review::ReviewView;

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let (repo, render, page, issue) = (call.repo()?, call.render(conn), Page::of(call), call.issue(conn)?);
    let found = events::of_issue(conn, issue.id, page.size, page.offset())?;
    let views = found.into_iter().map(|event| render.event(repo, event)).collect::<Result<Vec<_>, _>>()?;
    page::reply(call, page, &views, || Ok(events::count_of_issue(conn, issue.id)?))
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

/// One entry of a timeline.
enum EntryView<'a> {
    Event(Box<EventView<'a>>),
    Comment(Box<CommentView<'a>>),
    Review(Box<ReviewView<'a>>),
}

impl Serialize for EntryView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Event(view) => view.serialize(serializer),
            Self::Comment(view) => view.serialize(serializer),
            Self::Review(view) => view.serialize(serializer),
        }
    }
}

pub(super) fn timeline(call: &Call, conn: &Connection) -> ApiResult {
    let (repo, render, page, issue) = (call.repo()?, call.render(conn), Page::of(call), call.issue(conn)?);
    let mut views = Vec::new();
    for entry in events::timeline(conn, issue.id, page.size, page.offset())? {
        match entry {
            TimelineId::Event(id) => {
                let event = events::by_id(conn, repo.id, id)?.ok_or_else(ApiError::not_found)?;
                views.push(EntryView::Event(Box::new(render.event(repo, event)?)));
            }
            TimelineId::Comment(id) => {
                let comment = comments::by_id(conn, repo.id, id)?.ok_or_else(ApiError::not_found)?;
                views.push(EntryView::Comment(Box::new(render.comment(repo, comment)?.into_event())));
            }
            TimelineId::Review(id) => {
                let review = reviews::by_id(conn, id)?.ok_or_else(ApiError::not_found)?;
                views.push(EntryView::Review(Box::new(render.review(repo, review)?.into_event())));
            }
        }
    }
    page::reply(call, page, &views, || Ok(events::timeline_count(conn, issue.id)?))
}
