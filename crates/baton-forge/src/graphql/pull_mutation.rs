//! Mutations of pull requests.

use std::sync::Arc;

use apollo_compiler::response::JsonMap;
use serde_json::{Map, Value, json};

use super::actor::ActorNode;
use super::ask::Input;
use super::context::Context;
use super::error::GraphError;
use super::ids;
use super::mutation::{Payload, required};
use super::pull_request::{self, PullRequestNode};
use crate::api::pull_draft;
use crate::api::review_writing::Reviewed;
use crate::db::review_requests::{self, Reviewer};
use crate::db::{Tx, accounts, labels, milestones, pulls, teams};
use crate::http::access::{self, Access};
use crate::http::call::{Call, Visit};
use crate::http::error::ApiError;

/// Carries out a mutation of this group; nothing for any other.
pub(super) fn carry_out(
    context: &Context<'_>,
    name: &str,
    input: &JsonMap,
) -> Option<Result<Payload, GraphError>> {
    Some(match name {
        "createPullRequest" => create(context, input),
        "updatePullRequest" => update(context, input),
        "closePullRequest" => set_state(context, input, "ClosePullRequestPayload", "closed"),
        "reopenPullRequest" => set_state(context, input, "ReopenPullRequestPayload", "open"),
        "markPullRequestReadyForReview" => {
            set_draft(context, input, "MarkPullRequestReadyForReviewPayload", false)
        }
        "convertPullRequestToDraft" => set_draft(context, input, "ConvertPullRequestToDraftPayload", true),
        "updatePullRequestBranch" => update_branch(context, input),
        "requestReviews" => request_reviews(context, input),
        "requestReviewsByLogin" => request_by_login(context, input),
        _ => return None,
    })
}

impl Context<'_> {
    /// Makes a change for which GitHub has no REST endpoint, with the rights that an endpoint would ask for.
    pub(super) fn change<T: Send + 'static>(
        &self,
        visit: &Arc<Visit>,
        change: impl FnOnce(&Call, &Tx<'_>) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, GraphError> {
        access::check(Access::Participate, self.call.viewer.as_ref(), Some(visit))?;
        let call = Call { visit: Some(Visit::clone(visit)), ..self.call.clone() };
        Ok(self.call.forge.db.writer().write_blocking(move |tx| change(&call, tx))?)
    }
}

pub(super) fn named(context: &Context<'_>, input: &JsonMap) -> Result<PullRequestNode, GraphError> {
    pull_request::by_node(context, required(input, "pullRequestId")?)
}

