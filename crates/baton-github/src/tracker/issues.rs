//! Issues.

use std::collections::BTreeSet;

use baton_core::RepoSlug;
use baton_core::tracker::{Dated, Issue, IssueKey, IssueState};
use http::Method;
use serde_json::json;

use crate::client::{Answer, GitHub, map};
use crate::wire::{IssueWire, NumberWire};

const LIST: &str = "/repos/{owner}/{repo}/issues";
const ONE: &str = "/repos/{owner}/{repo}/issues/{issue_number}";

pub(super) async fn get(github: &GitHub, issue: &IssueKey) -> Answer<Dated<Issue>> {
    let draft = github.call(Method::GET, &issue.repo, ONE, &[&issue.number.to_string()])?;
    Ok(map(github.ask(draft).await?.dated::<IssueWire>()?, Issue::from))
}

pub(super) async fn labelled(
    github: &GitHub,
    repo: &RepoSlug,
    label: &str,
    state: IssueState,
) -> Answer<Dated<Vec<Issue>>> {
    let state = match state {
        IssueState::Open => "open",
        IssueState::Any => "all",
    };
    let query = [("labels", label), ("state", state), ("sort", "created"), ("direction", "asc")];
    let list = github.list::<IssueWire>(github.call(Method::GET, repo, LIST, &[])?.query(&query)).await?;
    Ok(map(list, issues_of))
}

/// Leaves out pull requests, and what moved from one page to the next while they were read.
fn issues_of(list: Vec<IssueWire>) -> Vec<Issue> {
    let mut seen = BTreeSet::new();
    let issues = list.into_iter().map(Issue::from).filter(|issue| !issue.is_pull);
    issues.filter(|issue| seen.insert(issue.number)).collect()
}

pub(super) async fn open(
    github: &GitHub,
    repo: &RepoSlug,
    title: &str,
    body: &str,
    labels: &[&str],
) -> Answer<u64> {
    let fields = json!({ "title": title, "body": body, "labels": labels });
    let draft = github.call(Method::POST, repo, LIST, &[])?.json(&fields).once();
    Ok(github.ask(draft).await?.parse::<NumberWire>()?.number)
}

pub(super) async fn close(github: &GitHub, issue: &IssueKey) -> Answer<()> {
    let draft = github.call(Method::PATCH, &issue.repo, ONE, &[&issue.number.to_string()])?;
    github.ask(draft.json(&json!({ "state": "closed" }))).await.map(drop)
}

pub(super) async fn edit(github: &GitHub, issue: &IssueKey, body: &str) -> Answer<()> {
    let draft = github.call(Method::PATCH, &issue.repo, ONE, &[&issue.number.to_string()])?;
    github.ask(draft.json(&json!({ "body": body }))).await.map(drop)
}
