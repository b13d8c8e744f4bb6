//! Runs the benchmark of claims, which is a bench target of `baton`. The figures are printed and kept in a file under the
//! target directory.

use anyhow::Result;

use super::Target;

/// Options of `cargo xtask bench claims`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many issues each contest is over.
    #[arg(long, default_value_t = 20)]
    issues: usize,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    Target::new("baton", "claims")?.with("BATON_BENCH_ISSUES", &args.issues.to_string()).run()
}
