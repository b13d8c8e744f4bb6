//! Where things are: a repository by its name, and the addresses of its pages here and of its paths at the forge.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stays as it is in a path or a query.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A repository by its name. It is made of letters, digits, `-`, `_` and `.`, so that it can stand in addresses as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    owner: String,
    repo: String,
}

impl Place {
    /// Returns nothing where the names cannot be those of a repository.
    pub(crate) fn new(owner: &str, repo: &str) -> Option<Self> {
        let fits = is_name(owner) && is_name(repo);
        fits.then(|| Self { owner: owner.to_owned(), repo: repo.to_owned() })
    }

    pub(crate) fn parse(full_name: &str) -> Option<Self> {
        let (owner, repo) = full_name.split_once('/')?;
        Self::new(owner, repo)
    }

    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }

    pub(crate) fn repo(&self) -> &str {
        &self.repo
    }

    /// A page of the dashboard: `/forge/acme/web/issues`.
    pub(crate) fn page(&self, rest: impl fmt::Display) -> String {
        format!("/forge/{}/{}/{rest}", self.owner, self.repo)
    }

    /// A path of the forge's API: `/repos/acme/web/issues`.
    pub(crate) fn api(&self, rest: impl fmt::Display) -> String {
        format!("/repos/{}/{}/{rest}", self.owner, self.repo)
    }

    /// The path of the repository itself.
    pub(crate) fn api_root(&self) -> String {
        format!("/repos/{}/{}", self.owner, self.repo)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.repo)
    }
}

fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=100).contains(&text.len()) && text.bytes().all(fits) && text.bytes().any(|byte| byte != b'.')
}

/// Makes a text fit for a path or a query.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

/// Puts what is known together as a query; nothing where nothing is known.
pub(crate) fn query(pairs: &[(&str, Option<&str>)]) -> String {
    let known = pairs.iter().filter_map(|(name, value)| value.map(|value| (name, value)));
    let pairs: Vec<_> = known.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_could_lead_elsewhere_is_no_repository() {
        for (owner, repo, fits) in [
            ("acme", "web", true),
            ("a-b_c.d", "1", true),
            ("..", "web", false),
            ("acme", ".", false),
            ("acme", "", false),
            ("acme", "web/issues", false),
            ("acme", "web?x", false),
            ("acme", "wéb", false),
        ] {
            assert_eq!(Place::new(owner, repo).is_some(), fits, "{owner}/{repo}");
        }
    }

    #[test]
    fn a_query_carries_only_what_is_known() {
        assert_eq!(query(&[("a", None)]), "");
        assert_eq!(query(&[("a", Some("x y&z")), ("b", None), ("c", Some("1"))]), "?a=x%20y%26z&c=1");
    }
}
