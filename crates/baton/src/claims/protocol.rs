//! `baton protocol show|set`: which claim protocol a repository uses. It has one, and everybody follows it.

use baton_core::claim::Protocol;
use baton_engine::claims::ProtocolChange;
use clap::Subcommand;
use serde_json::json;

use super::context::{TrackerArguments, answer, print_json};
use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum ProtocolCommand {
    /// Show the repository's protocol.
    #[command(after_help = "Examples:
  baton protocol show  the repository of the checkout
  baton protocol show --repo acme/web --json

Exit codes:
  0  shown
  1  the repository declares a protocol that this version does not know
  3  the tracker cannot be reached")]
    Show {
        /// The repository; by default the one of the checkout.
        #[arg(long, value_name = "OWNER/NAME")]
        repo: Option<String>,
        /// Answer in JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        tracker: TrackerArguments,
    },
    /// Change the repository's protocol, for everybody.
    #[command(after_help = "Examples:
  baton protocol set ref                                the repository of the checkout
  baton protocol set comment --repo acme/web --dry-run  what would be done

Exit codes:
  0  declared for everybody
  1  somebody holds an issue under the protocol that is in force
  3  the tracker cannot be reached")]
    Set {
        /// comment or ref.
        #[arg(value_name = "PROTOCOL")]
        to: Protocol,
        /// The repository; by default the one of the checkout.
        #[arg(long, value_name = "OWNER/NAME")]
        repo: Option<String>,
        /// Answer in JSON.
        #[arg(long)]
        json: bool,
        /// Only tell what would be done.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        tracker: TrackerArguments,
    },
}

impl ProtocolCommand {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        match self {
            Self::Show { repo, json, tracker } => show(repo.as_deref(), *json, tracker),
            Self::Set { to, repo, json, dry_run, tracker } => {
                set(*to, repo.as_deref(), *json, *dry_run, tracker)
            }
        }
    }
}

fn show(repo: Option<&str>, json: bool, tracker: &TrackerArguments) -> Result<(), CommandError> {
    let context = tracker.open(Vec::new())?;
    let repo = context.repo(repo)?;
    let declared = context.block_on(context.fleet.claims.protocol(&repo))?;
    let protocol = declared.map_err(|error| CommandError::No(format!("{repo}: {error}")))?;
    if json {
        return print_json(&json!({ "repo": repo.to_string(), "protocol": protocol.to_string() }));
    }
    say!("{protocol}");
    Ok(())
}

fn set(
    to: Protocol,
    repo: Option<&str>,
    json: bool,
    dry_run: bool,
    tracker: &TrackerArguments,
) -> Result<(), CommandError> {
    let context = tracker.open(Vec::new())?;
    let repo = context.repo(repo)?;
    let change = context.block_on(context.fleet.claims.set_protocol(&repo, to, dry_run))?;
    let (word, said) = match &change {
        ProtocolChange::Unchanged => ("unchanged", format!("{repo} uses {to} already")),
        ProtocolChange::Changed { from } if dry_run => {
            ("would-change", format!("{repo} would go from {from} to {to}"))
        }
        ProtocolChange::Changed { from } => ("changed", format!("{repo} uses {to} now (was {from})")),
        ProtocolChange::InUse { issue } => {
            let advice = "wait until nothing is held, or release it";
            ("in-use", format!("{issue} is held under the old protocol; {advice}"))
        }
        ProtocolChange::Refused(why) => ("refused", format!("{repo}: {why}")),
        ProtocolChange::Raced => ("raced", format!("{repo}: someone else changed the protocol just now")),
    };
    let is_done = matches!(change, ProtocolChange::Unchanged | ProtocolChange::Changed { .. });
    let shape =
        json!({ "repo": repo.to_string(), "protocol": to.to_string(), "outcome": word, "said": said });
    answer(json, is_done, said.clone(), &shape)
}
