//! A sight: everything about an issue and the pull request of its branch, all pages of it.
//!
//! One document reads nearly all of it; further ones are sent only for what has further pages, for a pull request that is
//! not the newest open one of its branch, and for reactions in threads that wait for an answer.

mod checks;
mod labels;
mod places;
mod pull;
mod requests;
mod voices;

use std::collections::BTreeMap;

use baton_core::pipeline::item::{Blocker, LinkedPull};
use baton_core::tracker::{Dated, Issue, IssueKey, Sighting};
use serde_json::json;

use crate::client::graph::{Told, gone};
use crate::client::{Answer, GitHub};
use crate::graphql::comment::CommentWire;
use crate::graphql::issue::{BlockerWire, SightWire, SightedWire, SubjectWire};
use crate::graphql::page::{Connection, login_of};
use crate::graphql::{MORE_BLOCKERS, MORE_COMMENTS, MORE_LABELS, SIGHT, SIGHT_WITH_PLACEMENTS};
pub(super) use requests::HIDDEN_TEAM;
use voices::Room;

/// The parts that a token without the right to read checks, rules, teams or other repositories is refused.
const SPARE: [&str; 4] = ["statusCheckRollup", "refUpdateRule", "requestedReviewer", "blockedBy"];

/// Stands for the repositories of issues that the token may not see. No account of the tracker can have this name.
const HIDDEN_REPO: &str = "not_visible/to_this_token";

pub(super) async fn sight(github: &GitHub, issue: &IssueKey, branch: &str) -> Answer<Dated<Sighting>> {
    let document = if github.reads_placements() { &SIGHT_WITH_PLACEMENTS } else { &SIGHT };
    let (owner, name) = (issue.repo.owner(), issue.repo.name());
    let variables = json!({ "owner": owner, "name": name, "number": issue.number, "branch": branch });
    let told: Told<SightWire> = github.query_sparing(&issue.repo, document, variables, &SPARE).await?;
    let Told { value: SightWire { viewer, repository }, date, refused } = told;
    let SightedWire { viewer_permission, subject, open, all } = repository.ok_or_else(|| gone(document))?;
    let subject = subject.ok_or_else(|| gone(document))?;
    let room = Room::new(github, &issue.repo, viewer.login, viewer_permission.as_deref());
    let chosen = pull::Choice { open, all, branch, has_checks: pull::has_checks(&refused), date };
    let (pull, pull_comments) = pull::linked(&room, chosen).await?.unzip();
    if let Some(pull) = &pull {
        github.note_link(issue, pull.number);
    }
    let value = seen(&room, subject, pull, pull_comments.unwrap_or_default()).await?;
    Ok(Dated { value, date, pages: 1 })
}

async fn seen(
    room: &Room<'_>,
    mut subject: SubjectWire,
    pull: Option<LinkedPull>,
    pull_comments: Vec<CommentWire>,
) -> Answer<Sighting> {
    let (github, repo, id) = (room.github, room.repo, subject.id.clone());
    let labels = github.whole(repo, &MORE_LABELS, &id, std::mem::take(&mut subject.labels)).await?;
    let labels: Vec<String> = labels.into_iter().map(|label| label.name).collect();
    let labelled_at = labels::applied_at(room, &mut subject, &labels).await?;
    let blockers = blockers(room, &id, std::mem::take(&mut subject.blocked_by)).await?;
    let placements = places::placements(room, &id, std::mem::take(&mut subject.project_items)).await?;
    let (comments, count) = comments_of(room, &mut subject).await?;
    let came_along = BTreeMap::new();
    let comments = room.comments(comments, &came_along, false).await?;
    let on_pull = room.comments(pull_comments, &came_along, true).await?;
    let comments = voices::in_order(comments.into_iter().chain(on_pull));
    let issue = issue_of(subject, labels, count);
    Ok(Sighting { issue, labelled_at, comments, blockers, pull, placements })
}

fn issue_of(subject: SubjectWire, labels: Vec<String>, comments: u64) -> Issue {
    Issue {
        number: subject.number,
        is_open: !subject.closed,
        is_pull: subject.kind == "PullRequest",
        author: login_of(subject.author.as_ref()),
        title: subject.title,
        body: subject.body,
        url: subject.url,
        created_at: subject.created_at,
        labels,
        comments,
    }
}

async fn comments_of(room: &Room<'_>, subject: &mut SubjectWire) -> Answer<(Vec<CommentWire>, u64)> {
    let first = match subject.comments.take() {
        Some(first) => first,
        None => room.first_page(&MORE_COMMENTS, &subject.id).await?,
    };
    let told = first.total_count;
    let all = room.github.whole(room.repo, &MORE_COMMENTS, &subject.id, first).await?;
    let count = told.max(all.len() as u64);
    Ok((all, count))
}

/// Reads what comes first. Issues that the token may not see are waited for under a name that says so: taken for nothing,
/// they would let the issue go ahead of them.
async fn blockers(room: &Room<'_>, id: &str, first: Connection<BlockerWire>) -> Answer<Vec<Blocker>> {
    let all = room.github.whole_as_seen(room.repo, &MORE_BLOCKERS, id, first).await?;
    let seen = all.items.iter().map(blocker);
    seen.chain((1..=all.hidden).map(hidden_blocker)).collect()
}

fn hidden_blocker(number: u64) -> Answer<Blocker> {
    Ok(Blocker { issue: IssueKey { repo: super::slug(HIDDEN_REPO)?, number }, is_open: true })
}

fn blocker(wire: &BlockerWire) -> Answer<Blocker> {
    let issue = IssueKey { repo: super::slug(&wire.repository.name_with_owner)?, number: wire.number };
    // A state that nobody knows yet is not "closed", so it goes on blocking.
    Ok(Blocker { issue, is_open: wire.state != "CLOSED" })
}
