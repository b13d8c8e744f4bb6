//! The fleet's functions under the names that its scripts know.
//!
//! Each takes the installation first and then what the known function takes. Failures are errors here and never an
//! empty or a permissive answer.

use baton_core::claim::handback::{HandedBack, Handover};
use baton_core::claim::step::Acquired;
use baton_core::claim::{Holder, Outcome};
use baton_core::labels::{DO_NOT_PICKUP, IMPLEMENT, IN_FLIGHT, NEEDS_HUMAN_SCOPE, PR_OPEN};
use baton_core::tracker::IssueKey;
use baton_core::{IssueRef, RepoSlug};
use baton_engine::claims::{ClaimError, ClaimRequest, Standing, SweepOptions};
use std::time::Duration;

use crate::fleet::Fleet;
use crate::machine::PauseFileError;
use crate::machine::StateFileError;

/// Why a function could not answer.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The tracker or this machine's state did not.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// A name is not one.
    #[error("{0}")]
    Name(String),
    /// The pause file could not be used.
    #[error(transparent)]
    Pause(#[from] PauseFileError),
    /// A state file could not be used.
    #[error(transparent)]
    State(#[from] StateFileError),
    /// It is not known whether the claim was made or ended.
    #[error("{0}")]
    Unknown(String),
}

/// Who holds an issue and whether it could be claimed, with the keys that scripts know.
#[derive(Debug, Clone, serde::Serialize)]
pub struct DedupCheck {
    /// `owner/name`.
    pub repo: String,
    /// The issue.
    pub number: u64,
    /// `OPEN` or `CLOSED`.
    pub state: &'static str,
    /// Its labels.
    pub labels: Vec<String>,
    /// Whether someone holds it.
    pub in_flight: bool,
    /// Whether a pull request is open for it.
    pub pr_open: bool,
    /// Whether a person keeps agents away.
    pub do_not_pickup: bool,
    /// Whether a person must scope it first.
    pub needs_human_scope: bool,
    /// Whether it could be claimed.
    pub claimable: bool,
    /// The newest claim, whether or not it is over.
    pub latest_claim: Option<LatestClaim>,
    /// Whether this installation leaves the repository alone.
    pub repo_paused: bool,
}

/// The newest claim on an issue.
#[derive(Debug, Clone, serde::Serialize)]
pub struct LatestClaim {
    /// The worker.
    pub codename: String,
    /// Its firing.
    pub firing_id: String,
    /// When the server took the claim.
    pub ts: String,
    /// The same, under the tracker's name for it.
    #[serde(rename = "createdAt")]
    pub created_at: String,
}

/// A claim that nobody is behind any more.
#[derive(Debug, Clone, serde::Serialize)]
pub struct StaleClaim {
    /// `owner/name`.
    pub repo: String,
    /// The issue.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// The worker; `?` when a label tells of a holder and no claim does.
    pub codename: String,
    /// Its firing; `?` as above.
    pub firing_id: String,
    /// Hours since its last heartbeat; infinite when there is no claim.
    pub age_hours: f64,
    /// Whether a label tells of a holder and no claim does.
    pub missing_claim: bool,
    /// Whether there is a claim and no label tells of it.
    pub label_drift: bool,
}

/// How a hold ended. By default with success, and back to `agent:implement`.
#[derive(Debug, Clone, Copy)]
pub struct Ending<'a> {
    /// How, in a release's word.
    pub outcome: &'a str,
    /// The label that the issue goes to.
    pub transition_to: Option<&'a str>,
    /// The pull request that came of it.
    pub pr_url: Option<&'a str>,
}

impl Default for Ending<'_> {
    fn default() -> Self {
        Self { outcome: "success", transition_to: None, pr_url: None }
    }
}

/// Takes an issue for a worker's firing. Returns whether it is held now; [`release_issue`] hands it back.
pub async fn claim_issue(
    fleet: &Fleet,
    repo: &str,
    num: u64,
    codename: &str,
    firing_id: &str,
) -> Result<bool, FleetError> {
    let issue = key(repo, num)?;
    let request = ClaimRequest { holder: holder(fleet, codename, firing_id)?, label: None, nonce: None };
    match fleet.claims.claim(&issue, &request).await?.acquired {
        Acquired::Won(lease) => {
            fleet.leases.keep(&issue, &lease, None)?;
            Ok(true)
        }
        Acquired::Lost { .. } | Acquired::Refused(_) => Ok(false),
        Acquired::Failed(why) => Err(FleetError::Unknown(why)),
    }
}

/// Hands an issue back that [`claim_issue`] has taken. Returns whether it was still held; an evicted holder changes
/// nothing.
pub async fn release_issue(
    fleet: &Fleet,
    repo: &str,
    num: u64,
    codename: &str,
    firing_id: &str,
    ending: Ending<'_>,
) -> Result<bool, FleetError> {
    let Ending { outcome, transition_to, pr_url } = ending;
    let issue = key(repo, num)?;
    let holder = holder(fleet, codename, firing_id)?;
    let found = fleet.leases.find(&issue)?.filter(|found| found.lease.holder == holder);
    let Some(found) = found else { return Ok(false) };
    let handover = Handover {
        outcome: outcome.parse::<Outcome>().map_err(|error| FleetError::Name(error.to_string()))?,
        to: Some(transition_to.unwrap_or(IMPLEMENT).to_owned()),
        pr: pr_url.map(str::to_owned),
        leaves_labels: false,
    };
    let nonce = found.lease.nonce;
    match fleet.claims.release(&issue, found.lease, handover).await {
        HandedBack::Released => {
            fleet.leases.forget(&issue, nonce)?;
            Ok(true)
        }
        HandedBack::Lost { .. } => Ok(false),
        HandedBack::Refused(refusal) => Err(FleetError::Name(refusal.to_string())),
        HandedBack::Failed(why) => Err(FleetError::Unknown(why)),
    }
}

