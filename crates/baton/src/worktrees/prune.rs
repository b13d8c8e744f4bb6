//! `baton worktrees prune`: removes places, each only once nothing is only there.

use std::time::Duration;

use baton_core::config::duration::parse_duration;
use baton_core::tracker::IssueKey;
use baton_core::workspace::{Listed, Removal};
use baton_git::GitWorkspaces;
use baton_ports::Workspaces as _;
use clap::Args;

use super::list::{age, all, block_on, state};
use super::wiring::workspaces;
use crate::claims::naming::{IssueArgument, Naming};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Surroundings};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton worktrees prune --dry-run         what would be removed
  baton worktrees prune --older-than 30d  clean, on the remote, unused and that old
  baton worktrees prune acme/web#42       this one; what only it has is put on the remote

Exit codes:
  0  removed, or there was nothing to remove
  1  a place was kept because it is in use
  3  the remote cannot be reached")]
pub(crate) struct Prune {
    /// The issues: #42 in a checkout, REPO#42, OWNER/REPO#42, or their addresses. What only they have is put on the remote
    /// first. Without any, places are removed that are clean, on the remote, unused, and old.
    #[arg(value_name = "REF")]
    issues: Vec<IssueArgument>,
    /// How long nothing must have changed in a place that is not named, such as 12h or 30d.
    #[arg(long, value_name = "DURATION", default_value = "7d", value_parser = duration, conflicts_with = "issues")]
    older_than: Duration,
    /// Only tell what would be removed.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    config: ConfigArgument,
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| format!("`{text}` is no duration: write 12h or 30d"))
}

impl Prune {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(Vec::new(), &surroundings)?;
        let workspaces = workspaces(&loaded, &surroundings)?;
        let naming = Naming { api_url: &loaded.resolved.config.api_url, surroundings: &surroundings };
        let named: Vec<IssueKey> =
            self.issues.iter().map(|issue| naming.issue(issue)).collect::<Result<_, _>>()?;
        block_on(self.prune(&workspaces, &named))?
    }

    async fn prune(&self, workspaces: &GitWorkspaces, named: &[IssueKey]) -> Result<(), CommandError> {
        let chosen = match named.is_empty() {
            true => self.old(workspaces).await?,
            false => named.to_vec(),
        };
        if chosen.is_empty() {
            eprintln!("there is nothing to remove");
        }
        let mut worst = Ok(());
        for issue in &chosen {
            let end = match self.dry_run {
                true => would(workspaces, issue).await,
                false => remove(workspaces, issue).await,
            };
            worst = worse(worst, end);
        }
        worst
    }

    /// Places that nobody misses: clean, on the remote, unused, and old.
    async fn old(&self, workspaces: &GitWorkspaces) -> Result<Vec<IssueKey>, CommandError> {
        let listed = all(workspaces).await?.into_iter().filter(|it| is_spare(it, self.older_than));
        Ok(listed.map(|it| it.issue).collect())
    }
}

fn is_spare(listed: &Listed, older_than: Duration) -> bool {
    let is_whole = listed.head.is_some() && !listed.is_dirty && listed.unpushed == 0;
    is_whole && listed.processes.is_empty() && age(listed) >= older_than
}

async fn would(workspaces: &GitWorkspaces, issue: &IssueKey) -> Result<(), CommandError> {
    let listed = workspaces.list_of(&issue.repo).await?;
    match listed.iter().find(|it| it.issue.number == issue.number) {
        Some(it) => say!("would remove {issue} ({})", state(it)),
        None => say!("{issue} has no work tree here"),
    }
    Ok(())
}

async fn remove(workspaces: &GitWorkspaces, issue: &IssueKey) -> Result<(), CommandError> {
    match workspaces.remove(issue).await {
        Ok(Removal::Removed { rescued }) if rescued.is_empty() => say!("removed {issue}"),
        Ok(Removal::Removed { rescued }) => {
            say!("removed {issue}; what only it had is on the remote as {}", rescued.join(" "));
        }
        Ok(Removal::Absent) => say!("{issue} has no work tree here"),
        Ok(Removal::Kept(why)) => {
            say!("kept {issue}: {why}");
            return Err(CommandError::Said);
        }
        Err(error) => {
            say!("kept {issue}: {error}");
            return Err(CommandError::SaidWith(std::process::ExitCode::from(3)));
        }
    }
    Ok(())
}

/// What could not be reached weighs more than what was kept.
fn worse(one: Result<(), CommandError>, two: Result<(), CommandError>) -> Result<(), CommandError> {
    match (&one, &two) {
        (Ok(()), _) | (Err(CommandError::Said), Err(_)) => two,
        _ => one,
    }
}
