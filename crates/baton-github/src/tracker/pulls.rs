//! Pull requests.

use baton_core::RepoSlug;
use baton_core::tracker::{Merge, Pull, PullState};
use http::Method;
use serde_json::json;

use crate::client::{Answer, GitHub, Sent};
use crate::refusal::sentence_of;
use crate::wire::{MergeWire, PullWire};

const LIST: &str = "/repos/{owner}/{repo}/pulls";
const ONE: &str = "/repos/{owner}/{repo}/pulls/{pull_number}";
const MERGE: &str = "/repos/{owner}/{repo}/pulls/{pull_number}/merge";

pub(super) async fn get(github: &GitHub, repo: &RepoSlug, number: u64) -> Answer<Pull> {
    Ok(read(github, repo, number).await?.into())
}

async fn read(github: &GitHub, repo: &RepoSlug, number: u64) -> Answer<PullWire> {
    github.ask(github.call(Method::GET, repo, ONE, &[&number.to_string()])?).await?.parse()
}

pub(super) async fn open(github: &GitHub, repo: &RepoSlug) -> Answer<Vec<Pull>> {
    let query = [("state", "open"), ("sort", "created"), ("direction", "asc")];
    let list = github.list::<PullWire>(github.call(Method::GET, repo, LIST, &[])?.query(&query)).await?;
    Ok(list.value.into_iter().map(Pull::from).collect())
}

pub(super) async fn merge(github: &GitHub, repo: &RepoSlug, number: u64, head_sha: &str) -> Answer<Merge> {
    let draft = github.call(Method::PUT, repo, MERGE, &[&number.to_string()])?;
    let sent = github.send(draft.json(&json!({ "sha": head_sha }))).await?;
    match sent.status() {
        // The head is part of the request, so a second attempt cannot merge more; but it is told "not mergeable".
        405 if sent.reply.is_after_doubt => merged_before(github, repo, number, head_sha, &sent).await,
        405 => Ok(Merge::NotMergeable(sentence_of(&sent.reply))),
        409 => Ok(Merge::HeadMoved),
        _ => Ok(Merge::Merged(sent.succeeded()?.parse::<MergeWire>()?.sha)),
    }
}

/// Finds out whether an attempt without an answer was the one that merged.
async fn merged_before(
    github: &GitHub,
    repo: &RepoSlug,
    number: u64,
    head_sha: &str,
    sent: &Sent,
) -> Answer<Merge> {
    let wire = read(github, repo, number).await?;
    let commit = wire.merge_commit_sha.clone();
    let pull = Pull::from(wire);
    Ok(match pull.state {
        PullState::Merged if pull.head_sha == head_sha => Merge::Merged(commit),
        _ => Merge::NotMergeable(sentence_of(&sent.reply)),
    })
}
