//! `baton worktrees`: the places on this machine where agents work.
//!
//! Nothing is removed before what is only there is on the remote. Deliberately absent: opening and closing places, which
//! the engine does, and whether an issue is closed, which the tracker knows.

mod list;
mod prune;
mod wiring;

pub(crate) use wiring::workspaces;

use clap::Subcommand;

use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum WorktreesCommand {
    /// List the places, and what is in them that the remote has not.
    List(list::List),
    /// Remove places: those that are named, or those that nobody has used for long and that are on the remote as they are.
    Prune(prune::Prune),
}

pub(crate) fn run(command: &WorktreesCommand) -> Result<(), CommandError> {
    match command {
        WorktreesCommand::List(list) => list.run(),
        WorktreesCommand::Prune(prune) => prune.run(),
    }
}
