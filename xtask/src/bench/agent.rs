//! Runs the benchmark of agents, which is a bench target of `baton`. The figures are printed and kept in a file under the
//! target directory.

use anyhow::Result;

use super::Target;

/// Options of `cargo xtask bench agent`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many times each start is measured.
    #[arg(long, default_value_t = 100)]
    rounds: usize,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    Target::new("baton", "agent")?.with("BATON_BENCH_ROUNDS", &args.rounds.to_string()).run()
}
