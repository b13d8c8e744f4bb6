//! One request as an endpoint sees it: who asks, for what, with which fields.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;
use hyper::HeaderMap;
use percent_encoding::percent_decode_str;
use rusqlite::Connection;

use super::error::ApiError;
use super::fields::Fields;
use super::route::Params;
use crate::db::accounts::{Account, Token};
use crate::db::issues::{self, Issue};
use crate::db::repos::{Permission, Repo};
use crate::server::Inner;
use crate::wire::commit::Place;
use crate::wire::{Links, Render, parse_time};

/// The account behind a request.
#[derive(Debug, Clone)]
pub(crate) struct Viewer {
    pub(crate) account: Arc<Account>,
    pub(crate) token: Token,
}

/// A repository as the viewer may use it.
#[derive(Debug, Clone)]
pub(crate) struct Visit {
    pub(crate) repo: Arc<Repo>,
    pub(crate) permission: Permission,
    /// Whether the viewer's token is good here beyond what everybody may.
    pub(crate) is_covered: bool,
}

/// What a client sent, as far as endpoints look at it.
pub(crate) struct Sent {
    pub(crate) headers: HeaderMap,
    pub(crate) links: Links,
    pub(crate) params: Params,
    pub(crate) query: Query,
    pub(crate) path: String,
    pub(crate) body: Bytes,
}

impl Sent {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) forge: Arc<Inner>,
    pub(crate) sent: Arc<Sent>,
    pub(crate) viewer: Option<Viewer>,
    pub(crate) visit: Option<Visit>,
    pub(crate) now: i64,
}

impl Deref for Call {
    type Target = Sent;

    fn deref(&self) -> &Sent {
        &self.sent
    }
}

impl Call {
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// A numeric path part; anything else names nothing that exists.
    pub(crate) fn id_param(&self, name: &str) -> Result<i64, ApiError> {
        self.param(name).parse().map_err(|_| ApiError::not_found())
    }

    pub(crate) fn fields(&self) -> Result<Fields, ApiError> {
        Fields::parse(&self.body)
    }

    pub(crate) fn viewer(&self) -> Result<&Viewer, ApiError> {
        self.viewer.as_ref().ok_or_else(ApiError::requires_authentication)
    }

    pub(crate) fn actor_id(&self) -> Result<i64, ApiError> {
        Ok(self.viewer()?.account.id)
    }

    pub(crate) fn visit(&self) -> Result<&Visit, ApiError> {
        self.visit.as_ref().ok_or_else(ApiError::not_found)
    }

    pub(crate) fn repo(&self) -> Result<&Repo, ApiError> {
        Ok(&self.visit()?.repo)
    }

    pub(crate) fn place(&self) -> Result<Place<'_>, ApiError> {
        Ok(Place { links: &self.links, repo: self.repo()? })
    }

    /// Returns whether the viewer may change labels, assignees and milestones here.
    pub(crate) fn may_triage(&self) -> bool {
        self.visit.as_ref().is_some_and(|visit| visit.permission >= Permission::Triage)
    }

    pub(crate) fn render<'a>(&'a self, conn: &'a Connection) -> Render<'a> {
        Render::new(conn, &self.links, self.viewer.as_ref())
    }

    /// Returns whether the client asked for this form of the answer instead of JSON.
    pub(crate) fn accepts(&self, form: &str) -> bool {
        self.header("accept").contains(form)
    }

    /// The issue or pull request that the path names.
    pub(crate) fn issue(&self, conn: &Connection) -> Result<Issue, ApiError> {
        let number = self.id_param("issue_number")?;
        issues::by_number(conn, self.repo()?.id, number)?.ok_or_else(ApiError::not_found)
    }

    /// The request's path with the repository named by id, which survives a rename.
    pub(crate) fn stable_path(&self) -> Cow<'_, str> {
        let Some(visit) = &self.visit else { return Cow::Borrowed(&self.path) };
        let rest = self.path.strip_prefix("/repos/").and_then(|rest| rest.splitn(3, '/').nth(2));
        match rest {
            Some(rest) => Cow::Owned(format!("/repositories/{}/{rest}", visit.repo.id)),
            None => Cow::Borrowed(&self.path),
        }
    }

    /// The address of something in the repository.
    pub(crate) fn repo_url(&self, rest: &str) -> String {
        match &self.visit {
            Some(visit) => format!("{}/repos/{}/{rest}", self.links.api, visit.repo.full_name()),
            None => format!("{}/{rest}", self.links.api),
        }
    }
}

/// The query string, decoded on demand.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query(pub(crate) String);

impl Query {
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (String, String)> {
        self.0.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key), decode(value))
        })
    }

    /// The last value of a key; an empty one counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        self.pairs()
            .filter(|(known, _)| known == key)
            .last()
            .map(|(_, value)| value)
            .filter(|value| !value.is_empty())
    }

    pub(crate) fn is_descending(&self, unsaid: bool) -> bool {
        self.get("direction").map_or(unsaid, |direction| direction == "desc")
    }

    /// The time given as `since`, or a refusal when it is no time.
    pub(crate) fn since(&self) -> Result<Option<i64>, ApiError> {
        let Some(text) = self.get("since") else { return Ok(None) };
        parse_time(&text)
            .map(Some)
            .ok_or_else(|| ApiError::unprocessable("Invalid request.\n\nFor 'since', it is not a time."))
    }
}

fn decode(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_decoded_and_its_last_value_wins() {
        let query = Query("labels=a%20b%2Cc+d&page=1&page=2&empty=&%zz".to_owned());
        assert_eq!(query.get("labels").as_deref(), Some("a b,c d"));
        assert_eq!(query.get("page").as_deref(), Some("2"));
        assert_eq!((query.get("empty"), query.get("absent")), (None, None));
    }
}
