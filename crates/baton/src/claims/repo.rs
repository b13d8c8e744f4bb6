//! `baton repo pause|resume|list`: leave whole repositories alone.
//!
//! A pause is this installation's; with `claims.pause_scope: tracker` it is an open issue that every worker sees.

use baton_core::RepoSlug;
use baton_core::config::PauseScope;
use clap::{Args, Subcommand};
use serde_json::json;

use super::context::{Context, TrackerArguments, answer, print_json};
use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum RepoCommand {
    /// Leave a repository alone.
    #[command(after_help = "Examples:
  baton repo pause acme/web
  baton repo pause --dry-run  the repository of the checkout

Exit codes:
  0  the repository is left alone
  3  the tracker or the pause file cannot be reached")]
    Pause(RepoArguments),
    /// Work in a repository again.
    #[command(after_help = "Examples:
  baton repo resume acme/web
  baton repo resume --dry-run  the repository of the checkout

Exit codes:
  0  agents work there again
  3  the tracker or the pause file cannot be reached")]
    Resume(RepoArguments),
    /// List the repositories that are left alone.
    #[command(after_help = "Examples:
  baton repo list         one repository a line
  baton repo list --json  the same for programs

Exit codes:
  0  listed, even if there are none
  3  the tracker or the pause file cannot be reached")]
    List {
        /// Answer in JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        tracker: TrackerArguments,
    },
}

#[derive(Debug, Args)]
pub(crate) struct RepoArguments {
    /// The repository; by default the one of the checkout.
    #[arg(value_name = "OWNER/NAME")]
    repo: Option<String>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    /// Only tell what would be done.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tracker: TrackerArguments,
}

impl RepoCommand {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        match self {
            Self::Pause(arguments) => arguments.set(true),
            Self::Resume(arguments) => arguments.set(false),
            Self::List { json, tracker } => list(*json, tracker),
        }
    }
}

fn list(json: bool, tracker: &TrackerArguments) -> Result<(), CommandError> {
    let context = tracker.open(Vec::new())?;
    let mut paused = context.fleet.pauses().list()?;
    // A pause for everybody is known only by asking, and only the repository at hand can be asked about.
    if let (PauseScope::Tracker, Some(here)) = (context.config.claims.pause_scope, context.here())
        && context.block_on(context.fleet.claims.paused_by(&here))?.is_some()
        && !paused.contains(&here.to_string())
    {
        paused.push(here.to_string());
    }
    if json {
        return print_json(&json!({ "paused": paused }));
    }
    match paused.as_slice() {
        [] => say!("no repository is paused"),
        paused => paused.iter().for_each(|repo| say!("{repo}")),
    }
    Ok(())
}

impl RepoArguments {
    fn set(&self, is_paused: bool) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let repo = context.repo(self.repo.as_deref())?;
        let verb = if is_paused { "paused" } else { "resumed" };
        let by = if self.dry_run { None } else { self.change(&context, &repo, is_paused)? };
        let scope = context.config.claims.pause_scope;
        let said = match (self.dry_run, scope, by) {
            (true, ..) => format!("{repo} would be {verb}"),
            (false, PauseScope::Tracker, Some(issue)) => {
                format!("{repo} {verb} for everybody by issue #{issue}")
            }
            (false, PauseScope::Tracker, None) => format!("{repo} {verb} for everybody"),
            (false, ..) => format!("{repo} {verb}"),
        };
        let shape =
            json!({ "repo": repo.to_string(), "paused": is_paused, "issue": by, "dry_run": self.dry_run });
        answer(self.json, true, said, &shape)
    }

    /// Changes it, and returns the issue that tells everybody, if one does.
    fn change(
        &self,
        context: &Context,
        repo: &RepoSlug,
        is_paused: bool,
    ) -> Result<Option<u64>, CommandError> {
        let claims = &context.fleet.claims;
        match (context.config.claims.pause_scope, is_paused) {
            (PauseScope::Tracker, true) => {
                let user = &claims.settings.user;
                let note = format!("{user} paused agents here. Close this issue to let them work again.");
                return Ok(Some(context.block_on(claims.pause_on_tracker(repo, &note))?));
            }
            (PauseScope::Tracker, false) => {
                context.block_on(claims.resume_on_tracker(repo))?;
            }
            _ => {
                context.fleet.pauses().set(&repo.to_string(), is_paused)?;
            }
        }
        Ok(None)
    }
}
