//! How GitHub says "not now": which answers are limits, and how long they ask to wait.
//!
//! Pure; the waiting is done by `retry`.

use std::time::Duration;

use http::StatusCode;

use crate::call::{Failure, Outcome, Reply};

/// What GitHub's documentation says to wait when an answer does not tell.
const UNSAID: Duration = Duration::from_secs(60);

/// Returns how long to wait, if the request was turned away because there were too many.
pub(crate) fn limit_of(outcome: &Outcome) -> Option<Duration> {
    match outcome {
        Ok(reply) => limit_of_reply(reply),
        Err(Failure::Spent { wait }) => Some(*wait),
        Err(_) => None,
    }
}

/// Returns how long an answer asks to wait, if it is a limit: primary, secondary, or a plain 429.
pub(crate) fn limit_of_reply(reply: &Reply) -> Option<Duration> {
    if !matches!(reply.status, StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS) {
        return None;
    }
    wait_of_headers(reply)
        .or_else(|| (reply.status == StatusCode::TOO_MANY_REQUESTS || says_limit(reply)).then_some(UNSAID))
}

/// Returns how long an answer asks the token to send nothing at all. A spent budget does not: it is one of several, and the
/// others go on.
pub(crate) fn secondary_limit_of(reply: &Reply) -> Option<Duration> {
    if reply.status == StatusCode::OK {
        // An answer of GraphQL says yes even where it says that there were too many questions.
        return retry_after(reply);
    }
    let is_budget = until_reset(reply).is_some() && retry_after(reply).is_none();
    limit_of_reply(reply).filter(|_| !is_budget)
}

/// Returns how long the headers of an answer ask to wait, whatever its status.
pub(crate) fn wait_of_headers(reply: &Reply) -> Option<Duration> {
    retry_after(reply).or_else(|| until_reset(reply))
}

/// Returns what `Retry-After` asks for, in seconds or as a date.
pub(crate) fn retry_after(reply: &Reply) -> Option<Duration> {
    let text = reply.header("retry-after")?.trim();
    match text.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => Some(seconds_between(reply.date()?.0, crate::call::http_date(text)?.0)),
    }
}

fn until_reset(reply: &Reply) -> Option<Duration> {
    let is_spent = reply.number::<u64>("x-ratelimit-remaining") == Some(0);
    let reset: i64 = reply.number("x-ratelimit-reset").filter(|_| is_spent)?;
    Some(seconds_between(reply.date()?.0, reset))
}

fn seconds_between(from: i64, to: i64) -> Duration {
    Duration::from_secs(u64::try_from(to - from).unwrap_or(0))
}

/// GitHub sends some secondary limits without any header.
fn says_limit(reply: &Reply) -> bool {
    let text = String::from_utf8_lossy(&reply.body).to_ascii_lowercase();
    ["rate limit", "abuse detection"].iter().any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use super::super::fake::reply;
    use super::*;

    const DATE: (&str, &str) = ("date", "Tue, 14 Nov 2023 22:13:20 GMT");

    fn check(status: u16, headers: &[(&str, &str)], body: &str, expected_s: Option<u64>) {
        let found = limit_of_reply(&reply(status, headers, body));
        assert_eq!(found, expected_s.map(Duration::from_secs), "{status} {headers:?} {body}");
    }

    #[test]
    fn limits_are_told_from_refusals() {
        let spent = [DATE, ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700000042")];
        check(403, &[("retry-after", "7")], "", Some(7));
        check(429, &[("retry-after", "9")], "", Some(9));
        check(429, &[DATE, ("retry-after", "Tue, 14 Nov 2023 22:13:50 GMT")], "", Some(30));
        check(403, &spent, "API rate limit exceeded", Some(42));
        check(429, &spent, "", Some(42));
        check(429, &[], "", Some(60));
        check(403, &[], "You have exceeded a secondary rate limit.", Some(60));
        check(403, &[("x-ratelimit-remaining", "12")], "Resource not accessible", None);
        check(403, &[], "", None);
        check(503, &[("retry-after", "7")], "", None);
        check(200, &spent, "", None);
        check(422, &[], "rate limit", None);
    }

    #[test]
    fn a_spent_budget_is_no_secondary_limit() {
        let spent = [DATE, ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700000042")];
        let check = |status: u16, headers: &[(&str, &str)], body: &str, expected_s: Option<u64>| {
            let found = secondary_limit_of(&reply(status, headers, body));
            assert_eq!(found, expected_s.map(Duration::from_secs), "{status} {headers:?} {body}");
        };
        check(403, &spent, "API rate limit exceeded", None);
        check(403, &[("retry-after", "7"), ("x-ratelimit-remaining", "12")], "", Some(7));
        check(403, &[("x-ratelimit-remaining", "12")], "You have exceeded a secondary rate limit.", Some(60));
        check(403, &[], "Resource not accessible", None);
        check(503, &[("retry-after", "7")], "", None);
        check(200, &[("retry-after", "7")], "", Some(7));
        check(200, &spent, "", None);
    }

    #[test]
    fn a_reset_that_has_passed_asks_for_no_wait() {
        check(403, &[DATE, ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1600000000")], "", Some(0));
    }
}
