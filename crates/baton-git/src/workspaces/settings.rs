//! Where things are, and who may read and write them.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use baton_core::RepoSlug;
use baton_core::config::PipelineDialect;
use baton_core::workspace::names;

use super::place::Place;
use crate::token::Token;

/// Where mirrors and work trees are, and how git runs in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceSettings {
    /// Where repositories are fetched from and pushed to, with `{repo}` for `OWNER/NAME`.
    pub remote: String,
    /// The directory of the mirrors.
    pub mirrors: PathBuf,
    /// The directory of the work trees.
    pub worktrees: PathBuf,
    /// Whether hooks run.
    pub run_hooks: bool,
    /// Whose names branches have.
    pub dialect: PipelineDialect,
}

impl WorkspaceSettings {
    /// The same with directories that begin at the root, since git runs elsewhere.
    pub(crate) fn absolute(mut self) -> io::Result<Self> {
        self.mirrors = std::path::absolute(&self.mirrors)?;
        self.worktrees = std::path::absolute(&self.worktrees)?;
        Ok(self)
    }

    pub(crate) fn address(&self, repo: &RepoSlug) -> String {
        self.remote.replace("{repo}", &repo.to_string())
    }

    /// The directory of a repository's work trees.
    pub(crate) fn repo_worktrees(&self, repo: &RepoSlug) -> PathBuf {
        self.worktrees.join(names::repo_directory(repo))
    }
}

/// What gives out a token that is good now; nothing where git's own credentials are to be used.
pub(crate) type Tokens = dyn Fn(&RepoSlug) -> Option<Token> + Send + Sync;

/// What all calls share.
pub(crate) struct Shared {
    pub(crate) settings: WorkspaceSettings,
    pub(crate) tokens: Box<Tokens>,
}

impl Shared {
    pub(crate) fn path(&self, place: &Place) -> PathBuf {
        self.settings.repo_worktrees(&place.repo).join(&place.directory)
    }

    /// Seconds since 1970, for names that sort by time.
    pub(crate) fn now_s() -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }

    pub(crate) fn issue_place(&self, issue: &baton_core::tracker::IssueKey) -> Place {
        Place::of_issue(self.settings.dialect, issue)
    }
}

/// Returns an address without a password, and for HTTP without a user: what is written to a configuration can be read by
/// whoever works there.
pub(crate) fn without_password(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let Some((user, host)) = authority.rsplit_once('@') else { return address.to_owned() };
    match (scheme, user.split(':').next()) {
        ("http" | "https", _) | (_, None) => format!("{scheme}://{host}{path}"),
        (_, Some(user)) => format!("{scheme}://{user}@{host}{path}"),
    }
}

/// Returns the canonical form of a directory, or itself if there is none.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_gets_into_a_configuration() {
        let check = |address: &str, expected: &str| assert_eq!(without_password(address), expected);
        check("https://u:p@h:1/a/b.git", "https://h:1/a/b.git");
        check("https://tok@h/a/b@c.git", "https://h/a/b@c.git");
        check("ssh://git:p@h/a", "ssh://git@h/a");
        check("git@github.com:a/b.git", "git@github.com:a/b.git");
        check("/srv/a@b/c.git", "/srv/a@b/c.git");
        check("https://h/a", "https://h/a");
    }
}
