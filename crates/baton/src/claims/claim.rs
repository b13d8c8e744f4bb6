//! `baton claim`: take an issue, or the oldest eligible one, and hold it around a command if one is given.

use std::ffi::OsString;
use std::process::ExitCode;

use baton_claims::FoundLease;
use baton_core::RepoSlug;
use baton_core::claim::handback::Handover;
use baton_core::claim::step::Acquired;
use baton_core::claim::{Holder, Lease, Outcome, Refusal, text};
use baton_core::config::FlagValue;
use baton_core::labels::dialect::Dialect;
use baton_core::labels::{IN_FLIGHT, is_legal_transition, legal_transitions};
use baton_core::tracker::IssueKey;
use baton_engine::claims::{ClaimReport, ClaimRequest, SweepOptions, outcome_word};
use baton_ports::Clock as _;
use clap::Args;
use serde_json::{Value, json};

use super::check::reasons;
use super::context::{Context, IdentityArguments, IssueArgument, TrackerArguments, print_json, spoken};
use super::held_command::HeldCommand;
use super::release::hand_back;
use crate::command_error::CommandError;
use crate::flow::own_claim::OwnClaim;

/// How many issues `--next` tries before it gives up; others are at work on the ones before.
const NEXT_TRIES_MAX: usize = 20;

#[derive(Debug, Args)]
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
        let report = self.claim(context, &issue)?;
        self.conclude(context, &issue, report)
    }

    fn claim(&self, context: &Context, issue: &IssueKey) -> Result<ClaimReport, CommandError> {
        let holder = context.holder(&self.identity);
        let request = ClaimRequest { holder, label: self.label.clone() };
        let report = context.block_on(context.fleet.claims.claim(issue, &request))?;
        if let Acquired::Won(lease) = &report.acquired
            && let Err(error) = context.fleet.leases.keep(issue, lease, self.label.as_deref())
        {
            // A hold that no later command can find would block the issue for its whole ttl.
            let dialect = context.fleet.claims.dialect_for(self.label.as_deref());
            let found = FoundLease { lease: lease.clone(), label: self.label.clone() };
            let handover = Handover {
                outcome: Outcome::Cancelled,
                to: dialect.origin(self.label.as_deref()),
                pr: None,
                leaves_labels: false,
            };
            hand_back(context, issue, found, dialect, handover).ok();
            return Err(error.into());
        }
        Ok(report)
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
        let mut tried = 0;
        for repo in self.repositories(context)? {
            if let Some(by) = context.block_on(context.fleet.claims.paused_by(&repo))? {
                eprintln!("{repo} is paused: {by}");
                continue;
            }
            let mut end = self.next_of(context, &repo, label, &mut tried)?;
            // An issue whose holder has died is in no queue until someone puts it back.
            if end.is_none() && !self.dry_run && put_back_dropped(context, &repo)? {
                end = self.next_of(context, &repo, label, &mut tried)?;
            }
            if let Some((issue, report)) = end {
                return self.conclude(context, &issue, report);
            }
        }
        self.nothing(label, tried)
    }

    /// Claims the oldest eligible issue of a repository that is free, if there is one.
    fn next_of(
        &self,
        context: &Context,
        repo: &RepoSlug,
        label: &str,
        tried: &mut usize,
    ) -> Result<Option<(IssueKey, ClaimReport)>, CommandError> {
        let candidates = context.block_on(context.fleet.claims.candidates(repo, label))?;
        for candidate in candidates.into_iter().take(NEXT_TRIES_MAX) {
            let issue = candidate.issue;
            if self.dry_run {
                self.dry_run(context, &issue)?;
                return Err(CommandError::SaidWith(ExitCode::SUCCESS));
            }
            *tried += 1;
            let report = self.claim(context, &issue)?;
            match &report.acquired {
                Acquired::Won(_)
                | Acquired::Failed(_)
                // These would be the same for every issue.
                | Acquired::Refused(
                    Refusal::NotBelieved { .. } | Refusal::Protocol { .. } | Refusal::RefNameRefused,
                ) => return Ok(Some((issue, report))),
                // Someone else was first, or it has changed since it was listed: the next one, then.
                Acquired::Lost { .. } | Acquired::Refused(_) => {}
            }
        }
        Ok(None)
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

/// Sweeps a repository, and returns whether anything went back into the queue.
fn put_back_dropped(context: &Context, repo: &RepoSlug) -> Result<bool, CommandError> {
    let claims = &context.fleet.claims;
    let options = SweepOptions {
        max_age: None,
        is_dry_run: false,
        sweep_id: format!("{}-next", claims.clock.wall_now().compact()),
    };
    let report = context.block_on(claims.sweep(repo, &options))?;
    Ok(report.issues.iter().any(|found| found.swept.is_requeued))
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
            "a ttl of {} s is too short: claims.margin ({} s) and two calls of the tracker with their repetitions, three \
             times request_timeout each, need {} s",
            timing.ttl.as_secs_f64(),
            timing.margin_floor.as_secs_f64(),
            timing.ttl_min().as_secs_f64()
        )));
    }
    Ok(())
}

fn held_by(context: &Context, issue: &IssueKey, to: &Holder) -> String {
    let own = context.fleet.leases.find(issue).ok().flatten();
    match own.is_some_and(|own| own.lease.holder == *to) {
        true => {
            format!("{issue} is held by {to}, which is this machine: use `baton renew` or `baton release`")
        }
        false => format!("{issue} is held by {to}"),
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
