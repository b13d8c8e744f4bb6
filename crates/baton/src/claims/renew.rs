//! `baton renew REF`: a heartbeat for an issue that this machine holds.

use baton_core::claim::renewal::Renewed;
use clap::Args;
use serde_json::json;

use super::context::{Context, IdentityArguments, IssueArgument, TrackerArguments, print_json, spoken};
use super::release::lease_of;
use crate::command_error::CommandError;

#[derive(Debug, Args)]
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
        let nonce = found.lease.nonce;
        // The labels are those of the dialect in which the issue was taken.
        let dialect = context.fleet.claims.dialect_for(found.label.as_deref());
        let fleet = context.fleet.in_dialect(dialect);
        match context.block_on(fleet.claims.renew(&issue, found.lease)) {
            Renewed::Held(lease) => {
                context.fleet.leases.keep(&issue, &lease, found.label.as_deref())?;
                self.say(&context, "renewed", &lease)
            }
            Renewed::Lost { to, why } => {
                context.fleet.leases.forget(&issue, nonce)?;
                let holder = to.map(|to| format!("; {to} has it now")).unwrap_or_default();
                Err(CommandError::No(format!("the lease on {issue} is lost: {why}{holder}")))
            }
            Renewed::Failed { lease, why } => {
                context.fleet.leases.keep(&issue, &lease, found.label.as_deref())?;
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
