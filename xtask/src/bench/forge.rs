//! Runs the forge's benchmark: builds the binary and the load program, then lets the latter measure.
//!
//! The measuring itself is a bench target of `baton-forge`, so that this tool stays quick to build. The figures are printed
//! and kept in a file under the target directory.

use anyhow::Result;

use super::Target;
use crate::command;
use crate::workspace::Workspace;

/// Options of `cargo xtask bench forge`.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(Args {}: Args) -> Result<()> {
    command::run(command::cargo().args(["build", "--profile", "bench", "--package", "baton"]))?;
    // Profiles `bench` and `release` share a directory.
    let binary = Workspace::find()?.target.join("release/baton");
    Target::new("baton-forge", "forge")?.with("BATON_BIN", &binary.to_string_lossy()).run()
}
