//! The commands of flow, one file each: wakeups and runs in, out and in between.
//!
//! All of them work on the store alone, whether or not an engine is running; only `engine` executes anything. They decide
//! nothing: the rules of the core do, through the relay's verbs.

mod cancel;
mod context;
mod engine;
mod legs;
mod log_file;
mod logs;
pub(crate) mod own_claim;
mod programs;
mod report;
mod runs;
mod secrets;
mod shapes;
pub(crate) mod table;
mod wake;
mod wakeups;
mod words;

use clap::Subcommand;

use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum FlowCommand {
    /// Ask that an agent look at an issue, or do a task of its own.
    Wake(wake::Wake),
    /// List wakeups, newest first, and what became of them.
    Wakeups(wakeups::Wakeups),
    /// List runs, newest first.
    Runs(runs::Runs),
    /// End a run, and what waits behind it.
    Cancel(cancel::Cancel),
    /// Print what the agent of a run has printed.
    Logs(logs::Logs),
    /// Take runs and have their agents execute them, until it is told to stop.
    Engine(engine::Engine),
}

pub(crate) fn run(command: FlowCommand) -> Result<(), CommandError> {
    match command {
        FlowCommand::Wake(command) => command.run(),
        FlowCommand::Wakeups(command) => command.run(),
        FlowCommand::Runs(command) => command.run(),
        FlowCommand::Cancel(command) => command.run(),
        FlowCommand::Logs(command) => command.run(),
        FlowCommand::Engine(command) => command.run(),
    }
}
