//! `baton release REF`: hand an issue back that this machine holds.

use baton_claims::FoundLease;
use baton_core::IssueRef;
use baton_core::claim::handback::{HandedBack, Handover};
use baton_core::claim::{Outcome, text};
use baton_core::labels::dialect::Dialect;
use baton_core::tracker::IssueKey;
use clap::Args;
use serde_json::json;

use super::context::{Context, IdentityArguments, TrackerArguments, print_json};
use crate::command_error::CommandError;

#[derive(Debug, Args)]
pub(crate) struct Release {
    /// The issue.
    #[arg(value_name = "REF")]
    issue: IssueRef,
    #[command(flatten)]
    identity: IdentityArguments,
    /// How it went: success, already-implemented, failure-…, no-commit, max-turns, rate-limit, partial, cancelled, …
    #[arg(long, default_value = "success")]
    outcome: Outcome,
    /// The label that the issue goes to; by default back to where it came from.
    #[arg(long, value_name = "LABEL")]
    to: Option<String>,
    /// The pull request that came of it.
    #[arg(long, value_name = "URL")]
    pr: Option<String>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    /// Only tell what would be done.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
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
            "this machine holds no lease on {issue} (looked in {}); `baton check {issue}` tells who does",
            context.fleet.state_dir().display()
        ))
    })
}

impl Release {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        self.check_values()?;
        let context = self.tracker.open(Vec::new())?;
        let issue = context.issue(&self.issue)?;
        let found = lease_of(&context, &issue, &self.identity)?;
        let dialect = context.fleet.claims.dialect_for(found.label.as_deref());
        let to = self.to.clone().unwrap_or_else(|| dialect.eligible().to_owned());
        if self.dry_run {
            println!("would hand {issue} back as {} to {to}", self.outcome);
            return Ok(());
        }
        let handover = Handover {
            outcome: self.outcome.clone(),
            to: Some(to.clone()),
            pr: self.pr.clone(),
            leaves_labels: false,
        };
        hand_back(&context, &issue, found, dialect, handover)?;
        if self.json {
            return print_json(&json!({
                "outcome": "released",
                "issue": issue.to_string(),
                "as": self.outcome.to_string(),
                "to": to,
            }));
        }
        println!("handed {issue} back as {} to {to}", self.outcome);
        Ok(())
    }

    fn check_values(&self) -> Result<(), CommandError> {
        for (flag, value) in [("--to", &self.to), ("--pr", &self.pr)] {
            if value.as_deref().is_some_and(|value| !text::is_value(value)) {
                return Err(CommandError::Usage(format!("{flag} must be one word without white space")));
            }
        }
        Ok(())
    }
}

/// Hands an issue back, and forgets the hold when it is over.
pub(super) fn hand_back(
    context: &Context,
    issue: &IssueKey,
    found: FoundLease,
    dialect: Dialect,
    handover: Handover,
) -> Result<(), CommandError> {
    let nonce = found.lease.nonce;
    let fleet = context.fleet.in_dialect(dialect);
    match context.block_on(fleet.claims.release(issue, found.lease, handover)) {
        HandedBack::Released => Ok(fleet.leases.forget(issue, nonce)?),
        HandedBack::Lost { to, why } => {
            fleet.leases.forget(issue, nonce)?;
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
