//! Puts GitHub's headers around a reply, and turns an unchanged one into a 304.

use std::io;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
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

/// Header values that change with every second only.
pub(crate) fn http_date(now: i64) -> String {
    let timestamp = jiff::Timestamp::from_second(now).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    timestamp.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
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

pub(crate) fn finish(reply: Reply, tag: Option<&str>, around: &Surroundings<'_>) -> Response<Body> {
    let is_empty = around.headers_only || matches!(reply.status, 204 | 304);
    let body = if is_empty { Bytes::new() } else { reply.body };
    let mut response = Response::new(body_of(body));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.reserve(24);
    fixed_headers(headers);
    headers.insert("x-github-api-version-selected", HeaderValue::from_static(around.api_version));
    put(headers, "date", &http_date(around.now));
    put(headers, "x-github-request-id", &format!("BATON:{:016X}", around.request_id));
    if !matches!(reply.status, 204 | 304) {
        headers.insert("content-type", HeaderValue::from_static(reply.content_type));
    }
    if let Some(tag) = tag {
        put(headers, "etag", tag);
        headers.insert("cache-control", HeaderValue::from_static("private, max-age=60, s-maxage=60"));
    }
    if let Some(at) = reply.modified_at {
        put(headers, "last-modified", &http_date(at));
    }
    for (name, value) in [("link", &reply.link), ("location", &reply.location)] {
        if let Some(value) = value {
            put(headers, name, value);
        }
    }
    if let Some(seconds) = reply.retry_after_s {
        put(headers, "retry-after", &seconds.to_string());
    }
    rate_headers(headers, around.standing.as_ref());
    scope_headers(headers, around.viewer);
    response
}

fn fixed_headers(headers: &mut HeaderMap) {
    for (name, value) in [
        ("server", "baton-forge"),
        ("x-github-media-type", "github.v3; format=json"),
        ("vary", "Accept, Authorization, Cookie, X-GitHub-OTP"),
        (
            "access-control-expose-headers",
            "ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource, X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-GitHub-Media-Type, X-GitHub-Request-Id",
        ),
        ("x-content-type-options", "nosniff"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

fn rate_headers(headers: &mut HeaderMap, standing: Option<&Standing>) {
    let Some(standing) = standing else { return };
    put(headers, "x-ratelimit-limit", &standing.limit.to_string());
    put(headers, "x-ratelimit-remaining", &standing.remaining().to_string());
    put(headers, "x-ratelimit-used", &standing.used.to_string());
    put(headers, "x-ratelimit-reset", &standing.reset.to_string());
    headers.insert("x-ratelimit-resource", HeaderValue::from_static(standing.resource.as_str()));
}

/// Classic tokens tell their scopes; `gh` asks for them before it works.
fn scope_headers(headers: &mut HeaderMap, viewer: Option<&Viewer>) {
    let Some(viewer) = viewer else { return };
    let scopes = match viewer.token.role {
        TokenRole::Read => "read:org, read:project, read:user",
        TokenRole::Write => "gist, project, read:org, repo, workflow",
        TokenRole::Admin => "admin:org, admin:repo_hook, delete_repo, gist, project, repo, user, workflow",
    };
    headers.insert("x-oauth-scopes", HeaderValue::from_static(scopes));
    headers.insert("x-accepted-oauth-scopes", HeaderValue::from_static(""));
}

fn put(headers: &mut HeaderMap, name: &'static str, value: &str) {
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
