//! `baton repo pause|resume|list`: leave whole repositories alone.
//!
//! A pause is this installation's; with `claims.pause_scope: tracker` it is an open issue that every worker sees.

use baton_core::config::PauseScope;
use clap::{Args, Subcommand};
use serde_json::json;

use super::context::{TrackerArguments, print_json};
use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum RepoCommand {
    /// Leave a repository alone.
    Pause(RepoArguments),
    /// Work in a repository again.
    Resume(RepoArguments),
    /// List the repositories that are left alone.
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
    let paused = tracker.open(Vec::new())?.fleet.pauses().list()?;
    if json {
        return print_json(&json!({ "paused": paused }));
    }
    match paused.as_slice() {
        [] => println!("no repository is paused"),
        paused => paused.iter().for_each(|repo| println!("{repo}")),
    }
    Ok(())
}

impl RepoArguments {
    fn set(&self, is_paused: bool) -> Result<(), CommandError> {
        let context = self.tracker.open(Vec::new())?;
        let repo = context.repo(self.repo.as_deref())?;
        let verb = if is_paused { "paused" } else { "resumed" };
        if self.dry_run {
            println!("{repo} would be {verb}");
            return Ok(());
        }
        let claims = &context.fleet.claims;
        if context.config.claims.pause_scope == PauseScope::Tracker {
            if is_paused {
                let note =
                    format!("{} paused agents here. Close this issue to resume.", claims.settings.user);
                let number = context.block_on(claims.pause_on_tracker(&repo, &note))?;
                println!("{repo} {verb} for everybody by issue #{number}");
            } else {
                context.block_on(claims.resume_on_tracker(&repo))?;
                println!("{repo} {verb} for everybody");
            }
            return Ok(());
        }
        context.fleet.pauses().set(&repo.to_string(), is_paused)?;
        println!("{repo} {verb}");
        Ok(())
    }
}
