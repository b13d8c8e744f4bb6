//! Commits of the scripted agent, through the git program.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use baton_core::time::ServerTime;

/// Commits everything, unless nothing has changed; returns what git said.
pub(super) fn commit(root: &Path, message: &str, at: Option<ServerTime>) -> Result<String, String> {
    said(git(root).args(["add", "--all"]))?;
    let staged = run(git(root).args(["diff", "--cached", "--quiet"]))?;
    if staged.status.success() {
        return Ok("nothing to commit".to_owned());
    }
    let mut commit = git(root);
    if !run(git(root).args(["config", "user.email"]))?.status.success() {
        commit.args(["-c", "user.name=Scripted agent", "-c", "user.email=agent@baton.invalid"]);
    }
    if let Some(at) = at {
        let date = format!("{} +0000", at.0);
        commit.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
    }
    said(commit.args(["commit", "--quiet", "--message", message]))?;
    said(git(root).args(["log", "-1", "--format=%h %s"]))
}

fn git(root: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(root).stdin(Stdio::null());
    git
}

fn run(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|error| format!("git cannot be run: {error}"))
}

fn said(command: &mut Command) -> Result<String, String> {
    let output = run(command)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!("git failed: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}
