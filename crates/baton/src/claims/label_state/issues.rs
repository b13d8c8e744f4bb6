//! The subcommands about one issue: `claim`, `release`, `dedup-check`, `status-issue`.

use std::process::ExitCode;

use baton_claims::DedupCheck;
use baton_claims::functions::dedup_check;
use baton_core::IssueRef;
use baton_core::labels::DO_NOT_PICKUP;
use baton_core::tracker::IssueKey;
use baton_engine::claims::{ClaimError, Standing};
use baton_ports::Tracker as _;
use clap::Args;
use serde::Serialize;

use super::super::context::{Context, TrackerArguments};
use super::{open, words};
use crate::command_error::CommandError;

/// Which issue.
#[derive(Debug, Args)]
pub(crate) struct IssueArguments {
    /// The issue: REPO#42 of the organisation GH_ORG, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    reference: String,
    #[command(flatten)]
    tracker: TrackerArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton label-state claim acme/web#42
  baton label-state claim web#42 --force  of the organisation GH_ORG; even if an agent is at work

Exit codes:
  0  agents leave it to you
  1  the reference cannot be read
  2  an agent is at work on it, or it has a pull request
  3  the tracker cannot be reached")]
pub(crate) struct Claim {
    #[command(flatten)]
    issue: IssueArguments,
    /// Even if an agent is at work on it.
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton label-state release acme/web#42

Exit codes:
  0  agents may have it again
  1  the reference cannot be read
  3  the tracker cannot be reached")]
pub(crate) struct Release {
    #[command(flatten)]
    issue: IssueArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton label-state dedup-check acme/web#42 && ./agent.sh
  baton label-state dedup-check acme/web#42 --json

Exit codes:
  0  it could be claimed
  1  it could not, or the reference cannot be read
  3  the tracker cannot be reached")]
pub(crate) struct DedupCheckCommand {
    #[command(flatten)]
    issue: IssueArguments,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton label-state status-issue acme/web#42
  baton label-state status-issue acme/web#42 --json

Exit codes:
  0  shown
  1  the reference cannot be read
  3  the tracker cannot be reached")]
pub(crate) struct StatusIssue {
    #[command(flatten)]
    issue: IssueArguments,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

/// An issue under the name that it was given.
struct Named {
    context: Context,
    issue: IssueKey,
    reference: IssueRef,
}

impl IssueArguments {
    fn open(&self) -> Result<Named, CommandError> {
        let Some(reference) = read(&self.reference) else {
            eprintln!("{}", words::bad_reference(&self.reference));
            return Err(CommandError::Said);
        };
        let context = open(&self.tracker)?;
        let issue = context.issue_named(&reference)?;
        Ok(Named { context, issue, reference })
    }
}

/// Reads a reference that names its repository; `#42` alone is none here.
fn read(text: &str) -> Option<IssueRef> {
    text.trim().parse().ok().filter(|reference: &IssueRef| reference.repo.is_some())
}

impl Named {
    /// As scripts name it: the repository as it was given.
    fn name(&self) -> String {
        self.reference.to_string()
    }

    fn standing(&self) -> Result<Standing, ClaimError> {
        self.context.block_on(self.context.fleet.claims.standing(&self.issue))
    }

    fn check(&self, standing: &Standing) -> DedupCheck {
        let name = self.name();
        let repo = name.rsplit_once('#').map_or(name.as_str(), |(repo, _)| repo).to_owned();
        DedupCheck { repo, ..dedup_check(&self.issue, standing) }
    }
}

impl Claim {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let named = self.issue.open()?;
        let standing = named.standing()?;
        if named.check(&standing).pr_open {
            return Err(refused(&words::pull_open(&named.name())));
        }
        if let (Some(holder), false) = (&standing.holder, self.force) {
            return Err(refused(&words::in_flight(&named.name(), holder)));
        }
        let tracker = &named.context.fleet.claims.tracker;
        let labels = named.context.block_on(tracker.add_labels(&named.issue, &[DO_NOT_PICKUP]));
        let labels = labels.map_err(ClaimError::from)?;
        if !labels.iter().any(|label| label.eq_ignore_ascii_case(DO_NOT_PICKUP)) {
            let message = format!("{} was not labelled, although the tracker did not refuse", named.issue);
            return Err(CommandError::OutOfReach(message));
        }
        say!("{}", words::claimed(&named.name()));
        Ok(())
    }
}

impl Release {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let named = self.issue.open()?;
        let tracker = &named.context.fleet.claims.tracker;
        // To take a label off what is not there would look like a success.
        named.context.block_on(tracker.issue(&named.issue)).map_err(ClaimError::from)?;
        let removed = named.context.block_on(tracker.remove_label(&named.issue, DO_NOT_PICKUP));
        removed.map_err(ClaimError::from)?;
        say!("{}", words::released(&named.name()));
        Ok(())
    }
}

impl DedupCheckCommand {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let named = self.issue.open()?;
        let standing = named.standing()?;
        let check = named.check(&standing);
        let other = standing.refusal.as_ref().map(ToString::to_string);
        let reasons = words::reasons(&check, standing.holder.as_ref(), other);
        match (check.claimable, self.json) {
            (true, true) => print_indented(&check)?,
            (true, false) => say!("{}", words::claimable(&named.name())),
            (false, true) => print_indented(&Blocked { check: &check, reasons: &reasons })?,
            (false, false) => eprintln!("{}", words::not_claimable(&named.name(), &reasons)),
        }
        if check.claimable { Ok(()) } else { Err(CommandError::Said) }
    }
}

impl StatusIssue {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let named = self.issue.open()?;
        let check = named.check(&named.standing()?);
        if self.json {
            return print_indented(&check);
        }
        words::status(&check).iter().for_each(|line| say!("{line}"));
        Ok(())
    }
}

/// A check with what blocks, last.
#[derive(Serialize)]
struct Blocked<'a> {
    #[serde(flatten)]
    check: &'a DedupCheck,
    reasons: &'a [String],
}

/// Says no as scripts expect it of a claim.
fn refused(line: &str) -> CommandError {
    eprintln!("{line}");
    CommandError::SaidWith(ExitCode::from(2))
}

fn print_indented(value: &impl Serialize) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| CommandError::OutOfReach(format!("cannot write JSON: {error}")))?;
    say!("{text}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_names_its_repository() {
        for (text, expected) in [
            ("web#7", Some("web#7")),
            (" acme/web#7 ", Some("acme/web#7")),
            ("https://github.com/acme/web/issues/7", Some("acme/web#7")),
            ("#7", None),
            ("web#0", None),
            ("web#x", None),
            ("web", None),
            ("", None),
        ] {
            assert_eq!(read(text).map(|reference| reference.to_string()).as_deref(), expected, "{text}");
        }
    }
}
