//! `baton push REF`: push a branch for an issue that this machine holds, so that the server refuses it when the hold is
//! lost.
//!
//! Under protocol `ref` one atomic push moves the branch and the claim ref. Under `comment` there is nothing that the
//! server could compare, so the hold is confirmed by a renewal first and that is said. Deliberately absent: pull
//! requests, and pushes to forks, whose server does not know the claim.

use std::time::Instant;

use baton_claims::FoundLease;
use baton_core::claim::renewal::Renewed;
use baton_core::claim::text::{self, Marker};
use baton_core::claim::{Lease, Protocol};
use baton_core::tracker::{Commit, IssueKey};
use baton_git::{
    BranchMove, Checkout, FencedPush, GitError, Heartbeat, Oid, PushOutcome, Token, UnfencedPush, http_origin,
};
use baton_ports::{Clock as _, Tracker as _};
use clap::Args;
use serde_json::json;

use super::context::{
    Context, IdentityArguments, IssueArgument, TrackerArguments, print_json, slug_of_address,
};
use super::release::lease_of;
use crate::command_error::CommandError;
use crate::config::Credentials;

/// How often a push is tried while renewals of the same hold are faster.
const TRIES_MAX: u32 = 3;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton push acme/web#42                          the branch that is checked out
  baton push acme/web#42 --branch fix/42 --force  after a rebase
  baton push acme/web#42 --dry-run                what would be pushed

Exit codes:
  0  pushed, and the hold renewed
  1  the hold is lost, or the remote refuses the branch
  3  the tracker or the remote cannot be reached")]
pub(crate) struct Push {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    issue: IssueArgument,
    /// The local branch, which has the same name on the remote; by default the one that is checked out.
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// The remote. It must be the repository of the issue.
    #[arg(long, value_name = "NAME", default_value = "origin")]
    remote: String,
    /// Let the branch lose commits that this checkout has seen on the remote.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    identity: IdentityArguments,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    /// Only tell what would be pushed.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

/// What is pushed, from where.
struct Plan<'a> {
    checkout: Checkout<'a>,
    branch: String,
    new: Oid,
    expected: Option<Oid>,
}

impl Plan<'_> {
    fn full_name(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }
}

