//! What Alfred writes on an issue and how it reads it back: labels, claim comments, release comments.

use std::collections::{BTreeMap, BTreeSet};

use baton_core::time::ServerTime;

use super::Identity;

pub(crate) const IMPLEMENT: &str = "agent:implement";
pub(crate) const IN_FLIGHT: &str = "agent:in-flight";

/// Labels it defines before its first edit, without looking at the answers.
pub(crate) const DEFINED: [&str; 10] = [
    IMPLEMENT,
    IN_FLIGHT,
    "agent:pr-open",
    "agent:done",
    "do-not-pickup",
    "needs:human-scope",
    "batman-pr-open",
    "agent:large-feature",
    "batman:fanout-complete",
    "done-already",
];

const BLOCKING: [&str; 9] = [
    IN_FLIGHT,
    "agent:pr-open",
    "agent:done",
    "do-not-pickup",
    "needs:human-scope",
    "agent:needs-human-review",
    "needs:info",
    "batman:fanout-complete",
    "done-already",
];

/// How many comments, from the end, it looks at for a contest.
const COMMENTS_SEEN: usize = 50;

/// A comment, as far as it matters here.
#[derive(Debug, Clone)]
pub(crate) struct Comment {
    pub(crate) body: String,
    pub(crate) created_at: String,
}

/// Returns a label that forbids to claim.
pub(crate) fn blocker(labels: &[String]) -> Option<&String> {
    labels.iter().find(|label| BLOCKING.contains(&label.as_str()) || label.ends_with("-pr-open"))
}

pub(crate) fn claim(who: &Identity, now: ServerTime) -> String {
    let Identity { codename, firing_id } = who;
    format!("<!-- agent-claim:codename={codename} firing_id={firing_id} ts={now} -->")
}

/// Returns a release; `more` are further fields.
pub(crate) fn release(who: &Identity, outcome: &str, more: &[(&str, &str)], now: ServerTime) -> String {
    let Identity { codename, firing_id } = who;
    let more: String = more.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    format!(
        "<!-- agent-release:codename={codename} firing_id={firing_id} outcome={outcome}{more} ts={now} -->"
    )
}

/// Reads the fields of a comment that begins as claims or releases do.
fn fields<'a>(body: &'a str, kind: &str) -> Option<BTreeMap<&'a str, &'a str>> {
    let rest = body.trim().strip_prefix("<!-- ")?.strip_prefix(kind)?.strip_prefix(':')?;
    let rest = rest.trim_end().strip_suffix("-->").unwrap_or(rest);
    Some(rest.split_whitespace().filter_map(|token| token.split_once('=')).collect())
}

fn identity(body: &str, kind: &str) -> Option<Identity> {
    let fields = fields(body, kind)?;
    let field = |key: &str| fields.get(key).map(|value| (*value).to_owned());
    Some(Identity { codename: field("codename")?, firing_id: field("firing_id")? })
}

/// A claim that no release answers, with the time the server gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenClaim {
    pub(crate) who: Identity,
    pub(crate) created_at: String,
}

impl OpenClaim {
    /// Returns its age, if its time can be read.
    pub(crate) fn age_s(&self, now: ServerTime) -> Option<i64> {
        self.created_at.parse::<ServerTime>().ok().map(|created| now.seconds_since(created))
    }
}

/// Returns the claims without a release, wherever that stands.
pub(crate) fn open_claims(comments: &[Comment]) -> Vec<OpenClaim> {
    let name = |who: Identity| (who.codename, who.firing_id);
    let released: BTreeSet<_> =
        comments.iter().filter_map(|comment| identity(&comment.body, "agent-release").map(name)).collect();
    let claims = comments.iter().filter_map(|comment| {
        let who = identity(&comment.body, "agent-claim")?;
        Some(OpenClaim { who, created_at: comment.created_at.clone() })
    });
    claims.filter(|claim| !released.contains(&name(claim.who.clone()))).collect()
}

/// Returns whom a claim must yield to: somebody with an earlier second. An own claim that cannot be seen has won.
pub(crate) fn contested_by(
    comments: &[Comment],
    who: &Identity,
    now: ServerTime,
    window_s: i64,
) -> Option<String> {
    let claims = open_claims(&comments[comments.len().saturating_sub(COMMENTS_SEEN)..]);
    let own = claims.iter().find(|claim| claim.who == *who)?;
    let earlier = claims.iter().filter(|claim| claim.who != *who && claim.created_at < own.created_at);
    let mut live = earlier.filter(|claim| claim.age_s(now).is_none_or(|age_s| age_s <= window_s));
    live.next().map(|claim| format!("{}:{}", claim.who.codename, claim.who.firing_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> ServerTime {
        ServerTime(1_800_000_000 + second)
    }

    fn who(codename: &str) -> Identity {
        Identity { codename: codename.to_owned(), firing_id: "20270115-080000-0001".to_owned() }
    }

    fn comment(body: String, second: i64) -> Comment {
        Comment { body, created_at: at(second).to_string() }
    }

    #[track_caller]
    fn check(comments: &[Comment], wanted: Option<&str>) {
        let found = contested_by(comments, &who("mine"), at(10), 14_400);
        assert_eq!(found.map(|to| to.split(':').next().unwrap_or_default().to_owned()).as_deref(), wanted);
    }

    #[test]
    fn a_contest_is_lost_to_an_earlier_second_only() {
        let mine = comment(claim(&who("mine"), at(5)), 5);
        let other = |second| comment(claim(&who("other"), at(second)), second);
        check(std::slice::from_ref(&mine), None);
        check(&[other(4), mine.clone()], Some("other"));
        check(&[other(5), mine.clone()], None);
        check(&[mine.clone(), other(6)], None);
        check(&[other(-15_000), mine.clone()], None);
        check(&[other(4)], None);
        let yielded = release(&who("other"), "race-yielded-to=mine:1", &[], at(6));
        check(&[other(4), mine, comment(yielded, 6)], None);
    }

    #[test]
    fn a_contest_further_back_than_fifty_comments_is_not_seen() {
        let mut comments = vec![comment(claim(&who("other"), at(1)), 1)];
        comments.extend((0..49).map(|_| comment("chatter".to_owned(), 2)));
        comments.push(comment(claim(&who("mine"), at(5)), 5));
        check(&comments, None);
        check(&[&comments[..1], &comments[2..]].concat(), Some("other"));
    }
}
