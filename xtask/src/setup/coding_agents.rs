//! The coding agents that contract tests start: Claude Code, Codex and Gemini, from the lock file in `contract/agents`.
//!
//! Only the packages of this platform are fetched, and they are large. The programs are not started here.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::packages::Packages;
use crate::command;
use crate::workspace::Workspace;

pub(crate) fn ensure(workspace: &Workspace) -> Result<()> {
    let source = workspace.root.join("contract").join("agents");
    let directory = workspace.contract().join("agents");
    let packages = Packages { title: "coding agents", source: &source, directory: &directory };
    packages.ensure(place_claude)
}

/// Claude Code's package has a placeholder where its program belongs. Its own script puts the program there, from a package
/// that npm has fetched and checked; it is the only script that is run.
fn place_claude(directory: &Path) -> Result<()> {
    let script = directory.join("node_modules/@anthropic-ai/claude-code/install.cjs");
    command::run(Command::new("node").arg(&script).current_dir(directory))
        .context("placing the program of Claude Code")
}
