//! `baton approve REF` and `baton reject REF`: a person's word about a plan, written on the issue where everybody reads it.

use baton_core::pipeline::Policy;
use baton_engine::orders::{REASON_CHARS_MAX, Word};
use clap::Args;
use serde_json::json;

use super::pause::{out_of_reach, speaker};
use crate::claims::context::{IssueArgument, TrackerArguments, answer};
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton approve acme/web#42
  baton approve acme/web#42 --note 'and keep the old colour'

Exit codes:
  0  the word is on the issue
  1  no plan waits there, or the word would not count
  3  the tracker cannot be reached

The word counts for the account that the token belongs to. With the engine's own account it counts
for `user`; where `approvers` are named, it must be one of them, and where more than one must
approve, it does not count. If the plan changes before the engine looks, the approval is void and
people are asked again.")]
pub(crate) struct Approve {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    issue: IssueArgument,
    /// What is to be done besides, for the agent that carries the plan out.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// The plan that was read, by the mark that its question names; without it, the one that waits now.
    #[arg(long, value_name = "MARK")]
    plan: Option<String>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton reject acme/web#42 --reason 'too large: split it'

Exit codes:
  0  the word is on the issue
  1  no plan waits there, or the word would not count
  3  the tracker cannot be reached

The stage is run again, and its agent is told the reason.")]
pub(crate) struct Reject {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    issue: IssueArgument,
    /// Why, for the agent that makes the next plan.
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// The plan that was read, by the mark that its question names; without it, the one that waits now.
    #[arg(long, value_name = "MARK")]
    plan: Option<String>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

impl Approve {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let note = self.note.as_deref().map(|note| words("--note", note)).transpose()?;
        let word = Said { is_for: true, reason: note, plan: self.plan.as_deref() };
        decide(&self.tracker, &self.issue, word, self.json)
    }
}

impl Reject {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let reason = words("--reason", &self.reason)?;
        let word = Said { is_for: false, reason: Some(reason), plan: self.plan.as_deref() };
        decide(&self.tracker, &self.issue, word, self.json)
    }
}

fn words<'a>(flag: &str, text: &'a str) -> Result<&'a str, CommandError> {
    let text = text.trim();
    match text.is_empty() || text.chars().count() > REASON_CHARS_MAX {
        true => Err(CommandError::Usage(format!("{flag} must be 1 to {REASON_CHARS_MAX} characters"))),
        false => Ok(text),
    }
}

/// What was said.
#[derive(Clone, Copy)]
struct Said<'a> {
    is_for: bool,
    reason: Option<&'a str>,
    plan: Option<&'a str>,
}

fn decide(
    tracker: &TrackerArguments,
    issue: &IssueArgument,
    Said { is_for, reason, plan }: Said<'_>,
    is_json: bool,
) -> Result<(), CommandError> {
    let context = tracker.open(Vec::new())?;
    let issue = context.issue(issue)?;
    let github = &context.fleet.claims.tracker;
    let (approvers, dialect) = (Policy::of(&context.config).approvers, context.config.pipeline.dialect);
    let word = Word { is_for, reason, plan, approvers: &approvers, dialect };
    let deciding = async { speaker(&context).decide(github, &issue, word).await.map_err(out_of_reach) };
    let reply = context.block_on(deciding)?;
    let shape = json!({ "outcome": reply.outcome, "issue": issue.to_string(), "reason": reason });
    answer(is_json, reply.is_done, reply.said, &shape)
}
