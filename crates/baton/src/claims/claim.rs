//! `baton claim`: take an issue, or the oldest eligible one, and hold it around a command if one is given.

use std::ffi::OsString;
use std::process::ExitCode;

use baton_core::claim::step::Acquired;
use baton_core::claim::{Lease, text};
use baton_core::config::FlagValue;
use baton_core::tracker::IssueKey;
use baton_core::{IssueRef, RepoSlug};
use baton_engine::claims::{ClaimReport, ClaimRequest, outcome_word};
use baton_ports::Clock as _;
use clap::Args;
use serde_json::{Value, json};

use super::check::reasons;
use super::context::{Context, IdentityArguments, TrackerArguments, print_json};
use super::held_command::HeldCommand;
use crate::command_error::CommandError;

/// How many issues `--next` tries before it gives up; others are at work on the ones before.
const NEXT_TRIES_MAX: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct Claim {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF", required_unless_present = "next", conflicts_with = "next")]
    issue: Option<IssueRef>,
    /// Take the oldest eligible issue instead.
    #[arg(long)]
    next: bool,
    /// The label that makes an issue eligible.
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,
    /// Where to look for the next issue; may be given several times; by default in the checkout's repository.
    #[arg(long = "repo", value_name = "OWNER/NAME", requires = "next")]
    repos: Vec<String>,
    #[command(flatten)]
    identity: IdentityArguments,
    /// How long the hold lasts without a renewal.
    #[arg(long, value_name = "DURATION")]
    ttl: Option<String>,
    /// The label that the issue goes to when the command succeeds.
    #[arg(long, value_name = "LABEL", requires = "command")]
    to: Option<String>,
    /// Answer in JSON.
    #[arg(long, conflicts_with = "command")]
    json: bool,
    /// Only tell whether it could be claimed.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
    /// The command to hold the issue around: it is renewed while the command runs, which is stopped when the lease is
    /// lost; afterwards the issue is handed back with its outcome.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Claim {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let flags = self.ttl.iter().map(|ttl| FlagValue::new("claims.ttl", "--ttl", ttl)).collect();
        if self.to.as_deref().is_some_and(|to| !text::is_value(to)) {
            return Err(CommandError::Usage("--to must be one word without white space".to_owned()));
        }
        let context = self.tracker.open(flags)?;
        check_ttl(&context)?;
        if self.next { self.run_next(&context) } else { self.run_one(&context) }
    }

    fn run_one(&self, context: &Context) -> Result<(), CommandError> {
        let Some(reference) = &self.issue else { return Err(CommandError::Usage("which issue?".to_owned())) };
        let issue = context.issue(reference)?;
        if self.dry_run {
            return self.dry_run(context, &issue);
        }
        let report = self.claim(context, &issue)?;
        self.conclude(context, &issue, report)
    }

    fn claim(&self, context: &Context, issue: &IssueKey) -> Result<ClaimReport, CommandError> {
        let holder = context.holder(&self.identity);
        let request = ClaimRequest { holder, label: self.label.clone() };
        let report = context.block_on(context.fleet.claims.claim(issue, &request))?;
        if let Acquired::Won(lease) = &report.acquired {
            context.fleet.leases.keep(issue, lease, self.label.as_deref())?;
        }
        Ok(report)
    }

    fn conclude(&self, context: &Context, issue: &IssueKey, report: ClaimReport) -> Result<(), CommandError> {
        if self.json {
            print_json(&shape(context, issue, &report))?;
        }
        match report.acquired {
            Acquired::Won(lease) if !self.command.is_empty() => {
                let held = HeldCommand {
                    context,
                    issue,
                    label: self.label.as_deref(),
                    to: self.to.as_deref(),
                    command: &self.command,
                };
                held.run(lease)
            }
            Acquired::Won(lease) => {
                if !self.json {
                    print_lease(context, issue, &lease);
                }
                Ok(())
            }
            _ if self.json => Err(match report.acquired {
                Acquired::Failed(_) => CommandError::SaidWith(ExitCode::from(3)),
                _ => CommandError::Said,
            }),
            Acquired::Lost { to: Some(to) } => Err(CommandError::No(format!("{issue} is held by {to}"))),
            Acquired::Lost { to: None } => Err(CommandError::No(format!("{issue}: someone else was first"))),
            Acquired::Refused(refusal) => {
                Err(CommandError::No(format!("{issue} cannot be claimed: {refusal}")))
            }
            Acquired::Failed(why) => Err(CommandError::OutOfReach(format!("{issue} is not held: {why}"))),
        }
    }

    fn run_next(&self, context: &Context) -> Result<(), CommandError> {
        let label = self.label.as_deref().unwrap_or(context.config.claims.dialect.eligible());
        let mut tried = 0;
        for repo in self.repositories(context)? {
            let candidates = context.block_on(context.fleet.claims.candidates(&repo, label))?;
            for candidate in candidates.into_iter().take(NEXT_TRIES_MAX) {
                let issue = candidate.issue;
                if self.dry_run {
                    return self.dry_run(context, &issue);
                }
                tried += 1;
                let report = self.claim(context, &issue)?;
                match &report.acquired {
                    Acquired::Won(_) | Acquired::Failed(_) => return self.conclude(context, &issue, report),
                    // Someone else was first, or it has changed since it was listed: the next one, then.
                    Acquired::Lost { .. } | Acquired::Refused(_) => {}
                }
            }
        }
        self.nothing(label, tried)
    }

    fn repositories(&self, context: &Context) -> Result<Vec<RepoSlug>, CommandError> {
        match self.repos.as_slice() {
            [] => Ok(vec![context.repo(None)?]),
            named => named.iter().map(|repo| context.repo(Some(repo))).collect(),
        }
    }

    fn nothing(&self, label: &str, tried: usize) -> Result<(), CommandError> {
        let others =
            if tried > 0 { format!("; others have the {tried} that looked so") } else { String::new() };
        if self.json {
            print_json(&json!({ "outcome": "none", "label": label, "tried": tried }))?;
            return Err(CommandError::Said);
        }
        Err(CommandError::No(format!("no eligible issue is labelled `{label}`{others}")))
    }

    fn dry_run(&self, context: &Context, issue: &IssueKey) -> Result<(), CommandError> {
        let standing = context.block_on(context.fleet.claims.standing(issue))?;
        let is_claimable = standing.is_claimable();
        if self.json {
            let outcome = if is_claimable { "would-claim" } else { "refused" };
            print_json(&json!({
                "outcome": outcome, "issue": issue.to_string(), "reasons": reasons(&standing),
            }))?;
        }
        match is_claimable {
            true if self.json => Ok(()),
            true => {
                println!("would claim {issue}");
                Ok(())
            }
            false if self.json => Err(CommandError::Said),
            false => {
                Err(CommandError::No(format!("{issue} cannot be claimed: {}", reasons(&standing).join("; "))))
            }
        }
    }
}

/// A ttl that leaves no time between the claim and the deadline would be lost at once.
fn check_ttl(context: &Context) -> Result<(), CommandError> {
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
            "a ttl of {} s is too short: the margin and the time of a request alone take {} s",
            timing.ttl.as_secs_f64(),
            timing.ttl_min().as_secs_f64()
        )));
    }
    Ok(())
}

fn print_lease(context: &Context, issue: &IssueKey, lease: &Lease) {
    let left = lease.deadline.since(context.fleet.claims.clock.boot_now()).as_secs();
    println!("claimed {issue} for {} ({} protocol)", lease.holder, lease.protocol);
    println!("  renew it within {left} s: baton renew {issue}");
    println!("  hand it back:           baton release {issue} --outcome success --to agent:pr-open --pr URL");
}

fn shape(context: &Context, issue: &IssueKey, report: &ClaimReport) -> Value {
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