impl Push {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let issue = context.issue(&self.issue)?;
        let mut found = lease_of(&context, &issue, &self.identity)?;
        let token = self.token(&context, &issue)?;
        let plan = self.plan(&context, token.as_ref())?;
        check_time(&context, &issue, &found.lease)?;
        if self.dry_run {
            return self.tell_plan(&issue, &plan, &found.lease);
        }
        self.settle(&context, &issue, &mut found)?;
        let outcome = self.send(&context, &issue, &mut found, plan)?;
        self.say(&issue, &found, &outcome)
    }

    fn plan<'a>(&self, context: &'a Context, token: Option<&'a Token>) -> Result<Plan<'a>, CommandError> {
        let checkout = Checkout { token, ..Checkout::new(context.surroundings.directory()) };
        let branch = match &self.branch {
            Some(branch) => branch.clone(),
            None => checkout.current_branch()?.ok_or_else(|| {
                CommandError::Usage("no branch is checked out here: name one by --branch NAME".to_owned())
            })?,
        };
        // What `git ls-remote` says now may be a successor's; what this checkout has seen is what the work stands on.
        let expected = checkout.last_seen(&self.remote, &branch)?;
        let new = checkout.commit_at(&format!("refs/heads/{branch}"))?.ok_or_else(|| {
            CommandError::Usage(format!(
                "there is no branch `{branch}` in {}: commit to it, or name another by --branch NAME",
                checkout.repository.display()
            ))
        })?;
        Ok(Plan { checkout, branch, new, expected })
    }

    /// Checks that the remote is the issue's repository, and finds the token for it.
    fn token(&self, context: &Context, issue: &IssueKey) -> Result<Option<Token>, CommandError> {
        let checkout = Checkout::new(context.surroundings.directory());
        let address = checkout.push_address(&self.remote)?.ok_or_else(|| {
            CommandError::Usage(format!(
                "there is no remote `{}` in {}: name one of `git remote`, or add it",
                self.remote,
                checkout.repository.display()
            ))
        })?;
        match slug_of_address(&address) {
            Some(slug) if slug.to_string().eq_ignore_ascii_case(&issue.repo.to_string()) => {}
            slug => {
                let slug =
                    slug.map_or_else(|| "no repository of a tracker".to_owned(), |slug| slug.to_string());
                return Err(CommandError::Usage(format!(
                    "the remote `{}` is {slug}, and {issue} is claimed in {}: only there can a push be bound to it",
                    self.remote, issue.repo
                )));
            }
        }
        let Some(origin) =
            http_origin(&address).filter(|origin| is_of_tracker(origin, &context.config.api_url))
        else {
            return Ok(None);
        };
        // A header of a pipeline beside ours would make two, and servers refuse that.
        if checkout.has_header_for(&address)? {
            return Ok(None);
        }
        let loaded = self.tracker.config.load(Vec::new(), &context.surroundings)?;
        Ok(match loaded.credentials(&context.surroundings)? {
            Credentials::Token(secret) => Token::new(secret.reveal(), &origin),
            Credentials::App(_) | Credentials::Anonymous => None,
        })
    }

    /// Confirms what is not certain about the hold before anything is pushed.
    fn settle(
        &self,
        context: &Context,
        issue: &IssueKey,
        found: &mut FoundLease,
    ) -> Result<(), CommandError> {
        if found.lease.protocol == Protocol::Comment {
            eprintln!(
                "warning: {issue} is held by a comment, which the server cannot compare: a push that arrives after the \
                 lease is not refused (`baton protocol set ref` makes it so)"
            );
            return renew(context, issue, found);
        }
        if found.lease.unclear_tip.is_some() {
            adopt_tip(context, issue, found)?;
        }
        Ok(())
    }

    fn send(
        &self,
        context: &Context,
        issue: &IssueKey,
        found: &mut FoundLease,
        mut plan: Plan<'_>,
    ) -> Result<PushOutcome, CommandError> {
        let left = found.lease.deadline.since(context.fleet.claims.clock.boot_now());
        plan.checkout.stop_at = Instant::now().checked_add(left);
        let mut outcome = self.push_once(context, issue, found, &plan)?;
        for _ in 1..TRIES_MAX {
            if !matches!(outcome, PushOutcome::Stale { .. }) || !was_renewed_meanwhile(context, issue, found)?
            {
                break;
            }
            outcome = self.push_once(context, issue, found, &plan)?;
        }
        if let PushOutcome::Stale { .. } = &outcome {
            context.fleet.leases.forget(issue, found.lease.nonce)?;
        }
        if let PushOutcome::Pushed { claim_tip } = &outcome {
            if let Err(error) = plan.checkout.note_pushed(&self.remote, &plan.branch, &plan.new) {
                eprintln!("warning: {error}");
            }
            if let Some(tip) = claim_tip {
                follow_up(context, issue, found, tip);
            }
        }
        Ok(outcome)
    }

    fn push_once(
        &self,
        context: &Context,
        issue: &IssueKey,
        found: &mut FoundLease,
        plan: &Plan<'_>,
    ) -> Result<PushOutcome, CommandError> {
        let name = plan.full_name();
        let branch = BranchMove {
            name: &name,
            new: plan.new.clone(),
            expected: plan.expected.clone(),
            allows_rewrite: self.force,
        };
        let (checkout, remote) = (plan.checkout, self.remote.as_str());
        let sent = match found.lease.protocol {
            Protocol::Comment => UnfencedPush { checkout, remote, branch, skips_hooks: false }.send(),
            Protocol::Ref => {
                let claims = &context.fleet.claims;
                let heartbeat = Heartbeat {
                    claim_ref: &claims.settings.claim_ref(issue.number),
                    claim_tip: tip_of(issue, &found.lease)?,
                    message: &claims.push_heartbeat(&found.lease),
                };
                FencedPush { checkout, remote, heartbeat, branch, skips_hooks: false }.send()
            }
        };
        if let Err(GitError::Unclear { heartbeat: Some(heartbeat), .. }) = &sent {
            found.lease.unclear_tip = Some(heartbeat.to_string());
            keep(context, issue, found)?;
        }
        Ok(sent?)
    }

    fn tell_plan(&self, issue: &IssueKey, plan: &Plan<'_>, lease: &Lease) -> Result<(), CommandError> {
        if let (Some(expected), false) = (&plan.expected, self.force)
            && !plan.checkout.is_fast_forward(expected, &plan.new)?
        {
            return Err(refused(issue, &PushOutcome::NotFastForward { name: plan.full_name() }));
        }
        if self.json {
            return print_json(&json!({
                "outcome": "would-push", "issue": issue.to_string(), "branch": plan.branch,
                "new": plan.new.as_str(), "expected": plan.expected.as_ref().map(Oid::as_str),
                "fenced": lease.protocol == Protocol::Ref,
            }));
        }
        let from =
            plan.expected.as_ref().map_or_else(|| "a new branch".to_owned(), |oid| format!("from {oid}"));
        say!("would push {} to {} of {} ({from}) for {issue}", plan.new, plan.branch, self.remote);
        Ok(())
    }

    fn say(&self, issue: &IssueKey, found: &FoundLease, outcome: &PushOutcome) -> Result<(), CommandError> {
        let is_pushed = matches!(outcome, PushOutcome::Pushed { .. });
        if self.json {
            let why = (!is_pushed).then(|| sentence(issue, outcome));
            print_json(&json!({
                "outcome": word(outcome), "issue": issue.to_string(), "why": why,
                "fenced": found.lease.protocol == Protocol::Ref, "tip": found.lease.tip,
            }))?;
        }
        match is_pushed {
            true if self.json => Ok(()),
            true => {
                say!("{}", sentence(issue, outcome));
                Ok(())
            }
            false if self.json => Err(CommandError::Said),
            false => Err(refused(issue, outcome)),
        }
    }
}

