//! Labels: on issues, in a repository, and when they came and went.

use baton_core::RepoSlug;
use baton_core::tracker::{Dated, IssueKey, LabelDefinition, LabelEvent};
use http::Method;
use serde_json::{Value, json};

use crate::client::{Answer, Draft, GitHub, map};
use crate::refusal::message_of;
use crate::wire::{EventWire, LabelDefinitionWire, LabelsWire};

const ON_ISSUE: &str = "/repos/{owner}/{repo}/issues/{issue_number}/labels";
const ONE_ON_ISSUE: &str = "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}";
const EVENTS: &str = "/repos/{owner}/{repo}/issues/{issue_number}/events";
const DEFINED: &str = "/repos/{owner}/{repo}/labels";
const ONE_DEFINED: &str = "/repos/{owner}/{repo}/labels/{name}";

pub(super) async fn add(github: &GitHub, issue: &IssueKey, labels: &[&str]) -> Answer<Vec<String>> {
    let draft = github.call(Method::POST, &issue.repo, ON_ISSUE, &[&issue.number.to_string()])?;
    let sent = github.ask(draft.json(&json!({ "labels": labels }))).await?;
    Ok(sent.parse::<LabelsWire>()?.names())
}

pub(super) async fn remove(github: &GitHub, issue: &IssueKey, label: &str) -> Answer<()> {
    let number = issue.number.to_string();
    let draft = github.call(Method::DELETE, &issue.repo, ONE_ON_ISSUE, &[&number, label])?;
    let sent = github.send(draft).await?;
    if sent.status() == 404 { Ok(()) } else { sent.succeeded().map(drop) }
}

pub(super) async fn events(github: &GitHub, issue: &IssueKey) -> Answer<Dated<Vec<LabelEvent>>> {
    let draft = github.call(Method::GET, &issue.repo, EVENTS, &[&issue.number.to_string()])?;
    Ok(map(github.list::<Value>(draft).await?, label_events))
}

/// Takes each event apart by itself, so that one of a kind nobody knows yet does not spoil the list.
fn label_events(list: Vec<Value>) -> Vec<LabelEvent> {
    let events = list.into_iter().filter_map(|event| serde_json::from_value::<EventWire>(event).ok());
    let mut events: Vec<_> = events.filter_map(EventWire::label_event).collect();
    events.sort_by_key(|event| event.at);
    events
}

pub(super) async fn definitions(github: &GitHub, repo: &RepoSlug) -> Answer<Vec<LabelDefinition>> {
    let list = github.list::<LabelDefinitionWire>(github.call(Method::GET, repo, DEFINED, &[])?).await?;
    Ok(list.value.into_iter().map(LabelDefinition::from).collect())
}

pub(super) async fn define(
    github: &GitHub,
    repo: &RepoSlug,
    label: &LabelDefinition,
    exists: bool,
) -> Answer<()> {
    if !exists {
        let sent = github.send(creation(github, repo, label)?).await?;
        // Somebody else, or a first attempt whose answer was lost, has made it in the meantime.
        if sent.status() != 422 || !message_of(&sent.reply).contains("already_exists") {
            return sent.succeeded().map(drop);
        }
    }
    github.ask(change(github, repo, label)?).await.map(drop)
}

fn creation(github: &GitHub, repo: &RepoSlug, label: &LabelDefinition) -> Answer<Draft> {
    let fields = json!({ "name": label.name, "color": label.color, "description": label.description });
    Ok(github.call(Method::POST, repo, DEFINED, &[])?.json(&fields))
}

fn change(github: &GitHub, repo: &RepoSlug, label: &LabelDefinition) -> Answer<Draft> {
    let fields = json!({ "color": label.color, "description": label.description });
    Ok(github.call(Method::PATCH, repo, ONE_DEFINED, &[&label.name])?.json(&fields))
}
