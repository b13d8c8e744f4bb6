//! What travels through the layers: a call on the way in, a reply or a failure on the way out.
//!
//! A reply is any answer of the server, refusals included; what it means is decided by the one who asked.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::time::ServerTime;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use reqwest::Url;
use tower::Service;

/// Whether a call may be sent again when nobody knows if it was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// Twice is the same as once.
    Always,
    /// Only if it certainly was not carried out.
    IfNotDone,
}

/// Which of several identities a call needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Identity {
    /// Whoever acts in this repository.
    In(RepoSlug),
    /// Whoever acts where there is no repository; an App speaks for itself.
    Itself,
}

/// One request.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// The template of the path, to count by.
    pub(crate) endpoint: &'static str,
    pub(crate) identity: Identity,
    pub(crate) body: Option<Bytes>,
    pub(crate) repeat: Repeat,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) if_none_match: Option<HeaderValue>,
    /// What a call is named by whose path does not tell: the name of its document.
    pub(crate) title: Option<&'static str>,
    /// It changes nothing, whatever its method.
    pub(crate) is_question: bool,
}

impl Call {
    pub(crate) fn get(endpoint: &'static str, url: Url, identity: Identity) -> Self {
        Self {
            method: Method::GET,
            url,
            endpoint,
            identity,
            body: None,
            repeat: Repeat::Always,
            authorization: None,
            if_none_match: None,
            title: None,
            is_question: false,
        }
    }

    pub(crate) fn is_read(&self) -> bool {
        self.method == Method::GET
    }

    /// Returns what it is charged to, unless its answer says otherwise.
    pub(crate) fn resource(&self) -> &'static str {
        if self.title.is_some() { "graphql" } else { "core" }
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url.path())
    }
}

/// An answer, read to its end.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// An earlier attempt of the same call may have been carried out.
    pub(crate) is_after_doubt: bool,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.header(name).and_then(|text| text.trim().parse().ok())
    }

    /// Returns the server's clock when it answered.
    pub(crate) fn date(&self) -> Option<ServerTime> {
        http_date(self.header("date")?)
    }
}

/// Reads a time such as `Tue, 14 Nov 2023 22:13:20 GMT`.
pub(crate) fn http_date(text: &str) -> Option<ServerTime> {
    // GitHub does not get weekdays wrong, and a server that does still tells the time.
    let parser = jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true);
    parser.parse_timestamp(text).ok().map(|time| ServerTime(time.as_second()))
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The request did not leave this machine.
    Unsent(String),
    /// The request may have arrived; its answer did not.
    Lost(String),
    /// The budget is spent, or the tracker asked for a pause, so the request was not sent.
    Spent {
        /// Until when it is.
        wait: Duration,
    },
    /// There is no token to send it with.
    NoToken(String),
    /// The answer cannot be used.
    Unusable(String),
}

/// What comes back.
pub(crate) type Outcome = Result<Reply, Failure>;

/// An outcome to come.
pub(crate) type Pending = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// A service that takes calls: a layer, or the network.
pub(crate) trait Exchange:
    Service<Call, Response = Reply, Error = Failure, Future: Send> + Clone + Send + 'static
{
}

impl<S> Exchange for S where
    S: Service<Call, Response = Reply, Error = Failure, Future: Send> + Clone + Send + 'static
{
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_date_is_read_and_nonsense_is_not() {
        assert_eq!(http_date("Tue, 14 Nov 2023 22:13:20 GMT"), Some(ServerTime(1_700_000_000)));
        assert_eq!(http_date("Mon, 14 Nov 2023 22:13:20 GMT"), Some(ServerTime(1_700_000_000)));
        for text in ["", "yesterday", "1700000000", "Tue, 14 Nov 2023"] {
            assert_eq!(http_date(text), None, "{text:?}");
        }
    }
}
