//! `baton label-state …`, also as `alfred-label-state` and `label-state`: the surface that a fleet's scripts know.
//!
//! The subcommands, their lines and their exit codes are those that scripts were written for. One thing is different on
//! purpose: what cannot be read is an error (3), and never a clean, claimable issue.

mod issues;
mod repo;
mod sweep_claims;
mod words;

use std::ffi::OsString;
use std::path::Path;

use baton_core::config::FlagValue;
use clap::Subcommand;

use super::context::{Context, TrackerArguments};
use crate::command_error::CommandError;
use crate::config::Surroundings;

/// What the command is called, under `baton` and of its own.
const NAME: &str = "label-state";
const OTHER_NAME: &str = "alfred-label-state";

#[derive(Debug, Subcommand)]
pub(crate) enum LabelStateCommand {
    /// Set do-not-pickup on an issue: agents leave it to you.
    Claim(issues::Claim),
    /// Take do-not-pickup off an issue.
    Release(issues::Release),
    /// Tell by the exit code whether an issue could be claimed.
    DedupCheck(issues::DedupCheckCommand),
    /// Show how an issue stands.
    StatusIssue(issues::StatusIssue),
    /// Pause, resume or list repositories.
    Repo(repo::Repo),
    /// End claims that nobody is behind any more.
    SweepClaims(sweep_claims::SweepClaims),
}

impl LabelStateCommand {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        match self {
            Self::Claim(command) => command.run(),
            Self::Release(command) => command.run(),
            Self::DedupCheck(command) => command.run(),
            Self::StatusIssue(command) => command.run(),
            Self::Repo(command) => command.run(),
            Self::SweepClaims(command) => command.run(),
        }
    }
}

/// Puts the subcommand where it belongs when the binary was called by a name of its own.
pub(crate) fn under_own_name(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<_> = arguments.collect();
    let name = arguments.first().and_then(|program| Path::new(program).file_name());
    if name.is_some_and(|name| name == NAME || name == OTHER_NAME) {
        arguments.splice(..1, ["baton".into(), NAME.into()]);
    }
    arguments
}

/// Answers a doctor who only wants to know that the command is there, whatever else was asked.
pub(crate) fn answers_doctor(arguments: &[OsString], doctor: Option<&str>) -> bool {
    let is_asked = doctor == Some("1") && arguments.get(1).is_some_and(|word| word == NAME);
    if is_asked {
        say!("{}", words::DOCTOR);
    }
    is_asked
}

/// Opens the installation, with its state where the fleet keeps it.
fn open(tracker: &TrackerArguments) -> Result<Context, CommandError> {
    tracker.open(fleet_state(&Surroundings::of_this_process()?))
}

/// The state of a fleet is in its home, if it has one; else in that of this installation.
fn fleet_state(surroundings: &Surroundings) -> Vec<FlagValue> {
    let home = surroundings.variable("ALFRED_HOME").map(|home| surroundings.directory().join(home));
    let state = home.map(|home| home.join("state").display().to_string());
    state.map(|state| FlagValue::new("state_dir", "ALFRED_HOME", &state)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_name_of_the_program_can_be_the_command() {
        for (called, meant) in [
            ("alfred-label-state repo list", "baton label-state repo list"),
            ("/opt/alfred/bin/label-state claim web#1", "baton label-state claim web#1"),
            ("baton label-state repo list", "baton label-state repo list"),
            ("./my-label-state repo", "./my-label-state repo"),
        ] {
            assert_eq!(under_own_name(words(called).into_iter()), words(meant), "{called}");
        }
        assert!(under_own_name(std::iter::empty()).is_empty());
    }

    #[test]
    fn only_a_doctor_of_this_command_is_answered() {
        assert!(answers_doctor(&words("baton label-state"), Some("1")));
        assert!(!answers_doctor(&words("baton label-state"), Some("0")));
        assert!(!answers_doctor(&words("baton label-state"), None));
        assert!(!answers_doctor(&words("baton version"), Some("1")));
    }
}
