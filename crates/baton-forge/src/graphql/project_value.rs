//! The values of an item's fields: those that people gave it, and those that its issue or pull request has.

use std::rc::Rc;
use std::sync::Arc;

use super::actor::{ActorNode, users};
use super::ask::Ask;
use super::board;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, optional, unknown};
use super::error::GraphError;
use super::ids::{self, named_id};
use super::issue::labels_of;
use super::milestone::MilestoneNode;
use super::project_field::{ProjectFieldNode, html};
use super::project_item::{ProjectItemNode, Shown};
use super::pull_request::PullRequestNode;
use super::repository::RepositoryNode;
use super::shared::USERS;
use super::team::TeamNode;
use crate::db::closing_links;
use crate::db::issues::{self, FACET_ASSIGNEES, FACET_LABELS, Issue};
use crate::db::project_fields::{Field, FieldKind};
use crate::db::project_shown::{self, Reviewer};
use crate::db::project_values::{self, Content, FieldValue};
use crate::db::{labels, milestones, pulls};
use crate::http::call::Visit;
use crate::wire::Time;

pub(crate) struct ValueNode {
    item: ProjectItemNode,
    field: Rc<Field>,
    value: Value,
}

enum Value {
    /// One that was written into a field, the title among them.
    Written(FieldValue),
    Labels(Arc<Visit>, Issue),
    Milestone(Arc<Visit>, i64),
    Repository(Arc<Visit>),
    Users(Vec<i64>),
    Pulls(Issue),
    Reviewers(Vec<Reviewer>),
}

impl ValueNode {
    /// The value of one field, if it has one.
    pub(crate) fn find(
        context: &Context<'_>,
        item: &ProjectItemNode,
        field: Rc<Field>,
    ) -> Result<Option<Self>, GraphError> {
        let shown = item.shown(context)?;
        let value = match (&shown, field.kind) {
            // Nothing is told about what may not be seen.
            (Shown::Redacted, _) => None,
            (_, kind) if kind.is_own() => {
                project_values::get(context.conn, item.item.id, field.id)?.map(Value::Written)
            }
            _ => shown_value(context, item, &field, &shown)?,
        };
        Ok(value.map(|value| Self { item: item.clone(), field, value }))
    }

    /// The value that a node id names: by its item and its field.
    pub(crate) fn by_node(context: &Context<'_>, id: &str) -> Result<Self, GraphError> {
        let missing = || ids::unresolvable(id);
        let (kind, _) = ids::split(id).ok_or_else(missing)?;
        let (item, field) = ids::name_in_repo(id, kind)?;
        let (board, item) = board::item_by_row(context, item)?.ok_or_else(missing)?;
        let field = board.fields(context)?.iter().find(|known| known.id.to_string() == field);
        let field = Rc::clone(field.ok_or_else(missing)?);
        let found = Self::find(context, &ProjectItemNode::new(&board, item), field)?;
        let is_of_kind = |found: &Self| match &found.value {
            Value::Written(value) => prefix(&value.content) == kind,
            _ => false,
        };
        found.filter(is_of_kind).ok_or_else(missing)
    }

    /// Every value that the item has, in the order of the fields.
    pub(crate) fn all(context: &Context<'_>, item: &ProjectItemNode) -> Result<Vec<Self>, GraphError> {
        let shown = item.shown(context)?;
        if matches!(shown, Shown::Redacted) {
            return Ok(Vec::new());
        }
        let written = project_values::of_item(context.conn, item.item.id)?;
        let mut found = Vec::new();
        for field in item.board.fields(context)? {
            let value = match field.kind.is_own() {
                true => written.iter().find(|value| value.field_id == field.id).cloned().map(Value::Written),
                false => shown_value(context, item, field, &shown)?,
            };
            found.extend(value.map(|value| Self { item: item.clone(), field: Rc::clone(field), value }));
        }
        Ok(found)
    }
}

/// What a built-in field shows. Parents and the progress of children have no value in GitHub's schema.
fn shown_value(
    context: &Context<'_>,
    item: &ProjectItemNode,
    field: &Field,
    shown: &Shown<'_>,
) -> Result<Option<Value>, GraphError> {
    let row = &item.item;
    if field.kind == FieldKind::Title {
        let title = row.issue.as_ref().map(|issue| &issue.title).or(row.draft_title.as_ref());
        return Ok(Some(Value::Written(FieldValue {
            field_id: field.id,
            content: Content::Text(title.cloned().unwrap_or_default()),
            creator_id: row.creator_id,
            created_at: row.created_at,
            updated_at: row.issue.as_ref().map_or(row.updated_at, |issue| issue.updated_at),
        })));
    }
    let Shown::Subject(visit, issue) = shown else { return Ok(None) };
    let visit = || Arc::clone(visit);
    let found = match field.kind {
        FieldKind::Repository => Some(Value::Repository(visit())),
        FieldKind::Milestone => issue.milestone_id.map(|id| Value::Milestone(visit(), id)),
        FieldKind::Assignees if issue.may_have(FACET_ASSIGNEES) => {
            let ids = issues::assignees(context.conn, issue.id)?;
            (!ids.is_empty()).then_some(Value::Users(ids))
        }
        FieldKind::Labels if issue.may_have(FACET_LABELS) => {
            let has_some = !labels::of_issue(context.conn, issue.id)?.is_empty();
            has_some.then(|| Value::Labels(visit(), Issue::clone(issue)))
        }
        FieldKind::LinkedPullRequests if !issue.is_pull => {
            let has_some = !closing_links::pulls_of(context.conn, issue.id)?.is_empty();
            has_some.then(|| Value::Pulls(Issue::clone(issue)))
        }
        FieldKind::Reviewers if issue.is_pull => {
            let pull = pulls::of_issue(context.conn, issue.id)?;
            let found = pull.map(|pull| project_shown::reviewers(context.conn, &pull, issue.author_id));
            let found = found.transpose()?.unwrap_or_default();
            (!found.is_empty()).then_some(Value::Reviewers(found))
        }
        _ => None,
    };
    Ok(found)
}

