//! The gate that every request to the dashboard passes: the checks, in their order.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header, uri};
use axum::middleware::Next;
use axum::response::Response;
use baton_github::Secret;
use tokio::time::Instant;

use super::attempts::Attempts;
use super::denial::{Asker, Denial, is_under};
use super::host::{self, Authority};
use super::pass::{Issuer, Kind, Pass};
use super::{Access, Visitor, form, origin};

/// What the checks need.
pub(super) struct Gate {
    pub(super) access: Access,
    pub(super) issuer: Issuer,
    pub(super) attempts: Attempts,
    opened_at: Instant,
}

/// How somebody has shown who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// They are on this machine, and there is no token.
    Here,
    /// They sent the token with the request. No other site can make a browser do that.
    Bearer,
    /// They carry a session.
    Session,
    /// Not at all; some pages are for everybody.
    None,
}

impl Gate {
    pub(super) fn new(access: Access) -> Self {
        let issuer = Issuer::new(&chance(), access.listen.map(|listen| listen.port()));
        Self { access, issuer, attempts: Attempts::default(), opened_at: Instant::now() }
    }

    /// Returns the time since the start.
    pub(super) fn now(&self) -> Duration {
        self.opened_at.elapsed()
    }

    /// Makes a pass that nobody had before.
    pub(super) fn new_pass(&self, kind: Kind) -> Pass {
        self.issuer.pass(kind, chance(), self.now())
    }

    async fn check(&self, request: Request) -> Result<(Request, Option<Pass>), Denial> {
        let called = called(&request).ok_or(Denial::Misnamed)?;
        let is_ours = |name| host::is_ours(name, self.access.listen, &self.access.hosts);
        if !called.iter().all(is_ours) {
            return Err(Denial::Misnamed);
        }
        if self.access.token.is_none() && !peer(&request).is_some_and(|peer| peer.is_loopback()) {
            return Err(Denial::Stranger);
        }
        let is_unsafe = origin::is_unsafe(request.method());
        if is_unsafe && called.iter().any(|name| origin::is_foreign(request.headers(), name)) {
            return Err(Denial::Foreign);
        }
        let pass = self.issuer.carried(request.headers(), self.now());
        let proof = self.proof(&request, pass.as_ref())?;
        if proof == Proof::None && !is_for_everybody(request.uri().path()) {
            return Err(Denial::Unknown);
        }
        let request = match is_unsafe && proof != Proof::Bearer {
            true => self.check_intent(request, pass.as_ref()).await?,
            false => request,
        };
        Ok(self.admitted(request, pass, proof))
    }

    fn proof(&self, request: &Request, pass: Option<&Pass>) -> Result<Proof, Denial> {
        let Some(token) = &self.access.token else { return Ok(Proof::Here) };
        if let Some(shown) = request.headers().get(header::AUTHORIZATION) {
            // Whoever shows something wrong hears of it, whatever else they carry.
            return self.bearer_proof(token, shown, peer(request));
        }
        let has_session = pass.is_some_and(|pass| pass.kind == Kind::Session);
        Ok(if has_session { Proof::Session } else { Proof::None })
    }

    /// Checks a token that was sent along. Wrong ones are counted like those at the login: both are guesses.
    fn bearer_proof(
        &self,
        token: &Secret,
        shown: &HeaderValue,
        peer: Option<IpAddr>,
    ) -> Result<Proof, Denial> {
        if let Some(wait) = peer.and_then(|peer| self.attempts.wait(peer, self.now())) {
            return Err(Denial::Crowded(wait));
        }
        if shown.to_str().ok().and_then(bearer).is_some_and(|shown| token.is(shown)) {
            return Ok(Proof::Bearer);
        }
        if let Some(peer) = peer {
            self.attempts.fail_with(shown.as_bytes(), peer, self.now());
        }
        Err(Denial::Unknown)
    }

    /// Checks that a browser sent on purpose what it sent.
    async fn check_intent(&self, request: Request, pass: Option<&Pass>) -> Result<Request, Denial> {
        if is_under(request.uri().path(), "/api") {
            // Other sites cannot send JSON, nor anything but POST, without asking first, and nobody answers that question.
            let is_simple = request.method() == Method::POST && !is_json(request.headers());
            return if is_simple { Err(Denial::NotJson) } else { Ok(request) };
        }
        let (shown, request) = form::shown(request).await?;
        match (pass, shown) {
            (Some(pass), Some(shown)) if self.issuer.is_csrf(pass, &shown) => Ok(request),
            _ => Err(Denial::Forged),
        }
    }

    /// Tells the routes who it is, and returns the pass that has to be given out.
    fn admitted(&self, mut request: Request, carried: Option<Pass>, proof: Proof) -> (Request, Option<Pass>) {
        let is_new = carried.is_none() && proof != Proof::Bearer && takes_pass(&request);
        let pass = carried.unwrap_or_else(|| self.new_pass(Kind::Visitor));
        let visitor = Visitor {
            name: self.access.operator.clone(),
            csrf: self.issuer.csrf(&pass),
            has_session: proof == Proof::Session,
        };
        request.extensions_mut().insert(visitor);
        (request, is_new.then_some(pass))
    }
}

pub(super) async fn admit(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let asker = Asker::of(&request);
    match gate.check(request).await {
        Ok((request, new_pass)) => {
            let mut answer = next.run(request).await;
            if let Some(pass) = new_pass {
                give(&gate, &pass, &mut answer);
            }
            answer
        }
        Err(denial) => {
            tracing::info!(?denial, "somebody was not let in");
            denial.answer(&asker)
        }
    }
}

/// Puts a pass into a browser.
pub(super) fn give(gate: &Gate, pass: &Pass, answer: &mut Response) {
    set_cookie(&gate.issuer.set_cookie(pass), answer);
}

/// Takes the session out of a browser.
pub(super) fn end_session(gate: &Gate, answer: &mut Response) {
    set_cookie(&gate.issuer.end_session(), answer);
}

fn set_cookie(line: &str, answer: &mut Response) {
    if let Ok(line) = HeaderValue::from_str(line) {
        answer.headers_mut().append(header::SET_COOKIE, line);
    }
}

fn called(request: &Request) -> Option<Vec<Authority>> {
    names(request.uri().authority(), request.headers())
}

/// Returns all names by which a request calls the server, or nothing if there is none or one that cannot be read.
pub(super) fn names(of_uri: Option<&uri::Authority>, headers: &HeaderMap) -> Option<Vec<Authority>> {
    let of_uri = of_uri.map(|authority| Authority::read(authority.as_str()));
    let hosts = headers.get_all(header::HOST).iter();
    let of_headers = hosts.map(|host| host.to_str().ok().and_then(Authority::read));
    let names: Option<Vec<_>> = of_uri.into_iter().chain(of_headers).collect();
    names.filter(|names| !names.is_empty())
}

/// Returns the address on the other end. A request without one comes from nowhere that is known.
pub(super) fn peer(request: &Request) -> Option<IpAddr> {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    peer.map(|ConnectInfo(peer)| peer.ip().to_canonical())
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

fn is_for_everybody(path: &str) -> bool {
    path == "/login" || is_under(path, "/assets")
}

/// Streams and programs show no forms.
fn takes_pass(request: &Request) -> bool {
    let path = request.uri().path();
    let accept = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    let is_stream = accept.is_some_and(|accept| accept.starts_with("text/event-stream"));
    let is_page = !["/api", "/assets", "/metrics"].iter().any(|place| is_under(path, place));
    request.method() == Method::GET && is_page && !is_stream
}

fn chance<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}
