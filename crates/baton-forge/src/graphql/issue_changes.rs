//! Mutations of issues: made, changed, closed, assigned, locked, pinned, deleted.
//!
//! Deleting and pinning have no endpoint in GitHub's REST API. They are carried out here, in the writer's transaction,
//! with the same check of rights that an endpoint gets.

use std::sync::Arc;

use apollo_compiler::response::JsonMap;
use serde_json::{Value, json};

use super::actor::ActorNode;
use super::ask::Input;
use super::context::Context;
use super::error::GraphError;
use super::ids::{self, node_id};
use super::issue::{self, IssueNode};
use super::label_changes;
use super::milestone::MilestoneNode;
use super::mutation::{Payload, required};
use super::repository::RepositoryNode;
use crate::api;
use crate::db::accounts::AccountKind;
use crate::db::repos::Permission;
use crate::http::access::{self, Access};
use crate::http::call::{Call, Visit};

fn number(issue: &crate::db::issues::Issue) -> [(&'static str, String); 1] {
    [("issue_number", issue.number.to_string())]
}

/// The logins behind node ids of accounts.
fn logins(context: &Context<'_>, wanted: &[&str]) -> Result<Vec<String>, GraphError> {
    let login = |id: &&str| {
        let row = ids::database_id(id, &["U", "BOT"])?;
        context.account(row).map(|account| account.login.clone()).map_err(|_| ids::unresolvable(id))
    };
    wanted.iter().map(login).collect()
}

fn milestone_number(context: &Context<'_>, visit: &Visit, id: &str) -> Result<i64, GraphError> {
    let node = MilestoneNode::find(context, id)?;
    match node.visit.repo.id == visit.repo.id {
        true => Ok(node.milestone.number),
        false => Err(ids::unresolvable(id)),
    }
}

/// Fields that creation and update share, as REST has them. A milestone that is null is taken away.
fn body_of(context: &Context<'_>, visit: &Visit, input: &JsonMap) -> Result<Value, GraphError> {
    // No organisation here has types of issues, so no id names one.
    if let Some(id) = input.text("issueTypeId").filter(|id| !id.is_empty()) {
        return Err(ids::unresolvable(id));
    }
    let mut body = json!({});
    for key in ["title", "body"] {
        if let Some(text) = input.text(key) {
            body[key] = text.into();
        }
    }
    if let Some(wanted) = input.texts("labelIds") {
        body["labels"] = json!(label_changes::names(context, visit, &wanted)?);
    }
    if let Some(wanted) = input.texts("assigneeIds") {
        body["assignees"] = json!(logins(context, &wanted)?);
    }
    match input.get("milestoneId") {
        None => {}
        Some(id) => {
            let id = id.as_str().filter(|id| !id.is_empty());
            body["milestone"] = json!(id.map(|id| milestone_number(context, visit, id)).transpose()?);
        }
    }
    Ok(body)
}

pub(super) fn create(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let id = required(input, "repositoryId")?;
    let visit = context.visit_for(ids::database_id(id, &["R"])?, id)?;
    let parent = input.text("parentIssueId").map(|id| IssueNode::find(context, id)).transpose()?;
    let boards = boards(context, input)?;
    let body = body_of(context, &visit, input)?;
    let made = context.perform("issues/create", Some(&visit), &[], &body)?;
    let made_id = made["id"].as_i64().unwrap_or_default();
    for (operation, params) in boards {
        context.perform(operation, None, &params, &json!({ "type": "Issue", "id": made_id }))?;
    }
    if let Some(parent) = parent {
        let body = json!({ "sub_issue_id": made_id });
        context.perform("issues/add-sub-issue", Some(&parent.visit), &number(&parent.issue), &body)?;
    }
    let issue = IssueNode::find(context, &node_id("I", made_id))?;
    Ok(Payload::new("CreateIssuePayload").with("issue", issue))
}

type Board = (&'static str, [(&'static str, String); 2]);

/// The boards that a new issue goes on, as the endpoints that put it there.
fn boards(context: &Context<'_>, input: &JsonMap) -> Result<Vec<Board>, GraphError> {
    // The boards of old are gone from GitHub, and so are their ids.
    if let Some(id) = input.texts("projectIds").unwrap_or_default().first() {
        return Err(ids::unresolvable(id));
    }
    let board = |id: &&str| {
        let row = ids::database_id(id, &["PVT"])?;
        let sql = "SELECT owner_id, number FROM projects WHERE id = ?1 AND deleted_at IS NULL";
        let found = context.conn.query_row(sql, [row], |row| Ok((row.get(0)?, row.get(1)?)));
        let (owner, number): (i64, i64) = found.map_err(|_| ids::unresolvable(id))?;
        let owner = context.account(owner)?;
        let number = ("project_number", number.to_string());
        Ok(match owner.kind {
            AccountKind::Organization => {
                ("projects/add-item-for-org", [("org", owner.login.clone()), number])
            }
            _ => ("projects/add-item-for-user", [("username", owner.login.clone()), number]),
        })
    };
    input.texts("projectV2Ids").unwrap_or_default().iter().map(board).collect()
}

/// Sends a PATCH and reads the issue back.
fn patch(context: &Context<'_>, node: IssueNode, body: &Value) -> Result<IssueNode, GraphError> {
    context.perform("issues/update", Some(&node.visit), &number(&node.issue), body)?;
    node.again(context)
}

pub(super) fn update(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = IssueNode::find(context, required(input, "id")?)?;
    let mut body = body_of(context, &node.visit, input)?;
    if let Some(state) = input.text("state") {
        body["state"] = state.to_lowercase().into();
    }
    let payload = Payload::new("UpdateIssuePayload").with("issue", patch(context, node, &body)?);
    with_actor(context, payload)
}

