//! `baton docs`: the pages of the documentation that are made from the code.

mod command_line;
mod commands;
mod man;
mod surface;

use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;

use baton_core::config::{PipelineDialect, stages};
use baton_core::pipeline::document;
use clap::{Args, CommandFactory, Subcommand};

use crate::claims::context::print_json;
use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum DocsCommand {
    /// Print how issues move: the rules, the labels, and diagrams, in Markdown.
    #[command(after_help = "Examples:
  baton docs state-machine > state-machine.md

Exit codes:
  0  printed")]
    StateMachine,
    /// Print every command with its arguments, exit codes and examples, in Markdown.
    Commands(Commands),
    /// Print the manual page of a command, or write those of all commands.
    Man(ManCommand),
    /// Read command lines from standard input and tell which of them would not be understood; for tests of documents.
    #[command(hide = true)]
    Parse,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton docs commands > commands.md
  baton docs commands --json  for programs that complete or check command lines

Exit codes:
  0  printed")]
pub(crate) struct Commands {
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton docs man repo pause | man -l -              read a page
  baton docs man --dir ~/.local/share/man/man1      install all pages

Exit codes:
  0  printed or written
  1  there is no such command
  3  the directory cannot be written")]
pub(crate) struct ManCommand {
    /// The command; by default the page of the program itself.
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    command: Vec<String>,
    /// Write the pages of all commands to this directory, which is made if it is not there.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn run<A: CommandFactory>(command: &DocsCommand) -> Result<(), CommandError> {
    match command {
        DocsCommand::StateMachine => print(state_machine().as_bytes()),
        DocsCommand::Commands(Commands { json: true }) => {
            return print_json(&surface::pages(A::command()));
        }
        DocsCommand::Commands(_) => print(commands::markdown(&surface::pages(A::command())).as_bytes()),
        DocsCommand::Man(command) => return command.run::<A>(),
        DocsCommand::Parse => return parse::<A>(),
    }
    Ok(())
}

fn print(page: &[u8]) {
    // A reader that has seen enough, such as `head`, is no failure.
    let _ = std::io::stdout().write_all(page);
}

fn state_machine() -> String {
    document::document(&stages::shipped(PipelineDialect::Baton).pipeline)
}

impl ManCommand {
    fn run<A: CommandFactory>(&self) -> Result<(), CommandError> {
        let pages = man::pages(A::command()).map_err(|error| CommandError::out_of_reach(&error))?;
        if let Some(directory) = &self.dir {
            let written = man::write(&pages, directory);
            written.map_err(|error| {
                CommandError::OutOfReach(format!("cannot write to {}: {error}", directory.display()))
            })?;
            say!("{} pages in {}", pages.len(), directory.display());
            return Ok(());
        }
        let path = ["baton"].into_iter().chain(self.command.iter().map(String::as_str)).collect::<Vec<_>>();
        let path = path.join(" ");
        let page = pages.iter().find(|page| page.path == path).ok_or_else(|| {
            CommandError::No(format!("there is no command `{path}`; `baton docs commands` lists them"))
        })?;
        print(&page.text);
        Ok(())
    }
}

/// Tries each line against the parser, without doing what it says.
fn parse<A: CommandFactory>() -> Result<(), CommandError> {
    let mut refused = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| CommandError::out_of_reach(&error))?;
        refused.extend(refusal::<A>(&line).map(|why| format!("{line}\n  {why}")));
    }
    if refused.is_empty() { Ok(()) } else { Err(CommandError::No(refused.join("\n"))) }
}

/// Returns why a command line would not be understood. Asking for help or the version is understood.
fn refusal<A: CommandFactory>(line: &str) -> Option<String> {
    let arguments = command_line::baton(line)?;
    let error = A::command().try_get_matches_from(arguments).err().filter(clap::Error::use_stderr)?;
    Some(error.to_string().lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests;
