//! Issues in few bytes: the repository as its place in a list of the few that there are.

use crate::RepoSlug;
use crate::tracker::IssueKey;

/// An issue or a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) repo: u32,
    pub(super) number: u64,
}

/// The repositories, as they are spelled on the board. Trackers fold case, and so does this.
#[derive(Debug, Default)]
pub(super) struct Spots {
    repos: Vec<RepoSlug>,
}

impl Spots {
    /// Returns where an issue is, if its repository was ever named.
    pub(super) fn find(&self, issue: &IssueKey) -> Option<Spot> {
        let at = self.repos.iter().position(|repo| is_same(repo, &issue.repo))?;
        Some(Spot { repo: u32::try_from(at).ok()?, number: issue.number })
    }

    /// Returns where an issue is. The first spelling of a repository stays.
    pub(super) fn make(&mut self, issue: &IssueKey) -> Spot {
        if let Some(spot) = self.find(issue) {
            return spot;
        }
        self.repos.push(issue.repo.clone());
        Spot { repo: u32::try_from(self.repos.len() - 1).unwrap_or(u32::MAX), number: issue.number }
    }

    /// Returns the issue at a spot that was made here.
    pub(super) fn key(&self, spot: Spot) -> IssueKey {
        let at = usize::try_from(spot.repo).unwrap_or(usize::MAX);
        IssueKey { repo: self.repos[at].clone(), number: spot.number }
    }

    /// Returns the issue with its repository spelled as on the board.
    pub(super) fn spelled(&self, issue: &IssueKey) -> IssueKey {
        self.find(issue).map_or_else(|| issue.clone(), |spot| self.key(spot))
    }
}

fn is_same(one: &RepoSlug, other: &RepoSlug) -> bool {
    one.name().eq_ignore_ascii_case(other.name()) && one.owner().eq_ignore_ascii_case(other.owner())
}
