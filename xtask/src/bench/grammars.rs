//! Runs the benchmark of the grammars, which is a bench target of `baton-core`. The steepest figures are printed, and all are
//! kept in a file under the target directory.

use anyhow::Result;

use super::Target;

/// Options of `cargo xtask bench grammars`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Shorter texts: for a look, not for figures.
    #[arg(long)]
    quick: bool,
    /// Only the grammars whose name contains this, such as `claims` or `yaml`.
    #[arg(default_value = "")]
    name: String,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let target = Target::new("baton-core", "grammars")?.with("BATON_BENCH_PARTS", &args.name);
    let target = if args.quick { target.with("BATON_BENCH_QUICK", "1") } else { target };
    target.run()
}
