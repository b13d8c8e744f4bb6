//! Reads all that the page of a pull request shows, as many things at once as can be.

use super::client::{ForgeClient, ForgeError};
use super::place::Place;
use super::threads;
use super::wire::{
    CheckRun, CheckRuns, CombinedStatus, Comment, Commit, Label, Pull, Repository, Review, Status, Thread,
};

/// All that the page of a pull request shows.
pub(crate) struct Reading {
    pub(crate) pull: Pull,
    pub(crate) repository: Repository,
    pub(crate) comments: Vec<Comment>,
    pub(crate) reviews: Vec<Review>,
    pub(crate) commits: Vec<Commit>,
    pub(crate) checks: Vec<CheckRun>,
    pub(crate) statuses: Vec<Status>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) labels: Vec<Label>,
}

pub(crate) async fn read(client: &ForgeClient, place: &Place, number: u64) -> Result<Reading, ForgeError> {
    let path = place.api(format_args!("pulls/{number}"));
    let pull: Pull = client.get(&path).await?;
    let root = place.api_root();
    let comments = place.api(format_args!("issues/{number}/comments"));
    let reviews = place.api(format_args!("pulls/{number}/reviews"));
    let commits = place.api(format_args!("pulls/{number}/commits"));
    let checks = place.api(format_args!("commits/{}/check-runs", pull.head.sha));
    let statuses = place.api(format_args!("commits/{}/status", pull.head.sha));
    let labels = place.api("labels");
    let (repository, comments, reviews, commits, checks, statuses, threads, labels) = tokio::try_join!(
        client.get(&root),
        client.get_all(&comments, |page: Vec<Comment>| page),
        client.get_all(&reviews, |page: Vec<Review>| page),
        client.get_all(&commits, |page: Vec<Commit>| page),
        client.get_all(&checks, |page: CheckRuns| page.check_runs),
        client.get_all(&statuses, |page: CombinedStatus| page.statuses),
        threads::read(client, place, number),
        client.get_all(&labels, |page: Vec<Label>| page),
    )?;
    Ok(Reading { pull, repository, comments, reviews, commits, checks, statuses, threads, labels })
}
