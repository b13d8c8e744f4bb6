//! The login: a token in, a session out, and back to where somebody wanted to go.

use std::sync::Arc;

use axum::extract::{Extension, RawQuery, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use axum::{Router, body};
use maud::html;

use super::denial::{Asker, Denial};
use super::form::field;
use super::gate::{Gate, end_session, give, peer};
use super::pass::Kind;
use super::{TOKEN_VARIABLE, Visitor};
use crate::pages::shell;

/// The longest address that a login leads on to, in bytes.
const NEXT_BYTES_MAX: usize = 2_000;
/// The gate has read the body before, within a limit of its own.
const BODY_BYTES_MAX: usize = 1024 * 1024;

pub(super) fn routes(gate: &Arc<Gate>) -> Router {
    Router::new()
        .route("/login", get(show).post(log_in))
        .route("/logout", post(log_out))
        .with_state(Arc::clone(gate))
}

async fn show(
    State(gate): State<Arc<Gate>>,
    Extension(visitor): Extension<Visitor>,
    RawQuery(query): RawQuery,
) -> Response {
    if gate.access.token.is_none() {
        return Redirect::to("/").into_response();
    }
    let next = query.and_then(|query| field(query.as_bytes(), "next"));
    page(StatusCode::OK, &visitor.csrf, &local(next), None)
}

async fn log_in(
    State(gate): State<Arc<Gate>>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Response {
    let asker = Asker::of(&request);
    let (Some(peer), Some(token)) = (peer(&request), &gate.access.token) else {
        return Redirect::to("/").into_response();
    };
    if let Some(wait) = gate.attempts.wait(peer, gate.now()) {
        return Denial::Crowded(wait).answer(&asker);
    }
    let Ok(form) = body::to_bytes(request.into_body(), BODY_BYTES_MAX).await else {
        return Denial::Cut.answer(&asker);
    };
    let next = local(field(&form, "next"));
    if !field(&form, "token").is_some_and(|shown| token.is(shown.trim())) {
        gate.attempts.fail(peer, gate.now());
        tracing::warn!(%peer, "somebody tried to log in with a wrong token");
        return page(StatusCode::FORBIDDEN, &visitor.csrf, &next, Some("That is not the token."));
    }
    let mut answer = Redirect::to(&next).into_response();
    give(&gate, &gate.new_pass(Kind::Session), &mut answer);
    answer
}

async fn log_out(State(gate): State<Arc<Gate>>) -> Response {
    let mut answer = Redirect::to("/login").into_response();
    end_session(&gate, &mut answer);
    answer
}

/// Returns where a login leads on to: a path of this server, whatever was asked for.
fn local(next: Option<String>) -> String {
    let is_local = |next: &String| {
        let rest = next.strip_prefix('/');
        let is_path = rest.is_some_and(|rest| !rest.starts_with(['/', '\\']));
        is_path
            && next.len() <= NEXT_BYTES_MAX
            && next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    next.filter(is_local).unwrap_or_else(|| "/".to_owned())
}

fn page(status: StatusCode, csrf: &str, next: &str, complaint: Option<&str>) -> Response {
    let main = html! {
        section.login {
            h1 { "Log in" }
            p { "This dashboard asks for its token: what " code { (TOKEN_VARIABLE) } " was set to where Baton runs." }
            form method="post" action="/login" {
                @if let Some(words) = complaint { p #complaint .result.bad role="alert" { (words) } }
                input type="hidden" name="_csrf" value=(csrf);
                input type="hidden" name="next" value=(next);
                label for="token" { "Token" }
                input #token name="token" type="password" autocomplete="current-password" required autofocus
                    aria-invalid=[complaint.map(|_| "true")] aria-describedby=[complaint.map(|_| "complaint")];
                button.main type="submit" { "Log in" }
            }
        }
    };
    (status, [(header::CACHE_CONTROL, "no-store")], Html(shell::outside("Log in", &main).into_string()))
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_a_path_of_this_server_only() {
        for (asked, expected) in [
            ("/runs?active=true", "/runs?active=true"),
            ("/", "/"),
            ("", "/"),
            ("runs", "/"),
            ("//evil.example", "/"),
            ("/\\evil.example", "/"),
            ("/a\\b", "/"),
            ("https://evil.example/", "/"),
            ("/a\r\nSet-Cookie: b=c", "/"),
            ("/\t/evil.example", "/"),
            ("/ä", "/"),
        ] {
            assert_eq!(local(Some(asked.to_owned())), expected, "{asked}");
        }
        assert_eq!(local(Some(format!("/{}", "x".repeat(5_000)))), "/");
    }
}
