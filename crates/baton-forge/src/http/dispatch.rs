//! Carries one request through: body, routing, access, limits, faults, the endpoint, and the finished answer.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::{HeaderMap, Request, Response};
use rusqlite::Connection;

use super::access;
use super::call::{Call, Query, Sent, Viewer, Visit};
use super::error::ApiError;
use super::finish::{self, API_VERSION, Body, Surroundings};
use super::origin::{self, Transport};
use super::rate::{Resource, Standing};
use super::reply::{ApiResult, Reply};
use crate::api::{ENDPOINTS, Endpoint, Handler};
use crate::db::{Memo, repos};
use crate::git::smart_http;
use crate::knobs::{FaultKind, FaultWhen};
use crate::record::Exchange;
use crate::server::Inner;

/// Requests with larger bodies are refused unread. GitHub takes files of up to 100 MB through git, not through here.
const BODY_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The status of a request whose body is too large to be read.
const TOO_LARGE: u16 = 413;
/// Pushes are as large as people's repositories.
const PUSH_BYTES_MAX: usize = 2 * 1024 * 1024 * 1024;

/// The connection is to be closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the connection is dropped on purpose")]
pub(crate) struct Dropped;

/// A request whose endpoint is known.
struct Routed {
    endpoint: &'static Endpoint,
    sent: Arc<Sent>,
    /// HEAD is answered as GET, without the body.
    headers_only: bool,
}

/// What is known of a request by the time it is answered.
#[derive(Default)]
struct Progress {
    viewer: Option<Viewer>,
    standing: Option<Standing>,
    fault: Option<(FaultWhen, FaultKind)>,
    /// Whether it was decided already if a fault strikes.
    is_drawn: bool,
    /// The budget is empty, which no second look changes.
    is_spent: bool,
}

pub(crate) async fn serve(
    inner: Arc<Inner>,
    transport: Transport,
    request: Request<Incoming>,
) -> Result<Response<Body>, Dropped> {
    if let Some(git) = smart_http::GitRequest::parse(request.method(), request.uri()) {
        return smart_http::serve(&inner, git, request, PUSH_BYTES_MAX).await;
    }
    let (before, after) = inner.panel.latency();
    pause(before).await;
    let answered = match route(&inner, transport, request).await {
        Ok(routed) => answer(&inner, routed).await,
        Err(refusal) => Ok(finish_unrouted(&inner, refusal)),
    };
    pause(after).await;
    answered
}

pub(crate) async fn pause(duration: Duration) {
    if !duration.is_zero() {
        tokio::time::sleep(duration).await;
    }
}

fn finish_unrouted(inner: &Inner, refusal: ApiError) -> Response<Body> {
    // What a client asks for in vain is worth seeing too.
    inner.meter.count(None, "ANY", "(no endpoint)", refusal.status);
    let around = Surroundings {
        now: inner.clock.now_s(),
        request_id: inner.next_request_id(),
        viewer: None,
        standing: None,
        api_version: API_VERSION,
        headers_only: false,
    };
    let body_is_unread = refusal.status == TOO_LARGE;
    let mut response = finish::finish(Reply::from(refusal), None, &around);
    if body_is_unread {
        // The rest of the body is still on its way, so this connection ends here, and the client must not use it again.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn route(
    inner: &Arc<Inner>,
    transport: Transport,
    request: Request<Incoming>,
) -> Result<Routed, ApiError> {
    let (parts, body) = request.into_parts();
    check_headers(&parts.headers)?;
    let whole = parts.uri.path();
    let versioned = whole.strip_prefix("/api/v3").filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let path = resolve_id(inner, versioned.unwrap_or(whole))?;
    let headers_only = parts.method == "HEAD";
    let method = if headers_only { "GET" } else { parts.method.as_str() };
    let (at, params) = inner.router.find(method, &path).ok_or_else(ApiError::not_found)?;
    // Where GraphQL is asked for under GHES's address, REST is at GHES's address too.
    let is_versioned = versioned.is_some() || whole == "/api/graphql";
    let links = origin::links(&parts.uri, &parts.headers, &transport, is_versioned);
    let query = Query(parts.uri.query().unwrap_or_default().to_owned());
    let body = read_body(body).await?;
    let sent = Arc::new(Sent { headers: parts.headers, links, params, query, path, body });
    Ok(Routed { endpoint: &ENDPOINTS[at], sent, headers_only })
}

/// GitHub refuses clients that do not say who they are, and API versions it does not know.
fn check_headers(headers: &HeaderMap) -> Result<(), ApiError> {
    if !headers.contains_key("user-agent") {
        return Err(ApiError::forbidden(
            "Request forbidden by administrative rules. Please make sure your request has a User-Agent header",
        ));
    }
    match headers.get("x-github-api-version") {
        None => Ok(()),
        Some(version) if finish::API_VERSIONS.iter().any(|known| version == known) => Ok(()),
        Some(_) => Err(ApiError::bad_request("The API version in X-GitHub-Api-Version is not supported")),
    }
}

/// Turns `/repositories/ID/…`, which `Link` headers use, into the path by name.
fn resolve_id(inner: &Inner, path: &str) -> Result<String, ApiError> {
    let Some(rest) = path.strip_prefix("/repositories/") else { return Ok(path.to_owned()) };
    let (id, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let id: i64 = id.parse().map_err(|_| ApiError::not_found())?;
    let repo = inner.db.read(|conn| repos::by_id(conn, id))??.ok_or_else(ApiError::not_found)?;
    Ok(format!("/repos/{}/{rest}", repo.full_name()))
}

async fn read_body(body: Incoming) -> Result<Bytes, ApiError> {
    match Limited::new(body, BODY_BYTES_MAX).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            Err(ApiError::new(TOO_LARGE, "Request body is too large"))
        }
        Err(_) => Err(ApiError::bad_request("Problems parsing JSON")),
    }
}

