//! Git's smart HTTP protocol, through `git http-backend`.
//!
//! The forge decides who may read or push and starts git's own program for the rest, so packs, capabilities, atomic
//! pushes and expected ids are git's. A push's answer is held back until the table of refs has followed it: a client
//! that sees its push end can read the result.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt as _, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::http::{HeaderValue, Method, Uri};
use hyper::{HeaderMap, Request, Response, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::isolated_git;
use super::pkt_line::PushHead;
use super::ref_changes::Followers;
use crate::db::Memo;
use crate::db::repos::{self, Permission, Repo};
use crate::http::access;
use crate::http::call::Viewer;
use crate::http::dispatch::{self, Dropped, pause};
use crate::http::error::ApiError;
use crate::http::finish::{Body, body_of};
use crate::knobs::{FaultKind, FaultWhen};
use crate::protection;
use crate::server::Inner;

/// How much of git's answer is read at a time.
const CHUNK_BYTES: usize = 64 * 1024;
/// CGI headers are a few lines; more is not CGI.
const CGI_HEAD_BYTES_MAX: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Service {
    Fetch,
    Push,
}

/// A request of git's protocol.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GitRequest {
    owner: String,
    name: String,
    /// What follows the repository: `info/refs`, `git-upload-pack` or `git-receive-pack`.
    rest: &'static str,
    service: Service,
}

impl GitRequest {
    /// Recognises git's three requests at `/OWNER/NAME[.git]/…`.
    pub(crate) fn parse(method: &Method, uri: &Uri) -> Option<Self> {
        let path = uri.path();
        if !path.ends_with("/info/refs") && !path.ends_with("-pack") {
            return None;
        }
        let (owner, rest) = path.strip_prefix('/')?.split_once('/')?;
        let (name, rest) = rest.split_once('/')?;
        let query = uri.query().unwrap_or_default();
        let (rest, service) = match (method.as_str(), rest) {
            ("GET", "info/refs") if query.contains("service=git-receive-pack") => {
                ("info/refs", Service::Push)
            }
            ("GET", "info/refs") => ("info/refs", Service::Fetch),
            ("POST", "git-upload-pack") => ("git-upload-pack", Service::Fetch),
            ("POST", "git-receive-pack") => ("git-receive-pack", Service::Push),
            _ => return None,
        };
        let name = name.strip_suffix(".git").unwrap_or(name);
        Some(Self { owner: owner.to_owned(), name: name.to_owned(), rest, service })
    }

    fn is_push(&self) -> bool {
        self.rest == "git-receive-pack"
    }
}

pub(crate) async fn serve(
    inner: &Arc<Inner>,
    git: GitRequest,
    request: Request<Incoming>,
    bytes_max: usize,
) -> Result<Response<Body>, Dropped> {
    let (before, after) = inner.panel.latency();
    pause(before).await;
    let entered = inner.db.read(|conn| enter(conn, &git, request.headers()));
    let (repo, viewer) = match entered.map_err(ApiError::from).and_then(|entered| entered) {
        Ok(entered) => entered,
        Err(error) => return Ok(refusal(&error)),
    };
    let who = viewer.as_ref().map(|viewer| (viewer.token.id, viewer.account.login.clone()));
    let method = if git.rest == "info/refs" { "GET" } else { "POST" };
    let login = who.as_ref().map(|(_, login)| login.as_str());
    let fault = inner.panel.strike(method, request.uri().path(), login);
    let answered = match fault {
        Some((FaultWhen::Before, kind)) => struck(kind),
        Some((FaultWhen::After, kind)) => {
            carry_out(inner, git, request, bytes_max, repo, viewer).await;
            struck(kind)
        }
        None => Ok(carry_out(inner, git, request, bytes_max, repo, viewer).await),
    };
    let status = answered.as_ref().map_or(0, |response| response.status().as_u16());
    let who = who.as_ref().map(|(token, login)| (*token, login.as_str()));
    inner.meter.count(who, method, "/{owner}/{repo}.git", status);
    pause(after).await;
    answered
}

