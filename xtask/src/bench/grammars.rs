//! Runs the benchmark of the grammars, which is a bench target of `baton-core`. The steepest figures are printed, and all are
//! kept in a file under the target directory.

use std::fs;

use anyhow::{Context as _, Result};

use crate::command;
use crate::workspace::Workspace;

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
    let kept = Workspace::find()?.target.join("bench");
    fs::create_dir_all(&kept).with_context(|| format!("cannot create {}", kept.display()))?;
    let figures = kept.join("grammars.md");
    let mut bench = command::cargo();
    bench.args(["bench", "--quiet", "--package", "baton-core", "--bench", "grammars"]);
    bench.env("BATON_BENCH_PARTS", &args.name).env("BATON_BENCH_OUT", &figures);
    if args.quick {
        bench.env("BATON_BENCH_QUICK", "1");
    }
    command::run(&mut bench)?;
    println!("kept in {}", figures.display());
    Ok(())
}
