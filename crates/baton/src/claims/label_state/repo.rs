//! `label-state repo pause|resume|list [REPO]`: the repositories that this installation leaves alone.
//!
//! Names are kept as they are given: `your-backend` pauses every repository of that name, `acme/your-backend` one. No
//! tracker is asked, so that a pause works when nothing else does.

use std::process::ExitCode;

use baton_claims::PAUSED_REPOS_FILE;
use baton_claims::machine::{PauseFile, PauseFileError};
use clap::{Args, ValueEnum};

use super::super::context::usage;
use super::{fleet_state, words};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Surroundings};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Action {
    Pause,
    Resume,
    List,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton label-state repo pause acme/web
  baton label-state repo resume acme/web
  baton label-state repo list

Exit codes:
  0  done, or listed
  2  no repository was named
  3  the pause file cannot be read or written")]
pub(crate) struct Repo {
    /// What to do.
    #[arg(value_name = "ACTION")]
    action: Action,
    /// The repository, as NAME or OWNER/NAME.
    #[arg(value_name = "REPO")]
    repo: Option<String>,
    #[command(flatten)]
    config: ConfigArgument,
}

impl Repo {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        match self.action {
            Action::Pause => self.set("pause", "paused"),
            Action::Resume => self.set("resume", "resumed"),
            Action::List => self.list(),
        }
    }

    fn set(&self, action: &str, verb: &str) -> Result<(), CommandError> {
        let Some(repo) = self.repo.as_deref().filter(|repo| !repo.is_empty()) else {
            eprintln!("{}", words::repo_missing(action));
            return Err(CommandError::SaidWith(ExitCode::from(2)));
        };
        let paused = self.pauses()?.set(repo, self.action == Action::Pause).map_err(failed)?;
        say!("{}", words::pause_changed(verb, repo, &paused));
        Ok(())
    }

    fn list(&self) -> Result<(), CommandError> {
        match self.pauses()?.list().map_err(failed)?.as_slice() {
            [] => say!("{}", words::NONE_PAUSED),
            paused => {
                say!("{}", words::PAUSED_HEAD);
                paused.iter().for_each(|repo| say!("  {repo}"));
            }
        }
        Ok(())
    }

    fn pauses(&self) -> Result<PauseFile, CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(fleet_state(&surroundings), &surroundings)?;
        loaded.print_warnings();
        Ok(PauseFile::new(loaded.state_dir().join(PAUSED_REPOS_FILE)))
    }
}

fn failed(error: PauseFileError) -> CommandError {
    match error {
        PauseFileError::Name(error) => usage(error),
        error => error.into(),
    }
}
