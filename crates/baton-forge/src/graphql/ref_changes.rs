//! Mutations of refs.

use apollo_compiler::response::{JsonMap, JsonValue};
use serde_json::{Value, json};

use super::ask::Input;
use super::context::Context;
use super::error::GraphError;
use super::git_ref::RefNode;
use super::ids::{self, named_id};
use super::issue_changes::call_in;
use super::mutation::{Payload, required};
use crate::api::{self, RefChange};
use crate::db::repos::Permission;

/// The part of a ref's name that stands in REST's path.
fn short(name: &str) -> String {
    name.strip_prefix("refs/").unwrap_or(name).to_owned()
}

pub(super) fn create(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let id = required(input, "repositoryId")?;
    let visit = context.visit_for(ids::database_id(id, &["R"])?, id)?;
    let name = required(input, "name")?;
    let body = json!({ "ref": name, "sha": required(input, "oid")? });
    context.perform("git/create-ref", Some(&visit), &[], &body)?;
    let made = RefNode::find(context, &named_id("REF", visit.repo.id, name))?;
    Ok(Payload::new("CreateRefPayload").with("ref", made))
}

pub(super) fn update(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let id = required(input, "refId")?;
    let node = RefNode::find(context, id)?;
    let force = input.flag("force").unwrap_or(false);
    let body = json!({ "sha": required(input, "oid")?, "force": force });
    let params = [("ref", short(&node.row.name))];
    context.perform("git/update-ref", Some(&node.visit), &params, &body)?;
    Ok(Payload::new("UpdateRefPayload").with("ref", RefNode::find(context, id)?))
}

pub(super) fn delete(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = RefNode::find(context, required(input, "refId")?)?;
    let params = [("ref", short(&node.row.name))];
    context.perform("git/delete-ref", Some(&node.visit), &params, &Value::Null)?;
    Ok(Payload::new("DeleteRefPayload"))
}

/// Changes several refs, all or none.
pub(super) fn update_all(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let id = required(input, "repositoryId")?;
    let visit = context.visit_for(ids::database_id(id, &["R"])?, id)?;
    let call = call_in(context, &visit, Permission::Write)?;
    let list = input.get("refUpdates").and_then(JsonValue::as_array);
    let changes = list.into_iter().flatten().filter_map(JsonValue::as_object).map(|change| {
        Ok(RefChange {
            name: required(change, "name")?.to_owned(),
            before: change.text("beforeOid").map(str::to_owned),
            after: required(change, "afterOid")?.to_owned(),
            force: change.flag("force").unwrap_or(false),
        })
    });
    api::update_refs(&call, &changes.collect::<Result<Vec<_>, GraphError>>()?)?;
    Ok(Payload::new("UpdateRefsPayload"))
}
