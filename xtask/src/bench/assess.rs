//! Runs the benchmark of the rules, which is a bench target of `baton-core`. The figures are printed and kept in a file
//! under the target directory.

use std::fs;

use anyhow::{Context as _, Result};

use crate::command;
use crate::workspace::Workspace;

/// Options of `cargo xtask bench assess`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many issues are decided about.
    #[arg(long, default_value_t = 100_000)]
    items: usize,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let kept = Workspace::find()?.target.join("bench");
    fs::create_dir_all(&kept).with_context(|| format!("cannot create {}", kept.display()))?;
    let figures = kept.join("assess.md");
    let mut bench = command::cargo();
    bench.args(["bench", "--quiet", "--package", "baton-core", "--bench", "assess"]);
    bench.env("BATON_BENCH_ITEMS", args.items.to_string()).env("BATON_BENCH_OUT", &figures);
    command::run(&mut bench)?;
    println!("kept in {}", figures.display());
    Ok(())
}
