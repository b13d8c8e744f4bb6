//! Puts GitHub's headers around a reply, and turns an unchanged one into a 304.

use std::cell::RefCell;
use std::io;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::header::{
    ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, CONTENT_TYPE, DATE as DATE_NAME, ETAG, HeaderMap,
    HeaderName, HeaderValue, LAST_MODIFIED, LINK, LOCATION, RETRY_AFTER, SERVER, VARY,
    X_CONTENT_TYPE_OPTIONS,
};

use hyper::{Response, StatusCode};
use jiff::fmt::rfc2822;
use xxhash_rust::xxh3::xxh3_128;

use super::call::Viewer;
use super::rate::Standing;
use super::reply::Reply;
use crate::db::accounts::TokenRole;

pub(crate) type Body = UnsyncBoxBody<Bytes, io::Error>;

pub(crate) fn body_of(bytes: Bytes) -> Body {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

/// The versions of GitHub's API that may be asked for, and the one that is meant when none is.
pub(crate) const API_VERSIONS: [&str; 2] = [API_VERSION, "2026-03-10"];
pub(crate) const API_VERSION: &str = "2022-11-28";

/// The version a request asked for.
pub(crate) fn selected_version(headers: &HeaderMap) -> &'static str {
    let asked = headers.get("x-github-api-version");
    let known = API_VERSIONS.into_iter().find(|known| asked.is_some_and(|asked| asked == known));
    known.unwrap_or(API_VERSION)
}

pub(crate) fn http_date(now: i64) -> String {
    let timestamp = jiff::Timestamp::from_second(now).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    // Every time the clock can tell has a four-digit year, which is all this format asks.
    rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&timestamp).unwrap_or_default()
}

thread_local! {
    /// The last `Date` that this thread wrote; it changes once a second.
    static DATE: RefCell<(i64, HeaderValue)> = const { RefCell::new((i64::MIN, HeaderValue::from_static(""))) };
}

fn date_header(now: i64) -> HeaderValue {
    DATE.with_borrow_mut(|(at, value)| {
        if *at != now {
            *at = now;
            *value = HeaderValue::from_str(&http_date(now)).unwrap_or(HeaderValue::from_static(""));
        }
        value.clone()
    })
}

/// What the finished answer depends on besides the reply.
pub(crate) struct Surroundings<'a> {
    pub(crate) now: i64,
    pub(crate) request_id: u64,
    pub(crate) viewer: Option<&'a Viewer>,
    pub(crate) standing: Option<Standing>,
    pub(crate) api_version: &'static str,
    /// Whether the body is left out, as for HEAD.
    pub(crate) headers_only: bool,
}

/// Returns the entity tag of a successful read.
pub(crate) fn etag(body: &[u8]) -> String {
    format!("W/\"{:032x}\"", xxh3_128(body))
}

/// Returns whether the client has this very version already, by its tag or else by its time.
pub(crate) fn is_known(headers: &HeaderMap, tag: &str, modified_at: Option<i64>) -> bool {
    let Some(known) = headers.get("if-none-match").and_then(|value| value.to_str().ok()) else {
        let since = headers.get("if-modified-since").and_then(|value| value.to_str().ok());
        return modified_at.is_some_and(|at| since == Some(&http_date(at)));
    };
    let bare = |text: &str| text.trim().trim_start_matches("W/").to_owned();
    known.split(',').any(|candidate| candidate.trim() == "*" || bare(candidate) == bare(tag))
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-github-request-id");
const VERSION_SELECTED: HeaderName = HeaderName::from_static("x-github-api-version-selected");
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const USED: HeaderName = HeaderName::from_static("x-ratelimit-used");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const RESOURCE: HeaderName = HeaderName::from_static("x-ratelimit-resource");
const SCOPES: HeaderName = HeaderName::from_static("x-oauth-scopes");
const SCOPES_ACCEPTED: HeaderName = HeaderName::from_static("x-accepted-oauth-scopes");

/// The headers that every answer has.
const FIXED: [(HeaderName, HeaderValue); 5] = [
    (SERVER, HeaderValue::from_static("baton-forge")),
    (HeaderName::from_static("x-github-media-type"), HeaderValue::from_static("github.v3; format=json")),
    (VARY, HeaderValue::from_static("Accept, Authorization, Cookie, X-GitHub-OTP")),
    (
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(
            "ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource, X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-GitHub-Media-Type, X-GitHub-Request-Id",
        ),
    ),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];
/// Room for all of an answer's headers, so that the map never grows.
const HEADERS_MAX: usize = 24;

pub(crate) fn finish(reply: Reply, tag: Option<&str>, around: &Surroundings<'_>) -> Response<Body> {
    let is_empty = around.headers_only || matches!(reply.status, 204 | 304);
    let mut headers = HeaderMap::with_capacity(HEADERS_MAX);
    headers.extend(FIXED);
    headers.insert(DATE_NAME, date_header(around.now));
    headers.insert(VERSION_SELECTED, HeaderValue::from_static(around.api_version));
    put(&mut headers, REQUEST_ID, &format!("BATON:{:016X}", around.request_id));
    if !matches!(reply.status, 204 | 304) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(reply.content_type));
    }
    if let Some(tag) = tag {
        put(&mut headers, ETAG, tag);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=60, s-maxage=60"));
    }
    if let Some(at) = reply.modified_at {
        put(&mut headers, LAST_MODIFIED, &http_date(at));
    }
    for (name, value) in [(LINK, &reply.link), (LOCATION, &reply.location)] {
        if let Some(value) = value {
            put(&mut headers, name, value);
        }
    }
    if let Some(seconds) = reply.retry_after_s {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    rate_headers(&mut headers, around.standing.as_ref());
    scope_headers(&mut headers, around.viewer);
    let mut response = Response::new(body_of(if is_empty { Bytes::new() } else { reply.body }));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.headers_mut() = headers;
    response
}

fn rate_headers(headers: &mut HeaderMap, standing: Option<&Standing>) {
    let Some(standing) = standing else { return };
    headers.insert(LIMIT, HeaderValue::from(standing.limit));
    headers.insert(REMAINING, HeaderValue::from(standing.remaining()));
    headers.insert(USED, HeaderValue::from(standing.used));
    headers.insert(RESET, HeaderValue::from(standing.reset));
    headers.insert(RESOURCE, HeaderValue::from_static(standing.resource.as_str()));
}

/// Classic tokens tell their scopes; `gh` asks for them before it works.
fn scope_headers(headers: &mut HeaderMap, viewer: Option<&Viewer>) {
    let Some(viewer) = viewer else { return };
    let scopes = match viewer.token.role {
        TokenRole::Read => "read:org, read:project, read:user",
        TokenRole::Write => "gist, project, read:org, repo, workflow",
        TokenRole::Admin => "admin:org, admin:repo_hook, delete_repo, gist, project, repo, user, workflow",
    };
    headers.insert(SCOPES, HeaderValue::from_static(scopes));
    headers.insert(SCOPES_ACCEPTED, HeaderValue::from_static(""));
}

fn put(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_http_wants_them() {
        assert_eq!(http_date(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
    }

    #[test]
    fn a_tag_is_known_weak_or_strong_alone_or_in_a_list() {
        let tag = etag(b"{}");
        let known = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("if-none-match", value.parse().unwrap());
            is_known(&headers, &tag, None)
        };
        assert!(known(&tag) && known(tag.trim_start_matches("W/")) && known("*"));
        assert!(known(&format!("\"x\", {tag}")));
        assert!(!known("\"x\"") && !known(""));
    }
}
