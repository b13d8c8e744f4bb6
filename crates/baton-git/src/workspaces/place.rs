//! What a place is called: its directory, its branch, and the refs that belong to it.
//!
//! Deliberately absent: where it is.

use baton_core::RepoSlug;
use baton_core::config::PipelineDialect;
use baton_core::tracker::IssueKey;
use baton_core::workspace::names::{self, FeatureId};

/// The place of an issue or of a feature in one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) repo: RepoSlug,
    /// The directory of the work tree, without those above it.
    pub(crate) directory: String,
    pub(crate) branch: String,
    /// What its own refs are called by.
    pub(crate) key: String,
}

impl Place {
    pub(crate) fn of_issue(dialect: PipelineDialect, issue: &IssueKey) -> Self {
        Self {
            repo: issue.repo.clone(),
            directory: names::issue_directory(issue.number),
            branch: names::issue_branch(dialect, issue.number),
            key: issue.number.to_string(),
        }
    }

    pub(crate) fn of_feature(feature: &FeatureId, repo: &RepoSlug) -> Self {
        let directory = names::feature_directory(feature);
        Self { repo: repo.clone(), branch: names::feature_branch(feature), key: directory.clone(), directory }
    }

    /// Its branch.
    pub(crate) fn branch_ref(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }

    /// Its branch as it was fetched last, by whomever.
    pub(crate) fn tracking_ref(&self) -> String {
        tracking_ref(&self.branch)
    }

    /// The commit of the remote's branch that the work here knows of. What an agent fetches does not change it, so it is what
    /// a push expects to find.
    pub(crate) fn seen_ref(&self) -> String {
        format!("refs/baton/seen/{}", self.key)
    }

    /// The commit from before a run that may not change anything.
    pub(crate) fn before_ref(&self) -> String {
        format!("refs/baton/before/{}", self.key)
    }

    /// What was changed and not committed before a run that may not change anything.
    pub(crate) fn aside_ref(&self) -> String {
        format!("refs/baton/aside/{}", self.key)
    }

    /// What its refs begin with that keep what is nowhere else.
    pub(crate) fn rescue_prefix(&self) -> String {
        names::rescue_prefix(&self.key)
    }
}

/// A branch of the remote as it was fetched last.
pub(crate) fn tracking_ref(branch: &str) -> String {
    format!("refs/remotes/origin/{branch}")
}
