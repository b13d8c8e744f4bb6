//! `baton worktrees list`: the places there are, and how they stand.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use baton_core::workspace::Listed;
use baton_git::GitWorkspaces;
use clap::Args;
use serde_json::json;

use super::wiring::workspaces;
use crate::claims::context::{print_json, spoken};
use crate::claims::naming::Naming;
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Surroundings};
use crate::flow::table;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton worktrees list
  baton worktrees list --repo acme/web --json  for programs

Exit codes:
  0  listed, even if there are none")]
pub(crate) struct List {
    /// Only of this repository: OWNER/REPO, or REPO.
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgument,
}

impl List {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(Vec::new(), &surroundings)?;
        let workspaces = workspaces(&loaded, &surroundings)?;
        let api_url = &loaded.resolved.config.api_url;
        let naming = Naming { api_url, surroundings: &surroundings };
        let repo = self.repo.as_deref().map(|repo| naming.repo(Some(repo))).transpose()?;
        let listed = block_on(async {
            match &repo {
                Some(repo) => workspaces.list_of(repo).await,
                None => workspaces.list().await,
            }
        })??;
        if self.json {
            return print_json(&json!({ "worktrees": listed.iter().map(shape).collect::<Vec<_>>() }));
        }
        print(&listed, &surroundings);
        Ok(())
    }
}

/// Runs something to its end.
pub(super) fn block_on<F: Future>(future: F) -> Result<F::Output, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| CommandError::OutOfReach(format!("no runtime: {error}")))?;
    Ok(runtime.block_on(future))
}

/// How long ago something in a place was last changed.
pub(super) fn age(listed: &Listed) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(Duration::from_secs(u64::try_from(listed.changed_at).unwrap_or(0)))
}

/// All places of this machine.
pub(super) async fn all(workspaces: &GitWorkspaces) -> Result<Vec<Listed>, CommandError> {
    Ok(workspaces.list().await?)
}

fn shape(listed: &Listed) -> serde_json::Value {
    json!({
        "issue": listed.issue.to_string(), "path": listed.path, "branch": listed.branch, "head": listed.head,
        "dirty": listed.is_dirty, "unpushed": listed.unpushed, "processes": listed.processes,
        "changed_at": listed.changed_at,
    })
}

fn print(listed: &[Listed], surroundings: &Surroundings) {
    if listed.is_empty() {
        eprintln!("there are no work trees here");
        return;
    }
    let lines: Vec<_> = listed.iter().map(|it| line(it, surroundings)).collect();
    table::print(["ISSUE", "BRANCH", "STATE", "AGE", "PATH"], &lines);
}

fn line(listed: &Listed, surroundings: &Surroundings) -> table::Line<5> {
    let cells = [
        listed.issue.to_string(),
        listed.branch.clone().unwrap_or_else(|| table::NONE.to_owned()),
        state(listed),
        spoken(age(listed)),
        surroundings.shown(&listed.path),
    ];
    table::Line { cells, is_alarming: listed.head.is_none() }
}

/// What is in a place that the remote has not, in a few words.
pub(super) fn state(listed: &Listed) -> String {
    let mut words = Vec::new();
    if listed.head.is_none() {
        words.push("unknown to git".to_owned());
    }
    if listed.is_dirty {
        words.push("changed".to_owned());
    }
    if listed.unpushed > 0 {
        words.push(format!("{} not pushed", listed.unpushed));
    }
    if !listed.processes.is_empty() {
        words.push("in use".to_owned());
    }
    if words.is_empty() { "clean".to_owned() } else { words.join(", ") }
}
