//! `baton release REF`: hand an issue back that this machine holds.

use baton_claims::{Fleet, FoundLease};
use baton_core::IssueRef;
use baton_core::claim::handback::{HandedBack, Handover};
use baton_core::claim::{Outcome, text};
use baton_core::labels::PR_OPEN;
use baton_core::labels::dialect::Dialect;
use baton_core::tracker::IssueKey;
use clap::Args;
use serde_json::json;

use super::context::{Context, IdentityArguments, IssueArgument, TrackerArguments, answer};
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton release acme/web#42 --pr https://github.com/acme/web/pull/7  done; the pull request is named
  baton release acme/web#42 --outcome failure-tests  back to where it came from
  baton release acme/web#42 --force                  end a claim whose holder is gone

Exit codes:
  0  handed back
  1  this machine does not hold it
  3  the tracker cannot be reached")]
pub(crate) struct Release {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    issue: IssueArgument,
    #[command(flatten)]
    identity: IdentityArguments,
    #[command(flatten)]
    ending: Ending,
    /// End whatever claim there is, whoever holds it: for claims that no machine remembers. A holder that is still at work
    /// is stopped at its next renewal.
    #[arg(long, conflicts_with_all = ["outcome", "to", "pr"])]
    force: bool,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    /// Only tell what would be done.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

/// How a hold ends.
#[derive(Debug, Clone, Args)]
pub(crate) struct Ending {
    /// How it went: success, already-implemented, failure-…, no-commit, max-turns, rate-limit, partial, cancelled, …
    #[arg(long, default_value = "success")]
    pub(crate) outcome: Outcome,
    /// The label that the issue goes to; by default back to where it came from.
    #[arg(long, value_name = "LABEL")]
    pub(crate) to: Option<String>,
    /// The pull request that came of it; the issue then goes to agent:pr-open unless --to says otherwise.
    #[arg(long, value_name = "URL")]
    pub(crate) pr: Option<String>,
}

/// The hold of this machine on an issue.
pub(super) fn lease_of(
    context: &Context,
    issue: &IssueKey,
    identity: &IdentityArguments,
) -> Result<FoundLease, CommandError> {
    let found = context.fleet.leases.find(issue)?;
    found.filter(|found| identity.allows(&found.lease.holder)).ok_or_else(|| {
        CommandError::No(format!(
            "this machine holds no lease on {issue} (looked in {}); `baton check {issue}` tells who does, and `baton \
             release {issue} --force` ends a claim that no machine remembers",
            context.fleet.state_dir().display()
        ))
    })
}

impl Release {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        self.ending
            .check_values()
            .map_err(|(option, why)| CommandError::Usage(format!("--{option} {why}")))?;
        let context = self.tracker.open(Vec::new())?;
        let issue = context.issue(&self.issue)?;
        if self.force {
            return self.force(&context, &issue);
        }
        let found = lease_of(&context, &issue, &self.identity)?;
        let (dialect, handover) = self.ending.handover(&context, &issue, &found)?;
        let to = handover.to.clone();
        let place = to.as_deref().map(|to| format!(" to {to}")).unwrap_or_default();
        let outcome = &self.ending.outcome;
        let shape = json!({
            "outcome": if self.dry_run { "would-release" } else { "released" },
            "issue": issue.to_string(),
            "as": outcome.to_string(),
            "to": to,
        });
        if self.dry_run {
            return answer(self.json, true, format!("would hand {issue} back as {outcome}{place}"), &shape);
        }
        hand_back(&context, &issue, found, dialect, handover)?;
        answer(self.json, true, format!("handed {issue} back as {outcome}{place}"), &shape)
    }

    fn force(&self, context: &Context, issue: &IssueKey) -> Result<(), CommandError> {
        let claims = &context.fleet.claims;
        if self.dry_run {
            let holder = context.block_on(claims.standing(issue))?.holder.map(|holder| holder.to_string());
            let said = format!("would end the claim of {}", holder.as_deref().unwrap_or("nobody"));
            return answer(self.json, true, said, &json!({ "outcome": "would-force", "holder": holder }));
        }
        let ended = context.block_on(claims.force_release(issue, &claims.settings.user))?;
        let ended: Vec<String> = ended.iter().map(ToString::to_string).collect();
        let said = match ended.as_slice() {
            [] => format!("nobody holds {issue}"),
            ended => format!("ended the claim of {} on {issue}", ended.join(", ")),
        };
        let shape = json!({ "outcome": "forced", "issue": issue.to_string(), "ended": ended });
        answer(self.json, !ended.is_empty(), said, &shape)
    }
}

