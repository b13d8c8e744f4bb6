//! GitHub's JSON shapes, written straight from rows.
//!
//! A view borrows what it shows and writes itself field by field; addresses are formatted into the output without an
//! intermediate string. Loading happens before, in [`Render`], so that writing cannot fail on the database.

pub(crate) mod account;
pub(crate) mod check;
pub(crate) mod commit;
pub(crate) mod event;
pub(crate) mod hook;
pub(crate) mod issue;
pub(crate) mod label;
pub(crate) mod project;
pub(crate) mod protection;
pub(crate) mod pull;
pub(crate) mod repo;
pub(crate) mod review;
pub(crate) mod team;

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use rusqlite::Connection;
use serde::{Serialize, Serializer};

use crate::db::accounts::{self, Account};
use crate::db::milestones::{self, Milestone};
use crate::db::repos::{self, Permission, Repo};
use crate::http::access;
use crate::http::call::Viewer;

/// Writes `key => value` pairs into a map serializer.
macro_rules! entries {
    ($map:ident; $($key:literal => $value:expr),+ $(,)?) => {
        { $($map.serialize_entry($key, &$value)?;)+ }
    };
}
pub(crate) use entries;

/// The addresses under which this request reached the forge; every link in its answer starts with one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Links {
    /// The root of the REST API, without a slash at the end.
    pub(crate) api: String,
    /// The root of pages for people and of git's addresses.
    pub(crate) web: String,
}

impl Links {
    /// The address of an account's picture, wherever the account is shown.
    pub(crate) fn avatar(&self, account_id: i64) -> String {
        format!("{}/avatars/u/{account_id}", self.web)
    }
}

/// A unix time, written as GitHub does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Time(pub(crate) i64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let timestamp = jiff::Timestamp::from_second(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        fmt::Display::fmt(&timestamp, f)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads a time that a client sent, to the second.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>().ok().map(|timestamp| timestamp.as_second())
}

/// The opaque id that GraphQL and webhooks use: a prefix for the kind, then the database id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeId(pub(crate) &'static str, pub(crate) i64);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.0, URL_SAFE_NO_PAD.encode(self.1.to_be_bytes()))
    }
}

impl Serialize for NodeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
const PATH: &AsciiSet = &SEGMENT.remove(b'/');

/// Escapes one path segment.
pub(crate) fn segment(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, SEGMENT)
}

/// Escapes a path, keeping its slashes.
pub(crate) fn path(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, PATH)
}

/// Loads what views need, once per answer for accounts that recur.
pub(crate) struct Render<'a> {
    pub(crate) conn: &'a Connection,
    pub(crate) links: &'a Links,
    viewer: Option<&'a Viewer>,
    accounts: RefCell<Vec<Arc<Account>>>,
    milestones: RefCell<Vec<Milestone>>,
    associations: RefCell<Vec<(i64, i64, &'static str)>>,
}

impl<'a> Render<'a> {
    pub(crate) fn new(conn: &'a Connection, links: &'a Links, viewer: Option<&'a Viewer>) -> Self {
        let accounts = viewer.iter().map(|viewer| Arc::clone(&viewer.account)).collect();
        Self {
            conn,
            links,
            viewer,
            accounts: RefCell::new(accounts),
            milestones: RefCell::default(),
            associations: RefCell::default(),
        }
    }

    /// Returns whether the reader may see a repository. What is linked to may lie in another one.
    pub(crate) fn may_see(&self, repo: &Repo) -> rusqlite::Result<bool> {
        Ok(access::permission(self.conn, repo, self.viewer)? >= Permission::Read)
    }

    /// A milestone, which the issues of a page often share.
    pub(crate) fn milestone_by_id(&self, id: i64) -> rusqlite::Result<Milestone> {
        if let Some(known) = self.milestones.borrow().iter().find(|milestone| milestone.id == id) {
            return Ok(known.clone());
        }
        let milestone = milestones::by_id(self.conn, id)?;
        self.milestones.borrow_mut().push(milestone.clone());
        Ok(milestone)
    }

    pub(crate) fn account(&self, id: i64) -> rusqlite::Result<Arc<Account>> {
        if let Some(known) = self.accounts.borrow().iter().find(|account| account.id == id) {
            return Ok(Arc::clone(known));
        }
        let account = Arc::new(accounts::by_id(self.conn, id)?);
        self.accounts.borrow_mut().push(Arc::clone(&account));
        Ok(account)
    }

    pub(crate) fn accounts(&self, ids: &[i64]) -> rusqlite::Result<Vec<Arc<Account>>> {
        ids.iter().map(|id| self.account(*id)).collect()
    }

    pub(crate) fn association(&self, repo: &Repo, account_id: i64) -> rusqlite::Result<&'static str> {
        let key = (repo.id, account_id);
        if let Some(known) = self.associations.borrow().iter().find(|entry| (entry.0, entry.1) == key) {
            return Ok(known.2);
        }
        let association = repos::association(self.conn, repo, account_id)?;
        self.associations.borrow_mut().push((repo.id, account_id, association));
        Ok(association)
    }
}
