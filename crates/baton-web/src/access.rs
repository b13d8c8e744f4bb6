//! Who may come in: this machine by default, and elsewhere whoever knows the token.
//!
//! Every request to the dashboard passes the checks here, in this order: the name by which the server was called, where the
//! visitor comes from, who the visitor is, and whether what they send was meant to be sent. The key that sessions and forms are
//! signed with is made when the routes are, and dies with the process.
//!
//! Deliberately absent: accounts. There is one token, and whoever knows it may do everything.

mod attempts;
mod denial;
mod form;
mod gate;
mod headers;
mod host;
mod login;
mod origin;
mod pass;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::{self, HeaderMap};
use axum::{Router, middleware};
use baton_github::Secret;

use self::gate::Gate;

/// The variable that people set the token by.
const TOKEN_VARIABLE: &str = "BATON_DASHBOARD_TOKEN";
/// A shorter token can be guessed.
const TOKEN_CHARS_MIN: usize = 16;

/// Who may come in.
#[derive(Debug, Clone)]
pub struct Access {
    /// What visitors must know. Without it, only this machine may come in.
    pub token: Option<Arc<Secret>>,
    /// The names, beside those of this machine, by which the dashboard may be called.
    pub hosts: Vec<String>,
    /// Where the server listens, as far as that is known: it may be called by that address too.
    pub listen: Option<SocketAddr>,
    /// What orders are given in the name of.
    pub operator: String,
}

impl Default for Access {
    fn default() -> Self {
        Self { token: None, hosts: Vec::new(), listen: None, operator: "dashboard".to_owned() }
    }
}

/// Whoever sent a request, and what their forms must carry. It is put into every request that is let in.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    /// What orders are given in the name of.
    pub(crate) name: String,
    /// What forms carry in the field `_csrf`, or requests in the header `X-CSRF-Token`.
    pub(crate) csrf: String,
    /// Whether they are logged in, and may want to log out.
    pub(crate) has_session: bool,
}

/// Why a dashboard must not be opened like that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// Others could reach it.
    #[error(
        "the dashboard would listen on {0}, where other machines can reach it, and has no token: set {TOKEN_VARIABLE} to a long random text, or listen on 127.0.0.1"
    )]
    Open(SocketAddr),
    /// The token can be guessed.
    #[error(
        "the token of the dashboard has {0} characters and could be guessed: set {TOKEN_VARIABLE} to at least {TOKEN_CHARS_MIN}, such as what `openssl rand -hex 32` prints"
    )]
    Short(usize),
}

/// Returns whether a page in a browser may have sent a request to this machine: the server was called by a name that others can
/// point here, or the browser says that another site sent it.
pub(crate) fn is_by_page(called: Option<&http::uri::Authority>, headers: &HeaderMap) -> bool {
    let Some(names) = gate::names(called, headers) else { return true };
    let is_suspect =
        |name: &host::Authority| !host::is_ours(name, None, &[]) || origin::is_foreign(headers, name);
    names.iter().any(is_suspect)
}

impl Access {
    /// Returns whether the dashboard may be opened on an address.
    pub fn check(&self, listen: SocketAddr) -> Result<(), AccessError> {
        match &self.token {
            Some(token) if token.chars() < TOKEN_CHARS_MIN => Err(AccessError::Short(token.chars())),
            None if !listen.ip().to_canonical().is_loopback() => Err(AccessError::Open(listen)),
            Some(_) | None => Ok(()),
        }
    }

    /// Puts the checks before routes.
    pub(crate) fn guard(&self, routes: Router) -> Router {
        let gate = Arc::new(Gate::new(self.clone()));
        routes
            .merge(login::routes(&gate))
            .layer(middleware::from_fn_with_state(gate, gate::admit))
            .layer(middleware::map_response(headers::protect))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_others_reach_needs_a_token_that_cannot_be_guessed() {
        let long = "0123456789abcdef";
        for (token, listen, expected) in [
            (None, "127.0.0.1:80", Ok(())),
            (None, "[::1]:80", Ok(())),
            (None, "[::ffff:127.0.0.1]:80", Ok(())),
            (None, "0.0.0.0:80", Err(AccessError::Open("0.0.0.0:80".parse().unwrap()))),
            (None, "192.0.2.1:80", Err(AccessError::Open("192.0.2.1:80".parse().unwrap()))),
            (Some(long), "0.0.0.0:80", Ok(())),
            (Some("short"), "0.0.0.0:80", Err(AccessError::Short(5))),
            (Some("short"), "127.0.0.1:80", Err(AccessError::Short(5))),
            (Some(" "), "127.0.0.1:80", Err(AccessError::Short(0))),
        ] {
            let token = token.map(|token| Arc::new(Secret::new(token)));
            let access = Access { token, ..Access::default() };
            assert_eq!(access.check(listen.parse().unwrap()), expected, "{listen}");
        }
        let words = AccessError::Open("0.0.0.0:80".parse().unwrap()).to_string();
        assert!(words.contains("BATON_DASHBOARD_TOKEN"), "{words}");
    }
}