/// Nothing is sent that could arrive after the deadline.
fn check_time(context: &Context, issue: &IssueKey, lease: &Lease) -> Result<(), CommandError> {
    let claims = &context.fleet.claims;
    match lease.allows(claims.clock.boot_now(), claims.settings.timing.request_timeout) {
        true => Ok(()),
        false => Err(CommandError::No(format!(
            "the lease on {issue} is over or too near its end, so nothing was pushed; claim the issue again"
        ))),
    }
}

/// Returns whether an address is of the tracker, so that the tracker's token may be sent there.
pub(crate) fn is_of_tracker(origin: &str, api_url: &str) -> bool {
    let Some(api) = http_origin(api_url) else { return false };
    origin == api || origin == api.replacen("://api.", "://", 1)
}

fn tip_of(issue: &IssueKey, lease: &Lease) -> Result<Oid, CommandError> {
    let tip = lease.tip.as_deref().unwrap_or_default();
    tip.parse().map_err(|error| {
        CommandError::OutOfReach(format!(
            "the saved lease on {issue} has no tip ({error}); run `baton renew {issue}`"
        ))
    })
}

fn keep(context: &Context, issue: &IssueKey, found: &FoundLease) -> Result<(), CommandError> {
    Ok(context.fleet.leases.keep(issue, &found.lease, found.label.as_deref())?)
}

fn renew(context: &Context, issue: &IssueKey, found: &mut FoundLease) -> Result<(), CommandError> {
    let dialect = context.fleet.claims.dialect_for(found.label.as_deref());
    let fleet = context.fleet.in_dialect(dialect);
    match context.block_on(fleet.claims.renew(issue, found.lease.clone())) {
        Renewed::Held(lease) => {
            found.lease = lease;
            keep(context, issue, found)
        }
        Renewed::Lost { to, why } => {
            context.fleet.leases.forget(issue, found.lease.nonce)?;
            let holder = to.map(|to| format!("; {to} has it now")).unwrap_or_default();
            Err(CommandError::No(format!("the lease on {issue} is lost: {why}{holder}")))
        }
        Renewed::Failed { lease, why } => {
            found.lease = lease;
            keep(context, issue, found)?;
            Err(CommandError::OutOfReach(format!("{issue} was not renewed: {why}")))
        }
    }
}

/// Finds out which of two tips the claim ref has, when an earlier heartbeat was not acknowledged. Any other tip is found
/// stale by the push itself.
fn adopt_tip(context: &Context, issue: &IssueKey, found: &mut FoundLease) -> Result<(), CommandError> {
    let tip = read_tip(context, issue)?;
    let unclear = found.lease.unclear_tip.take();
    if unclear.is_some() && unclear == tip.map(|tip| tip.oid) {
        found.lease.tip = unclear;
    }
    keep(context, issue, found)
}

