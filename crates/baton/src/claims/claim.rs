//! `baton claim`: take an issue, or the oldest eligible one, and hold it around a command if one is given.

use std::ffi::OsString;
use std::process::ExitCode;

use baton_core::RepoSlug;
use baton_core::claim::step::Acquired;
use baton_core::claim::{Lease, text};
use baton_core::config::FlagValue;
use baton_core::labels::dialect::Dialect;
use baton_core::labels::{IN_FLIGHT, is_legal_transition, legal_transitions};
use baton_core::tracker::IssueKey;
use baton_engine::claims::ClaimReport;
use baton_ports::Clock as _;
use clap::Args;
use serde_json::json;

use super::check::reasons;
use super::context::{Context, IdentityArguments, IssueArgument, TrackerArguments, print_json, spoken};
use super::held_command::HeldCommand;
use super::taking::{Found, Search, Taking, check_ttl, held_by, shape};
use crate::command_error::CommandError;
use crate::flow::own_claim::OwnClaim;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton claim acme/web#42                   take it; prints how to renew it and hand it back
  baton claim acme/web#42 -- ./agent.sh     hold it while the command runs
  baton claim --next --repo acme/web        the oldest issue that is labelled agent:implement
  baton claim --next --label stage:ready -- ./worker.sh  on success it moves to the next stage
  baton claim acme/web#42 --dry-run --json  whether it could be claimed, for programs

Exit codes:
  0  claimed; or the command succeeded and the issue was handed back
  1  somebody else holds it, it is not eligible, or there is none
  3  the tracker cannot be reached

With a command, its own exit code is passed on; 127 means that it could not be started.")]
pub(crate) struct Claim {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF", required_unless_present = "next", conflicts_with = "next")]
    issue: Option<IssueArgument>,
    /// Take the oldest eligible issue instead.
    #[arg(long)]
    next: bool,
    /// Take the issue for this label, which it must carry; with --next by default the eligible one (agent:implement).
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,
    /// Where to look for the next issue; may be given several times; by default in the checkout's repository.
    #[arg(long = "repo", value_name = "OWNER/NAME", conflicts_with = "issue")]
    repos: Vec<String>,
    #[command(flatten)]
    identity: IdentityArguments,
    /// How long the hold lasts without a renewal, such as 30min; by default claims.ttl (4h).
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
        if self.is_own_runs_issue()? {
            return Ok(());
        }
        let context = self.tracker.open(flags)?;
        check_ttl(&context)?;
        self.check_destination(&context)?;
        if !self.dry_run {
            context.fleet.leases.prepare()?;
        }
        if self.next { self.run_next(&context) } else { self.run_one(&context) }
    }

    /// Answers for an agent that claims the issue of its own run, which holds it already.
    fn is_own_runs_issue(&self) -> Result<bool, CommandError> {
        let Some(issue) = &self.issue else { return Ok(false) };
        let config = &self.tracker.config;
        OwnClaim { config, issue, json: self.json, command: &self.command }.answer()
    }

    /// A destination that the issue may not go to would be found out only after the work.
    fn check_destination(&self, context: &Context) -> Result<(), CommandError> {
        let dialect = context.fleet.claims.dialect_for(self.label.as_deref());
        let Some(to) = self.to.as_deref().filter(|_| dialect != Dialect::LabelsAsLocks) else {
            return Ok(());
        };
        if is_legal_transition(Some(IN_FLIGHT), to) {
            return Ok(());
        }
        let legal = legal_transitions(Some(IN_FLIGHT)).join(", ");
        Err(CommandError::Usage(format!("--to {to}: an issue that is held can go to {legal}")))
    }

    fn run_one(&self, context: &Context) -> Result<(), CommandError> {
        let Some(reference) = &self.issue else { return Err(CommandError::Usage("which issue?".to_owned())) };
        let issue = context.issue(reference)?;
        if self.dry_run {
            return self.dry_run(context, &issue);
        }
        let report = self.taking(context).take(context, &issue)?;
        self.conclude(context, &issue, report)
    }

    fn taking(&self, context: &Context) -> Taking {
        Taking { holder: context.holder(&self.identity), label: self.label.clone() }
    }

    fn conclude(&self, context: &Context, issue: &IssueKey, report: ClaimReport) -> Result<(), CommandError> {
        if self.json {
            print_json(&shape(context, issue, &report))?;
        }
        match report.acquired {
            Acquired::Won(lease) if !self.command.is_empty() => {
                eprintln!("holding {issue} as {} ({} protocol)", lease.holder, lease.protocol);
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
            Acquired::Lost { to: Some(to) } => Err(CommandError::No(held_by(context, issue, &to))),
            Acquired::Lost { to: None } => Err(CommandError::No(format!("{issue}: someone else was first"))),
            Acquired::Refused(refusal) => {
                Err(CommandError::No(format!("{issue} cannot be claimed: {refusal}")))
            }
            Acquired::Failed(why) => Err(CommandError::OutOfReach(format!("{issue} is not held: {why}"))),
        }
    }

    fn run_next(&self, context: &Context) -> Result<(), CommandError> {
        let label = self.label.as_deref().unwrap_or(context.config.claims.dialect.eligible());
        let search = Search { repos: self.repositories(context)?, label: label.to_owned() };
        let nothing = match self.dry_run {
            true => match search.first(context)? {
                (Some(issue), _) => return self.dry_run(context, &issue),
                (None, nothing) => nothing,
            },
            false => match self.taking(context).take_next(context, &search)? {
                Found::Tried(issue, report) => return self.conclude(context, &issue, *report),
                Found::Nothing(nothing) => nothing,
            },
        };
        for (repo, by) in &nothing.paused {
            eprintln!("{repo} is paused: {by}");
        }
        self.nothing(label, nothing.tried)
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
                say!("would claim {issue}");
                Ok(())
            }
            false if self.json => Err(CommandError::Said),
            false => {
                Err(CommandError::No(format!("{issue} cannot be claimed: {}", reasons(&standing).join("; "))))
            }
        }
    }
}

fn print_lease(context: &Context, issue: &IssueKey, lease: &Lease) {
    let left = lease.deadline.since(context.fleet.claims.clock.boot_now());
    say!("claimed {issue} for {} ({} protocol)", lease.holder, lease.protocol);
    say!("renew it within {}:", spoken(left));
    say!("  baton renew {issue}");
    say!("hand it back:");
    say!("  baton release {issue} --outcome success --pr URL");
}