fn struck(kind: FaultKind) -> Result<Response<Body>, Dropped> {
    dispatch::struck(kind).map(|error| refusal(&error))
}

/// Runs git in a task of its own: a client that hangs up ends the answer, but not what follows a push that git has
/// taken.
async fn carry_out(
    inner: &Arc<Inner>,
    git: GitRequest,
    request: Request<Incoming>,
    bytes_max: usize,
    repo: Repo,
    viewer: Option<Viewer>,
) -> Response<Body> {
    let (inner, name) = (Arc::clone(inner), repo.full_name());
    let run =
        tokio::spawn(async move { run(&inner, &git, request, bytes_max, &repo, viewer.as_ref()).await });
    match run.await.map_err(io::Error::other).and_then(|answered| answered) {
        Ok(response) => response,
        Err(error) => {
            tracing::error!(%error, repo = name, "git http-backend failed");
            refusal(&ApiError::new(500, "Server Error"))
        }
    }
}

/// Finds the repository and checks the caller's right to it.
fn enter(
    conn: &rusqlite::Connection,
    git: &GitRequest,
    headers: &HeaderMap,
) -> Result<(Repo, Option<Viewer>), ApiError> {
    let viewer = access::authenticate(conn, headers, &mut Memo::default())?;
    let repo = repos::find(conn, &git.owner, &git.name)?;
    let permission = match &repo {
        Some(repo) => access::permission(conn, repo, viewer.as_ref())?,
        None => Permission::None,
    };
    let needed = if git.service == Service::Push { Permission::Write } else { Permission::Read };
    match repo {
        Some(repo) if permission >= needed && !(git.service == Service::Push && repo.archived) => {
            Ok((repo, viewer))
        }
        // Git asks for credentials only when it is told that they are missing.
        _ if viewer.is_none() => Err(ApiError::requires_authentication()),
        Some(_) if permission >= Permission::Read => {
            Err(ApiError::forbidden("Permission to this repository denied to this token."))
        }
        _ => Err(ApiError::new(404, "Repository not found.")),
    }
}

fn refusal(error: &ApiError) -> Response<Body> {
    let mut response = Response::new(body_of(Bytes::from(format!("{}\n", error.message))));
    *response.status_mut() = StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert("content-type", HeaderValue::from_static("text/plain; charset=utf-8"));
    if error.status == 401 {
        headers.insert("www-authenticate", HeaderValue::from_static("Basic realm=\"baton forge\""));
    }
    response
}

async fn run(
    inner: &Arc<Inner>,
    git: &GitRequest,
    request: Request<Incoming>,
    bytes_max: usize,
    repo: &Repo,
    viewer: Option<&Viewer>,
) -> io::Result<Response<Body>> {
    let mut command = backend(inner.git.root(), git, &request, repo.id, viewer);
    let compressed = request.headers().contains_key("content-encoding");
    let mut sent = Sending::new(request.into_body(), bytes_max, compressed);
    if git.is_push() {
        sent.read_head().await?;
        let ruled = inner.db.read(|conn| rulings_on(conn, repo, viewer, &sent.head));
        match ruled.map_err(io::Error::other)? {
            Ok(Some(rulings)) => obey(&mut command, &inner.git.hooks(), &rulings),
            Ok(None) => {}
            Err(error) => return Ok(refusal(&error)),
        }
    }
    let mut child = command.arg("http-backend").spawn()?;
    let stdin = child.stdin.take().ok_or_else(|| io::Error::other("git has no input"))?;
    let mut stdout = child.stdout.take().ok_or_else(|| io::Error::other("git has no output"))?;
    let feeding = tokio::spawn(sent.feed(stdin));
    let (head, rest) = read_cgi_head(&mut stdout).await?;
    if !git.is_push() {
        return Ok(respond(&head, stream(child, stdout, rest)));
    }
    let body = finish_push(&mut child, &mut stdout, rest).await?;
    let refs = feeding.await.map_err(io::Error::other)??.refs();
    follow(inner, repo, refs, viewer).await;
    Ok(respond(&head, body_of(body)))
}