fn with_actor(context: &Context<'_>, payload: Payload) -> Result<Payload, GraphError> {
    Ok(match context.viewer_id() {
        Some(id) => payload.with("actor", ActorNode(context.account(id)?)),
        None => payload.with_none("actor"),
    })
}

pub(super) fn close(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = IssueNode::find(context, required(input, "issueId")?)?;
    let mut body = json!({ "state": "closed" });
    if let Some(reason) = input.text("stateReason") {
        body["state_reason"] = reason.to_lowercase().into();
    }
    Ok(Payload::new("CloseIssuePayload").with("issue", patch(context, node, &body)?))
}

pub(super) fn reopen(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = IssueNode::find(context, required(input, "issueId")?)?;
    let issue = patch(context, node, &json!({ "state": "open" }))?;
    Ok(Payload::new("ReopenIssuePayload").with("issue", issue))
}

/// Changes who is assigned to an issue or a pull request.
fn change_assignees(
    context: &Context<'_>,
    input: &JsonMap,
    operation: &str,
    payload: &'static str,
    logins: &[String],
) -> Result<Payload, GraphError> {
    let (visit, issue) = issue::subject(context, required(input, "assignableId")?)?;
    // An update by somebody who may not assign leaves the assignees as they are, without a word.
    access::check(Access::Permission(Permission::Triage), context.call.viewer.as_ref(), Some(&visit))?;
    let body = json!({ "assignees": logins });
    context.perform(operation, Some(&visit), &number(&issue), &body)?;
    Ok(Payload::new(payload).with("assignable", issue::subject_node(context, visit, issue)?))
}

pub(super) fn assign(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let logins = logins(context, &input.texts("assigneeIds").unwrap_or_default())?;
    change_assignees(context, input, "issues/add-assignees", "AddAssigneesToAssignablePayload", &logins)
}

pub(super) fn unassign(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let logins = logins(context, &input.texts("assigneeIds").unwrap_or_default())?;
    let payload = "RemoveAssigneesFromAssignablePayload";
    change_assignees(context, input, "issues/remove-assignees", payload, &logins)
}

pub(super) fn replace_actors(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let mut logins = logins(context, &input.texts("actorIds").unwrap_or_default())?;
    logins.extend(input.texts("actorLogins").unwrap_or_default().into_iter().map(str::to_owned));
    change_assignees(context, input, "issues/update", "ReplaceActorsForAssignablePayload", &logins)
}

pub(super) fn lock(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (visit, issue) = issue::subject(context, required(input, "lockableId")?)?;
    let reason = input.text("lockReason").map(|reason| match reason {
        "OFF_TOPIC" => "off-topic".to_owned(),
        reason => reason.to_lowercase().replace('_', " "),
    });
    let body = json!({ "lock_reason": reason });
    context.perform("issues/lock", Some(&visit), &number(&issue), &body)?;
    let record = issue::subject_node(context, visit, issue)?;
    with_actor(context, Payload::new("LockLockablePayload").with("lockedRecord", record))
}

pub(super) fn unlock(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (visit, issue) = issue::subject(context, required(input, "lockableId")?)?;
    context.perform("issues/unlock", Some(&visit), &number(&issue), &Value::Null)?;
    let record = issue::subject_node(context, visit, issue)?;
    with_actor(context, Payload::new("UnlockLockablePayload").with("unlockedRecord", record))
}

/// The request as it would be in a repository, once it is known that the viewer may do this there.
pub(super) fn call_in(
    context: &Context<'_>,
    visit: &Arc<Visit>,
    level: Permission,
) -> Result<Call, GraphError> {
    access::check(Access::Permission(level), context.call.viewer.as_ref(), Some(visit))?;
    Ok(Call { visit: Some(Visit::clone(visit)), ..context.call.clone() })
}

pub(super) fn transfer(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = IssueNode::find(context, required(input, "issueId")?)?;
    let target = required(input, "repositoryId")?;
    let to = context.visit_for(ids::database_id(target, &["R"])?, target)?;
    call_in(context, &to, Permission::Write)?;
    let call = call_in(context, &node.visit, Permission::Write)?;
    let (id, repo) = (node.issue.id, Arc::clone(&to.repo));
    let makes_labels = input.flag("createLabelsIfMissing").unwrap_or(false);
    let writer = context.call.forge.db.writer();
    writer.write_blocking(move |tx| api::transfer_issue(&call, tx, id, &repo, makes_labels))?;
    let moved = IssueNode::find(context, required(input, "issueId")?)?;
    Ok(Payload::new("TransferIssuePayload").with("issue", moved))
}

pub(super) fn delete(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = IssueNode::find(context, required(input, "issueId")?)?;
    let call = call_in(context, &node.visit, Permission::Admin)?;
    let id = node.issue.id;
    context.call.forge.db.writer().write_blocking(move |tx| api::delete_issue(&call, tx, id))?;
    Ok(Payload::new("DeleteIssuePayload").with("repository", RepositoryNode(node.visit)))
}

fn set_pinned(context: &Context<'_>, input: &JsonMap, pinned: bool) -> Result<IssueNode, GraphError> {
    let node = IssueNode::find(context, required(input, "issueId")?)?;
    let call = call_in(context, &node.visit, Permission::Write)?;
    let id = node.issue.id;
    context.call.forge.db.writer().write_blocking(move |tx| api::set_pinned(&call, tx, id, pinned))?;
    node.again(context)
}

pub(super) fn pin(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    Ok(Payload::new("PinIssuePayload").with("issue", set_pinned(context, input, true)?))
}

pub(super) fn unpin(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = set_pinned(context, input, false)?;
    let id = node_id("PI", node.issue.id);
    Ok(Payload::new("UnpinIssuePayload").with_leaf("id", id).with("issue", node))
}
