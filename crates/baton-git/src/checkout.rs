//! A repository on this machine, and what can be read from it before a push.
//!
//! Local branches and the working tree are never changed. Deliberately absent: clones and worktrees.

use std::path::Path;
use std::time::Instant;

use baton_core::ref_name::{is_branch_name, is_full_ref_name};

use crate::error::GitError;
use crate::oid::Oid;
use crate::program::{self, Said};
use crate::token::Token;

/// A repository on this machine, and how git runs in it.
#[derive(Debug, Clone, Copy)]
pub struct Checkout<'a> {
    /// A checkout, a directory inside one, or a bare repository.
    pub repository: &'a Path,
    /// The token that git presents; without one git uses what it is configured with.
    pub token: Option<&'a Token>,
    /// When git must have ended.
    pub stop_at: Option<Instant>,
    /// Whether the repository is a bare one, at exactly this path. Git uses such ones unasked only where it is configured to.
    pub is_bare: bool,
    /// What git is told whatever any configuration says, each as `name=value`.
    pub settings: &'a [&'a str],
}

impl<'a> Checkout<'a> {
    /// Uses a repository with git's own credentials and without a limit of time.
    pub fn new(repository: &'a Path) -> Self {
        Self { repository, token: None, stop_at: None, is_bare: false, settings: &[] }
    }

    pub(crate) fn git(&self, tried: &'static str, arguments: &[&str]) -> Result<Said, GitError> {
        program::run(self, tried, arguments, None)
    }

    /// Returns the branch that is checked out, if one is.
    pub fn current_branch(&self) -> Result<Option<String>, GitError> {
        let said = self.git("reading the current branch", &["symbolic-ref", "--quiet", "HEAD"])?;
        match said.code {
            Some(1) => Ok(None),
            _ => {
                let name = said.or_failed("reading the current branch")?;
                Ok(name.strip_prefix("refs/heads/").map(str::to_owned))
            }
        }
    }

    /// Returns the commit that a local ref points at, if there is such a ref.
    pub fn commit_at(&self, name: &str) -> Result<Option<Oid>, GitError> {
        check_ref(name)?;
        let commit = format!("{name}^{{commit}}");
        let said =
            self.git("reading a ref", &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
        match said.code {
            Some(1) => Ok(None),
            _ => found(&said.or_failed("reading a ref")?).map(Some),
        }
    }

    /// Returns the address that pushes to a remote go to, if the remote is configured. It may contain a password, so it
    /// is not to be shown.
    pub fn push_address(&self, remote: &str) -> Result<Option<String>, GitError> {
        check_remote(remote)?;
        let key = format!("remote.{remote}.url");
        if !self.git("reading a remote", &["config", "--get", &key])?.is_success() {
            return Ok(None);
        }
        let arguments = ["remote", "get-url", "--push", "--", remote];
        let said = program::run_unredacted(self, "reading a remote", &arguments, None)?;
        said.or_failed("reading a remote").map(Some)
    }

    /// Returns whether git is configured to send a header of its own to an address, as it is in many pipelines.
    pub fn has_header_for(&self, address: &str) -> Result<bool, GitError> {
        let arguments = ["config", "--get-urlmatch", "http.extraheader", address];
        let said = self.git("reading git's configuration", &arguments)?;
        Ok(said.is_success() && !said.stdout.trim().is_empty())
    }

    /// Notes where a branch of a remote is after a push. Git does so itself, but only for branches that it fetches.
    pub fn note_pushed(&self, remote: &str, branch: &str, oid: &Oid) -> Result<(), GitError> {
        let name = tracking_ref(remote, branch)?;
        let arguments = ["update-ref", "-m", "update by push", "--", &name, oid.as_str()];
        self.git("noting what was pushed", &arguments)?.or_failed("noting what was pushed").map(|_| ())
    }

    /// Returns where a branch of a remote was when this checkout last saw it.
    pub fn last_seen(&self, remote: &str, branch: &str) -> Result<Option<Oid>, GitError> {
        self.commit_at(&tracking_ref(remote, branch)?)
    }

    /// Returns whether there is such a commit here.
    pub(crate) fn has_commit(&self, oid: &Oid) -> Result<bool, GitError> {
        let commit = format!("{oid}^{{commit}}");
        let tried = "looking for a commit";
        let said = self.git(tried, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
        match said.code {
            Some(1) => Ok(false),
            _ => said.or_failed(tried).map(|_| true),
        }
    }

    /// Returns whether a branch can move from one commit to another without losing any.
    pub fn is_fast_forward(&self, from: &Oid, to: &Oid) -> Result<bool, GitError> {
        let tried = "comparing commits";
        let said = self.git(tried, &["merge-base", "--is-ancestor", from.as_str(), to.as_str()])?;
        match said.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(GitError::Failed { tried, said: said.complaint() }),
        }
    }
}

/// The local ref that remembers a branch of a remote.
fn tracking_ref(remote: &str, branch: &str) -> Result<String, GitError> {
    if !is_branch_name(branch) {
        return Err(GitError::Input(format!("`{branch}` cannot be the name of a branch")));
    }
    let name = format!("refs/remotes/{remote}/{branch}");
    check_ref(&name).map(|()| name)
}

pub(crate) fn check_ref(name: &str) -> Result<(), GitError> {
    match is_full_ref_name(name) {
        true => Ok(()),
        false => {
            Err(GitError::Input(format!("`{name}` is not the full name of a ref: write refs/heads/NAME")))
        }
    }
}

pub(crate) fn check_remote(remote: &str) -> Result<(), GitError> {
    let is_meant = !remote.is_empty() && !remote.starts_with('-') && !remote.contains(['\n', '\0']);
    match is_meant {
        true => Ok(()),
        false => Err(GitError::Input(format!("`{}` cannot be a remote", remote.escape_debug()))),
    }
}

pub(crate) fn found(text: &str) -> Result<Oid, GitError> {
    text.trim().parse().map_err(|error: crate::OidError| GitError::Failed {
        tried: "reading git's answer",
        said: error.to_string(),
    })
}
