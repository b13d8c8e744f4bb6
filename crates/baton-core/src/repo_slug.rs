//! Names of accounts and repositories, as GitHub allows them.
//!
//! A name that passes here is safe as one path component and as one URL segment: it has no slash, no white space, no
//! leading dot or dash, and is neither `.` nor `..`. Nothing here knows whether an account or repository exists.

use std::fmt;
use std::str::FromStr;

/// The longest login GitHub gives out.
pub const LOGIN_CHARS_MAX: usize = 39;
/// The longest repository name GitHub accepts.
pub const REPO_NAME_CHARS_MAX: usize = 100;

/// Why a name was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The account part breaks the rules.
    #[error(
        "`{0}` is not an account name: use letters, digits, `-` and `_`, starting with a letter or digit, at most 39"
    )]
    Login(String),
    /// The repository part breaks the rules.
    #[error(
        "`{0}` is not a repository name: use letters, digits, `-`, `_` and `.`, at most 100, not starting with `.` or `-`, not ending in `.git`"
    )]
    Repo(String),
    /// There is no single slash.
    #[error("`{0}` does not name a repository: write OWNER/NAME")]
    Shape(String),
}

/// Returns whether `login` may name an account.
pub fn is_login(login: &str) -> bool {
    let bytes = login.as_bytes();
    (1..=LOGIN_CHARS_MAX).contains(&bytes.len())
        && bytes[0].is_ascii_alphanumeric()
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// Returns whether `name` may name a repository.
pub fn is_repo_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    (1..=REPO_NAME_CHARS_MAX).contains(&bytes.len())
        && !matches!(bytes[0], b'.' | b'-')
        && !name.to_ascii_lowercase().ends_with(".git")
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// `owner/name`, both parts valid.
///
/// Comparison is by the exact text; trackers fold case, and so must whoever compares two slugs of the same tracker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoSlug {
    owner: String,
    name: String,
}

impl RepoSlug {
    /// Joins an account and a repository name.
    pub fn new(owner: &str, name: &str) -> Result<Self, NameError> {
        if !is_login(owner) {
            return Err(NameError::Login(owner.to_owned()));
        }
        if !is_repo_name(name) {
            return Err(NameError::Repo(name.to_owned()));
        }
        Ok(Self { owner: owner.to_owned(), name: name.to_owned() })
    }

    /// The account.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The repository's name without its owner.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for RepoSlug {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match text.split_once('/') {
            Some((owner, name)) if !name.contains('/') => Self::new(owner, name),
            _ => Err(NameError::Shape(text.to_owned())),
        }
    }
}

impl serde::Serialize for RepoSlug {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for RepoSlug {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for RepoSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_read_and_written_unchanged() {
        for text in ["acme/web", "a/b", "Acme-1/web.site_2", "a_b/c"] {
            assert_eq!(text.parse::<RepoSlug>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn names_that_could_leave_their_directory_are_refused() {
        for text in [
            "acme/..",
            "acme/.",
            "../web",
            "acme/.git",
            "acme/web.git",
            "acme/WEB.GIT",
            "acme/-x",
            "-a/web",
            "acme/a b",
            "acme/a\0b",
            "acme/a\\b",
            "acme",
            "acme/",
            "/web",
            "a/b/c",
            "acme/é",
            "",
        ] {
            assert!(text.parse::<RepoSlug>().is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn lengths_end_where_githubs_do() {
        assert!(is_login(&"a".repeat(39)) && !is_login(&"a".repeat(40)));
        assert!(is_repo_name(&"a".repeat(100)) && !is_repo_name(&"a".repeat(101)));
    }
}
