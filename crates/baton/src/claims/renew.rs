//! `baton renew REF`: a heartbeat for an issue that this machine holds.

use baton_claims::FoundLease;
use baton_core::claim::renewal::Renewed;
use baton_core::tracker::IssueKey;
use clap::Args;
use serde_json::json;

use super::context::{Context, IdentityArguments, IssueArgument, TrackerArguments, print_json, spoken};
use super::release::lease_of;
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton renew acme/web#42                   a heartbeat; the hold lasts another ttl
  baton renew acme/web#42 --dry-run --json  whether this machine still holds it

Exit codes:
  0  still held, for another ttl
  1  the hold is lost, or this machine never had it
  3  the tracker cannot be reached")]
pub(crate) struct Renew {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    issue: IssueArgument,
    #[command(flatten)]
    identity: IdentityArguments,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    /// Only tell whether this machine holds it.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

impl Renew {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let issue = context.issue(&self.issue)?;
        let found = lease_of(&context, &issue, &self.identity)?;
        if self.dry_run {
            return self.say(&context, "would renew", &found.lease);
        }
        match renew(&context, &issue, found)? {
            Renewed::Held(lease) => self.say(&context, "renewed", &lease),
            Renewed::Lost { to, why } => {
                let holder = to.map(|to| format!("; {to} has it now")).unwrap_or_default();
                Err(CommandError::No(format!("the lease on {issue} is lost: {why}{holder}")))
            }
            Renewed::Failed { why, .. } => {
                Err(CommandError::OutOfReach(format!("{issue} was not renewed: {why}")))
            }
        }
    }

    fn say(
        &self,
        context: &Context,
        what: &str,
        lease: &baton_core::claim::Lease,
    ) -> Result<(), CommandError> {
        use baton_ports::Clock as _;
        let left = lease.deadline.since(context.fleet.claims.clock.boot_now());
        if self.json {
            return print_json(&json!({
                "outcome": what,
                "holder": lease.holder.to_string(),
                "epoch": lease.epoch,
                "deadline_in_s": left.as_secs(),
            }));
        }
        say!("{what}; {} has {}", lease.holder, spoken(left));
        Ok(())
    }
}

/// Sends a heartbeat, and keeps what came of the hold.
pub(crate) fn renew(context: &Context, issue: &IssueKey, found: FoundLease) -> Result<Renewed, CommandError> {
    let FoundLease { lease, label } = found;
    let nonce = lease.nonce;
    // The labels are those of the dialect in which the issue was taken.
    let fleet = context.fleet.in_dialect(context.fleet.claims.dialect_for(label.as_deref()));
    let renewed = context.block_on(fleet.claims.renew(issue, lease));
    match &renewed {
        Renewed::Held(lease) | Renewed::Failed { lease, .. } => {
            context.fleet.leases.keep(issue, lease, label.as_deref())?;
        }
        Renewed::Lost { .. } => context.fleet.leases.forget(issue, nonce)?,
    }
    Ok(renewed)
}
