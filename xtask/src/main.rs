//! `cargo xtask`: the commands that developers and continuous integration run.
//!
//! This file parses arguments and reports the outcome; each command has a module of its own. Nothing here is part of
//! the product, and the product never depends on it.

#![expect(clippy::disallowed_methods, reason = "development tool: owns processes and files")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "development tool: talks to a terminal")]

mod bench;
mod check;
mod command;
mod junit;
mod plan;
mod progress;
mod runner;
mod setup;
mod sim;
mod steps;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

use crate::workspace::Workspace;

/// Development commands of the Baton workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Install or check everything the tests need.
    Setup,
    /// Run everything continuous integration runs, or only the tests a filter selects.
    Test(test::Args),
    /// Lint what has changed against main and what depends on it, and run the tests of what has changed.
    Check,
    /// Check the rules of the repository that no compiler checks.
    Tidy,
    /// Live through simulated worlds, each from a seed and each twice.
    Sim(sim::Args),
    /// Measure one part of the product.
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    match dispatch(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Setup => setup::run(&Workspace::find()?).map(drop),
        Command::Test(args) => test::run(&Workspace::find()?, &args),
        Command::Check => check::run(&Workspace::find()?),
        Command::Tidy => tidy::run(&Workspace::find()?),
        Command::Sim(args) => sim::run(&args),
        Command::Bench(bench) => bench::run(bench),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_filter_passes_on_every_argument_after_it() {
        let cli = Cli::parse_from(["xtask", "test", "--full", "claims", "--no-capture"]);
        let Command::Test(args) = cli.command else { panic!("`test` was not parsed as the test command") };
        assert!(args.full);
        assert_eq!(args.filter, ["claims", "--no-capture"]);
    }

    #[test]
    fn a_failed_test_is_tried_again_on_request() {
        let cli = Cli::parse_from(["xtask", "test", "--retry", "claims"]);
        let Command::Test(args) = cli.command else { panic!("`test` was not parsed as the test command") };
        assert!(args.retry);
        assert_eq!(args.filter, ["claims"]);
    }

    #[test]
    fn a_filter_after_two_dashes_may_start_with_a_dash() {
        let cli = Cli::parse_from(["xtask", "test", "--", "-E", "test(claims)"]);
        let Command::Test(args) = cli.command else { panic!("`test` was not parsed as the test command") };
        assert_eq!(args.filter, ["-E", "test(claims)"]);
    }
}
