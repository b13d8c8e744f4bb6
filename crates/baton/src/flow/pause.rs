//! `baton pause REF` and `baton resume REF`: a label that the engine heeds, and a comment that tells people why.
//!
//! Both are on the tracker, so that it does not matter which engine works on the issue, or whether one is running.

use baton_core::pipeline::names::Names;
use baton_engine::orders::{REASON_CHARS_MAX, Speaker};
use baton_ports::TrackerError;
use clap::Args;
use serde_json::json;

use crate::claims::context::{Context, IssueArgument, TrackerArguments, answer};
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton pause acme/web#42 --reason 'the design is being discussed'
  baton resume acme/web#42  lets it go on

Exit codes:
  0  paused
  1  it was paused already, it is closed, or there is no such issue
  3  the tracker cannot be reached

A reply on the issue by a person who may write resumes it as well.")]
pub(crate) struct Pause {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    issue: IssueArgument,
    /// Why, for people who read the issue.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton resume acme/web#42  let agents go on with it

Exit codes:
  0  agents go on with it
  1  it was not paused, or there is no such issue
  3  the tracker cannot be reached")]
pub(crate) struct Resume {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    issue: IssueArgument,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

impl Pause {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let reason = self.reason.as_deref().map(str::trim);
        if reason.is_some_and(|it| it.is_empty() || it.chars().count() > REASON_CHARS_MAX) {
            return Err(CommandError::Usage(format!(
                "--reason must be 1 to {REASON_CHARS_MAX} characters; leave it out if there is none"
            )));
        }
        let context = self.tracker.open(Vec::new())?;
        let issue = context.issue(&self.issue)?;
        let tracker = &context.fleet.claims.tracker;
        let pausing = async { speaker(&context).pause(tracker, &issue, reason).await.map_err(out_of_reach) };
        let reply = context.block_on(pausing)?;
        let shape = json!({ "outcome": reply.outcome, "issue": issue.to_string(), "reason": reason });
        answer(self.json, reply.is_done, reply.said, &shape)
    }
}

impl Resume {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let issue = context.issue(&self.issue)?;
        let tracker = &context.fleet.claims.tracker;
        let resuming = async { speaker(&context).resume(tracker, &issue).await.map_err(out_of_reach) };
        let reply = context.block_on(resuming)?;
        let shape = json!({ "outcome": reply.outcome, "issue": issue.to_string() });
        answer(self.json, reply.is_done, reply.said, &shape)
    }
}

pub(super) fn speaker(context: &Context) -> Speaker<'_> {
    Speaker {
        who: &context.fleet.claims.settings.user,
        names: Names::of(context.config.pipeline.dialect.into()),
    }
}

pub(super) fn out_of_reach(error: TrackerError) -> CommandError {
    CommandError::out_of_reach(&error)
}
