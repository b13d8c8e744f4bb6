//! `baton sweep`: end the claims of the dead, put labels right, follow pull requests, count attempts.

use std::time::Duration;

use baton_engine::claims::{IssueSweep, SweepOptions, SweepReport};
use baton_ports::Clock as _;
use clap::Args;
use serde_json::json;

use super::context::{TrackerArguments, print_json};
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton sweep                                            the repository of the checkout
  baton sweep --repo acme/web --repo acme/api --dry-run  what would be put right
  baton sweep --repo acme/web --max-age-hours 8 --json

Exit codes:
  0  swept, whether or not anything was found
  3  the tracker cannot be reached, or something could not be put right")]
pub(crate) struct SweepCommand {
    /// Claims that name no ttl count as dead after this many hours.
    #[arg(long, value_name = "N")]
    max_age_hours: Option<u64>,
    /// A repository to sweep; may be given several times; by default the one of the checkout.
    #[arg(long = "repo", value_name = "OWNER/NAME")]
    repos: Vec<String>,
    /// Only tell what would be done.
    #[arg(long)]
    dry_run: bool,
    /// Answer in JSON, one line for each repository.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

impl SweepCommand {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let repos = match self.repos.as_slice() {
            [] => vec![context.repo(None)?],
            named => named.iter().map(|repo| context.repo(Some(repo))).collect::<Result<_, _>>()?,
        };
        let options = SweepOptions {
            max_age: self.max_age_hours.map(|hours| Duration::from_secs(hours.saturating_mul(3600))),
            is_dry_run: self.dry_run,
            sweep_id: format!("{}-manual", context.fleet.claims.clock.wall_now().compact()),
        };
        let mut failures = Vec::new();
        for repo in repos {
            let report = context.block_on(context.fleet.claims.sweep(&repo, &options))?;
            failures.extend(report.failures.iter().cloned());
            if self.json { print_json(&shape(&report))? } else { self.print(&report) }
        }
        match failures.as_slice() {
            [] => Ok(()),
            failures => Err(CommandError::OutOfReach(failures.join("\n"))),
        }
    }

    fn print(&self, report: &SweepReport) {
        let would = if self.dry_run { "would be " } else { "" };
        say!("{}: {} issues {would}put right", report.repo, report.issues.len());
        for found in &report.issues {
            say!("  #{} {}: {}", found.issue.number, found.title, deeds(found).join("; "));
        }
    }
}

fn deeds(found: &IssueSweep) -> Vec<String> {
    let ended = found.swept.ended.iter().map(|holder| format!("ended the claim of {holder}"));
    let requeued = found.swept.is_requeued.then(|| "back in the queue".to_owned());
    let moved = found.moved_to.map(|to| format!("moved to {to}"));
    let scoped = found.scoped_after.map(|count| format!("handed to a person after {count} failed attempts"));
    let failed = found.swept.failures.iter().map(|why| format!("failed: {why}"));
    ended.chain(requeued).chain(moved).chain(scoped).chain(failed).collect()
}

fn shape(report: &SweepReport) -> serde_json::Value {
    let issues = report.issues.iter().map(|found| {
        json!({
            "issue": found.issue.to_string(),
            "title": found.title,
            "ended": found.swept.ended.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "requeued": found.swept.is_requeued,
            "moved_to": found.moved_to,
            "scoped_after": found.scoped_after,
            "failures": found.swept.failures,
        })
    });
    json!({
        "repo": report.repo.to_string(),
        "issues": issues.collect::<Vec<_>>(),
        "failures": report.failures,
    })
}
