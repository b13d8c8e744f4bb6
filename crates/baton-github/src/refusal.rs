//! What an answer that is not a success means to the one who asked.
//!
//! The one rule that matters: a write without a clear answer is `Unclear`, whatever the reason, and only what certainly
//! was not done is told as such.

use baton_ports::{TrackerError, TrackerErrorKind};
use serde::Deserialize;
use serde_json::Value;

use crate::call::{Failure, Reply};
use crate::layers::limits::limit_of_reply;

/// How much of an answer that is not GitHub's is shown.
const SHOWN_CHARS_MAX: usize = 200;

/// What was asked, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tried {
    /// Such as `GET /repos/acme/web/issues/7`.
    pub(crate) text: String,
    pub(crate) is_read: bool,
}

impl Tried {
    pub(crate) fn error(&self, kind: TrackerErrorKind, answer: impl Into<String>) -> TrackerError {
        TrackerError::new(kind, self.text.clone(), answer)
    }

    /// Returns what to call a failure after which a write may have been carried out.
    pub(crate) fn doubt(&self) -> TrackerErrorKind {
        if self.is_read { TrackerErrorKind::Unavailable } else { TrackerErrorKind::Unclear }
    }

    /// Describes an answer that says yes and cannot be read. A write has been done all the same, or something that
    /// is not GitHub has answered in between.
    pub(crate) fn unreadable(&self, why: impl Into<String>) -> TrackerError {
        let kind = if self.is_read { TrackerErrorKind::Malformed } else { TrackerErrorKind::Unclear };
        self.error(kind, why)
    }

    /// Describes a failure to get an answer.
    pub(crate) fn failed(&self, failure: Failure) -> TrackerError {
        match failure {
            Failure::Unsent(why) => self.error(TrackerErrorKind::Unavailable, why),
            Failure::Lost(why) => self.error(self.doubt(), why),
            Failure::Spent { wait } => {
                let answer = format!("not sent, the tracker's limit holds for another {} s", wait.as_secs());
                self.error(TrackerErrorKind::RateLimited { retry_after: Some(wait) }, answer)
            }
            Failure::NoToken(why) => self.error(TrackerErrorKind::Unauthorized, why),
            Failure::Unusable(why) => self.unreadable(why),
        }
    }

    /// Describes an answer that is a refusal.
    pub(crate) fn refused(&self, reply: &Reply) -> TrackerError {
        self.error(self.kind(reply), message_of(reply))
    }

    fn kind(&self, reply: &Reply) -> TrackerErrorKind {
        if let Some(wait) = limit_of_reply(reply) {
            let limited = TrackerErrorKind::RateLimited { retry_after: Some(wait) };
            // The limit turned the last attempt away; what became of the first, nobody knows.
            return if reply.is_after_doubt { self.doubt() } else { limited };
        }
        match reply.status.as_u16() {
            401 => TrackerErrorKind::Unauthorized,
            403 | 451 => TrackerErrorKind::Forbidden,
            404 | 410 => TrackerErrorKind::NotFound,
            400 | 405 | 409 | 412..=428 => TrackerErrorKind::Invalid,
            500.. => self.doubt(),
            _ => TrackerErrorKind::Malformed,
        }
    }
}

#[derive(Deserialize)]
struct Complaint {
    message: String,
    #[serde(default)]
    errors: Value,
}

/// Returns the sentence of a refusal alone, or nothing if it is not GitHub's.
pub(crate) fn sentence_of(reply: &Reply) -> String {
    serde_json::from_slice::<Complaint>(&reply.body).map(|complaint| complaint.message).unwrap_or_default()
}

/// Returns the status with what the answer says.
pub(crate) fn message_of(reply: &Reply) -> String {
    let status = reply.status.as_u16();
    match serde_json::from_slice::<Complaint>(&reply.body) {
        Ok(complaint) => {
            let details: Vec<_> = complaint.errors.as_array().into_iter().flatten().map(detail).collect();
            let more = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
            format!("{status} {}{more}", complaint.message)
        }
        Err(_) => {
            let text = String::from_utf8_lossy(&reply.body);
            let words: Vec<_> = text.split_whitespace().collect();
            format!("{status} {}", words.join(" ").chars().take(SHOWN_CHARS_MAX).collect::<String>())
        }
    }
}

/// Returns one of the reasons of a validation that failed.
fn detail(error: &Value) -> String {
    let text = |key: &str| error[key].as_str();
    match text("message").or_else(|| error.as_str()) {
        Some(message) => message.to_owned(),
        None => [text("resource"), text("field"), text("code")]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use TrackerErrorKind::{
        Forbidden, Invalid, Malformed, NotFound, RateLimited, Unauthorized, Unavailable, Unclear,
    };

    use super::*;
    use crate::layers::fake::reply;

    fn tried(is_read: bool) -> Tried {
        Tried { text: "GET /x".into(), is_read }
    }

    #[test]
    fn statuses_become_kinds() {
        let check = |status: u16, read: TrackerErrorKind, write: TrackerErrorKind| {
            let reply = reply(status, &[], "");
            assert_eq!(tried(true).refused(&reply).kind, read, "{status}");
            assert_eq!(tried(false).refused(&reply).kind, write, "{status}");
        };
        let limited = RateLimited { retry_after: Some(Duration::from_secs(60)) };
        check(304, Malformed, Malformed);
        check(400, Invalid, Invalid);
        check(401, Unauthorized, Unauthorized);
        check(403, Forbidden, Forbidden);
        check(404, NotFound, NotFound);
        check(410, NotFound, NotFound);
        check(409, Invalid, Invalid);
        check(422, Invalid, Invalid);
        check(429, limited, limited);
        check(500, Unavailable, Unclear);
        check(502, Unavailable, Unclear);
    }

    #[test]
    fn failures_become_kinds() {
        let check = |failure: Failure, read: TrackerErrorKind, write: TrackerErrorKind| {
            assert_eq!(tried(true).failed(failure.clone()).kind, read, "{failure:?}");
            assert_eq!(tried(false).failed(failure.clone()).kind, write, "{failure:?}");
        };
        check(Failure::Unsent("x".into()), Unavailable, Unavailable);
        check(Failure::Lost("x".into()), Unavailable, Unclear);
        check(Failure::NoToken("x".into()), Unauthorized, Unauthorized);
        check(Failure::Unusable("x".into()), Malformed, Unclear);
        let wait = Duration::from_secs(3);
        let limited = RateLimited { retry_after: Some(wait) };
        check(Failure::Spent { wait }, limited, limited);
    }

    #[test]
    fn a_limit_after_a_doubtful_write_leaves_the_doubt() {
        let limited = Reply { is_after_doubt: true, ..reply(429, &[], "") };
        assert_eq!(tried(false).refused(&limited).kind, Unclear);
    }

    #[test]
    fn the_servers_words_are_passed_on() {
        let check = |body: &str, expected: &str| assert_eq!(message_of(&reply(422, &[], body)), expected);
        check(r#"{"message": "Validation Failed"}"#, "422 Validation Failed");
        check(
            r#"{"message": "Validation Failed", "errors": [{"resource": "Label", "field": "name", "code": "already_exists"}]}"#,
            "422 Validation Failed (Label name already_exists)",
        );
        check(r#"{"message": "No", "errors": [{"message": "too long"}, "bad"]}"#, "422 No (too long, bad)");
        check(r#"{"message": "No", "errors": "odd"}"#, "422 No");
        check("<html>\n  <b>Bad", "422 <html> <b>Bad");
        check("", "422 ");
        assert_eq!(message_of(&reply(502, &[], &"x".repeat(1000))).len(), 204);
    }
}
