//! References to issues as people write them: `#42`, `web#42`, `acme/web#42`, or an address.
//!
//! Parsing says only what was named. Which repository a bare `#42` means is the caller's knowledge.

use std::fmt;
use std::str::FromStr;

use crate::repo_slug::{RepoSlug, is_login, is_repo_name};

/// What a person named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IssueRef {
    /// The account, when it was named.
    pub owner: Option<String>,
    /// The repository, when it was named.
    pub repo: Option<String>,
    /// The number of the issue or pull request.
    pub number: u64,
}

/// The text names no issue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not name an issue: write #42, REPO#42, OWNER/REPO#42 or the issue's address")]
pub struct IssueRefError(pub String);

impl IssueRef {
    /// An issue of the repository at hand.
    pub fn local(number: u64) -> Self {
        Self { owner: None, repo: None, number }
    }

    /// Returns the repository, filling in what was not named from `here`.
    pub fn repository(&self, here: &RepoSlug) -> Option<RepoSlug> {
        let owner = self.owner.as_deref().unwrap_or(here.owner());
        let repo = self.repo.as_deref().unwrap_or(here.name());
        RepoSlug::new(owner, repo).ok()
    }

    /// Returns whether this names an issue of the given repository, as trackers compare names: without regard to case.
    pub fn is_in(&self, owner: &str, repo: &str) -> bool {
        let same = |named: &Option<String>, own: &str| {
            named.as_deref().is_none_or(|named| named.eq_ignore_ascii_case(own))
        };
        same(&self.owner, owner) && same(&self.repo, repo)
    }

    fn from_short(text: &str) -> Option<Self> {
        let (place, number) = text.split_once('#')?;
        let number = parse_number(number)?;
        let (owner, repo) = match place.split_once('/') {
            Some((owner, repo)) => (Some(owner), Some(repo)),
            None if place.is_empty() => (None, None),
            None => (None, Some(place)),
        };
        let valid = owner.is_none_or(is_login) && repo.is_none_or(is_repo_name);
        valid.then(|| Self { owner: owner.map(str::to_owned), repo: repo.map(str::to_owned), number })
    }

    fn from_address(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
        let path = rest.split_once('/')?.1;
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let mut parts = path.trim_end_matches('/').rsplitn(4, '/');
        let number = parse_number(parts.next()?)?;
        if !matches!(parts.next()?, "issues" | "pull" | "pulls") {
            return None;
        }
        let repo = parts.next()?;
        let owner = parts.next()?.rsplit('/').next()?;
        (is_login(owner) && is_repo_name(repo)).then(|| Self {
            owner: Some(owner.to_owned()),
            repo: Some(repo.to_owned()),
            number,
        })
    }
}

/// Reads a positive decimal number without sign or leading zero.
fn parse_number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    // Trackers keep numbers in signed 64 bits, so anything larger cannot name an issue.
    digits.then(|| text.parse::<i64>().ok()).flatten().map(i64::unsigned_abs)
}

impl FromStr for IssueRef {
    type Err = IssueRefError;

    fn from_str(text: &str) -> Result<Self, IssueRefError> {
        Self::from_short(text)
            .or_else(|| Self::from_address(text))
            .ok_or_else(|| IssueRefError(text.to_owned()))
    }
}

impl fmt::Display for IssueRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.owner, &self.repo) {
            (Some(owner), Some(repo)) => write!(f, "{owner}/{repo}#{}", self.number),
            (None, Some(repo)) => write!(f, "{repo}#{}", self.number),
            _ => write!(f, "#{}", self.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(text.parse::<IssueRef>().unwrap().to_string(), expected, "{text}");
    }

    #[test]
    fn every_way_to_name_an_issue_is_understood() {
        check("#42", "#42");
        check("web#42", "web#42");
        check("acme/web#42", "acme/web#42");
        check("https://github.com/acme/web/issues/42", "acme/web#42");
        check("https://ghe.example:8443/acme/web/pull/42/", "acme/web#42");
        check("http://127.0.0.1:7070/acme/web/issues/42#issuecomment-1", "acme/web#42");
        check("http://127.0.0.1:7070/api/v3/repos/acme/web/issues/42?page=2", "acme/web#42");
    }

    #[test]
    fn what_names_no_issue_is_refused() {
        for text in [
            "",
            "#",
            "#0",
            "#-1",
            "#+1",
            "#1x",
            "42",
            "a/b/c#1",
            "../x#1",
            "#99999999999999999999",
            "https://x/1",
        ] {
            assert!(text.parse::<IssueRef>().is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn a_reference_lies_in_a_repository_whatever_the_case_of_its_name() {
        let is_in = |text: &str| text.parse::<IssueRef>().unwrap().is_in("acme", "web");
        assert!(is_in("#1") && is_in("Web#1") && is_in("ACME/web#1"));
        assert!(!is_in("api#1") && !is_in("other/web#1"));
    }

    #[test]
    fn what_is_not_named_comes_from_the_repository_at_hand() {
        let here: RepoSlug = "acme/web".parse().unwrap();
        let repository =
            |text: &str| text.parse::<IssueRef>().unwrap().repository(&here).unwrap().to_string();
        assert_eq!(repository("#1"), "acme/web");
        assert_eq!(repository("api#1"), "acme/api");
        assert_eq!(repository("other/api#1"), "other/api");
    }
}
