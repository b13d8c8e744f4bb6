//! `baton hold REF` and `baton unhold REF`: a person keeps agents away from an issue, and lets them have it again.

use baton_engine::claims::HoldOutcome;
use clap::Args;
use serde_json::json;

use super::context::{IssueArgument, TrackerArguments, answer};
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton hold acme/web#42 --reason 'the design is not agreed'
  baton hold acme/web#42 --force  also when an agent is at work on it

Exit codes:
  0  agents are kept away
  1  an agent is at work on it, or it has a pull request
  3  the tracker cannot be reached")]
pub(crate) struct Hold {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    issue: IssueArgument,
    /// Why, for people who read the issue.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Even if an agent is at work on it.
    #[arg(long)]
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

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton unhold acme/web#42            agents may have it again
  baton unhold acme/web#42 --dry-run  whether anything kept them away

Exit codes:
  0  agents may have it, whether or not it was held
  3  the tracker cannot be reached")]
pub(crate) struct Unhold {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    issue: IssueArgument,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
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
        let outcome = context.block_on(claims.hold(&issue, &note, self.force, self.dry_run))?;
        let would = if self.dry_run { "would keep" } else { "keeping" };
        let (word, said) = match &outcome {
            HoldOutcome::Held => ("held", format!("{would} agents away from {issue} (do-not-pickup)")),
            HoldOutcome::AlreadyHeld => {
                ("already-held", format!("agents are kept away from {issue} already"))
            }
            HoldOutcome::InFlight(holder) => {
                ("in-flight", format!("{issue} is held by {holder}; add --force to keep others away"))
            }
            HoldOutcome::PullOpen => ("pr-open", format!("{issue} has a pull request open already")),
        };
        let is_done = matches!(outcome, HoldOutcome::Held | HoldOutcome::AlreadyHeld);
        answer(
            self.json,
            is_done,
            said,
            &json!({ "outcome": word, "issue": issue.to_string(), "dry_run": self.dry_run }),
        )
    }
}

impl Unhold {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let issue = context.issue(&self.issue)?;
        let claims = &context.fleet.claims;
        let note = format!("{} lets agents have this issue again", claims.settings.user);
        let was_held = context.block_on(claims.unhold(&issue, &note, self.dry_run))?;
        let said = match (was_held, self.dry_run) {
            (true, false) => format!("agents may have {issue} again"),
            (true, true) => format!("would let agents have {issue} again"),
            (false, _) => format!("nothing kept agents away from {issue}"),
        };
        let shape = json!({ "was_held": was_held, "issue": issue.to_string(), "dry_run": self.dry_run });
        answer(self.json, true, said, &shape)
    }
}
