//! What a claimant has left on the tracker, read without Baton's own rules.

use baton_core::time::ServerTime;
use serde_json::Value;

use crate::claims::setup::{BID_TTL_S, GRACE_S, Protocol, Setup};

/// A claim that nobody has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) is_bid: bool,
    pub(crate) ttl_s: i64,
    /// When the server last heard of it.
    pub(crate) touched_s: i64,
}

impl Left {
    /// The last second at which everybody honours it.
    pub(crate) fn honoured_until_s(self) -> i64 {
        self.touched_s + self.ttl_s + GRACE_S
    }
}

/// Returns the value of a key in a marker.
pub(crate) fn value<'a>(body: &'a str, key: &str) -> Option<&'a str> {
    let marker = body.split("-->").next()?;
    marker.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches("agent-claim:").trim_start_matches("agent-release:");
        word.strip_prefix(key)?.strip_prefix('=')
    })
}

fn is_claim(body: &str) -> bool {
    body.starts_with("<!-- agent-claim:") && value(body, "codename") == Some("victim")
}

fn is_release(body: &str) -> bool {
    body.starts_with("<!-- agent-release:")
}

fn seconds(value: &Value) -> i64 {
    value.as_str().unwrap().parse::<ServerTime>().unwrap().0
}

fn left(body: &str, touched_s: i64) -> Left {
    let ttl = value(body, "ttl").and_then(|ttl| ttl.strip_suffix('s')).and_then(|ttl| ttl.parse().ok());
    let is_bid = value(body, "state") != Some("held");
    let left = Left { is_bid, ttl_s: ttl.unwrap(), touched_s };
    assert!(!is_bid || left.ttl_s == BID_TTL_S, "{body}");
    left
}

/// Returns the claim that `victim` has on an issue and that nobody has ended. There is never more than one.
pub(crate) async fn left_behind(setup: &Setup, issue: u64) -> Option<Left> {
    if setup.protocol == Protocol::Ref {
        let tip = setup.tip(issue).await?;
        let message = tip["message"].as_str().unwrap();
        return is_claim(message).then(|| left(message, seconds(&tip["committer"]["date"])));
    }
    let comments = setup.repo.get(&format!("/issues/{issue}/comments?per_page=100")).await;
    let comments = comments.as_array().unwrap();
    let bodies = || comments.iter().map(|comment| (comment, comment["body"].as_str().unwrap()));
    let is_ended = |nonce: Option<&str>| {
        bodies().any(|(_, body)| is_release(body) && nonce.is_some() && value(body, "nonce") == nonce)
    };
    let mut open = bodies().filter(|(_, body)| is_claim(body) && !is_ended(value(body, "nonce")));
    let first = open.next().map(|(comment, body)| left(body, seconds(&comment["updated_at"])));
    assert!(open.next().is_none(), "two open claims: {comments:#?}");
    first
}
