//! `baton completions SHELL`.

use std::io::Write as _;

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;

use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton completions bash > ~/.local/share/bash-completion/completions/baton
  baton completions zsh > ~/.zfunc/_baton  with ~/.zfunc in fpath
  baton completions fish > ~/.config/fish/completions/baton.fish

Exit codes:
  0  the script was printed")]
pub(crate) struct Completions {
    /// The shell to complete for.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run<A: CommandFactory>(&self) -> Result<(), CommandError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut without_hidden(&A::command()), "baton", &mut script);
        // A reader that has seen enough is no failure.
        let _ = std::io::stdout().write_all(&script);
        Ok(())
    }
}

/// The same commands without those that only the program itself calls; not every script would leave them out.
fn without_hidden(command: &Command) -> Command {
    let subcommands = command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(without_hidden);
    // The parser wants names that live as long as the program, which ends as soon as the script is printed.
    let name: &'static str = command.get_name().to_owned().leak();
    let slim = Command::new(name)
        .version(env!("CARGO_PKG_VERSION"))
        .args(command.get_arguments().cloned())
        .subcommands(subcommands);
    match command.get_about() {
        Some(about) => slim.about(about.clone()),
        None => slim,
    }
}
