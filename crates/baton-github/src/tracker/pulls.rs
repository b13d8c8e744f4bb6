//! Pull requests.

use baton_core::RepoSlug;
use baton_core::tracker::{Merge, NewPull, Pull, PullEdit, PullOpening, PullState};
use http::Method;
use serde_json::{Map, json};

use crate::client::{Answer, GitHub, Sent};
use crate::refusal::{message_of, sentence_of};
use crate::wire::{MergeWire, PullWire, RepoWire};

const REPO: &str = "/repos/{owner}/{repo}";
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

pub(super) async fn by_head(github: &GitHub, repo: &RepoSlug, branch: &str) -> Answer<Vec<Pull>> {
    let head = format!("{}:{branch}", repo.owner());
    let query = [("state", "all"), ("head", head.as_str()), ("sort", "created"), ("direction", "asc")];
    let list = github.list::<PullWire>(github.call(Method::GET, repo, LIST, &[])?.query(&query)).await?;
    // The filter is by owner and branch: a fork under the same owner passes it, and servers that do not know it send all.
    let own = list.value.into_iter().filter(PullWire::is_from_own_branch).map(Pull::from);
    let mut pulls: Vec<_> = own.filter(|pull| pull.head_branch == branch).collect();
    pulls.sort_by_key(|pull| pull.number);
    pulls.dedup_by_key(|pull| pull.number);
    Ok(pulls)
}

pub(super) async fn create(github: &GitHub, repo: &RepoSlug, pull: &NewPull) -> Answer<PullOpening> {
    let NewPull { head, base, title, body, is_draft } = pull;
    let fields = json!({ "head": head, "base": base, "title": title, "body": body, "draft": is_draft });
    let draft = github.call(Method::POST, repo, LIST, &[])?.json(&fields).once();
    let sent = github.send(draft).await?;
    if sent.status() == 422 && message_of(&sent.reply).contains("pull request already exists") {
        return Ok(PullOpening::Exists);
    }
    Ok(PullOpening::Opened(sent.succeeded()?.parse::<PullWire>()?.into()))
}

pub(super) async fn edit(github: &GitHub, repo: &RepoSlug, number: u64, edit: &PullEdit) -> Answer<Pull> {
    let given = [("title", &edit.title), ("body", &edit.body)].into_iter();
    let fields: Map<_, _> =
        given.filter_map(|(name, text)| Some((name.to_owned(), text.clone()?.into()))).collect();
    let draft = github.call(Method::PATCH, repo, ONE, &[&number.to_string()])?;
    Ok(github.ask(draft.json(&fields.into())).await?.parse::<PullWire>()?.into())
}

pub(super) async fn default_branch(github: &GitHub, repo: &RepoSlug) -> Answer<String> {
    Ok(github.ask(github.call(Method::GET, repo, REPO, &[])?).await?.parse::<RepoWire>()?.default_branch)
}

pub(super) async fn merge(github: &GitHub, repo: &RepoSlug, number: u64, head_sha: &str) -> Answer<Merge> {
    let draft = github.call(Method::PUT, repo, MERGE, &[&number.to_string()])?;
    let sent = github
        .send(draft.json(&json!({ "sha": head_sha, "merge_method": github.merge_method().as_str() })))
        .await?;
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