/// Returns whether the tip that refused the push is the same hold's: another process of this holder, such as the one that
/// renews it in the background, was faster. `found` has that tip then. Nobody else knows the nonce, and whoever takes over
/// puts its own on top, so a tip with this nonce is proof enough.
fn was_renewed_meanwhile(
    context: &Context,
    issue: &IssueKey,
    found: &mut FoundLease,
) -> Result<bool, CommandError> {
    let Some(tip) = read_tip(context, issue)? else { return Ok(false) };
    let is_own = matches!(
        text::read(&tip.message), Some(Marker::Claim(claim)) if claim.nonce == Some(found.lease.nonce)
    );
    if is_own {
        found.lease.tip = Some(tip.oid);
        keep(context, issue, found)?;
    }
    Ok(is_own)
}

fn read_tip(context: &Context, issue: &IssueKey) -> Result<Option<Commit>, CommandError> {
    let claims = &context.fleet.claims;
    let name = claims.settings.claim_ref(issue.number);
    let read = context.block_on(claims.tracker.ref_tip(&issue.repo, &name));
    Ok(read.map_err(|error| CommandError::out_of_reach(&error))?.value)
}

/// Keeps the new tip, and has the server date it. The heartbeat of a push is dated by this machine, and such a date is
/// believed by nobody: should this holder die now, others would have to watch the tip for a whole ttl first. An ordinary
/// renewal on top of it has the server's date again. The push has happened in any case, so what goes wrong is a warning.
fn follow_up(context: &Context, issue: &IssueKey, found: &mut FoundLease, tip: &Oid) {
    found.lease.tip = Some(tip.to_string());
    found.lease.unclear_tip = None;
    let kept = keep(context, issue, found).and_then(|()| renew(context, issue, found));
    if let Err(error) = kept {
        eprintln!("warning: it was pushed, but afterwards: {error}");
    }
}

fn word(outcome: &PushOutcome) -> &'static str {
    match outcome {
        PushOutcome::Pushed { .. } => "pushed",
        PushOutcome::Stale { .. } => "stale",
        PushOutcome::BranchMoved { .. } => "branch-moved",
        PushOutcome::NotFastForward { .. } => "not-fast-forward",
        PushOutcome::Rejected(_) => "rejected",
    }
}

fn refused(issue: &IssueKey, outcome: &PushOutcome) -> CommandError {
    CommandError::No(sentence(issue, outcome))
}

/// What became of a push, and what to do.
fn sentence(issue: &IssueKey, outcome: &PushOutcome) -> String {
    match outcome {
        PushOutcome::Pushed { claim_tip: Some(_) } => {
            format!("pushed for {issue}, together with a heartbeat")
        }
        PushOutcome::Pushed { claim_tip: None } => format!("pushed for {issue}, not bound to its claim"),
        PushOutcome::Stale { name } => format!(
            "{issue} is not held any more ({name} has moved on), so nothing was pushed; `baton check {issue}` tells who \
             has it: stop the work"
        ),
        PushOutcome::BranchMoved { name } => format!(
            "{name} is not where this checkout last saw it, so nothing was pushed; fetch, look at what came, and push again"
        ),
        PushOutcome::NotFastForward { name } => format!(
            "{name} would lose commits, so nothing was pushed; merge or rebase onto them, or say --force"
        ),
        PushOutcome::Rejected(said) => format!("the push was refused, and nothing has moved: {said}"),
    }
}

impl From<GitError> for CommandError {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Input(message) => Self::Usage(message),
            other => Self::out_of_reach(&other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_goes_to_the_trackers_own_address_only() {
        let check = |origin: &str, api_url: &str, expected: bool| {
            assert_eq!(is_of_tracker(origin, api_url), expected, "{origin} of {api_url}");
        };
        check("https://github.com", "https://api.github.com", true);
        check("https://ghe.example", "https://ghe.example/api/v3", true);
        check("http://127.0.0.1:7070", "http://127.0.0.1:7070", true);
        check("http://127.0.0.1:7071", "http://127.0.0.1:7070", false);
        check("http://github.com", "https://api.github.com", false);
        check("https://github.com.evil.example", "https://api.github.com", false);
        check("https://evil.example", "https://api.github.com", false);
    }
}
