//! Claiming, renewing, handing back and sweeping, on any tracker.
//!
//! The rules are machines in `baton-core`; here their asks are performed. What is added is only what needs several
//! machines or several issues: which protocol a repository has, which issue is next, a hold that is kept in the
//! background, a sweep over a repository.

mod acquire;
mod adopt;
mod fenced;
mod keep;
mod next;
mod overrides;
mod perform;
mod protocol;
mod pulls;
mod reconcile;
mod standing;
mod sweep;

use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::claim::handback::{Handback, HandedBack, Handover};
use baton_core::claim::renewal::{Renewal, Renewed};
use baton_core::claim::step::{Acquired, Foreign, Safeguards, SharedTerms, Terms};
use baton_core::claim::{Eligibility, Lease, Outcome, Protocol, Timing};
use baton_core::time::BootTime;
use baton_core::tracker::{IssueKey, IssueState};
use baton_ports::{Clock, Entropy, Memory, Tracker, TrackerError};

pub use acquire::{ClaimReport, ClaimRequest};
pub use adopt::{Adopted, LiveClaim, token_of};
pub use fenced::FencedMerge;
pub use keep::{KeepEnd, Kept};
pub use next::Candidate;
pub use overrides::{HoldOutcome, LabelSync, LabelSyncChange};
pub use protocol::ProtocolChange;
pub use pulls::closes;
pub use standing::Standing;
pub use sweep::{IssueSweep, SweepOptions, SweepReport};

use perform::Performer;

/// How claims are made in a repository.
#[derive(Debug, Clone)]
pub struct ClaimSettings {
    /// Every margin.
    pub timing: Timing,
    /// What an issue must be like.
    pub eligibility: Eligibility,
    /// Which other tools share the repository.
    pub foreign: Foreign,
    /// The name that labels and locks of some dialects carry.
    pub user: String,
    /// Where claim refs live.
    pub ref_prefix: String,
    /// A protocol that is followed whatever the repository says; for simulations and tests only.
    pub forced_protocol: Option<Protocol>,
    /// Apps whose claims count.
    pub trusted_apps: Vec<u64>,
    /// How many failed attempts hand an issue to a person.
    pub attempts_max: usize,
    /// How long `agent:in-flight` may stand without a claim.
    pub missing_claim_grace: Duration,
    /// Whether an open issue labelled as such pauses its repository.
    pub is_pause_on_tracker: bool,
}

impl ClaimSettings {
    /// The settings of a worker that nobody configured.
    pub fn new(user: &str) -> Self {
        Self {
            timing: Timing::default(),
            eligibility: Eligibility::default(),
            foreign: Foreign::default(),
            user: user.to_owned(),
            ref_prefix: "refs/baton/claims/".to_owned(),
            forced_protocol: None,
            trusted_apps: Vec::new(),
            attempts_max: 3,
            missing_claim_grace: Duration::from_secs(600),
            is_pause_on_tracker: false,
        }
    }

    /// The ref that decides who holds an issue.
    pub fn claim_ref(&self, number: u64) -> String {
        format!("{}{number}", self.ref_prefix)
    }

    /// The terms of the machines.
    pub fn terms(&self) -> SharedTerms {
        SharedTerms::new(Terms {
            timing: self.timing.clone(),
            eligibility: self.eligibility.clone(),
            foreign: self.foreign,
            user: self.user.clone(),
            safeguards: Safeguards::ALL,
        })
    }
}

/// Something that had to be read or written could not be.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The tracker did not give what was asked for.
    #[error(transparent)]
    Tracker(#[from] TrackerError),
    /// This machine's state did not.
    #[error("{0}")]
    Machine(String),
}

/// A claimant's tools: everything goes through these doors.
#[derive(Debug, Clone)]
pub struct Claims<T, C, E, M> {
    /// Where issues are.
    pub tracker: T,
    /// This machine's clocks.
    pub clock: C,
    /// Where nonces come from.
    pub entropy: E,
    /// What this machine remembers.
    pub memory: M,
    /// How claims are made.
    pub settings: ClaimSettings,
}

impl<T: Tracker, C: Clock, E: Entropy, M: Memory> Claims<T, C, E, M> {
    fn performer<'a>(&'a self, issue: &'a IssueKey) -> Performer<'a, T, C, E, M> {
        Performer::new(self, issue)
    }

    /// Sends a heartbeat.
    pub async fn renew(&self, issue: &IssueKey, lease: Lease) -> Renewed {
        self.performer(issue)
            .run(&mut Renewal::new(self.settings.terms(), lease, self.clock.wall_now()))
            .await
    }

    /// Hands an issue back.
    pub async fn release(&self, issue: &IssueKey, lease: Lease, handover: Handover) -> HandedBack {
        self.performer(issue).run(&mut Handback::new(self.settings.terms(), lease, handover)).await
    }

    /// Takes back what was acquired before any work was done; labels go back to `to`, or stay as they are.
    async fn drop_claim(&self, issue: &IssueKey, lease: Lease, outcome: Outcome, to: Option<String>) {
        let handover = Handover { outcome, leaves_labels: to.is_none(), to, pr: None };
        let end = self.release(issue, lease, handover).await;
        tracing::debug!(?end, %issue, "dropped a claim");
    }

    fn now(&self) -> BootTime {
        self.clock.boot_now()
    }

    /// The repository's pause, as it is told on this machine or on the tracker.
    pub async fn paused_by(&self, repo: &RepoSlug) -> Result<Option<String>, ClaimError> {
        if let Some(by) = self.memory.paused_by(repo).map_err(ClaimError::Machine)? {
            return Ok(Some(by));
        }
        if !self.settings.is_pause_on_tracker {
            return Ok(None);
        }
        let pausing = self
            .tracker
            .issues_labelled(repo, baton_core::labels::REPO_PAUSED, IssueState::Open)
            .await?
            .value;
        Ok(pausing.first().map(|issue| format!("issue #{} is open", issue.number)))
    }
}

/// Says in one word what became of a claim.
pub fn outcome_word(acquired: &Acquired) -> &'static str {
    match acquired {
        Acquired::Won(_) => "won",
        Acquired::Lost { .. } => "lost",
        Acquired::Refused(_) => "refused",
        Acquired::Failed(_) => "error",
    }
}