async fn answer(inner: &Arc<Inner>, routed: Routed) -> Result<Response<Body>, Dropped> {
    let mut progress = Progress::default();
    let result = run(inner, &routed, &mut progress).await;
    let mut reply = result.unwrap_or_else(Reply::from);
    if let Some((FaultWhen::After, kind)) = progress.fault {
        reply = struck(kind).map_or_else(|Dropped| Reply::of(0, "", Vec::new()), Reply::from);
    }
    let endpoint = routed.endpoint;
    let who = progress.viewer.as_ref().map(|viewer| (viewer.token.id, viewer.account.login.as_str()));
    let tag = (endpoint.method == "GET" && reply.status == 200).then(|| finish::etag(&reply.body));
    if tag.as_deref().is_some_and(|tag| finish::is_known(&routed.sent.headers, tag, reply.modified_at)) {
        reply = Reply { status: 304, ..reply };
        if let Some(standing) = progress.standing.as_mut().filter(|_| endpoint.is_charged) {
            inner.rates.give_back(who.map_or(0, |(token, _)| token), standing);
        }
    }
    // What weighs its calls itself has done so by now.
    if let Some(before) = progress.standing.filter(|_| !endpoint.is_charged) {
        let (token, now) = (who.map_or(0, |(token, _)| token), inner.clock.now_s());
        progress.standing = Some(inner.rates.standing(token, before.resource, before.limit, now));
    }
    inner.meter.count(who, endpoint.method, endpoint.path, reply.status);
    if reply.status == 0 {
        return Err(Dropped);
    }
    record(inner, &routed, &reply);
    let around = Surroundings {
        now: inner.clock.now_s(),
        request_id: inner.next_request_id(),
        viewer: progress.viewer.as_ref(),
        standing: progress.standing,
        api_version: finish::selected_version(&routed.sent.headers),
        headers_only: routed.headers_only,
    };
    Ok(finish::finish(reply, tag.as_deref(), &around))
}

fn record(inner: &Inner, routed: &Routed, reply: &Reply) {
    let Some(recorder) = &inner.recorder else { return };
    recorder.write(&Exchange {
        method: routed.endpoint.method,
        path: &routed.sent.path,
        query: &routed.sent.query.0,
        template: routed.endpoint.path,
        user_agent: routed.sent.header("user-agent"),
        status: reply.status,
        content_type: reply.content_type,
        body: if matches!(reply.status, 204 | 304) { b"" } else { &reply.body },
    });
}

/// Runs the endpoint where it belongs.
async fn run(inner: &Arc<Inner>, routed: &Routed, progress: &mut Progress) -> ApiResult {
    match routed.endpoint.handler {
        Handler::Read(handle) => read(inner, routed, progress, handle),
        Handler::Write(handle) => {
            let call = inner.db.read(|conn| admit_anew(inner, conn, routed, progress))??;
            inner.db.writer().write(move |tx| handle(&call, tx)).await
        }
        Handler::Git(handle) => {
            let call = inner.db.read(|conn| admit_anew(inner, conn, routed, progress))??;
            let worked = tokio::task::spawn_blocking(move || handle(&call)).await;
            worked.unwrap_or_else(|_| Err(ApiError::new(500, "Server Error")))
        }
        Handler::Control(handle) => {
            handle(&inner.db.read(|conn| admit_anew(inner, conn, routed, progress))??)
        }
    }
}

/// Answers a read, from a kept snapshot where that has the answer.
fn read(
    inner: &Arc<Inner>,
    routed: &Routed,
    progress: &mut Progress,
    handle: fn(&Call, &Connection) -> ApiResult,
) -> ApiResult {
    let lag = inner.panel.read_lag();
    if !lag.is_zero() {
        let call = inner.db.read(|conn| admit_anew(inner, conn, routed, progress))??;
        return inner.db.read_lagging(lag, |conn| handle(&call, conn))?;
    }
    let kept = inner.db.read_own(|conn, memo| handle(&admit(inner, conn, memo, routed, progress)?, conn))?;
    match kept {
        // What is missing or forbidden may have been made by another process a moment ago.
        Err(_) if progress.fault.is_none() && !progress.is_spent => {
            inner.db.read(|conn| handle(&admit_anew(inner, conn, routed, progress)?, conn))?
        }
        answered => answered,
    }
}