/// Tells who holds an issue and whether it could be claimed.
pub async fn issue_dedup_check(fleet: &Fleet, repo: &str, num: u64) -> Result<DedupCheck, FleetError> {
    let issue = key(repo, num)?;
    Ok(dedup_check(&issue, &fleet.claims.standing(&issue).await?))
}

/// Puts a standing into the words that scripts know.
pub fn dedup_check(issue: &IssueKey, standing: &Standing) -> DedupCheck {
    let has = |label| standing.issue.has_label(label);
    let latest = standing.ledger.claims.iter().rfind(|claim| claim.is_believed);
    DedupCheck {
        repo: issue.repo.to_string(),
        number: issue.number,
        state: if standing.issue.is_open { "OPEN" } else { "CLOSED" },
        labels: standing.issue.labels.clone(),
        in_flight: standing.holder.is_some(),
        pr_open: has(PR_OPEN),
        do_not_pickup: has(DO_NOT_PICKUP),
        needs_human_scope: has(NEEDS_HUMAN_SCOPE),
        claimable: standing.is_claimable(),
        latest_claim: latest.map(|claim| LatestClaim {
            codename: claim.text.holder.codename.to_string(),
            firing_id: claim.text.holder.firing_id.to_string(),
            ts: claim.created_at.to_string(),
            created_at: claim.created_at.to_string(),
        }),
        repo_paused: standing.paused_by.is_some(),
    }
}

/// Lists the claims of a repository that nobody is behind any more, without changing anything. `max_age_hours` is for
/// claims that name no ttl.
pub async fn find_stale_claims(
    fleet: &Fleet,
    repo: &str,
    max_age_hours: u64,
) -> Result<Vec<StaleClaim>, FleetError> {
    let repo = slug(repo)?;
    let options = SweepOptions {
        max_age: Some(Duration::from_secs(max_age_hours.saturating_mul(3600))),
        is_dry_run: true,
        sweep_id: "dry-run".to_owned(),
    };
    let report = fleet.claims.sweep(&repo, &options).await?;
    if let Some(failure) = report.failures.first() {
        return Err(FleetError::Unknown(failure.clone()));
    }
    let mut stale = Vec::new();
    for found in report.issues {
        let standing = fleet.claims.standing(&found.issue).await?;
        stale.extend(stale_claims(&found.issue, &found.title, &found.swept, &standing));
    }
    Ok(stale)
}

fn stale_claims(
    issue: &IssueKey,
    title: &str,
    swept: &baton_core::claim::sweep::Swept,
    standing: &Standing,
) -> Vec<StaleClaim> {
    let entry = |codename: String, firing_id: String, age_hours: f64| StaleClaim {
        repo: issue.repo.to_string(),
        number: issue.number,
        title: title.to_owned(),
        missing_claim: codename == "?",
        codename,
        firing_id,
        age_hours,
        label_drift: !standing.issue.has_label(IN_FLIGHT),
    };
    let age = |holder: &Holder| {
        let claim = standing.ledger.latest_of(holder);
        claim.map_or(f64::INFINITY, |claim| hours(claim.age_s(standing.ledger.date)))
    };
    let mut entries: Vec<_> = swept
        .ended
        .iter()
        .map(|holder| entry(holder.codename.to_string(), holder.firing_id.to_string(), age(holder)))
        .collect();
    if entries.is_empty() && swept.is_requeued {
        entries.push(entry("?".to_owned(), "?".to_owned(), f64::INFINITY));
    }
    entries
}

fn hours(seconds: i64) -> f64 {
    f64::from(i32::try_from(seconds).unwrap_or(i32::MAX)) / 3600.0
}

/// Ends the stale claims of one issue and puts its labels right. Returns whether nothing stale is left. Claims that are
/// alive are never touched, whoever is named.
pub async fn force_release_stale_claim(
    fleet: &Fleet,
    repo: &str,
    num: u64,
    sweep_id: &str,
    max_age_hours: Option<u64>,
) -> Result<bool, FleetError> {
    let issue = key(repo, num)?;
    let options = SweepOptions {
        max_age: max_age_hours.map(|hours| Duration::from_secs(hours.saturating_mul(3600))),
        is_dry_run: false,
        sweep_id: sweep_id.to_owned(),
    };
    let swept = fleet.claims.sweep_one(&issue, &options).await?;
    Ok(swept.swept.failures.is_empty())
}

/// Returns whether this installation leaves a repository alone.
pub fn is_repo_paused(fleet: &Fleet, repo: &str) -> Result<bool, FleetError> {
    Ok(fleet.pauses().is_paused(repo)?)
}

/// Lists the repositories that this installation leaves alone.
pub fn list_paused_repos(fleet: &Fleet) -> Result<Vec<String>, FleetError> {
    Ok(fleet.pauses().list()?)
}

/// Pauses a repository, or ends its pause. Returns all that are paused then.
pub fn set_repo_paused(fleet: &Fleet, repo: &str, paused: bool) -> Result<Vec<String>, FleetError> {
    Ok(fleet.pauses().set(repo, paused)?)
}

fn slug(repo: &str) -> Result<RepoSlug, FleetError> {
    repo.parse().map_err(|error: baton_core::repo_slug::NameError| FleetError::Name(error.to_string()))
}

fn key(repo: &str, num: u64) -> Result<IssueKey, FleetError> {
    Ok(IssueKey { repo: slug(repo)?, number: IssueRef::local(num).number })
}

fn holder(fleet: &Fleet, codename: &str, firing_id: &str) -> Result<Holder, FleetError> {
    fleet.holder(codename, firing_id).map_err(|error| FleetError::Name(error.to_string()))
}