impl Ending {
    /// Returns the first value that cannot be meant, and why.
    pub(crate) fn check_values(&self) -> Result<(), (&'static str, String)> {
        for (name, value) in [("to", &self.to), ("pr", &self.pr)] {
            if value.as_deref().is_some_and(|value| !text::is_value(value)) {
                return Err((name, "must be one word without white space".to_owned()));
            }
        }
        match self.pr.as_deref().filter(|pr| pr.parse::<IssueRef>().is_err()) {
            Some(pr) => Err(("pr", format!("{pr}: give the pull request's address"))),
            None => Ok(()),
        }
    }

    /// Returns how a hold is handed back: in which labels, where to, and with what pull request.
    pub(crate) fn handover(
        &self,
        context: &Context,
        issue: &IssueKey,
        found: &FoundLease,
    ) -> Result<(Dialect, Handover), CommandError> {
        let claims = &context.fleet.claims;
        let dialect = claims.dialect_for(found.label.as_deref());
        let by_default = match self.pr {
            Some(_) => Some(PR_OPEN.to_owned()),
            None => dialect.origin(found.label.as_deref()),
        };
        let to = self.to.clone().or(by_default);
        let pr = match (&self.pr, to.as_deref()) {
            // What the issue waits for is worth knowing: the sweep follows it.
            (None, Some(PR_OPEN)) => context.block_on(claims.open_pull_for(issue))?.map(|pull| pull.url),
            (given, _) => given.clone(),
        };
        Ok((dialect, Handover { outcome: self.outcome.clone(), to, pr, leaves_labels: false }))
    }
}

/// Counts failed attempts. The issue has been handed back by then, so that what fails here is left to the next sweep.
fn count_attempts(context: &Context, fleet: &Fleet, issue: &IssueKey) {
    match context.block_on(fleet.claims.count_attempts(issue)) {
        Ok(Some(count)) => {
            eprintln!("{issue} was handed to a person after {count} failed attempts (needs:human-scope)");
        }
        Ok(None) => {}
        Err(error) => eprintln!("warning: failed attempts were not counted: {error}"),
    }
}

/// Hands an issue back, and forgets the hold when it is over.
pub(crate) fn give_back(
    context: &Context,
    issue: &IssueKey,
    found: FoundLease,
    dialect: Dialect,
    handover: Handover,
) -> Result<HandedBack, CommandError> {
    let nonce = found.lease.nonce;
    let fleet = context.fleet.in_dialect(dialect);
    let is_failed_attempt = handover.outcome.is_failed_attempt();
    let end = context.block_on(fleet.claims.release(issue, found.lease, handover));
    if matches!(end, HandedBack::Released | HandedBack::Lost { .. }) {
        fleet.leases.forget(issue, nonce)?;
    }
    if matches!(end, HandedBack::Released) && is_failed_attempt {
        count_attempts(context, &fleet, issue);
    }
    Ok(end)
}

/// Hands an issue back, and insists on it.
pub(super) fn hand_back(
    context: &Context,
    issue: &IssueKey,
    found: FoundLease,
    dialect: Dialect,
    handover: Handover,
) -> Result<(), CommandError> {
    match give_back(context, issue, found, dialect, handover)? {
        HandedBack::Released => Ok(()),
        HandedBack::Lost { to, why } => {
            let holder = to.map(|to| format!("; {to} has it now")).unwrap_or_default();
            Err(CommandError::No(format!(
                "{issue} was not held any more, so nothing was changed: {why}{holder}"
            )))
        }
        HandedBack::Refused(refusal) => Err(CommandError::No(format!("{issue} stays held: {refusal}"))),
        HandedBack::Failed(why) => Err(CommandError::OutOfReach(format!(
            "{issue} may not have been handed back: {why}; try again, or let it expire"
        ))),
    }
}
