//! Runs the benchmark of the store, which is a bench target of `baton-store`. The figures are printed and kept in a file
//! under the target directory.

use std::fs;

use anyhow::{Context as _, Result};

use crate::command;
use crate::workspace::Workspace;

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
    let kept = Workspace::find()?.target.join("bench");
    fs::create_dir_all(&kept).with_context(|| format!("cannot create {}", kept.display()))?;
    let figures = kept.join("store.md");
    let mut bench = command::cargo();
    bench.args(["bench", "--quiet", "--package", "baton-store", "--bench", "store"]);
    bench.env("BATON_BENCH_PARTS", args.parts.join(",")).env("BATON_BENCH_OUT", &figures);
    if args.quick {
        bench.env("BATON_BENCH_QUICK", "1");
    }
    command::run(&mut bench)?;
    println!("kept in {}", figures.display());
    Ok(())
}
