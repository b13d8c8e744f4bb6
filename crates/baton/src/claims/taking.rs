//! Taking an issue, or the oldest eligible one, and keeping the hold so that later commands find it: what `baton claim` and
//! the tool `claim` of `baton mcp` share.
//!
//! Deliberately absent: words about it, and what is done while an issue is held.

use baton_claims::FoundLease;
use baton_core::RepoSlug;
use baton_core::claim::handback::Handover;
use baton_core::claim::step::Acquired;
use baton_core::claim::{Holder, Lease, Outcome, Refusal};
use baton_core::tracker::IssueKey;
use baton_engine::claims::{ClaimReport, ClaimRequest, SweepOptions, outcome_word};
use baton_ports::Clock as _;
use serde_json::{Value, json};

use super::context::Context;
use super::release::hand_back;
use crate::command_error::CommandError;

/// How many issues are tried before a search gives up; others are at work on the ones before.
const NEXT_TRIES_MAX: usize = 20;

/// Who takes an issue, and for what.
#[derive(Debug, Clone)]
pub(crate) struct Taking {
    /// Who.
    pub(crate) holder: Holder,
    /// The label that it is taken for, which it must carry.
    pub(crate) label: Option<String>,
}

/// Where the next issue is looked for.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    /// The repositories, in this order.
    pub(crate) repos: Vec<RepoSlug>,
    /// The label that makes an issue eligible.
    pub(crate) label: String,
}

/// What came of a search.
pub(crate) enum Found {
    /// This issue was tried, and the search is over with it.
    Tried(IssueKey, Box<ClaimReport>),
    /// None could be had.
    Nothing(Nothing),
}

/// Why no issue could be had.
#[derive(Debug, Default)]
pub(crate) struct Nothing {
    /// How many looked eligible and were somebody else's by then.
    pub(crate) tried: usize,
    /// The repositories that are paused, and by whom.
    pub(crate) paused: Vec<(RepoSlug, String)>,
}

impl Taking {
    /// Tries to take one issue, and keeps the hold.
    pub(crate) fn take(&self, context: &Context, issue: &IssueKey) -> Result<ClaimReport, CommandError> {
        let request = ClaimRequest { holder: self.holder.clone(), label: self.label.clone(), nonce: None };
        let report = context.block_on(context.fleet.claims.claim(issue, &request))?;
        if let Acquired::Won(lease) = &report.acquired
            && let Err(error) = context.fleet.leases.keep(issue, lease, self.label.as_deref())
        {
            self.let_go(context, issue, lease);
            return Err(error.into());
        }
        Ok(report)
    }

    /// A hold that no later command can find would block the issue for its whole ttl.
    fn let_go(&self, context: &Context, issue: &IssueKey, lease: &Lease) {
        let dialect = context.fleet.claims.dialect_for(self.label.as_deref());
        let found = FoundLease { lease: lease.clone(), label: self.label.clone() };
        let handover = Handover {
            outcome: Outcome::Cancelled,
            to: dialect.origin(self.label.as_deref()),
            pr: None,
            leaves_labels: false,
        };
        hand_back(context, issue, found, dialect, handover).ok();
    }

    /// Takes the oldest eligible issue that is free.
    pub(crate) fn take_next(&self, context: &Context, search: &Search) -> Result<Found, CommandError> {
        let mut nothing = Nothing::default();
        for repo in &search.repos {
            if let Some(by) = context.block_on(context.fleet.claims.paused_by(repo))? {
                nothing.paused.push((repo.clone(), by));
                continue;
            }
            let mut end = self.next_of(context, repo, &search.label, &mut nothing.tried)?;
            // An issue whose holder has died is in no queue until someone puts it back.
            if end.is_none() && put_back_dropped(context, repo)? {
                end = self.next_of(context, repo, &search.label, &mut nothing.tried)?;
            }
            if let Some((issue, report)) = end {
                return Ok(Found::Tried(issue, Box::new(report)));
            }
        }
        Ok(Found::Nothing(nothing))
    }

    /// Claims the oldest eligible issue of a repository that is free, if there is one.
    fn next_of(
        &self,
        context: &Context,
        repo: &RepoSlug,
        label: &str,
        tried: &mut usize,
    ) -> Result<Option<(IssueKey, ClaimReport)>, CommandError> {
        let candidates = context.block_on(context.fleet.claims.candidates(repo, label))?;
        for candidate in candidates.into_iter().take(NEXT_TRIES_MAX) {
            *tried += 1;
            let report = self.take(context, &candidate.issue)?;
            match &report.acquired {
                Acquired::Won(_)
                | Acquired::Failed(_)
                // These would be the same for every issue.
                | Acquired::Refused(
                    Refusal::NotBelieved { .. } | Refusal::Protocol { .. } | Refusal::RefNameRefused,
                ) => return Ok(Some((candidate.issue, report))),
                // Someone else was first, or it has changed since it was listed: the next one, then.
                Acquired::Lost { .. } | Acquired::Refused(_) => {}
            }
        }
        Ok(None)
    }
}

