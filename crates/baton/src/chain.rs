//! `baton chain plan|execute|status|wait`: one feature as pull requests in several repositories that tell of each other.
//!
//! The commands read what is asked for and what this machine knows, let `baton-engine` do the work, and print what came
//! of it. They decide nothing.

mod book;
mod execute;
mod plan;
mod request;
mod status;
mod wait;
mod words;

use baton_claims::machine::SystemClock;
use baton_engine::chain::Chains;
use baton_github::GitHub;
use clap::Subcommand;

use crate::claims::context::Context;
use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum ChainCommand {
    /// Tell what would be done; nothing is changed.
    Plan(plan::Plan),
    /// Open what is not open, and bring every body up to date. Doing it again is safe, and tries again what failed.
    Execute(execute::Execute),
    /// Tell how the pull requests of a feature stand.
    Status(status::Status),
    /// Wait until all pull requests of a feature are merged.
    Wait(wait::Wait),
}

pub(crate) fn run(command: &ChainCommand) -> Result<(), CommandError> {
    match command {
        ChainCommand::Plan(command) => command.run(),
        ChainCommand::Execute(command) => command.run(),
        ChainCommand::Status(command) => command.run(),
        ChainCommand::Wait(command) => command.run(),
    }
}

/// What carries chains out here.
fn chains(context: &Context) -> Chains<GitHub, SystemClock> {
    let claims = &context.fleet.claims;
    Chains {
        tracker: claims.tracker.clone(),
        clock: claims.clock,
        visible_within: claims.settings.timing.visible_within,
    }
}
