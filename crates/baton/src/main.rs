//! The `baton` program: arguments in, exit code out.
//!
//! Only this crate reads the environment and writes to standard output. A command does its work through the libraries
//! and reports by a [`CommandError`], whose kind becomes the exit code: 0 yes, 1 no, 2 usage, 3 out of reach.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the binary: it alone reads the environment, prints and ends the process"
)]

/// Prints a line. A reader that has gone away is no reason to fail after the work is done.
macro_rules! say {
    ($($said:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($said)*);
    }};
}

mod chain;
mod claims;
mod command_error;
mod completions;
mod config;
mod docs;
mod explain;
mod flow;
mod forge;
mod prompts;
mod script_agent;
mod stages;
mod worktrees;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use command_error::CommandError;

/// The server's threads free what other threads have allocated, where the system's allocator waits for locks.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs an issue tracker as a relay for coding agents.
#[derive(Debug, Parser)]
#[command(name = "baton", version, propagate_version = true, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Claims(claims::ClaimsCommand),
    #[command(flatten)]
    Flow(flow::FlowCommand),
    /// One feature as pull requests in several repositories that tell of each other.
    #[command(subcommand)]
    Chain(chain::ChainCommand),
    /// The configuration.
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// The stages that issues go through, and what their agents are told.
    #[command(subcommand)]
    Stages(stages::StagesCommand),
    /// What agents read when they start, and the templates of it.
    #[command(subcommand)]
    Prompts(prompts::PromptsCommand),
    /// The places on this machine where agents work.
    #[command(subcommand)]
    Worktrees(worktrees::WorktreesCommand),
    /// Tell why an issue is moving or not: the rules in order, what they looked at, and what would be done.
    Explain(explain::Explain),
    /// Print pages of the documentation that are made from the code.
    #[command(subcommand)]
    Docs(docs::DocsCommand),
    /// A GitHub-compatible forge in one process: issues, labels, comments, refs and git.
    #[command(subcommand)]
    Forge(forge::ForgeCommand),
    /// Print a completion script for a shell.
    Completions(completions::Completions),
    /// Print the version.
    Version,
}

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("BATON_LOG").unwrap_or_else(|_| "warn".into()),
        )
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .without_time()
        .init();
    let arguments = claims::label_state::under_own_name(std::env::args_os());
    if claims::label_state::answers_doctor(&arguments, std::env::var("ALFRED_DOCTOR").ok().as_deref()) {
        return ExitCode::SUCCESS;
    }
    match run(Arguments::parse_from(arguments).command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !error.is_silent() {
                eprintln!("{error}");
            }
            error.exit_code()
        }
    }
}

fn run(command: Command) -> Result<(), CommandError> {
    match command {
        Command::Claims(command) => claims::run(command),
        Command::Flow(command) => flow::run(command),
        Command::Chain(command) => chain::run(&command),
        Command::Config(command) => config::run(&command),
        Command::Stages(command) => stages::run(&command),
        Command::Prompts(command) => prompts::run(&command),
        Command::Worktrees(command) => worktrees::run(&command),
        Command::Explain(command) => command.run(),
        Command::Docs(command) => {
            docs::run(&command);
            Ok(())
        }
        Command::Forge(command) => forge::run(command),
        Command::Completions(completions) => completions.run::<Arguments>(),
        Command::Version => {
            println!("baton {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
    }
}
