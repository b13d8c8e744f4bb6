//! How a hold ended, in the words that releases carry.

use std::fmt;
use std::str::FromStr;

/// How a hold ended. Words of other tools are kept as they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The work is done.
    Success,
    /// There was nothing to do.
    AlreadyImplemented,
    /// A plan waits for a person.
    PlanPending,
    /// The work was given up for someone who was first.
    RaceYieldedTo(String),
    /// The own claim could not be seen, so it was taken back.
    ClaimUnverified,
    /// It had expired, and a sweep or the next claimant ended it.
    StaleSwept,
    /// The holder noticed that it had lost its lease.
    LeaseLost,
    /// A person or the caller stopped it.
    Cancelled,
    /// The agent ran into a rate limit.
    RateLimit,
    /// Part of it is done.
    Partial,
    /// Something failed; the subtype says what, when known.
    Failure(Option<String>),
    /// One of the failures that have words of their own.
    Failed(FailedAt),
    /// What another tool wrote.
    Other(String),
}

/// Failures with words of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailedAt {
    /// The agent made no commit.
    NoCommit,
    /// The agent used up its turns.
    MaxTurns,
    /// The branch could not be pushed.
    Push,
    /// The pull request could not be opened.
    PrCreate,
    /// The worktree could not be made.
    Worktree,
}

const FAILED_AT: [(FailedAt, &str); 5] = [
    (FailedAt::NoCommit, "no-commit"),
    (FailedAt::MaxTurns, "max-turns"),
    (FailedAt::Push, "push-failed"),
    (FailedAt::PrCreate, "pr-create-failed"),
    (FailedAt::Worktree, "worktree-failed"),
];

const PLAIN: [(Outcome, &str); 10] = [
    (Outcome::Success, "success"),
    (Outcome::AlreadyImplemented, "already-implemented"),
    (Outcome::PlanPending, "plan-pending"),
    (Outcome::ClaimUnverified, "claim-unverified"),
    (Outcome::StaleSwept, "stale-swept"),
    (Outcome::LeaseLost, "lease-lost"),
    (Outcome::Cancelled, "cancelled"),
    (Outcome::RateLimit, "rate-limit"),
    (Outcome::Partial, "partial"),
    (Outcome::Failure(None), "failure"),
];

const YIELDED_PREFIX: &str = "race-yielded-to=";
const FAILURE_PREFIX: &str = "failure-";

/// The text cannot be an outcome.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` cannot be an outcome: it is one word without white space or `>`")]
pub struct OutcomeError(pub String);

impl Outcome {
    /// Returns whether it counts as a failed attempt. Races, rate limits and cancellations do not.
    pub fn is_failed_attempt(&self) -> bool {
        matches!(self, Self::Failure(_) | Self::Failed(_) | Self::StaleSwept)
    }

    /// Returns whether it begins the counting of attempts anew.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Success | Self::AlreadyImplemented)
    }
}

impl FromStr for Outcome {
    type Err = OutcomeError;

    fn from_str(text: &str) -> Result<Self, OutcomeError> {
        if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c == '>') {
            return Err(OutcomeError(text.to_owned()));
        }
        if let Some((outcome, _)) = PLAIN.iter().find(|(_, word)| *word == text) {
            return Ok(outcome.clone());
        }
        if let Some((failed, _)) = FAILED_AT.iter().find(|(_, word)| *word == text) {
            return Ok(Self::Failed(*failed));
        }
        Ok(match (text.strip_prefix(YIELDED_PREFIX), text.strip_prefix(FAILURE_PREFIX)) {
            (Some(to), _) => Self::RaceYieldedTo(to.to_owned()),
            (_, Some(subtype)) => Self::Failure(Some(subtype.to_owned())),
            _ => Self::Other(text.to_owned()),
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, word)) = PLAIN.iter().find(|(outcome, _)| outcome == self) {
            return f.write_str(word);
        }
        match self {
            Self::RaceYieldedTo(to) => write!(f, "{YIELDED_PREFIX}{to}"),
            Self::Failure(Some(subtype)) => write!(f, "{FAILURE_PREFIX}{subtype}"),
            Self::Failed(failed) => {
                f.write_str(FAILED_AT.iter().find(|(at, _)| at == failed).map_or("failure", |(_, word)| word))
            }
            Self::Other(word) => f.write_str(word),
            plain => write!(f, "{plain:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_and_written_unchanged() {
        let words = PLAIN.iter().map(|(_, word)| *word).chain(FAILED_AT.iter().map(|(_, word)| *word));
        for word in words.chain(["race-yielded-to=lucius:A", "failure-lint", "bundle-claim-rolled-back"]) {
            assert_eq!(word.parse::<Outcome>().unwrap().to_string(), word);
        }
        assert!("a b".parse::<Outcome>().is_err() && "".parse::<Outcome>().is_err());
    }

    #[test]
    fn failures_count_as_attempts_and_accidents_do_not() {
        let counts = |word: &str| word.parse::<Outcome>().unwrap().is_failed_attempt();
        for word in [
            "failure",
            "failure-lint",
            "no-commit",
            "max-turns",
            "push-failed",
            "pr-create-failed",
            "worktree-failed",
            "stale-swept",
        ] {
            assert!(counts(word), "{word}");
        }
        for word in
            ["success", "race-yielded-to=a:b", "rate-limit", "cancelled", "claim-unverified", "partial"]
        {
            assert!(!counts(word), "{word}");
        }
    }
}
