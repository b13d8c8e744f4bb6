//! Runs the benchmark of the store, which is a bench target of `baton-store`. The figures are printed and kept in a file
//! under the target directory.

use anyhow::Result;

use super::Target;

/// Options of `cargo xtask bench store`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Short rounds, and few of them: for a look, not for figures.
    #[arg(long)]
    quick: bool,
    /// What to measure: postgres, sqlite, history (of either), nudge. Everything when nothing is named.
    #[arg(value_parser = ["postgres", "sqlite", "history", "nudge"])]
    parts: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let target = Target::new("baton-store", "store")?.with("BATON_BENCH_PARTS", &args.parts.join(","));
    let target = if args.quick { target.with("BATON_BENCH_QUICK", "1") } else { target };
    target.run()
}
