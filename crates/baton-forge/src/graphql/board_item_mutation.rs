//! Mutations of a board's items.

use std::rc::Rc;

use apollo_compiler::response::{JsonMap, JsonValue};
use serde_json::json;

use super::ask::{Ask, Input as _};
use super::board::{self, Board};
use super::board_mutation::{LeafPayload, change, client_id};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, null, object, unknown};
use super::error::GraphError;
use super::ids;
use super::issue::subject;
use super::mutation::{Payload, required};
use super::project;
use super::project_item::{DraftNode, ProjectItemNode};
use crate::boards::{fields, items, values};
use crate::db::project_values::Content;

/// The board and the item that an input names; they must belong together.
fn named(context: &Context<'_>, input: &JsonMap) -> Result<(Rc<Board>, i64), GraphError> {
    let board = board::by_node(context, required(input, "projectId")?)?;
    let node = required(input, "itemId")?;
    let item = item_on(context, &board, node)?;
    Ok((board, item))
}

fn item_on(context: &Context<'_>, board: &Board, node: &str) -> Result<i64, GraphError> {
    let (own, item) = board::item_by_node(context, node)?;
    match own.project.id == board.project.id {
        true => Ok(item.id),
        false => Err(ids::unresolvable(node)),
    }
}

/// An item as it stands after a change, on its board as that stands.
fn reread(context: &Context<'_>, id: i64) -> Result<ProjectItemNode, GraphError> {
    let (board, item) = board::item_by_node(context, &ids::node_id("PVTI", id))?;
    Ok(ProjectItemNode::new(&board, item))
}

pub(super) fn add(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let project = board::by_node(context, required(input, "projectId")?)?.project.id;
    let (_, issue) = subject(context, required(input, "contentId")?)?;
    let id = change(context, move |call, tx| items::add(call, tx, project, issue.id))?;
    Ok(Payload::new("AddProjectV2ItemByIdPayload").with("item", reread(context, id)?))
}

pub(super) fn add_draft(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let project = board::by_node(context, required(input, "projectId")?)?.project.id;
    let title = required(input, "title")?.to_owned();
    let body = input.text("body").unwrap_or_default().to_owned();
    let id = change(context, move |call, tx| items::add_draft(call, tx, project, &title, &body))?;
    Ok(Payload::new("AddProjectV2DraftIssuePayload").with("projectItem", reread(context, id)?))
}

pub(super) fn update_draft(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = required(input, "draftIssueId")?;
    let id = ids::database_id(node, &["DI"])?;
    board::item_by_node(context, node)?;
    let (title, body) = (input.text("title").map(str::to_owned), input.text("body").map(str::to_owned));
    change(context, move |call, tx| items::update_draft(call, tx, id, title.as_deref(), body.as_deref()))?;
    let draft = DraftNode(reread(context, id)?);
    Ok(Payload::new("UpdateProjectV2DraftIssuePayload").with("draftIssue", draft))
}

pub(super) fn convert(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (_, item) = board::item_by_node(context, required(input, "itemId")?)?;
    let node = required(input, "repositoryId")?;
    let visit = context.visit_for(ids::database_id(node, &["R"])?, node)?;
    let title = item.draft_title.as_ref();
    let title = title.ok_or_else(|| GraphError::unprocessable("Only draft issues can be converted."))?;
    let body = json!({ "title": title, "body": item.draft_body });
    let issue = context.perform("issues/create", Some(&visit), &[], &body)?;
    let issue = issue["id"].as_i64().ok_or_else(|| GraphError::new("INTERNAL", "the new issue has no id"))?;
    change(context, move |call, tx| items::convert(call, tx, item.id, issue))?;
    let item = reread(context, item.id)?;
    Ok(Payload::new("ConvertProjectV2DraftIssueItemToIssuePayload").with("item", item))
}

pub(super) fn archive(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (board, id) = named(context, input)?;
    let project = board.project.id;
    change(context, move |call, tx| items::archive(call, tx, project, id))?;
    Ok(Payload::new("ArchiveProjectV2ItemPayload").with("item", reread(context, id)?))
}

pub(super) fn restore(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (board, id) = named(context, input)?;
    let project = board.project.id;
    change(context, move |call, tx| items::restore(call, tx, project, id))?;
    Ok(Payload::new("UnarchiveProjectV2ItemPayload").with("item", reread(context, id)?))
}

pub(super) fn delete<'a>(context: &'a Context<'a>, input: &JsonMap) -> Answer<'a> {
    let (board, id) = named(context, input)?;
    let project = board.project.id;
    change(context, move |call, tx| items::delete(call, tx, project, id))?;
    let payload = LeafPayload {
        name: "DeleteProjectV2ItemPayload",
        client_mutation_id: client_id(input),
        field: "deletedItemId",
        value: ids::node_id("PVTI", id),
    };
    object(context, payload)
}

pub(super) fn set_value(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (board, item) = named(context, input)?;
    let (_, field) = board::field_by_node(context, required(input, "fieldId")?)?;
    let none = JsonMap::new();
    let content = content(input.inner("value").unwrap_or(&none))?;
    let (project, field) = (board.project.id, field.id);
    change(context, move |call, tx| values::set(call, tx, project, (item, field), &content))?;
    Ok(Payload::new("UpdateProjectV2ItemFieldValuePayload").with("projectV2Item", reread(context, item)?))
}

/// The one value that an input names.
fn content(value: &JsonMap) -> Result<Content, GraphError> {
    let given: Vec<_> = value.iter().filter(|(_, value)| !value.is_null()).collect();
    let [(name, value)] = given.as_slice() else {
        let message =
            "Exactly one of text, number, date, singleSelectOptionId and iterationId must be given.";
        return Err(GraphError::unprocessable(message));
    };
    let text = || value.as_str().unwrap_or_default().to_owned();
    Ok(match name.as_str() {
        "number" => Content::Number(value.as_f64().unwrap_or_default()),
        "date" => Content::Date(text()),
        "singleSelectOptionId" => Content::Option(text()),
        "iterationId" => return Err(fields::refuse_iterations().into()),
        _ => Content::Text(text()),
    })
}

pub(super) fn clear_value(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (board, item) = named(context, input)?;
    let (_, field) = board::field_by_node(context, required(input, "fieldId")?)?;
    let (project, field) = (board.project.id, field.id);
    change(context, move |call, tx| values::clear(call, tx, project, item, field))?;
    Ok(Payload::new("ClearProjectV2ItemFieldValuePayload").with("projectV2Item", reread(context, item)?))
}

pub(super) fn place<'a>(context: &'a Context<'a>, input: &JsonMap) -> Answer<'a> {
    let (board, id) = named(context, input)?;
    let after = input.text("afterId").map(|node| item_on(context, &board, node)).transpose()?;
    let project = board.project.id;
    change(context, move |call, tx| items::place(call, tx, project, id, after))?;
    object(context, PlacePayload { board, client_mutation_id: client_id(input) })
}

/// The board's items after one of them was moved.
struct PlacePayload {
    board: Rc<Board>,
    client_mutation_id: Option<JsonValue>,
}

impl Entity for PlacePayload {
    fn type_name(&self) -> &'static str {
        "UpdateProjectV2ItemPositionPayload"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "clientMutationId" => self.client_mutation_id.clone().map_or_else(null, leaf),
            "items" => object(context, project::items(context, ask, &self.board)?),
            _ => unknown(self.type_name(), ask),
        }
    }
}
