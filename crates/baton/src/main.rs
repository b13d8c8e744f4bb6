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

mod board;
mod bounded;
mod chain;
mod claims;
mod command_error;
mod completions;
mod config;
mod dash;
mod demo;
mod docs;
mod doctor;
mod explain;
mod flow;
mod forge;
mod init;
mod mcp;
mod prompts;
mod report;
mod script_agent;
mod stages;
mod telemetry;
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
#[command(after_help = "Examples:
  baton demo                             the whole relay on embedded parts, in half a minute
  baton up                               the engine and the dashboard
  baton status                           who works on what, and what waits for what
  baton explain acme/web#42              why an issue moves or not
  baton claim acme/web#42 -- ./agent.sh  hold an issue while a command runs

Exit codes: 0 yes, 1 no, 2 usage, 3 out of reach. `baton COMMAND --help` has examples of each.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Watch five issues travel from Specify to a merged pull request, on embedded parts, in about half a minute.
    Demo(demo::Demo),
    /// Set a repository up: write baton.yaml and the stages, make labels, install the hook, and check everything.
    Init(init::Init),
    /// Check everything that the relay needs, and say what helps.
    Doctor(doctor::Doctor),
    /// The relay on a terminal, from the dashboard of an engine: see issues, runs and logs, and steer them.
    Board(board::Board),
    #[command(flatten)]
    Claims(claims::ClaimsCommand),
    #[command(flatten)]
    Flow(flow::FlowCommand),
    /// Open the dashboard in a browser.
    Dash(dash::Dash),
    /// How much was done in a period, how long it took, and what it cost.
    Report(report::ReportCommand),
    /// One feature as pull requests in several repositories that tell of each other.
    #[command(
        subcommand,
        after_help = "Examples:
  baton chain execute login --title \"Log in\" --part acme/api --part acme/web
  baton chain wait login --timeout 2h  until all are merged"
    )]
    Chain(chain::ChainCommand),
    /// The configuration.
    #[command(
        subcommand,
        after_help = "Examples:
  baton config show    every setting, and where it came from
  baton config schema  for editors"
    )]
    Config(config::ConfigCommand),
    /// The stages that issues go through, and what their agents are told.
    #[command(
        subcommand,
        after_help = "Examples:
  baton stages check               whether issues get through
  baton stages show Plan --prompt  what its agent is told"
    )]
    Stages(stages::StagesCommand),
    /// What agents read when they start, and the templates of it.
    #[command(
        subcommand,
        after_help = "Examples:
  baton prompts show ci_fix --stage Validate  as an agent would read it
  baton prompts write stage                   to change it"
    )]
    Prompts(prompts::PromptsCommand),
    /// The places on this machine where agents work.
    #[command(
        subcommand,
        after_help = "Examples:
  baton worktrees list
  baton worktrees prune --older-than 30d  those that nobody misses"
    )]
    Worktrees(worktrees::WorktreesCommand),
    /// Tell why an issue is moving or not: the rules in order, what they looked at, and what would be done.
    Explain(explain::Explain),
    /// Serve the relay's verbs as tools to an agent, over the Model Context Protocol on standard input and output.
    Mcp(mcp::Mcp),
    /// Print pages of the documentation that are made from the code.
    #[command(
        subcommand,
        after_help = "Examples:
  baton docs man --dir man  a page for each command
  baton docs state-machine  how issues move"
    )]
    Docs(docs::DocsCommand),
    /// A GitHub-compatible forge in one process: issues, labels, comments, refs and git.
    #[command(
        subcommand,
        after_help = "Examples:
  baton forge serve                                 on http://127.0.0.1:7070
  baton forge repo create acme/web --import ../web  with the history of another"
    )]
    Forge(forge::ForgeCommand),
    /// Print a completion script for a shell.
    Completions(completions::Completions),
    /// Print the version.
    #[command(after_help = "Examples:
  baton version

Exit codes:
  0  printed")]
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
        Command::Demo(command) => command.run(),
        Command::Init(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Board(command) => command.run(),
        Command::Claims(command) => claims::run(command),
        Command::Flow(command) => flow::run(command),
        Command::Dash(command) => command.run(),
        Command::Report(command) => command.run(),
        Command::Chain(command) => chain::run(&command),
        Command::Config(command) => config::run(&command),
        Command::Stages(command) => stages::run(&command),
        Command::Prompts(command) => prompts::run(&command),
        Command::Worktrees(command) => worktrees::run(&command),
        Command::Explain(command) => command.run(),
        Command::Mcp(command) => command.run(),
        Command::Docs(command) => docs::run::<Arguments>(&command),
        Command::Forge(command) => forge::run(command),
        Command::Completions(completions) => completions.run::<Arguments>(),
        Command::Version => {
            println!("baton {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
    }
}
