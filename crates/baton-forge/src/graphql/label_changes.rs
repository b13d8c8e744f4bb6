//! Mutations of labels, and of the labels on an issue or a pull request.

use std::sync::Arc;

use apollo_compiler::response::JsonMap;
use serde_json::{Value, json};

use super::ask::Input;
use super::context::Context;
use super::error::GraphError;
use super::ids;
use super::issue;
use super::label::LabelNode;
use super::mutation::{Payload, required};
use crate::db::issues::Issue;
use crate::db::labels;
use crate::http::call::Visit;

/// The names of labels of one repository, by their node ids.
pub(super) fn names(
    context: &Context<'_>,
    visit: &Visit,
    wanted: &[&str],
) -> Result<Vec<String>, GraphError> {
    let name = |id: &&str| {
        let node = LabelNode::find(context, id)?;
        match node.visit.repo.id == visit.repo.id {
            true => Ok(node.label.name),
            false => Err(ids::unresolvable(id)),
        }
    };
    wanted.iter().map(name).collect()
}

fn payload(
    context: &Context<'_>,
    name: &'static str,
    visit: Arc<Visit>,
    issue: Issue,
) -> Result<Payload, GraphError> {
    Ok(Payload::new(name).with("labelable", issue::subject_node(context, visit, issue)?))
}

pub(super) fn add(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (visit, issue) = issue::subject(context, required(input, "labelableId")?)?;
    let names = names(context, &visit, &input.texts("labelIds").unwrap_or_default())?;
    let params = [("issue_number", issue.number.to_string())];
    context.perform("issues/add-labels", Some(&visit), &params, &json!({ "labels": names }))?;
    payload(context, "AddLabelsToLabelablePayload", visit, issue)
}

pub(super) fn remove(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (visit, issue) = issue::subject(context, required(input, "labelableId")?)?;
    for name in names(context, &visit, &input.texts("labelIds").unwrap_or_default())? {
        let params = [("issue_number", issue.number.to_string()), ("name", name)];
        match context.perform("issues/remove-label", Some(&visit), &params, &Value::Null) {
            // A label that is not there needs no removal.
            Err(error) if error.kind != "NOT_FOUND" => return Err(error),
            _ => {}
        }
    }
    payload(context, "RemoveLabelsFromLabelablePayload", visit, issue)
}

pub(super) fn clear(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (visit, issue) = issue::subject(context, required(input, "labelableId")?)?;
    let params = [("issue_number", issue.number.to_string())];
    context.perform("issues/remove-all-labels", Some(&visit), &params, &Value::Null)?;
    payload(context, "ClearLabelsFromLabelablePayload", visit, issue)
}

pub(super) fn create(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let id = required(input, "repositoryId")?;
    let visit = context.visit_for(ids::database_id(id, &["R"])?, id)?;
    let body = json!({
        "name": required(input, "name")?,
        "color": required(input, "color")?,
        "description": input.text("description"),
    });
    let made = context.perform("issues/create-label", Some(&visit), &[], &body)?;
    let name = made["name"].as_str().unwrap_or_default();
    let label = labels::find(context.conn, visit.repo.id, name)?;
    let label = label.ok_or_else(|| GraphError::not_found("The label is gone already."))?;
    Ok(Payload::new("CreateLabelPayload").with("label", LabelNode { visit, label }))
}

pub(super) fn update(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let id = required(input, "id")?;
    let node = LabelNode::find(context, id)?;
    let mut body = json!({});
    for (key, field) in [("name", "new_name"), ("color", "color"), ("description", "description")] {
        if let Some(value) = input.text(key) {
            body[field] = value.into();
        }
    }
    context.perform("issues/update-label", Some(&node.visit), &[("name", node.label.name)], &body)?;
    Ok(Payload::new("UpdateLabelPayload").with("label", LabelNode::find(context, id)?))
}

pub(super) fn delete(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = LabelNode::find(context, required(input, "id")?)?;
    let params = [("name", node.label.name)];
    context.perform("issues/delete-label", Some(&node.visit), &params, &Value::Null)?;
    Ok(Payload::new("DeleteLabelPayload"))
}
