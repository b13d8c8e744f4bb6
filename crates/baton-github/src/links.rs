//! Which pull request belongs to which issue, as sights have shown: lists of what changed name pull requests by their own
//! numbers only.

use std::collections::BTreeMap;
use std::sync::Mutex;

use baton_core::RepoSlug;
use baton_core::time::ServerTime;
use baton_core::tracker::IssueKey;

use crate::client::GitHub;
use crate::layers::lock;

/// Bounds how many are remembered. What is forgotten is looked at less promptly, and nothing worse.
const LINKS_MAX: usize = 50_000;

/// Pull requests with their issues.
#[derive(Debug, Default)]
pub(crate) struct Links {
    known: Mutex<BTreeMap<(RepoSlug, u64), u64>>,
}

impl GitHub {
    /// Remembers which pull request belongs to an issue.
    pub(crate) fn note_link(&self, issue: &IssueKey, pull: u64) {
        let mut known = lock(&self.links().known);
        if known.len() >= LINKS_MAX {
            known.pop_first();
        }
        known.insert((issue.repo.clone(), pull), issue.number);
    }

    /// Returns the issues to which pull requests belong, as far as that is known.
    pub(crate) fn issues_of_pulls(
        &self,
        repo: &RepoSlug,
        pulls: &[(u64, ServerTime)],
    ) -> Vec<(IssueKey, ServerTime)> {
        let known = lock(&self.links().known);
        let issue = |&(pull, at): &(u64, ServerTime)| {
            let number = *known.get(&(repo.clone(), pull))?;
            Some((IssueKey { repo: repo.clone(), number }, at))
        };
        pulls.iter().filter_map(issue).collect()
    }
}