/// Lets a request in on the newest state, with nothing remembered.
fn admit_anew(
    inner: &Arc<Inner>,
    conn: &Connection,
    routed: &Routed,
    progress: &mut Progress,
) -> Result<Call, ApiError> {
    admit(inner, conn, &mut Memo::default(), routed, progress)
}

/// Lets a request in: who it is, what it may do, what is left of its budget, and whether a fault strikes it first.
fn admit(
    inner: &Arc<Inner>,
    conn: &Connection,
    memo: &mut Memo,
    routed: &Routed,
    progress: &mut Progress,
) -> Result<Call, ApiError> {
    let (endpoint, sent) = (routed.endpoint, &routed.sent);
    progress.viewer = access::authenticate(conn, &sent.headers, memo)?;
    let viewer = progress.viewer.as_ref();
    let now = inner.clock.now_s();
    // A read may be admitted twice, for the same answer; it is counted once.
    if progress.standing.is_none() {
        let (standing, spent) = spend(inner, endpoint, viewer, now);
        progress.standing = standing;
        progress.is_spent = spent.is_err();
        spent?;
    }
    let visit = find_visit(conn, memo, routed, viewer)?;
    access::check(endpoint.access, viewer, visit.as_ref())?;
    // A fault strikes what would have been carried out, once.
    if endpoint.resource.is_some() && !std::mem::replace(&mut progress.is_drawn, true) {
        let login = viewer.map(|viewer| viewer.account.login.as_str());
        progress.fault = inner.panel.strike(endpoint.method, &sent.path, login);
    }
    if let Some((FaultWhen::Before, kind)) = progress.fault {
        // A request struck before its work is answered by the same path as one struck after it.
        progress.fault = Some((FaultWhen::After, kind));
        return Err(ApiError::new(500, "Server Error"));
    }
    Ok(Call { forge: Arc::clone(inner), sent: Arc::clone(sent), viewer: progress.viewer.clone(), visit, now })
}

fn find_visit(
    conn: &Connection,
    memo: &mut Memo,
    routed: &Routed,
    viewer: Option<&Viewer>,
) -> Result<Option<Visit>, ApiError> {
    if !routed.endpoint.access.needs_repo() {
        return Ok(None);
    }
    let named = |name: &str| {
        routed.sent.params.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    };
    let repo = memo.repo(conn, named("owner"), named("repo"))?.ok_or_else(ApiError::not_found)?;
    access::visit(conn, repo, viewer).map(Some)
}

/// Takes the request from its token's budget. Where the budget is empty, the answer still tells when it is renewed.
fn spend(
    inner: &Inner,
    endpoint: &Endpoint,
    viewer: Option<&Viewer>,
    now: i64,
) -> (Option<Standing>, Result<(), ApiError>) {
    let Some(resource) = endpoint.resource else { return (None, Ok(())) };
    let token = viewer.map_or(0, |viewer| viewer.token.id);
    let limit = inner.limit(resource, viewer.is_some());
    if !endpoint.is_charged {
        return (Some(inner.rates.standing(token, resource, limit, now)), Ok(()));
    }
    match inner.rates.take(token, resource, limit, now) {
        Ok(standing) => (Some(standing), Ok(())),
        Err(standing) => {
            let whom =
                viewer.map_or("this address".to_owned(), |viewer| format!("user ID {}", viewer.account.id));
            (Some(standing), Err(ApiError::forbidden(format!("API rate limit exceeded for {whom}."))))
        }
    }
}

/// What a client sees of a fault.
pub(crate) fn struck(kind: FaultKind) -> Result<ApiError, Dropped> {
    let limited = |status, retry_after_s| ApiError {
        retry_after_s: Some(retry_after_s),
        ..ApiError::new(
            status,
            "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        )
    };
    match kind {
        FaultKind::Drop => Err(Dropped),
        FaultKind::Status(status) => Ok(ApiError::new(status, "Server Error")),
        FaultKind::SecondaryLimit { retry_after_s } => Ok(limited(403, retry_after_s)),
        FaultKind::TooManyRequests { retry_after_s } => Ok(limited(429, retry_after_s)),
    }
}

impl Inner {
    pub(crate) fn limit(&self, resource: Resource, signed_in: bool) -> u64 {
        let (core, search, anonymous) = self.panel.limits();
        match resource {
            _ if !signed_in => anonymous,
            Resource::Search => search,
            Resource::Core | Resource::Graphql => core,
        }
    }
}
