//! The coding agents that contract tests start: Claude Code, Codex and Gemini, from the lock file in `contract/agents`.
//!
//! Only the packages of this platform are fetched, and they are large. The programs are not started here.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::entry::Making;
use super::packages::Packages;
use crate::workspace::Workspace;

pub(crate) fn ensure(workspace: &Workspace, cache: &Path) -> Result<()> {
    let source = workspace.root.join("contract").join("agents");
    let packages = Packages { title: "coding agents", name: "coding-agents", source: &source };
    packages.ensure(cache, place_claude)?.link(&workspace.contract().join("agents"))
}

/// Claude Code's package has a placeholder where its program belongs. Its own script puts the program there, from a package
/// that npm has fetched and checked; it is the only script that is run.
fn place_claude(making: &Making<'_>) -> Result<()> {
    let script = making.path.join("node_modules/@anthropic-ai/claude-code/install.cjs");
    making
        .run(Command::new("node").arg(&script).current_dir(making.path))
        .context("placing the program of Claude Code")
}
