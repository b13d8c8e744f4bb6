//! How a tracker fails: what was tried, what came back, and whether it may be tried again.

use std::fmt;
use std::time::Duration;

/// What kind of failure it was. Expected outcomes, such as a lost race, are values and not errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackerErrorKind {
    /// There is no such thing, or it is hidden from this token.
    NotFound,
    /// The token is missing, wrong or expired.
    Unauthorized,
    /// The token may not do this.
    Forbidden,
    /// The tracker refuses the request as it is.
    Invalid,
    /// The tracker asks for a pause; nothing was done.
    RateLimited {
        /// How long it asks to wait, when it says so.
        retry_after: Option<Duration>,
    },
    /// The tracker could not be reached or failed, and nothing was done.
    Unavailable,
    /// The tracker could not be reached or failed, and the write may have been done or may be done yet.
    Unclear,
    /// The answer could not be understood.
    Malformed,
}

/// A call that did not give what was asked for.
#[derive(Debug, Clone, thiserror::Error)]
pub struct TrackerError {
    /// What kind of failure it was.
    pub kind: TrackerErrorKind,
    /// What was tried, such as `GET /repos/acme/web/issues/7`.
    pub tried: String,
    /// What came back, in the tracker's or the network's words.
    pub answer: String,
}

impl TrackerError {
    /// Describes a failure.
    pub fn new(kind: TrackerErrorKind, tried: impl Into<String>, answer: impl Into<String>) -> Self {
        Self { kind, tried: tried.into(), answer: answer.into() }
    }

    /// Returns whether the same call may give another answer later.
    pub fn is_retryable(&self) -> bool {
        use TrackerErrorKind::{RateLimited, Unavailable, Unclear};
        matches!(self.kind, RateLimited { .. } | Unavailable | Unclear)
    }

    /// Returns whether a write may have happened although it was not acknowledged.
    pub fn may_have_happened(&self) -> bool {
        self.kind == TrackerErrorKind::Unclear
    }

    /// Says what a person can do about it.
    pub fn advice(&self) -> &'static str {
        match self.kind {
            TrackerErrorKind::NotFound => "check the name, and that the token may see the repository",
            TrackerErrorKind::Unauthorized => "set BATON_TOKEN, GITHUB_TOKEN or GH_TOKEN to a valid token",
            TrackerErrorKind::Forbidden => "use a token that may write issues and contents of the repository",
            TrackerErrorKind::Invalid => "this is how the tracker understood the request",
            TrackerErrorKind::RateLimited { .. } => "wait, or use a token with a larger budget",
            TrackerErrorKind::Unavailable | TrackerErrorKind::Unclear => {
                "check the network and the tracker's address (BATON_GITHUB_API_URL), then try again"
            }
            TrackerErrorKind::Malformed => "check that the address is that of a GitHub API",
        }
    }
}

impl fmt::Display for TrackerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.tried, self.answer, self.advice())
    }
}
