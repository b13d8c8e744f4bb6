//! `baton prompts`: what agents read when they start, where its templates come from, and whether they work.
//!
//! Deliberately absent: what templates can say and how they are filled, which is in the core, and starting agents.

mod check;
mod list;
pub(crate) mod load;
mod show;
mod write;

use std::path::PathBuf;

use baton_core::prompt::Purpose;
use clap::Subcommand;

use crate::command_error::CommandError;
use crate::config::{Loaded, Surroundings};

#[derive(Debug, Subcommand)]
pub(crate) enum PromptsCommand {
    /// List the templates and where each comes from.
    List(list::List),
    /// Print a prompt as an agent would read it, filled with an example or with given material.
    Show(show::Show),
    /// Fill all templates and prompts of stages with examples, and say what is wrong with them.
    Check(check::Check),
    /// Write built-in templates to files, to be changed there. Files that exist are left alone.
    Write(write::Write),
}

pub(crate) fn run(command: &PromptsCommand) -> Result<(), CommandError> {
    match command {
        PromptsCommand::List(list) => list.run(),
        PromptsCommand::Show(show) => show.run(),
        PromptsCommand::Check(check) => check.run(),
        PromptsCommand::Write(write) => write.run(),
    }
}

/// Returns the directory of templates, as seen from where we are.
fn directory(loaded: &Loaded, surroundings: &Surroundings) -> PathBuf {
    let directory = loaded.directory.join(&loaded.resolved.config.prompts);
    surroundings.shown(&directory).into()
}

/// Reads a purpose; dashes are as good as underscores on a command line.
fn purpose(text: &str) -> Result<Purpose, String> {
    text.replace('-', "_").parse()
}
