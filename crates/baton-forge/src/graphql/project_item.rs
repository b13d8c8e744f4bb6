//! The items of a board, and drafts.

use std::rc::Rc;
use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::board::Board;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, null, object, unknown};
use super::error::GraphError;
use super::ids::node_id;
use super::issue::IssueNode;
use super::project::ProjectNode;
use super::project_value::ValueNode;
use super::pull_request::PullRequestNode;
use crate::db::issues::Issue;
use crate::db::project_items::Item;
use crate::db::pulls;
use crate::http::call::Visit;
use crate::wire::Time;

#[derive(Clone)]
pub(crate) struct ProjectItemNode {
    pub(crate) board: Rc<Board>,
    pub(crate) item: Rc<Item>,
}

/// What an item shows to this viewer.
pub(crate) enum Shown<'i> {
    Draft,
    Subject(Arc<Visit>, &'i Issue),
    /// The viewer may not see the repository that it lies in.
    Redacted,
}

impl ProjectItemNode {
    pub(crate) fn new(board: &Rc<Board>, item: Item) -> Self {
        Self { board: Rc::clone(board), item: Rc::new(item) }
    }

    pub(crate) fn shown(&self, context: &Context<'_>) -> Result<Shown<'_>, GraphError> {
        let Some(issue) = &self.item.issue else { return Ok(Shown::Draft) };
        Ok(match context.repo(issue.repo_id)? {
            Some(visit) => Shown::Subject(visit, issue),
            None => Shown::Redacted,
        })
    }

    fn kind(&self, context: &Context<'_>) -> Result<&'static str, GraphError> {
        Ok(match self.shown(context)? {
            Shown::Draft => "DRAFT_ISSUE",
            Shown::Redacted => "REDACTED",
            Shown::Subject(_, issue) if issue.is_pull => "PULL_REQUEST",
            Shown::Subject(..) => "ISSUE",
        })
    }

    fn content<'a>(&'a self, context: &'a Context<'a>) -> Answer<'a> {
        match self.shown(context)? {
            Shown::Draft => object(context, DraftNode(self.clone())),
            Shown::Redacted => null(),
            Shown::Subject(visit, issue) if issue.is_pull => {
                let pull = pulls::of_issue(context.conn, issue.id)?;
                maybe_object(context, pull.map(|pull| PullRequestNode { visit, issue: issue.clone(), pull }))
            }
            Shown::Subject(visit, issue) => object(context, IssueNode { visit, issue: issue.clone() }),
        }
    }
}

impl Entity for ProjectItemNode {
    fn type_name(&self) -> &'static str {
        "ProjectV2Item"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let item = &self.item;
        match ask.name() {
            "id" => leaf(node_id("PVTI", item.id)),
            "databaseId" | "fullDatabaseId" => leaf(item.id),
            "type" => leaf(self.kind(context)?),
            "isArchived" => leaf(item.archived_at.is_some()),
            "createdAt" => leaf(Time(item.created_at).to_string()),
            "updatedAt" => leaf(Time(item.updated_at).to_string()),
            "creator" => object(context, ActorNode(context.account(item.creator_id)?)),
            "project" => object(context, ProjectNode(Rc::clone(&self.board))),
            "content" => self.content(context),
            "fieldValueByName" => {
                let field = self.board.field_named(context, ask.str("name").unwrap_or_default())?;
                let value = field.map(|field| ValueNode::find(context, self, field)).transpose()?;
                maybe_object(context, value.flatten())
            }
            "fieldValues" => {
                let mut values = ValueNode::all(context, self)?;
                if super::project::is_descending(ask) {
                    values.reverse();
                }
                let names = ("ProjectV2ItemFieldValueConnection", "ProjectV2ItemFieldValueEdge");
                object(context, Connection::whole(names, Paging::of(ask)?, values))
            }
            _ => unknown("ProjectV2Item", ask),
        }
    }
}

/// A draft: the text that an item has instead of an issue.
pub(crate) struct DraftNode(pub(crate) ProjectItemNode);

impl Entity for DraftNode {
    fn type_name(&self) -> &'static str {
        "DraftIssue"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let item = &self.0.item;
        match ask.name() {
            "id" => leaf(node_id("DI", item.id)),
            "title" => leaf(item.draft_title.as_deref().unwrap_or_default()),
            "body" | "bodyText" => leaf(item.draft_body.as_deref().unwrap_or_default()),
            "createdAt" => leaf(Time(item.created_at).to_string()),
            "updatedAt" => leaf(Time(item.updated_at).to_string()),
            "creator" => object(context, ActorNode(context.account(item.creator_id)?)),
            "projectV2Items" => {
                let names = ("ProjectV2ItemConnection", "ProjectV2ItemEdge");
                object(context, Connection::whole(names, Paging::of(ask)?, vec![self.0.clone()]))
            }
            "projectsV2" => {
                let names = ("ProjectV2Connection", "ProjectV2Edge");
                let own = ProjectNode(Rc::clone(&self.0.board));
                object(context, Connection::whole(names, Paging::of(ask)?, vec![own]))
            }
            _ => unknown("DraftIssue", ask),
        }
    }
}