fn backend(
    root: &Path,
    git: &GitRequest,
    request: &Request<Incoming>,
    repo_id: i64,
    viewer: Option<&Viewer>,
) -> Command {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let mut command = Command::from(isolated_git(root));
    command
        .envs([("GIT_HTTP_EXPORT_ALL", "1"), ("REMOTE_ADDR", "127.0.0.1")])
        .env("GIT_PROJECT_ROOT", root)
        .env("PATH_INFO", format!("/{repo_id}.git/{}", git.rest))
        .env("REQUEST_METHOD", request.method().as_str())
        .env("QUERY_STRING", request.uri().query().unwrap_or_default())
        .envs(viewer.map(|viewer| ("REMOTE_USER", viewer.account.login.as_str())))
        .envs(header("content-type").map(|value| ("CONTENT_TYPE", value)))
        .envs(header("content-length").map(|value| ("CONTENT_LENGTH", value)))
        .envs(header("content-encoding").map(|value| ("HTTP_CONTENT_ENCODING", value)))
        .envs(header("git-protocol").map(|value| ("GIT_PROTOCOL", value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}

/// What the rules of protected branches say to a push.
fn rulings_on(
    conn: &rusqlite::Connection,
    repo: &Repo,
    viewer: Option<&Viewer>,
    head: &PushHead,
) -> Result<Option<String>, ApiError> {
    let permission = access::permission(conn, repo, viewer)?;
    protection::rulings(conn, repo, permission, head.commands())
}

/// Lets git run the forge's hook, which refuses what it is told to.
fn obey(command: &mut Command, hooks: &Path, rulings: &str) {
    let setting = format!("core.hooksPath={}", hooks.display());
    command.args(["-c", &setting]).env(protection::RULINGS, rulings);
}

/// The body of a request on its way to git.
struct Sending {
    body: Limited<Incoming>,
    head: PushHead,
    /// What was read to know the head, and has still to be passed on.
    held: Vec<Bytes>,
}

impl Sending {
    fn new(body: Incoming, bytes_max: usize, compressed: bool) -> Self {
        let head = if compressed { PushHead::unknown() } else { PushHead::default() };
        Self { body: Limited::new(body, bytes_max), head, held: Vec::new() }
    }

    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        while let Some(frame) = self.body.frame().await {
            if let Ok(data) = frame.map_err(io::Error::other)?.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }

    /// Reads until it is known what the push asks for.
    async fn read_head(&mut self) -> io::Result<()> {
        while !self.head.is_read() {
            let Some(data) = self.next().await? else { break };
            self.head.feed(&data);
            self.held.push(data);
        }
        Ok(())
    }

    /// Passes everything to git.
    async fn feed(mut self, mut stdin: ChildStdin) -> io::Result<PushHead> {
        for data in std::mem::take(&mut self.held) {
            if stdin.write_all(&data).await.is_err() {
                return Ok(self.head);
            }
        }
        while let Some(data) = self.next().await? {
            if stdin.write_all(&data).await.is_err() {
                // Git has ended; its answer says why.
                break;
            }
        }
        drop(stdin.shutdown().await);
        Ok(self.head)
    }
}

/// Reads git's CGI headers, and whatever came with them.
async fn read_cgi_head(stdout: &mut ChildStdout) -> io::Result<(String, BytesMut)> {
    let mut buffer = BytesMut::with_capacity(CHUNK_BYTES);
    loop {
        if let Some((end, skip)) = head_end(&buffer) {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let rest = buffer.split_off(end + skip);
            return Ok((head, rest));
        }
        if buffer.len() > CGI_HEAD_BYTES_MAX || stdout.read_buf(&mut buffer).await? == 0 {
            return Err(io::Error::other("git http-backend sent no headers"));
        }
    }
}

fn head_end(buffer: &[u8]) -> Option<(usize, usize)> {
    let find = |needle: &[u8]| buffer.windows(needle.len()).position(|window| window == needle);
    find(b"\r\n\r\n").map(|at| (at, 4)).or_else(|| find(b"\n\n").map(|at| (at, 2)))
}

fn respond(head: &str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    for line in head.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        if name.eq_ignore_ascii_case("status") {
            let code = value.trim().split(' ').next().and_then(|code| code.parse().ok());
            *response.status_mut() =
                code.and_then(|code| StatusCode::from_u16(code).ok()).unwrap_or(StatusCode::OK);
        } else if let (Ok(name), Ok(value)) =
            (name.trim().parse::<hyper::header::HeaderName>(), HeaderValue::from_str(value.trim()))
        {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Streams a fetch as git produces it, with the client's own pace as back-pressure.
fn stream(child: Child, stdout: ChildStdout, first: BytesMut) -> Body {
    let state = (child, stdout, Some(first.freeze()));
    let chunks = futures_util::stream::unfold(state, |(mut child, mut stdout, first)| async move {
        if let Some(first) = first.filter(|first| !first.is_empty()) {
            return Some((Ok(Frame::data(first)), (child, stdout, None)));
        }
        let mut buffer = BytesMut::with_capacity(CHUNK_BYTES);
        match stdout.read_buf(&mut buffer).await {
            Ok(0) => {
                drop(child.wait().await);
                None
            }
            Ok(_) => Some((Ok(Frame::data(buffer.freeze())), (child, stdout, None))),
            Err(error) => Some((Err(error), (child, stdout, None))),
        }
    });
    StreamBody::new(chunks).boxed_unsync()
}

async fn finish_push(child: &mut Child, stdout: &mut ChildStdout, first: BytesMut) -> io::Result<Bytes> {
    let mut body = first;
    while stdout.read_buf(&mut body).await? > 0 {}
    child.wait().await?;
    Ok(body.freeze())
}

async fn follow(inner: &Arc<Inner>, repo: &Repo, refs: Option<Vec<String>>, viewer: Option<&Viewer>) {
    let actor_id = viewer.map_or(repo.owner.id, |viewer| viewer.account.id);
    let (inner, repo) = (Arc::clone(inner), repo.clone());
    let followed = tokio::task::spawn_blocking(move || {
        let followers = Followers { db: &inner.db, git: &inner.git, now: inner.clock.now_s() };
        followers.follow(&repo, refs.as_deref(), actor_id)
    });
    if let Ok(Err(error)) = followed.await {
        tracing::error!(error = error.message, "a push was taken, but the table of refs could not follow");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(method: &str, uri: &str) -> Option<(String, &'static str, Service)> {
        let method = method.parse().unwrap();
        let git = GitRequest::parse(&method, &uri.parse().unwrap())?;
        Some((format!("{}/{}", git.owner, git.name), git.rest, git.service))
    }

    #[test]
    fn gits_three_requests_are_recognised_with_and_without_suffix() {
        let fetch = Some(("a/b".to_owned(), "info/refs", Service::Fetch));
        assert_eq!(parse("GET", "/a/b.git/info/refs?service=git-upload-pack"), fetch);
        assert_eq!(parse("GET", "/a/b/info/refs?service=git-upload-pack"), fetch);
        let push = Some(("a/b".to_owned(), "git-receive-pack", Service::Push));
        assert_eq!(parse("POST", "/a/b.git/git-receive-pack"), push);
    }

    #[test]
    fn everything_else_is_left_to_rest() {
        for (method, uri) in [
            ("GET", "/repos/a/b"),
            ("GET", "/a/b.git/objects/info/packs"),
            ("GET", "/a/b.git/../../etc/passwd"),
            ("POST", "/a/b.git/info/refs"),
            ("GET", "/a"),
            ("PUT", "/a/b/git-upload-pack"),
        ] {
            assert!(parse(method, uri).is_none(), "{method} {uri}");
        }
    }
}
