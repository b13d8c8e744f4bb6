//! The claim commands, one file each: arguments in, answers out, exit codes 0 yes, 1 no, 2 usage, 3 out of reach.
//!
//! They put the fleet together from the configuration and print what it answers. They decide nothing.

pub(crate) mod check;
mod claim;
pub(crate) mod context;
pub(crate) mod guard;
mod held_command;
mod hold;
pub(crate) mod hook;
pub(crate) mod label_state;
pub(crate) mod labels;
pub(crate) mod naming;
mod protocol;
pub(crate) mod push;
pub(crate) mod release;
pub(crate) mod renew;
mod repo;
mod sweep;
pub(crate) mod taking;

use clap::Subcommand;

use crate::command_error::CommandError;
use crate::script_agent::ScriptAgent;

#[derive(Debug, Subcommand)]
pub(crate) enum ClaimsCommand {
    /// Claim an issue, or the oldest eligible one, and hold it around a command if one is given.
    Claim(Box<claim::Claim>),
    /// Send a heartbeat for an issue that this machine holds.
    Renew(renew::Renew),
    /// Push a branch for an issue that this machine holds; the server refuses it if the hold is lost.
    Push(push::Push),
    /// Hand an issue back that this machine holds.
    Release(release::Release),
    /// Tell who holds an issue and whether it could be claimed.
    Check(check::Check),
    /// Keep agents away from an issue.
    Hold(hold::Hold),
    /// Let agents have an issue again.
    Unhold(hold::Unhold),
    /// End the claims of the dead and put labels right.
    Sweep(sweep::SweepCommand),
    /// Leave whole repositories alone, or stop doing so.
    #[command(
        subcommand,
        after_help = "Examples:
  baton repo pause acme/web  agents leave it alone
  baton repo list            which ones they leave alone"
    )]
    Repo(repo::RepoCommand),
    /// Which claim protocol a repository uses.
    #[command(
        subcommand,
        after_help = "Examples:
  baton protocol show --repo acme/web
  baton protocol set ref --repo acme/web  for everybody"
    )]
    Protocol(protocol::ProtocolCommand),
    /// The labels of the relay.
    #[command(
        subcommand,
        after_help = "Examples:
  baton labels sync --repo acme/web  make them, and put them right"
    )]
    Labels(labels::LabelsCommand),
    /// The pre-push hook that keeps two from closing the same issue.
    #[command(
        subcommand,
        after_help = "Examples:
  baton hook install    in a checkout
  baton hook uninstall  what was there before is restored"
    )]
    Hook(hook::HookCommand),
    /// The commands of `alfred-label-state`, with its output and exit codes.
    #[command(
        subcommand,
        after_help = "Examples:
  baton label-state status-issue acme/web#42
  ln -s \"$(command -v baton)\" ~/bin/alfred-label-state  under the name that scripts know"
    )]
    LabelState(label_state::LabelStateCommand),
    /// Run a command that must not outlive its lease.
    #[command(hide = true, name = "__guard")]
    Guard(guard::Guard),
    /// Become a command when its guard says so.
    #[command(hide = true, name = "__guarded")]
    Guarded(guard::Guarded),
    /// Kill a process group when its guard is gone.
    #[command(hide = true, name = "__watch")]
    Watch(guard::Watch),
    /// Be the agent that does what a script says.
    #[command(hide = true, name = "__script")]
    Script(ScriptAgent),
}

pub(crate) fn run(command: ClaimsCommand) -> Result<(), CommandError> {
    match command {
        ClaimsCommand::Claim(command) => command.run(),
        ClaimsCommand::Renew(command) => command.run(),
        ClaimsCommand::Push(command) => command.run(),
        ClaimsCommand::Release(command) => command.run(),
        ClaimsCommand::Check(command) => command.run(),
        ClaimsCommand::Hold(command) => command.run(),
        ClaimsCommand::Unhold(command) => command.run(),
        ClaimsCommand::Sweep(command) => command.run(),
        ClaimsCommand::Repo(command) => command.run(),
        ClaimsCommand::Protocol(command) => command.run(),
        ClaimsCommand::Labels(command) => command.run(),
        ClaimsCommand::Hook(command) => command.run(),
        ClaimsCommand::LabelState(command) => command.run(),
        ClaimsCommand::Guard(command) => command.run(),
        ClaimsCommand::Guarded(command) => command.run(),
        ClaimsCommand::Script(command) => command.run(),
        ClaimsCommand::Watch(command) => {
            command.run();
            Ok(())
        }
    }
}
