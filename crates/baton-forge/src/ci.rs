//! The forge's own CI: runs a command on each push of a branch and reports it as a check run.
//!
//! A push makes a queued check run and a row in `ci_jobs`; at most two jobs run at a time, each in a work tree of exactly
//! its commit ([`job`]). The row goes when the run is completed, so a forge that was cut off runs the rest when it starts
//! again. Deliberately absent: pipelines, caches, secrets and isolation. The command runs as whoever runs the forge.

mod command;
mod job;
mod output;
mod queue;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use baton_core::repo_slug::RepoSlug;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::db::ci_jobs::CiJob;
use crate::db::repos::Repo;
use crate::glob::{self, Slashes};
use crate::http::error::ApiError;
use crate::news::News;
use crate::server::Inner;

/// Jobs that run at the same time.
const RUNNING_MAX: usize = 2;

/// What is run on a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CiRule {
    /// The repository.
    pub repo: RepoSlug,
    /// The name of the check.
    pub name: String,
    /// What a shell is given, in a work tree of the pushed commit.
    pub command: String,
    /// How long it may take.
    pub time_limit: Duration,
    /// Patterns of the branches on which it runs; none means all.
    pub branches: Vec<String>,
}

impl CiRule {
    fn is_for(&self, repo: &Repo) -> bool {
        self.repo.owner().eq_ignore_ascii_case(&repo.owner.login)
            && self.repo.name().eq_ignore_ascii_case(&repo.name)
    }

    fn takes(&self, branch: &str) -> bool {
        let matches = |pattern: &String| glob::matches(pattern, branch, Slashes::Alike);
        self.branches.is_empty() || self.branches.iter().any(matches)
    }
}

/// The CI before it is at work.
pub(crate) struct Ci {
    directory: PathBuf,
    rules: Arc<Vec<CiRule>>,
}

impl Ci {
    pub(crate) fn new(data: &Path, rules: Vec<CiRule>) -> Self {
        Self { directory: data.join("ci"), rules: Arc::new(rules) }
    }

    /// Works until the forge stops. What runs then is killed, and begun anew by the next start.
    pub(crate) async fn serve(
        self,
        forge: Arc<Inner>,
        mut news: UnboundedReceiver<Arc<News>>,
        mut stopped: watch::Receiver<bool>,
    ) {
        let mut waiting: VecDeque<CiJob> = VecDeque::new();
        let (directory, rules) = (self.directory.clone(), Arc::clone(&self.rules));
        waiting.extend(blocking(&forge, move |forge| queue::resume(forge, &directory, &rules)).await);
        if self.rules.is_empty() {
            return;
        }
        let mut running = JoinSet::new();
        loop {
            while running.len() < RUNNING_MAX
                && let Some(next) = waiting.pop_front()
            {
                running.spawn(job::run(
                    Arc::clone(&forge),
                    self.directory.clone(),
                    Arc::clone(&self.rules),
                    next,
                ));
            }
            tokio::select! {
                _ = stopped.changed() => break,
                Some(_) = running.join_next() => {}
                Some(news) = news.recv() => {
                    let rules = Arc::clone(&self.rules);
                    waiting.extend(blocking(&forge, move |forge| queue::hear(forge, &rules, &news)).await);
                }
            }
        }
        running.shutdown().await;
    }
}

async fn blocking(
    forge: &Arc<Inner>,
    work: impl FnOnce(&Arc<Inner>) -> Result<Vec<CiJob>, ApiError> + Send + 'static,
) -> Vec<CiJob> {
    let forge = Arc::clone(forge);
    match tokio::task::spawn_blocking(move || work(&forge)).await {
        Ok(Ok(jobs)) => jobs,
        Ok(Err(error)) => {
            tracing::error!(error = error.message, "the CI could not queue its jobs");
            Vec::new()
        }
        Err(error) => {
            tracing::error!(%error, "the CI failed");
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_without_branches_takes_all_and_a_star_takes_slashes() {
        let rule = |branches: &[&str]| CiRule {
            repo: "acme/web".parse().unwrap(),
            name: "test".to_owned(),
            command: "true".to_owned(),
            time_limit: Duration::from_secs(1),
            branches: branches.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert!(rule(&[]).takes("a/b") && rule(&["*"]).takes("a/b"));
        assert!(rule(&["main", "v*"]).takes("v1") && !rule(&["main", "v*"]).takes("dev"));
    }
}
