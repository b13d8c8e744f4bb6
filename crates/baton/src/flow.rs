//! The commands of flow, one file each: wakeups and runs in, out and in between.
//!
//! All of them work on the store alone, whether or not an engine is running; only `engine` executes anything. They decide
//! nothing: the rules of the core do, through the relay's verbs.

mod approve;
mod cancel;
pub(crate) mod context;
pub(crate) mod dashboard;
pub(crate) mod engine;
mod forward;
mod legs;
mod log_file;
mod logs;
pub(crate) mod lookout;
pub(crate) mod machine;
pub(crate) mod notices;
pub(crate) mod onlooker;
pub(crate) mod own_claim;
pub(crate) mod own_forge;
mod pause;
mod programs;
mod reload;
mod report;
mod runs;
pub(crate) mod secrets;
pub(crate) mod shapes;
pub(crate) mod signals;
pub(crate) mod slack;
pub(crate) mod station;
mod status;
pub(crate) mod table;
pub(crate) mod teller;
mod up;
pub(crate) mod wake;
mod wakeups;
pub(crate) mod words;

use clap::Subcommand;

use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum FlowCommand {
    /// Show the board: who works on what, what waits for what, and what is wrong.
    Status(status::Status),
    /// Keep agents from going on with an issue, with a word to people on the issue.
    Pause(pause::Pause),
    /// Let agents go on with an issue that is paused.
    Resume(pause::Resume),
    /// Agree to the plan that waits on an issue.
    Approve(approve::Approve),
    /// Send the plan that waits on an issue back, with the reason.
    Reject(approve::Reject),
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
    /// Run everything: the engine, the dashboard, the endpoint for webhooks, and a forge of its own when no tracker is configured.
    Up(up::Up),
}

pub(crate) fn run(command: FlowCommand) -> Result<(), CommandError> {
    match command {
        FlowCommand::Status(command) => command.run(),
        FlowCommand::Pause(command) => command.run(),
        FlowCommand::Resume(command) => command.run(),
        FlowCommand::Approve(command) => command.run(),
        FlowCommand::Reject(command) => command.run(),
        FlowCommand::Wake(command) => command.run(),
        FlowCommand::Wakeups(command) => command.run(),
        FlowCommand::Runs(command) => command.run(),
        FlowCommand::Cancel(command) => command.run(),
        FlowCommand::Logs(command) => command.run(),
        FlowCommand::Engine(command) => command.run(),
        FlowCommand::Up(command) => command.run(),
    }
}
