//! `baton completions SHELL`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::command_error::CommandError;

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to complete for.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run<A: CommandFactory>(&self) -> Result<(), CommandError> {
        clap_complete::generate(self.shell, &mut A::command(), "baton", &mut std::io::stdout());
        Ok(())
    }
}
