//! Turns news into payloads and deliveries, inside the transaction of the change that they tell of.
//!
//! A payload is written only when somebody asked for it, once for all who did. One that cannot be written is left out and
//! logged: it must not undo the change that it would have told of.

use rusqlite::Connection;

use super::events::{Event, events_of};
use super::payload;
use super::post::{Origin, Post};
use crate::db::hooks::{self, NewPayload, Subscriber};
use crate::db::issues;
use crate::news::{News, Scope, What};

/// A payload, ready to be sent.
struct Written {
    event: Event,
    body: String,
    hook_ids: Vec<i64>,
}

/// A piece of news. The payloads of a deletion are written when it is told, all others when the change is done.
pub(crate) struct Told {
    pub(crate) news: News,
    ready: Option<Vec<Written>>,
}

impl Told {
    pub(crate) fn new(conn: &Connection, post: &Post, news: News) -> Self {
        let ready = match post.origin() {
            Some(origin) if news.what.is_deletion() => Some(write(conn, origin, &news)),
            _ => None,
        };
        Self { news, ready }
    }
}

/// Writes the deliveries that these news call for; returns whether there are any.
pub(crate) fn publish(conn: &Connection, post: &Post, told: &[Told]) -> rusqlite::Result<bool> {
    let Some(origin) = post.origin() else { return Ok(false) };
    let mut has_mail = false;
    for told in told {
        let fresh;
        let all = match &told.ready {
            Some(ready) => ready,
            None => {
                fresh = write(conn, origin, &told.news);
                &fresh
            }
        };
        for written in all {
            has_mail = true;
            deliver(conn, &told.news, written)?;
        }
    }
    Ok(has_mail)
}

fn deliver(conn: &Connection, news: &News, written: &Written) -> rusqlite::Result<()> {
    let new = NewPayload {
        event: written.event.name,
        action: written.event.action,
        body: &written.body,
        repo_id: match news.scope {
            Scope::Repo(id) => Some(id),
            Scope::Owner(_) => None,
        },
        now: news.now,
    };
    let payload_id = hooks::insert_payload(conn, &new)?;
    let guid = new_guid();
    for hook_id in &written.hook_ids {
        hooks::insert_delivery(conn, *hook_id, payload_id, &guid, false)?;
    }
    Ok(())
}

/// Writes the payloads that somebody asked for.
fn write(conn: &Connection, origin: &Origin, news: &News) -> Vec<Written> {
    write_all(conn, origin, news).unwrap_or_else(|error| {
        tracing::error!(%error, ?news, "a webhook could not be written and is not sent");
        Vec::new()
    })
}

fn write_all(conn: &Connection, origin: &Origin, news: &News) -> Result<Vec<Written>, payload::PayloadError> {
    let subscribers = subscribers(conn, news)?;
    if subscribers.is_empty() {
        return Ok(Vec::new());
    }
    let is_pull = |id| issues::by_id(conn, id).is_ok_and(|issue| issue.is_some_and(|issue| issue.is_pull));
    let mut all = Vec::new();
    for event in events_of(&news.what, is_pull) {
        let hook_ids: Vec<i64> =
            subscribers.iter().filter(|hook| hook.wants(event.name)).map(|hook| hook.id).collect();
        if !hook_ids.is_empty() {
            let body = payload::write(conn, origin, news, event)?;
            all.push(Written { event, body, hook_ids });
        }
    }
    Ok(all)
}

/// Whom these news may concern.
fn subscribers(conn: &Connection, news: &News) -> rusqlite::Result<Vec<Subscriber>> {
    match (&news.what, news.scope) {
        // A greeting goes to its hook, whatever that has asked for and even while it rests.
        (What::Ping { hook_id }, _) => Ok(vec![Subscriber::to_everything(*hook_id)]),
        (What::TestPush { hook_id }, scope) => {
            let mut all = all_in(conn, scope)?;
            all.retain(|hook| hook.id == *hook_id);
            Ok(all)
        }
        (_, scope) => all_in(conn, scope),
    }
}

fn all_in(conn: &Connection, scope: Scope) -> rusqlite::Result<Vec<Subscriber>> {
    match scope {
        Scope::Repo(id) => hooks::subscribers_of_repo(conn, id),
        Scope::Owner(id) => hooks::subscribers_of_org(conn, id),
    }
}

/// A random GUID. It names the event: every hook that is sent this payload is sent the same one.
fn new_guid() -> String {
    let mut bytes = [0_u8; 16];
    if getrandom::fill(&mut bytes).is_err() {
        tracing::error!("the system gives no randomness; a delivery's id is made of the time instead");
        bytes = jiff::Timestamp::now().as_nanosecond().to_be_bytes();
    }
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex = |range: std::ops::Range<usize>| {
        bytes[range].iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    format!("{}-{}-{}-{}-{}", hex(0..4), hex(4..6), hex(6..8), hex(8..10), hex(10..16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_have_the_usual_form_and_differ() {
        let (one, two) = (new_guid(), new_guid());
        assert_ne!(one, two);
        let lengths: Vec<usize> = one.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert!(one[14..].starts_with('4'), "{one}");
    }
}
