//! Runs the benchmark of agents, which is a bench target of `baton`. The figures are printed and kept in a file under the
//! target directory.

use std::fs;

use anyhow::{Context as _, Result};

use crate::command;
use crate::workspace::Workspace;

/// Options of `cargo xtask bench agent`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many times each start is measured.
    #[arg(long, default_value_t = 100)]
    rounds: usize,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let kept = Workspace::find()?.target.join("bench");
    fs::create_dir_all(&kept).with_context(|| format!("cannot create {}", kept.display()))?;
    let figures = kept.join("agent.md");
    let mut bench = command::cargo();
    bench.args(["bench", "--quiet", "--package", "baton", "--bench", "agent"]);
    bench.env("BATON_BENCH_ROUNDS", args.rounds.to_string()).env("BATON_BENCH_OUT", &figures);
    command::run(&mut bench)?;
    println!("kept in {}", figures.display());
    Ok(())
}
