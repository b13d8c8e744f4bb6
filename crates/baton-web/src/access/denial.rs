//! Why somebody is not let in, as an answer that a person or a program understands.

use std::time::Duration;

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};

use crate::api::Problem;

/// Why somebody is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Denial {
    /// The server was called by a name that is not its own.
    Misnamed,
    /// Without a token, only this machine may come in.
    Stranger,
    /// Nobody has shown the token.
    Unknown,
    /// Another site sent it.
    Foreign,
    /// The form is not one of ours.
    Forged,
    NotAForm,
    NotJson,
    TooLarge,
    Slow,
    Cut,
    Crowded(Duration),
}

/// What an answer depends on.
#[derive(Debug)]
pub(super) struct Asker {
    pub(super) is_api: bool,
    is_browsing: bool,
    is_script: bool,
    path: String,
}

impl Asker {
    pub(super) fn of(request: &Request) -> Self {
        let accept = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
        let path = request.uri().path();
        Self {
            is_api: is_under(path, "/api"),
            is_browsing: accept.is_some_and(|accept| accept.contains("text/html")),
            is_script: request.headers().contains_key("HX-Request"),
            path: request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        }
    }

    fn login(&self) -> String {
        let next = form_urlencoded::byte_serialize(self.path.as_bytes()).collect::<String>();
        format!("/login?next={next}")
    }
}

/// Returns whether a path is `place`, or lies below it.
pub(super) fn is_under(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Denial {
    pub(super) fn answer(self, asker: &Asker) -> Response {
        if self == Self::Unknown && !asker.is_api && asker.is_browsing && !asker.is_script {
            return Redirect::to(&asker.login()).into_response();
        }
        let mut answer = match asker.is_api {
            true => Problem::new(self.status(), self.words()).into_response(),
            false => (self.status(), format!("{}\n", self.words())).into_response(),
        };
        self.advise(asker, &mut answer);
        answer
    }

    fn advise(self, asker: &Asker, answer: &mut Response) {
        let headers = answer.headers_mut();
        match self {
            Self::Unknown => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"baton\""));
                if asker.is_script {
                    // A part of a page cannot show the way to the login; the whole page goes there.
                    let name = HeaderName::from_static("hx-redirect");
                    headers.insert(name, HeaderValue::from_static("/login"));
                }
            }
            Self::Crowded(wait) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
            }
            _ => {}
        }
    }

    fn status(self) -> StatusCode {
        match self {
            Self::Misnamed => StatusCode::MISDIRECTED_REQUEST,
            Self::Unknown => StatusCode::UNAUTHORIZED,
            Self::Stranger | Self::Foreign | Self::Forged => StatusCode::FORBIDDEN,
            Self::NotAForm | Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::Cut => StatusCode::BAD_REQUEST,
            Self::Crowded(_) => StatusCode::TOO_MANY_REQUESTS,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Misnamed => {
                "the server was called by a name that is not its own: call it by an address of this machine, or let its operator add the name to those it goes by"
            }
            Self::Stranger => {
                "without a token, only this machine may come in: set BATON_DASHBOARD_TOKEN where baton runs"
            }
            Self::Unknown => {
                "nobody has shown the token: send it as `Authorization: Bearer`, or log in at /login"
            }
            Self::Foreign => "another site sent this request: only pages of this server may change something",
            Self::Forged => "the form is not one of ours, or is too old: reload the page and send it again",
            Self::NotAForm => {
                "the body must be a form (application/x-www-form-urlencoded), or the header X-CSRF-Token be set"
            }
            Self::NotJson => "the body must be JSON: set Content-Type to application/json",
            Self::TooLarge => "the form is larger than 256 KiB",
            Self::Slow => "the form did not come in time",
            Self::Cut => "the form ended early",
            Self::Crowded(_) => "too many wrong tokens came from your address: wait a minute",
        }
    }
}
