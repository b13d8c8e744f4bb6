//! One feature in several repositories: one id, one branch name, a work tree in each, all or none.
//!
//! The work trees that were made for it end with the guard. Those in which something is that the remote has not are kept and reported.
//! Deliberately absent: what is done in them, and pull requests.

use std::path::PathBuf;

use baton_core::RepoSlug;
use baton_core::workspace::Opened;
use baton_core::workspace::names::{self, FeatureId};
use baton_ports::WorkspaceError;

use crate::workspaces::{GitWorkspaces, OwnedTerms, Place};

/// The work trees of a feature. [`MultiWorktree::close`] ends them; dropped, it removes those that it has made and
/// that are clean, and blocks meanwhile.
pub struct MultiWorktree {
    workspaces: GitWorkspaces,
    branch: String,
    members: Vec<Member>,
    is_closed: bool,
}

/// The work tree in one repository.
struct Member {
    place: Place,
    opened: Opened,
}

/// A work tree that was not removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptWorktree {
    /// The repository.
    pub repo: RepoSlug,
    /// Where it is.
    pub path: PathBuf,
    /// Why it was kept.
    pub why: String,
}

impl MultiWorktree {
    /// Opens a work tree in each repository. If one cannot be opened, those that were made for this are removed again.
    pub async fn open(
        workspaces: &GitWorkspaces,
        feature: &FeatureId,
        repos: &[RepoSlug],
    ) -> Result<Self, WorkspaceError> {
        let branch = names::feature_branch(feature);
        let mut all = Self { workspaces: workspaces.clone(), branch, members: Vec::new(), is_closed: false };
        for repo in repos {
            let place = Place::of_feature(feature, repo);
            let terms = OwnedTerms { base: None, is_read_only: false, updates: false };
            match workspaces.open_place(place.clone(), terms).await {
                Ok(opened) => all.members.push(Member { place, opened }),
                Err(error) => {
                    all.members.retain(|member| member.opened.is_new);
                    all.close().await;
                    return Err(error);
                }
            }
        }
        Ok(all)
    }

    /// The branch, which has the same name in all repositories.
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// The work trees, in the order of the repositories.
    pub fn worktrees(&self) -> impl Iterator<Item = (&RepoSlug, &Opened)> {
        self.members.iter().map(|member| (&member.place.repo, &member.opened))
    }

    /// Removes the work trees, and tells which were kept and why.
    pub async fn close(mut self) -> Vec<KeptWorktree> {
        self.is_closed = true;
        let mut kept = Vec::new();
        for member in std::mem::take(&mut self.members) {
            let discarded = self.workspaces.discard_if_clean(member.place.clone()).await;
            let why = discarded.unwrap_or_else(|error| Some(error.to_string()));
            let path = self.workspaces.path_of(&member.place);
            kept.extend(why.map(|why| KeptWorktree { repo: member.place.repo.clone(), path, why }));
        }
        kept
    }
}

impl Drop for MultiWorktree {
    fn drop(&mut self) {
        if !self.is_closed {
            // Whatever is not clean stays; there is nobody left to tell. So does what was there before.
            for member in self.members.iter().filter(|member| member.opened.is_new) {
                let _ = self.workspaces.discard_if_clean_now(&member.place);
            }
        }
    }
}
