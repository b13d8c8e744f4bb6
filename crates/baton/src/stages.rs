//! `baton stages`: the stages of the pipeline, whether they are sane, and where every value of theirs comes from.
//!
//! Deliberately absent: what a stage file may say and what makes a pipeline sane, which is in the core, and moving issues.

mod check;
pub(crate) mod load;
mod schema;
mod show;

pub(crate) use show::shown;

use clap::Subcommand;

use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum StagesCommand {
    /// Read the stage files, show the stages, and say whether issues can get through them.
    Check(check::Check),
    /// Show a stage, its values and where they came from; or what its agent is told.
    Show(show::Show),
    /// Print the JSON schema of a stage file, for editors.
    #[command(after_help = "Examples:
  baton stages schema > stage.schema.json

Exit codes:
  0  printed")]
    Schema,
}

pub(crate) fn run(command: &StagesCommand) -> Result<(), CommandError> {
    match command {
        StagesCommand::Check(check) => check.run(),
        StagesCommand::Show(show) => show.run(),
        StagesCommand::Schema => {
            schema::print();
            Ok(())
        }
    }
}
