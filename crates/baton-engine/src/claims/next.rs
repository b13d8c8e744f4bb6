//! Which issue is next: the oldest eligible one of the repositories, in the order in which these are named.

use baton_core::RepoSlug;
use baton_core::claim::Eligibility;
use baton_core::tracker::{IssueKey, IssueState};
use baton_ports::{Clock, Entropy, Memory, Tracker};

use super::{ClaimError, Claims};

/// An issue that looks eligible. Whether it is free, only a claim tells.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Which.
    pub issue: IssueKey,
    /// Its title.
    pub title: String,
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    /// Returns the issues that carry `label` and that nothing blocks, oldest first.
    pub async fn candidates(&self, repo: &RepoSlug, label: &str) -> Result<Vec<Candidate>, ClaimError> {
        if self.paused_by(repo).await?.is_some() {
            return Ok(Vec::new());
        }
        let dialect = self.dialect_for(Some(label));
        let rules = Eligibility {
            dialect,
            is_label_required: true,
            is_decided: false,
            wanted: Some(label.to_owned()),
            ..self.settings.eligibility.clone()
        };
        let taken = dialect.in_flight(&self.settings.user);
        let issues = self.tracker.issues_labelled(repo, label, IssueState::Open).await?.value;
        let eligible =
            issues.into_iter().filter(|issue| rules.refusal(issue).is_none() && !issue.has_label(&taken));
        let candidate = |issue: baton_core::tracker::Issue| Candidate {
            issue: IssueKey { repo: repo.clone(), number: issue.number },
            title: issue.title,
        };
        Ok(eligible.map(candidate).collect())
    }
}
