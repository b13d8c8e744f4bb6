//! `baton hook install|uninstall|pre-push`: git asks before it pushes commits that close somebody else's issue.
//!
//! The hook is advice with a lock on it: `git push --no-verify` and a variable open it, and both are named wherever it
//! says no. What it cannot find out is a warning, or a refusal where the configuration wants that; it is never silence.

mod commits;
mod git;
mod install;
mod pre_push;
mod pushed;
mod script;
mod verdict;

use clap::Subcommand;

use crate::command_error::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum HookCommand {
    /// Write the pre-push hook of this repository; a hook that is there already runs first.
    Install(install::Install),
    /// Take the hook away and restore what was there before.
    Uninstall(install::Uninstall),
    /// What the hook runs: refuse to push commits that close what someone else is at work on.
    PrePush(pre_push::PrePush),
}

/// Writes the pre-push hook of the repository that this process stands in.
pub(crate) fn install_here() -> Result<(), CommandError> {
    install::Install::default().run()
}

impl HookCommand {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        match self {
            Self::Install(command) => command.run(),
            Self::Uninstall(command) => command.run(),
            Self::PrePush(command) => command.run(),
        }
    }
}