pub(super) fn number_of(node: &PullRequestNode) -> [(&'static str, String); 1] {
    [("pull_number", node.issue.number.to_string())]
}

/// The payload of most mutations: the pull request as it now is.
fn shown(context: &Context<'_>, name: &'static str, node: &PullRequestNode) -> Result<Payload, GraphError> {
    let payload = Payload::new(name);
    Ok(payload.with("pullRequest", pull_request::by_row(context, &node.visit, node.pull.id)?))
}

fn with_actor(context: &Context<'_>, payload: Payload) -> Result<Payload, GraphError> {
    Ok(match context.viewer_id() {
        Some(id) => payload.with("actor", ActorNode(context.account(id)?)),
        None => payload.with_none("actor"),
    })
}

fn create(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let repository = required(input, "repositoryId")?;
    let visit = context.visit_for(ids::database_id(repository, &["R"])?, repository)?;
    if let Some(head) = input.text("headRepositoryId")
        && ids::database_id(head, &["R"])? != visit.repo.id
    {
        return Err(GraphError::unprocessable("Head repository must be the repository itself"));
    }
    let body = json!({
        "title": required(input, "title")?,
        "body": input.text("body"),
        "head": required(input, "headRefName")?,
        "base": required(input, "baseRefName")?,
        "draft": input.flag("draft").unwrap_or(false),
    });
    let made = context.perform("pulls/create", Some(&visit), &[], &body)?;
    let pull = pull_request::by_row(context, &visit, made["id"].as_i64().unwrap_or_default())?;
    Ok(Payload::new("CreatePullRequestPayload").with("pullRequest", pull))
}

fn update(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = named(context, input)?;
    let mut body = Map::new();
    for (from, to) in [("title", "title"), ("body", "body"), ("baseRefName", "base")] {
        if let Some(text) = input.text(from) {
            body.insert(to.to_owned(), text.into());
        }
    }
    if let Some(state) = input.text("state") {
        body.insert("state".to_owned(), state.to_ascii_lowercase().into());
    }
    if let Some(ids) = input.texts("assigneeIds") {
        body.insert("assignees".to_owned(), logins(context, &ids)?.into());
    }
    if let Some(found) = input.texts("labelIds") {
        body.insert("labels".to_owned(), label_names(context, &node, &found)?.into());
    }
    if input.contains_key("milestoneId") {
        let milestone = input.text("milestoneId").map(|id| milestone_number(context, id)).transpose()?;
        body.insert("milestone".to_owned(), milestone.into());
    }
    context.perform("pulls/update", Some(&node.visit), &number_of(&node), &body.into())?;
    with_actor(context, shown(context, "UpdatePullRequestPayload", &node)?)
}

fn logins(context: &Context<'_>, ids: &[&str]) -> Result<Vec<String>, GraphError> {
    let login = |id: &&str| Ok(context.account(ids::database_id(id, &["U", "BOT"])?)?.login.clone());
    ids.iter().map(login).collect()
}

fn label_names(
    context: &Context<'_>,
    node: &PullRequestNode,
    wanted: &[&str],
) -> Result<Vec<String>, GraphError> {
    let known = labels::list(context.conn, node.issue.repo_id, i64::MAX, 0)?;
    let name = |id: &&str| {
        let row = ids::database_id(id, &["LA"])?;
        let label = known.iter().find(|label| label.id == row);
        label.map(|label| label.name.clone()).ok_or_else(|| ids::unresolvable(id))
    };
    wanted.iter().map(name).collect()
}

fn milestone_number(context: &Context<'_>, id: &str) -> Result<i64, GraphError> {
    let row = ids::database_id(id, &["MI"])?;
    let milestone = milestones::by_id(context.conn, row).map_err(|_| ids::unresolvable(id))?;
    Ok(milestone.number)
}

fn set_state(
    context: &Context<'_>,
    input: &JsonMap,
    name: &'static str,
    state: &str,
) -> Result<Payload, GraphError> {
    let node = named(context, input)?;
    let body = json!({ "state": state });
    context.perform("pulls/update", Some(&node.visit), &number_of(&node), &body)?;
    shown(context, name, &node)
}

fn set_draft(
    context: &Context<'_>,
    input: &JsonMap,
    name: &'static str,
    draft: bool,
) -> Result<Payload, GraphError> {
    let node = named(context, input)?;
    let pull_id = node.pull.id;
    context.change(&node.visit, move |call, tx| {
        let (issue, pull) = pulls::by_id(tx, pull_id)?.ok_or_else(ApiError::not_found)?;
        pull_draft::set(call, tx, &Reviewed { issue, pull }, draft)
    })?;
    shown(context, name, &node)
}

fn update_branch(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = named(context, input)?;
    if input.text("updateMethod") == Some("REBASE") {
        return Err(GraphError::unprocessable("The branch can be updated by a merge only"));
    }
    let body = json!({ "expected_head_sha": input.text("expectedHeadOid") });
    context.perform("pulls/update-branch", Some(&node.visit), &number_of(&node), &body)?;
    shown(context, "UpdatePullRequestBranchPayload", &node)
}

/// Asks for reviews; without `union`, whoever is not named is asked no more.
fn ask_for(
    context: &Context<'_>,
    node: &PullRequestNode,
    input: &JsonMap,
    (logins, slugs): (Vec<String>, Vec<String>),
) -> Result<(), GraphError> {
    if input.flag("union") != Some(true) {
        let gone = others(context, node, &logins, &slugs)?;
        if gone != json!({ "reviewers": [], "team_reviewers": [] }) {
            let operation = "pulls/remove-requested-reviewers";
            context.perform(operation, Some(&node.visit), &number_of(node), &gone)?;
        }
    }
    let body = json!({ "reviewers": logins, "team_reviewers": slugs });
    context.perform("pulls/request-reviewers", Some(&node.visit), &number_of(node), &body)?;
    Ok(())
}

/// Those who are asked now and are not among the named.
fn others(
    context: &Context<'_>,
    node: &PullRequestNode,
    logins: &[String],
    slugs: &[String],
) -> Result<Value, GraphError> {
    let (mut people, mut groups) = (Vec::new(), Vec::new());
    for request in review_requests::of_pull(context.conn, node.pull.id)? {
        match request.reviewer {
            Reviewer::Account(id) => people.push(context.account(id)?.login.clone()),
            Reviewer::Team(id) => groups.extend(teams::by_id(context.conn, id)?.map(|team| team.slug)),
        }
    }
    let is_named = |names: &[String], name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    people.retain(|login| !is_named(logins, login));
    groups.retain(|slug| !is_named(slugs, slug));
    Ok(json!({ "reviewers": people, "team_reviewers": groups }))
}

fn request_reviews(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = named(context, input)?;
    let ids = |name: &str| input.texts(name).unwrap_or_default();
    let people = logins(context, &[ids("userIds"), ids("botIds")].concat())?;
    let mut slugs = Vec::new();
    for id in ids("teamIds") {
        let team = teams::by_id(context.conn, ids::database_id(id, &["T"])?)?;
        slugs.push(team.ok_or_else(|| ids::unresolvable(id))?.slug);
    }
    ask_for(context, &node, input, (people, slugs))?;
    with_actor(context, shown(context, "RequestReviewsPayload", &node)?)
}

fn request_by_login(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = named(context, input)?;
    let texts = |name: &str| input.texts(name).unwrap_or_default().into_iter().map(str::to_owned);
    let people: Vec<String> = texts("userLogins").chain(texts("botLogins")).collect();
    for login in &people {
        if accounts::by_login(context.conn, login)?.is_none() {
            return Err(GraphError::not_found(format!(
                "Could not resolve to a User with the login of '{login}'."
            )));
        }
    }
    // A team is named with its organisation here.
    let slugs =
        texts("teamSlugs").map(|slug| slug.rsplit('/').next().unwrap_or_default().to_owned()).collect();
    ask_for(context, &node, input, (people, slugs))?;
    with_actor(context, shown(context, "RequestReviewsByLoginPayload", &node)?)
}
