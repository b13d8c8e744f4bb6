//! Issues.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::{Ask, Input};
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, null, object, optional};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::label::LabelNode;
use super::pull_request::PullRequestNode;
use super::repository::RepositoryNode;
use super::{board_links, issue_links, shared, timeline};
use crate::db::issues::{self, Issue};
use crate::db::{labels, pins, pulls};
use crate::http::call::Visit;
use crate::wire::Time;

pub(crate) struct IssueNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) issue: Issue,
}

impl IssueNode {
    /// The issue behind a node id, if the viewer may see it.
    pub(crate) fn find(context: &Context<'_>, id: &str) -> Result<Self, GraphError> {
        let issue = issues::by_id(context.conn, ids::database_id(id, &["I"])?)?;
        let issue = issue.filter(|issue| !issue.is_pull).ok_or_else(|| ids::unresolvable(id))?;
        Ok(Self { visit: context.visit_for(issue.repo_id, id)?, issue })
    }

    /// What a node id names, which may be the half of a pull request that is an issue: a comment there leads to it.
    pub(crate) fn by_node(context: &Context<'_>, id: &str) -> Result<Self, GraphError> {
        let issue = issues::by_id(context.conn, ids::database_id(id, &["I"])?)?;
        let issue = issue.ok_or_else(|| ids::unresolvable(id))?;
        Ok(Self { visit: context.visit_for(issue.repo_id, id)?, issue })
    }

    /// The same issue as it stands now.
    pub(crate) fn again(self, context: &Context<'_>) -> Result<Self, GraphError> {
        let issue = issues::by_id(context.conn, self.issue.id)?;
        let issue = issue.ok_or_else(|| ids::unresolvable(&node_id("I", self.issue.id)))?;
        Ok(Self { issue, ..self })
    }

    fn path(&self) -> String {
        format!("{}/issues/{}", self.visit.repo.full_name(), self.issue.number)
    }

    /// GitHub tells of duplicates only to clients that say they know them.
    fn state_reason<'a>(&self, ask: &Ask<'a>) -> Answer<'a> {
        let knows_duplicates = ask.bool("enableDuplicate").unwrap_or(false);
        optional(self.issue.state_reason.as_deref().map(|reason| match reason {
            "duplicate" if !knows_duplicates => "NOT_PLANNED".to_owned(),
            reason => reason.to_ascii_uppercase(),
        }))
    }
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
            "fullDatabaseId" => leaf(issue.id.to_string()),
            "number" => leaf(issue.number),
            "title" => leaf(issue.title.as_str()),
            "body" => leaf(issue.body.as_deref().unwrap_or_default()),
            "state" => leaf(issue.state.to_ascii_uppercase()),
            "stateReason" => self.state_reason(ask),
            "closed" => leaf(!issue.is_open()),
            "createdAt" => leaf(Time(issue.created_at).to_string()),
            "updatedAt" => leaf(Time(issue.updated_at).to_string()),
            "closedAt" => optional(issue.closed_at.map(|at| Time(at).to_string())),
            "author" => object(context, ActorNode(context.account(issue.author_id)?)),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "resourcePath" | "bodyResourcePath" => leaf(format!("/{}", self.path())),
            "url" | "bodyUrl" => leaf(context.web(&self.path())),
            "labels" => object(context, labels_of(context, ask, &self.visit, issue)?),
            "isPinned" => leaf(pins::pinned_by(context.conn, issue.id)?.is_some()),
            // Types of issues belong to organisations that define them, which nobody can here.
            "issueType" => null(),
            "timelineItems" => object(context, timeline::list(context, ask, self)?),
            _ => self.linked_field(context, ask),
        }
    }
}

impl IssueNode {
    fn linked_field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        shared::field(context, ask, &self.visit, &self.issue)
            .or_else(|| issue_links::field(self, context, ask))
            .unwrap_or_else(|| board_links::issue_field(&self.visit, &self.issue, context, ask))
    }
}

/// The labels of an issue or a pull request.
pub(crate) fn labels_of(
    context: &Context<'_>,
    ask: &Ask<'_>,
    visit: &Arc<Visit>,
    issue: &Issue,
) -> Result<Connection<LabelNode>, GraphError> {
    let mut found = labels::of_issue(context.conn, issue.id)?;
    if let Some(order) = ask.object("orderBy") {
        if order.text("field") == Some("NAME") {
            found.sort_by_key(|label| label.name.to_lowercase());
        }
        if order.text("direction") == Some("DESC") {
            found.reverse();
        }
    }
    let nodes = found.into_iter().map(|label| LabelNode { visit: Arc::clone(visit), label }).collect();
    Ok(Connection::whole(("LabelConnection", "LabelEdge"), Paging::of(ask)?, nodes))
}

/// An issue or a pull request by its node id, with its repository.
pub(crate) fn subject(context: &Context<'_>, id: &str) -> Result<(Arc<Visit>, Issue), GraphError> {
    let row = ids::database_id(id, &["I", "PR"])?;
    let issue = match id.starts_with("PR_") {
        true => pulls::by_id(context.conn, row)?.map(|(issue, _)| issue),
        false => issues::by_id(context.conn, row)?.filter(|issue| !issue.is_pull),
    };
    let issue = issue.ok_or_else(|| ids::unresolvable(id))?;
    Ok((context.visit_for(issue.repo_id, id)?, issue))
}

/// An issue or a pull request as it stands now, as the object that it is.
pub(crate) fn subject_node(
    context: &Context<'_>,
    visit: Arc<Visit>,
    issue: Issue,
) -> Result<Box<dyn Entity>, GraphError> {
    let gone = || GraphError::not_found("Could not resolve to an issue or pull request.");
    let issue = issues::by_id(context.conn, issue.id)?.ok_or_else(gone)?;
    if !issue.is_pull {
        return Ok(Box::new(IssueNode { visit, issue }));
    }
    let pull = pulls::of_issue(context.conn, issue.id)?.ok_or_else(gone)?;
    Ok(Box::new(PullRequestNode { visit, issue, pull }))
}