impl Search {
    /// Returns the issue that would be tried first, and the repositories that are paused before it. Nothing is written.
    pub(crate) fn first(&self, context: &Context) -> Result<(Option<IssueKey>, Nothing), CommandError> {
        let mut nothing = Nothing::default();
        for repo in &self.repos {
            if let Some(by) = context.block_on(context.fleet.claims.paused_by(repo))? {
                nothing.paused.push((repo.clone(), by));
                continue;
            }
            let candidates = context.block_on(context.fleet.claims.candidates(repo, &self.label))?;
            if let Some(first) = candidates.into_iter().next() {
                return Ok((Some(first.issue), nothing));
            }
        }
        Ok((None, nothing))
    }
}

/// Sweeps a repository, and returns whether anything went back into the queue.
fn put_back_dropped(context: &Context, repo: &RepoSlug) -> Result<bool, CommandError> {
    let claims = &context.fleet.claims;
    let options = SweepOptions {
        max_age: None,
        is_dry_run: false,
        sweep_id: format!("{}-next", claims.clock.wall_now().compact()),
    };
    let report = context.block_on(claims.sweep(repo, &options))?;
    Ok(report.issues.iter().any(|found| found.swept.is_requeued))
}

/// A ttl that leaves no time between the claim and the deadline would be lost at once.
pub(crate) fn check_ttl(context: &Context) -> Result<(), CommandError> {
    let timing = &context.fleet.claims.settings.timing;
    if timing.ttl > timing.max_ttl {
        return Err(CommandError::Usage(format!(
            "a ttl of {} s is longer than claims.max_ttl ({} s): others would take over before it ends",
            timing.ttl.as_secs(),
            timing.max_ttl.as_secs()
        )));
    }
    if timing.ttl < timing.ttl_min() {
        return Err(CommandError::Usage(format!(
            "a ttl of {} s is too short: claims.margin ({} s) and two calls of the tracker with their repetitions, three \
             times request_timeout each, need {} s",
            timing.ttl.as_secs_f64(),
            timing.margin_floor.as_secs_f64(),
            timing.ttl_min().as_secs_f64()
        )));
    }
    Ok(())
}

/// Says who holds an issue, and what to do when that is this machine.
pub(crate) fn held_by(context: &Context, issue: &IssueKey, to: &Holder) -> String {
    let own = context.fleet.leases.find(issue).ok().flatten();
    match own.is_some_and(|own| own.lease.holder == *to) {
        true => {
            format!("{issue} is held by {to}, which is this machine: use `baton renew` or `baton release`")
        }
        false => format!("{issue} is held by {to}"),
    }
}

/// Returns what became of a claim, for programs.
pub(crate) fn shape(context: &Context, issue: &IssueKey, report: &ClaimReport) -> Value {
    let since = |moment: baton_core::time::BootTime| moment.ms.saturating_sub(report.started_at.ms);
    let mut value = json!({
        "outcome": outcome_word(&report.acquired),
        "issue": issue.to_string(),
        "protocol": report.protocol.to_string(),
        "calls": report.calls_to_decision,
        "calls_in_all": report.calls,
        "decided_in_ms": since(report.decided_at),
    });
    match &report.acquired {
        Acquired::Won(lease) => value["lease"] = lease_shape(context, lease),
        Acquired::Lost { to } => value["to"] = json!(to.as_ref().map(ToString::to_string)),
        Acquired::Refused(refusal) => value["why"] = json!(refusal.to_string()),
        Acquired::Failed(why) => value["why"] = json!(why),
    }
    value
}

fn lease_shape(context: &Context, lease: &Lease) -> Value {
    let left = lease.deadline.since(context.fleet.claims.clock.boot_now());
    json!({
        "codename": lease.holder.codename.as_str(),
        "firing_id": lease.holder.firing_id.as_str(),
        "nonce": lease.nonce.to_string(),
        "epoch": lease.epoch,
        "comment": lease.comment,
        "tip": lease.tip,
        "ttl_s": lease.ttl.as_secs(),
        "deadline_in_s": left.as_secs(),
    })
}