impl Entity for ValueNode {
    fn type_name(&self) -> &'static str {
        match &self.value {
            Value::Written(FieldValue { content, .. }) => match content {
                Content::Text(_) => "ProjectV2ItemFieldTextValue",
                Content::Number(_) => "ProjectV2ItemFieldNumberValue",
                Content::Date(_) => "ProjectV2ItemFieldDateValue",
                Content::Option(_) => "ProjectV2ItemFieldSingleSelectValue",
            },
            Value::Labels(..) => "ProjectV2ItemFieldLabelValue",
            Value::Milestone(..) => "ProjectV2ItemFieldMilestoneValue",
            Value::Repository(_) => "ProjectV2ItemFieldRepositoryValue",
            Value::Users(_) => "ProjectV2ItemFieldUserValue",
            Value::Pulls(..) => "ProjectV2ItemFieldPullRequestValue",
            Value::Reviewers(_) => "ProjectV2ItemFieldReviewerValue",
        }
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match (ask.name(), &self.value) {
            ("field", _) => {
                let (board, field) = (Rc::clone(&self.item.board), Rc::clone(&self.field));
                object(context, ProjectFieldNode { board, field })
            }
            (_, Value::Written(value)) => self.written(value, context, ask),
            ("labels", Value::Labels(visit, issue)) => {
                object(context, labels_of(context, ask, visit, issue)?)
            }
            ("milestone", Value::Milestone(visit, id)) => {
                let milestone = milestones::by_id(context.conn, *id)?;
                object(context, MilestoneNode { visit: Arc::clone(visit), milestone })
            }
            ("repository", Value::Repository(visit)) => object(context, RepositoryNode(Arc::clone(visit))),
            ("users", Value::Users(ids)) => {
                let users = users(context, ids.clone())?;
                object(context, Connection::whole(USERS, Paging::of(ask)?, users))
            }
            ("pullRequests", Value::Pulls(issue)) => object(context, closing(context, ask, issue)?),
            ("reviewers", Value::Reviewers(found)) => object(context, reviewers(context, ask, found)?),
            _ => unknown(self.type_name(), ask),
        }
    }
}

impl ValueNode {
    fn written<'a>(&'a self, value: &'a FieldValue, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match (ask.name(), &value.content) {
            ("id", content) => leaf(named_id(prefix(content), self.item.item.id, &self.field.id.to_string())),
            // A value has no number of its own; together with its item's, its field's names it.
            ("databaseId", _) => leaf(self.field.id),
            ("item", _) => object(context, self.item.clone()),
            ("creator", _) => object(context, ActorNode(context.account(value.creator_id)?)),
            ("createdAt", _) => leaf(Time(value.created_at).to_string()),
            ("updatedAt", _) => leaf(Time(value.updated_at).to_string()),
            ("text", Content::Text(text)) => leaf(text.as_str()),
            ("number", Content::Number(number)) => leaf(*number),
            ("date", Content::Date(date)) => leaf(date.as_str()),
            (name, Content::Option(id)) => {
                let choice = self.field.option(id);
                match name {
                    "optionId" => leaf(id.as_str()),
                    "name" => optional(choice.map(|choice| choice.name.as_str())),
                    "nameHTML" => optional(choice.map(|choice| html(&choice.name))),
                    "color" => leaf(choice.map_or("GRAY", |choice| choice.color.as_str())),
                    "description" => optional(choice.map(|choice| choice.description.as_str())),
                    "descriptionHTML" => optional(choice.map(|choice| html(&choice.description))),
                    _ => unknown(self.type_name(), ask),
                }
            }
            _ => unknown(self.type_name(), ask),
        }
    }
}

fn prefix(content: &Content) -> &'static str {
    match content {
        Content::Text(_) => "PVTFTV",
        Content::Number(_) => "PVTFNV",
        Content::Date(_) => "PVTFDV",
        Content::Option(_) => "PVTFSV",
    }
}

/// The pull requests that close an issue, as far as the viewer may see them.
fn closing(
    context: &Context<'_>,
    ask: &Ask<'_>,
    issue: &Issue,
) -> Result<Connection<PullRequestNode>, GraphError> {
    let mut found = Vec::new();
    for (issue, pull) in closing_links::pulls_of(context.conn, issue.id)? {
        let visit = context.repo(issue.repo_id)?;
        found.extend(visit.map(|visit| PullRequestNode { visit, issue, pull }));
    }
    if super::project::is_descending(ask) {
        found.reverse();
    }
    Ok(Connection::whole(("PullRequestConnection", "PullRequestEdge"), Paging::of(ask)?, found))
}

fn reviewers(
    context: &Context<'_>,
    ask: &Ask<'_>,
    found: &[Reviewer],
) -> Result<Connection<Box<dyn Entity>>, GraphError> {
    let node = |reviewer: &Reviewer| -> Result<Box<dyn Entity>, GraphError> {
        Ok(match reviewer {
            Reviewer::Account(id) => Box::new(ActorNode(context.account(*id)?)),
            Reviewer::Team(team) => Box::new(TeamNode(team.clone())),
        })
    };
    let nodes = found.iter().map(node).collect::<Result<Vec<_>, _>>()?;
    Ok(Connection::whole(("RequestedReviewerConnection", "RequestedReviewerEdge"), Paging::of(ask)?, nodes))
}
