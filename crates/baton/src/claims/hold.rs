//! `baton hold REF` and `baton unhold REF`: a person keeps agents away from an issue, and lets them have it again.

use baton_core::IssueRef;
use baton_engine::claims::HoldOutcome;
use clap::Args;

use super::context::TrackerArguments;
use crate::command_error::CommandError;

#[derive(Debug, Args)]
pub(crate) struct Hold {
    /// The issue.
    #[arg(value_name = "REF")]
    issue: IssueRef,
    /// Why, for people who read the issue.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Even if an agent is at work on it.
    #[arg(long)]
    force: bool,
    /// Only tell what would be done.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

#[derive(Debug, Args)]
pub(crate) struct Unhold {
    /// The issue.
    #[arg(value_name = "REF")]
    issue: IssueRef,
    /// Only tell what would be done.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

impl Hold {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let issue = context.issue(&self.issue)?;
        let claims = &context.fleet.claims;
        let reason = self.reason.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        let note = format!("{} keeps agents away from this issue{reason}", claims.settings.user);
        let would = if self.dry_run { "would keep" } else { "keeping" };
        match context.block_on(claims.hold(&issue, &note, self.force, self.dry_run))? {
            HoldOutcome::Held => println!("{would} agents away from {issue} (do-not-pickup)"),
            HoldOutcome::AlreadyHeld => println!("agents are kept away from {issue} already"),
            HoldOutcome::InFlight(holder) => {
                return Err(CommandError::No(format!(
                    "{issue} is held by {holder}; add --force to keep others away"
                )));
            }
            HoldOutcome::PullOpen => {
                return Err(CommandError::No(format!("{issue} has a pull request open already")));
            }
        }
        Ok(())
    }
}

impl Unhold {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let issue = context.issue(&self.issue)?;
        let claims = &context.fleet.claims;
        let note = format!("{} lets agents have this issue again", claims.settings.user);
        let was_held = context.block_on(claims.unhold(&issue, &note, self.dry_run))?;
        match (was_held, self.dry_run) {
            (true, false) => println!("agents may have {issue} again"),
            (true, true) => println!("would let agents have {issue} again"),
            (false, _) => println!("nothing kept agents away from {issue}"),
        }
        Ok(())
    }
}
