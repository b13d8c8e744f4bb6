//! Issues.

use std::sync::Arc;

use apollo_compiler::response::JsonMap;
use serde_json::json;

use super::actor::ActorNode;
use super::ask::Ask;
use super::board_links;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, optional};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::label::LabelNode;
use super::mutation::{Payload, required};
use super::repository::RepositoryNode;
use crate::db::issues::{self, Issue};
use crate::db::{labels, pulls};
use crate::http::call::Visit;
use crate::wire::Time;

pub(crate) struct IssueNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) issue: Issue,
}

impl Entity for IssueNode {
    fn type_name(&self) -> &'static str {
        "Issue"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let issue = &self.issue;
        match ask.name() {
            "id" => leaf(node_id("I", issue.id)),
            "databaseId" => leaf(issue.id),
            "number" => leaf(issue.number),
            "title" => leaf(issue.title.as_str()),
            "body" => leaf(issue.body.as_deref().unwrap_or_default()),
            "state" => leaf(issue.state.to_ascii_uppercase()),
            "stateReason" => optional(issue.state_reason.as_ref().map(|reason| reason.to_ascii_uppercase())),
            "closed" => leaf(!issue.is_open()),
            "createdAt" => leaf(Time(issue.created_at).to_string()),
            "updatedAt" => leaf(Time(issue.updated_at).to_string()),
            "closedAt" => optional(issue.closed_at.map(|at| Time(at).to_string())),
            "author" => object(context, ActorNode(context.account(issue.author_id)?)),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "url" => leaf(context.web(&format!("{}/issues/{}", self.visit.repo.full_name(), issue.number))),
            "resourcePath" => leaf(format!("/{}/issues/{}", self.visit.repo.full_name(), issue.number)),
            "labels" => object(context, labels_of(context, ask, &self.visit, issue)?),
            _ => board_links::issue_field(&self.visit, issue, context, ask),
        }
    }
}

/// The labels of an issue or a pull request.
pub(crate) fn labels_of(
    context: &Context<'_>,
    ask: &Ask<'_>,
    visit: &Arc<Visit>,
    issue: &Issue,
) -> Result<Connection<LabelNode>, GraphError> {
    let found = labels::of_issue(context.conn, issue.id)?;
    let nodes = found.into_iter().map(|label| LabelNode { visit: Arc::clone(visit), label }).collect();
    Ok(Connection::whole(("LabelConnection", "LabelEdge"), Paging::of(ask)?, nodes))
}

/// An issue or a pull request by its node id, with its repository.
pub(crate) fn subject(context: &Context<'_>, id: &str) -> Result<(Arc<Visit>, Issue), GraphError> {
    let row = ids::database_id(id, &["I", "PR"])?;
    let issue = match id.starts_with("PR_") {
        true => pulls::by_id(context.conn, row)?.map(|(issue, _)| issue),
        false => issues::by_id(context.conn, row)?,
    };
    let issue = issue.ok_or_else(|| ids::unresolvable(id))?;
    Ok((context.visit_for(issue.repo_id, id)?, issue))
}

pub(super) fn add_comment(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (visit, issue) = subject(context, required(input, "subjectId")?)?;
    let params = [("issue_number", issue.number.to_string())];
    let body = json!({ "body": required(input, "body")? });
    context.perform("issues/create-comment", Some(&visit), &params, &body)?;
    Ok(Payload::new("AddCommentPayload").with("subject", IssueNode { visit, issue }))
}
