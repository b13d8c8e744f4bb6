//! Runs the benchmark of the rules, which is a bench target of `baton-core`. The figures are printed and kept in a file
//! under the target directory.

use anyhow::Result;

use super::Target;

/// Options of `cargo xtask bench assess`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many issues are decided about.
    #[arg(long, default_value_t = 100_000)]
    items: usize,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    Target::new("baton-core", "assess")?.with("BATON_BENCH_ITEMS", &args.items.to_string()).run()
}
