//! Runs the benchmark of the engine, which is a bench target of `baton`. The figures are printed and kept in a file under the
//! target directory.

use anyhow::Result;

use super::Target;

/// Options of `cargo xtask bench engine`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Take as long as the aims say: more starts, and a flood of 60 s.
    #[arg(long)]
    full: bool,
    /// Measure only the parts with these names (latency, flood, many, idle), with commas between them.
    #[arg(long, default_value = "")]
    only: String,
    /// The largest board that is measured.
    #[arg(long, default_value_t = 10_000)]
    issues: usize,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let target = Target::new("baton", "engine")?.with("BATON_BENCH_ONLY", &args.only);
    let target = target.with("BATON_BENCH_ISSUES", &args.issues.to_string());
    if args.full { target.with("BATON_BENCH_FULL", "1") } else { target }.run()
}
