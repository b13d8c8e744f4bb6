//! Sweeping repositories: the claims of the dead, labels that tell of nobody, merged and closed pull requests, and issues
//! that were tried too often.

use std::collections::BTreeMap;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::claim::attempts::{failed_attempts, report};
use baton_core::claim::ledger::Ledger;
use baton_core::claim::sweep::{Sweep, SweepRules, Swept};
use baton_core::claim::{Eligibility, Protocol};
use baton_core::labels::dialect::{CLAIMED, Dialect, STAGE_PROCESSING};
use baton_core::labels::{IMPLEMENT, IN_FLIGHT, NEEDS_HUMAN_SCOPE, PR_OPEN};
use baton_core::tracker::{Issue, IssueKey, IssueState};
use baton_ports::{Clock, Entropy, Memory, Tracker};

use super::{ClaimError, Claims};

/// How to sweep.
#[derive(Debug, Clone)]
pub struct SweepOptions {
    /// Replaces four hours for claims that name no ttl.
    pub max_age: Option<Duration>,
    /// Whether to look only.
    pub is_dry_run: bool,
    /// What names this sweep in releases.
    pub sweep_id: String,
}

/// What was found on one issue.
#[derive(Debug, Clone)]
pub struct IssueSweep {
    /// Which.
    pub issue: IssueKey,
    /// Its title.
    pub title: String,
    /// What was done about claims and labels.
    pub swept: Swept,
    /// Where its pull request's end sent it.
    pub moved_to: Option<&'static str>,
    /// How many failed attempts handed it to a person.
    pub scoped_after: Option<usize>,
}

/// What was found in one repository.
#[derive(Debug, Clone)]
pub struct SweepReport {
    /// Which.
    pub repo: RepoSlug,
    /// The issues on which anything was done, or would be.
    pub issues: Vec<IssueSweep>,
    /// What could not be read or written.
    pub failures: Vec<String>,
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    /// Sweeps one repository.
    pub async fn sweep(&self, repo: &RepoSlug, options: &SweepOptions) -> Result<SweepReport, ClaimError> {
        let protocol = self.protocol_to_sweep(repo).await?;
        let mut report = SweepReport { repo: repo.clone(), issues: Vec::new(), failures: Vec::new() };
        for issue in self.issues_to_sweep(repo).await? {
            let key = IssueKey { repo: repo.clone(), number: issue.number };
            match self.sweep_issue(&key, &issue, protocol, options).await {
                Ok(found) if found.is_anything() => report.issues.push(found),
                Ok(_) => {}
                // One issue that cannot be read is no reason to leave the others as they are.
                Err(error) => report.failures.push(format!("{key}: {error}")),
            }
        }
        Ok(report)
    }

    /// Sweeps one issue.
    pub async fn sweep_one(&self, key: &IssueKey, options: &SweepOptions) -> Result<IssueSweep, ClaimError> {
        let protocol = self.protocol_to_sweep(&key.repo).await?;
        let issue = self.tracker.issue(key).await?.value;
        self.sweep_issue(key, &issue, protocol, options).await
    }

    async fn protocol_to_sweep(&self, repo: &RepoSlug) -> Result<Protocol, ClaimError> {
        match self.settings.forced_protocol {
            Some(protocol) => Ok(protocol),
            None => self.protocol(repo).await?.map_err(|error| ClaimError::Machine(error.to_string())),
        }
    }

    /// Issues that tell of a holder, of a pull request, or that could carry a forgotten claim.
    async fn issues_to_sweep(&self, repo: &RepoSlug) -> Result<Vec<Issue>, ClaimError> {
        let mut found = BTreeMap::new();
        // A merge closes the issue, and then nothing but its label tells that it is not done.
        let open = [IN_FLIGHT, IMPLEMENT, CLAIMED, STAGE_PROCESSING].map(|label| (label, IssueState::Open));
        for (label, state) in open.into_iter().chain([(PR_OPEN, IssueState::Any)]) {
            for issue in self.tracker.issues_labelled(repo, label, state).await?.value {
                found.insert(issue.number, issue);
            }
        }
        Ok(found.into_values().collect())
    }

    async fn sweep_issue(
        &self,
        key: &IssueKey,
        issue: &Issue,
        protocol: Protocol,
        options: &SweepOptions,
    ) -> Result<IssueSweep, ClaimError> {
        let mut settings = self.settings.clone();
        settings.eligibility = Eligibility { dialect: self.dialect_of(issue), ..settings.eligibility };
        settings.timing.foreign_ttl = options.max_age.unwrap_or(settings.timing.foreign_ttl);
        let rules = SweepRules {
            protocol,
            missing_claim_grace: settings.missing_claim_grace,
            sweep_id: options.sweep_id.clone(),
            is_dry_run: options.is_dry_run,
        };
        let mut performer = self.performer(key);
        let swept = performer.run(&mut Sweep::new(settings.terms(), rules)).await;
        performer.reads_everything = true;
        let ledger = Ledger::of(&performer.read_comments().await?, &settings.terms());
        let moved_to = self.reconcile_pull(key, issue, &ledger, options.is_dry_run).await?;
        let scoped_after = self.scope_by_attempts(key, issue, &ledger, options.is_dry_run).await?;
        Ok(IssueSweep { issue: key.clone(), title: issue.title.clone(), swept, moved_to, scoped_after })
    }

    fn dialect_of(&self, issue: &Issue) -> Dialect {
        // Beside label locks an issue of our own dialect carries `claimed` too, and some repositories use the word otherwise.
        let is_staged = issue.has_label(STAGE_PROCESSING) && !issue.has_label(IN_FLIGHT);
        if is_staged { Dialect::LabelsAsLocks } else { self.settings.eligibility.dialect }
    }

    /// Counts the attempts at an issue that has just been handed back, and hands it to a person after too many.
    pub async fn count_attempts(&self, key: &IssueKey) -> Result<Option<usize>, ClaimError> {
        let issue = self.tracker.issue(key).await?.value;
        let mut performer = self.performer(key);
        performer.reads_everything = true;
        let ledger = Ledger::of(&performer.read_comments().await?, &self.settings.terms());
        self.scope_by_attempts(key, &issue, &ledger, false).await
    }

    /// Hands an issue to a person after too many failed attempts, with a comment that lists them.
    pub async fn scope_by_attempts(
        &self,
        key: &IssueKey,
        issue: &Issue,
        ledger: &Ledger,
        is_dry_run: bool,
    ) -> Result<Option<usize>, ClaimError> {
        let could_be =
            ledger.releases.iter().filter(|release| release.text.outcome.is_failed_attempt()).count();
        let is_held = ledger.live().next().is_some();
        if could_be < self.settings.attempts_max || issue.has_label(NEEDS_HUMAN_SCOPE) || is_held {
            return Ok(None);
        }
        let events = self.tracker.label_events(key).await?.value;
        let failed = failed_attempts(ledger, &events);
        if failed.len() < self.settings.attempts_max {
            return Ok(None);
        }
        if !is_dry_run {
            self.tracker.add_labels(key, &[NEEDS_HUMAN_SCOPE]).await?;
            self.tracker.remove_label(key, IMPLEMENT).await?;
            self.tracker.post_comment(key, &report(&failed)).await?;
        }
        Ok(Some(failed.len()))
    }
}

impl IssueSweep {
    fn is_anything(&self) -> bool {
        !self.swept.ended.is_empty()
            || self.swept.is_requeued
            || !self.swept.failures.is_empty()
            || self.moved_to.is_some()
            || self.scoped_after.is_some()
    }
}
