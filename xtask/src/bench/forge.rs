//! Runs the forge's benchmark: builds the binary and the load program, then lets the latter measure.
//!
//! The measuring itself is a bench target of `baton-forge`, so that this tool stays quick to build. The figures are printed
//! and kept in a file under the target directory.

use std::fs;

use anyhow::{Context as _, Result};

use crate::command;
use crate::workspace::Workspace;

/// Options of `cargo xtask bench forge`.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(Args {}: Args) -> Result<()> {
    let target = Workspace::find()?.target;
    command::run(command::cargo().args(["build", "--release", "--package", "baton"]))?;
    let kept = target.join("bench");
    fs::create_dir_all(&kept).with_context(|| format!("cannot create {}", kept.display()))?;
    let figures = kept.join("forge.md");
    let mut bench = command::cargo();
    bench.args(["bench", "--quiet", "--package", "baton-forge", "--bench", "forge"]);
    bench.env("BATON_BIN", target.join("release/baton")).env("BATON_BENCH_OUT", &figures);
    command::run(&mut bench)?;
    println!("kept in {}", figures.display());
    Ok(())
}
