//! The writes of the pipeline: signs on comments, threads, drafts, reviewers, and parts of issues.
//!
//! All of them may be done twice. Where GitHub refuses the second time, a look tells whether that is because of the first.

use baton_core::RepoSlug;
use baton_core::pipeline::authors::is_bot_login;
use baton_core::pipeline::effect::{Place, Reaction};
use baton_core::tracker::{Dated, IssueKey};
use baton_ports::TrackerErrorKind;
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::sight::HIDDEN_TEAM;
use crate::call::Repeat;
use crate::client::graph::gone;
use crate::client::{Answer, GitHub, Sent};
use crate::graphql::page::InRepository;
use crate::graphql::pull::{DraftStateWire, OnePullWire};
use crate::graphql::{DRAFT_STATE, MARK_READY, RESOLVE_THREAD};

const ON_COMMENT: &str = "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions";
const ON_REVIEW_COMMENT: &str = "/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions";
pub(super) const REVIEWERS: &str = "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers";
const ISSUE: &str = "/repos/{owner}/{repo}/issues/{issue_number}";
const PARTS: &str = "/repos/{owner}/{repo}/issues/{issue_number}/sub_issues";
const BLOCKERS: &str = "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by";

pub(super) async fn react(
    github: &GitHub,
    repo: &RepoSlug,
    on: Place,
    comment: u64,
    with: Reaction,
) -> Answer<()> {
    let endpoint = match on {
        Place::Issue => ON_COMMENT,
        Place::Pull => ON_REVIEW_COMMENT,
    };
    let draft = github.call(Method::POST, repo, endpoint, &[&comment.to_string()])?;
    // The pipeline's words for signs are GitHub's.
    github.ask(draft.json(&json!({ "content": with.as_str() }))).await.map(drop)
}

pub(super) async fn resolve_thread(github: &GitHub, repo: &RepoSlug, thread: &str) -> Answer<()> {
    let asked = json!({ "thread": thread });
    match github.mutate::<Value>(repo, &RESOLVE_THREAD, asked, Repeat::Always).await {
        Err(error) if error.kind == TrackerErrorKind::NotFound => Ok(()),
        answer => answer.map(drop),
    }
}

pub(super) async fn mark_ready(github: &GitHub, repo: &RepoSlug, number: u64) -> Answer<()> {
    let before = draft_state(github, repo, number).await?;
    if !before.is_draft {
        return Ok(());
    }
    let marked =
        github.mutate::<Value>(repo, &MARK_READY, json!({ "pull": before.id }), Repeat::Always).await;
    match marked {
        Ok(_) => Ok(()),
        // Somebody, or an attempt whose answer was lost, may have been faster.
        Err(error) => match draft_state(github, repo, number).await {
            Ok(after) if !after.is_draft => Ok(()),
            _ => Err(error),
        },
    }
}

async fn draft_state(github: &GitHub, repo: &RepoSlug, number: u64) -> Answer<DraftStateWire> {
    let variables = json!({ "owner": repo.owner(), "name": repo.name(), "number": number });
    let answer: Dated<InRepository<OnePullWire<DraftStateWire>>> =
        github.query(repo, &DRAFT_STATE, variables).await?;
    let pull = answer.value.repository.and_then(|repository| repository.pull_request);
    pull.ok_or_else(|| gone(&DRAFT_STATE))
}

pub(super) async fn ask_reviewers_again(
    github: &GitHub,
    repo: &RepoSlug,
    number: u64,
    logins: &[String],
) -> Answer<()> {
    for group in groups(logins) {
        let taken_back = reviewers(github, repo, number, Method::DELETE, &group).await?;
        // Whoever was not asked cannot be un-asked; that is as good.
        if taken_back.status() != 422 {
            taken_back.succeeded()?;
        }
        let asked = reviewers(github, repo, number, Method::POST, &group).await?;
        let is_refused = matches!(asked.status(), 403 | 404 | 422);
        match group.may_refuse && is_refused {
            true => tracing::debug!(?group, answer = asked.status(), "a reviewer cannot be asked"),
            false => drop(asked.succeeded()?),
        }
    }
    Ok(())
}

