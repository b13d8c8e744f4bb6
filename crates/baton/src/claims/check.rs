//! `baton check REF`: who holds an issue, and whether it could be claimed.

use std::time::Duration;

use baton_core::tracker::IssueKey;
use baton_engine::claims::Standing;
use clap::Args;
use serde_json::json;

use super::context::{IssueArgument, TrackerArguments, print_json, spoken};
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton check acme/web#42                         who holds it, and whether it could be claimed
  baton check acme/web#42 --json | jq .claimable  the same for programs

Exit codes:
  0  it could be claimed
  1  it could not; the reasons are printed
  3  the tracker cannot be reached")]
pub(crate) struct Check {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    issue: IssueArgument,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

impl Check {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let issue = context.issue(&self.issue)?;
        let standing = context.block_on(context.fleet.claims.standing(&issue))?;
        if self.json {
            print_json(&shape(&issue, &standing))?;
        } else {
            print(&issue, &standing);
        }
        match standing.is_claimable() {
            true => Ok(()),
            false => Err(CommandError::Said),
        }
    }
}

/// Why an issue cannot be claimed, in the order in which a person would ask.
pub(crate) fn reasons(standing: &Standing) -> Vec<String> {
    let holder = standing.holder.as_ref().map(|holder| {
        let age = standing
            .age_s
            .map(|age| format!(", last heard of {} ago", spoken(Duration::from_secs(age.unsigned_abs()))))
            .unwrap_or_default();
        format!("held by {holder}{age}")
    });
    let refusal = standing.refusal.as_ref().map(ToString::to_string);
    let pause = standing.paused_by.as_ref().map(|by| format!("the repository is paused: {by}"));
    holder.into_iter().chain(refusal).chain(pause).collect()
}

/// Returns who holds an issue and whether it could be claimed, for programs.
pub(crate) fn shape(issue: &IssueKey, standing: &Standing) -> serde_json::Value {
    json!({
        "issue": issue.to_string(),
        "title": standing.issue.title,
        "is_open": standing.issue.is_open,
        "labels": standing.issue.labels,
        "protocol": standing.protocol.to_string(),
        "claimable": standing.is_claimable(),
        "holder": standing.holder.as_ref().map(|holder| json!({
            "codename": holder.codename.as_str(),
            "firing_id": holder.firing_id.as_str(),
            "age_s": standing.age_s,
            "epoch": standing.epoch,
        })),
        "reasons": reasons(standing),
        "ignored_claims": standing.disbelieved,
        "ignored_releases": standing.ledger.disbelieved_releases,
    })
}

fn print(issue: &IssueKey, standing: &Standing) {
    match standing.is_claimable() {
        true => say!("{issue} can be claimed ({} protocol)", standing.protocol),
        false => say!("{issue} cannot be claimed: {}", reasons(standing).join("; ")),
    }
    for claim in &standing.disbelieved {
        say!("  ignored: a claim for {claim}, who may not write to the repository");
    }
    if standing.ledger.disbelieved_releases > 0 {
        say!(
            "  ignored: {} releases by people who may not write to the repository",
            standing.ledger.disbelieved_releases
        );
    }
}
