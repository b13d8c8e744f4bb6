//! The referee: makes the trial merges that readers order, and merges what waits to be merged by itself.
//!
//! One task, one thing at a time, on threads that may block. An order names a pull request; which commits are tried is
//! looked up when its turn comes, so an order can be late but never about the wrong tips. What waits for a merge is looked
//! at when there is news in its repository, and once at the start, so nothing is lost by a restart.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use git2::Oid;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use super::{auto_merge, standing};
use crate::db::pulls::{self, Trial};
use crate::git::merge;
use crate::http::error::ApiError;
use crate::news::{News, Scope, What};
use crate::server::Inner;
use crate::sync::lock;

/// Where trial merges are ordered.
pub(crate) struct Referee {
    orders: UnboundedSender<i64>,
    /// What is ordered already, so that a thousand readers order one trial.
    waiting: Mutex<BTreeSet<i64>>,
}

impl Referee {
    pub(crate) fn new() -> (Self, UnboundedReceiver<i64>) {
        let (orders, queue) = unbounded_channel();
        (Self { orders, waiting: Mutex::default() }, queue)
    }

    /// Orders a trial merge of a pull request.
    pub(crate) fn order(&self, pull_id: i64) {
        if lock(&self.waiting).insert(pull_id) {
            // Nobody takes orders once the forge is being shut down.
            let _ = self.orders.send(pull_id);
        }
    }

    fn begin(&self, pull_id: i64) {
        lock(&self.waiting).remove(&pull_id);
    }
}

/// Serves until the forge stops.
pub(crate) async fn serve(
    forge: Arc<Inner>,
    mut orders: UnboundedReceiver<i64>,
    mut news: UnboundedReceiver<Arc<News>>,
    mut stopped: watch::Receiver<bool>,
) {
    blocking(&forge, |forge| auto_merge::look(forge, None)).await;
    loop {
        tokio::select! {
            _ = stopped.changed() => break,
            Some(pull_id) = orders.recv() => {
                forge.referee.begin(pull_id);
                blocking(&forge, move |forge| try_merge(forge, pull_id)).await;
            }
            Some(first) = news.recv() => {
                // News that came together about one repository are looked at once.
                let mut repos: BTreeSet<i64> = concerned(&first).into_iter().collect();
                while let Ok(next) = news.try_recv() {
                    repos.extend(concerned(&next));
                }
                for repo_id in repos {
                    blocking(&forge, move |forge| auto_merge::look(forge, Some(repo_id))).await;
                }
            }
        }
    }
}

async fn blocking(
    forge: &Arc<Inner>,
    work: impl FnOnce(&Arc<Inner>) -> Result<(), ApiError> + Send + 'static,
) {
    let forge = Arc::clone(forge);
    match tokio::task::spawn_blocking(move || work(&forge)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(error = error.message, "the referee could not decide"),
        Err(error) => tracing::error!(%error, "the referee failed"),
    }
}

/// The repository in which news may decide about a merge.
fn concerned(news: &News) -> Option<i64> {
    let Scope::Repo(repo_id) = news.scope else { return None };
    match &news.what {
        What::Issue { .. }
        | What::Review { .. }
        | What::ReviewThread { .. }
        | What::CheckSuite { .. }
        | What::CheckRun { .. }
        | What::Status { .. }
        | What::Push { .. }
        | What::Protection => Some(repo_id),
        _ => None,
    }
}

/// Tries to merge the tips of a pull request, unless that was done already, and writes down how it ended.
pub(crate) fn try_merge(forge: &Arc<Inner>, pull_id: i64) -> Result<(), ApiError> {
    let found = forge.db.read(|conn| {
        let Some((issue, pull)) = pulls::by_id(conn, pull_id)? else { return Ok(None) };
        let tip = standing::base_tip(conn, issue.repo_id, &pull)?;
        Ok::<_, ApiError>(Some((issue, pull, tip)))
    })??;
    let Some((issue, pull, Some(base))) = found else { return Ok(()) };
    if !issue.is_open() || standing::valid_trial(&pull, Some(&base)).is_some() {
        return Ok(());
    }
    let repository = forge.git.open(issue.repo_id)?;
    let base_commit = repository.find_commit(Oid::from_str(&base)?)?;
    let head_commit = repository.find_commit(Oid::from_str(&pull.head_oid)?)?;
    let clean = merge::is_clean(&repository, &base_commit, &head_commit)?;
    let trial = Trial { base, head: pull.head_oid, clean };
    forge.db.writer().write_blocking(move |tx| Ok::<_, ApiError>(pulls::set_trial(tx, pull_id, &trial)?))
}