/// Reviewers who are asked together.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    people: Vec<String>,
    teams: Vec<String>,
    /// Not every program and every team can be asked through the API.
    may_refuse: bool,
}

/// People together; programs and teams one by one, so that one that cannot be asked keeps nobody else from being asked.
fn groups(logins: &[String]) -> Vec<Group> {
    let is_team = |login: &&String| login.contains('/');
    let (bots, people): (Vec<_>, Vec<_>) =
        logins.iter().filter(|login| !is_team(login)).cloned().partition(|login| is_bot_login(login));
    let mut groups = Vec::new();
    if !people.is_empty() {
        groups.push(Group { people, teams: Vec::new(), may_refuse: false });
    }
    groups.extend(bots.into_iter().map(|bot| Group {
        people: vec![bot],
        teams: Vec::new(),
        may_refuse: true,
    }));
    // A team is known by its organization and name, and asked by its name alone.
    let teams = logins.iter().filter(is_team).filter_map(|team| team.rsplit('/').next());
    let teams = teams.filter(|team| *team != HIDDEN_TEAM);
    groups.extend(teams.map(|team| Group {
        people: Vec::new(),
        teams: vec![team.to_owned()],
        may_refuse: true,
    }));
    groups
}

async fn reviewers(
    github: &GitHub,
    repo: &RepoSlug,
    number: u64,
    method: Method,
    group: &Group,
) -> Answer<Sent> {
    let draft = github.call(method, repo, REVIEWERS, &[&number.to_string()])?;
    github.send(draft.json(&json!({ "reviewers": group.people, "team_reviewers": group.teams }))).await
}

#[derive(Debug, Deserialize)]
struct DatabaseIdWire {
    id: u64,
}

pub(super) async fn link_part(github: &GitHub, whole: &IssueKey, part: &IssueKey) -> Answer<()> {
    let draft = github.call(Method::GET, &part.repo, ISSUE, &[&part.number.to_string()])?;
    let id = github.ask(draft).await?.parse::<DatabaseIdWire>()?.id;
    // It need not be the first time that this is tried, so each link is made by itself.
    link(github, whole, PARTS, "sub_issue_id", id).await?;
    link(github, whole, BLOCKERS, "issue_id", id).await
}

async fn link(github: &GitHub, whole: &IssueKey, endpoint: &'static str, key: &str, id: u64) -> Answer<()> {
    let number = whole.number.to_string();
    let draft = github.call(Method::POST, &whole.repo, endpoint, &[&number])?;
    let sent = github.send(draft.json(&json!({ key: id }))).await?;
    if sent.reply.status.is_success() {
        return Ok(());
    }
    let refused = sent.refused();
    if refused.kind != TrackerErrorKind::Invalid {
        return Err(refused);
    }
    let list = github.call(Method::GET, &whole.repo, endpoint, &[&number])?;
    let linked = github.list::<DatabaseIdWire>(list).await?.value;
    if linked.iter().any(|other| other.id == id) { Ok(()) } else { Err(refused) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_or_a_team_that_cannot_be_asked_keeps_nobody_else_from_being_asked() {
        let logins = ["ann", "acme/core", "acme/(hidden team)", "relay[bot]", "bob"].map(str::to_owned);
        let shown: Vec<_> = groups(&logins)
            .into_iter()
            .map(|group| (group.people.join(","), group.teams.join(","), group.may_refuse))
            .collect();
        let row = |people: &str, teams: &str, may_refuse| (people.to_owned(), teams.to_owned(), may_refuse);
        assert_eq!(shown, [row("ann,bob", "", false), row("relay[bot]", "", true), row("", "core", true)]);
        assert!(groups(&[]).is_empty());
    }
}
