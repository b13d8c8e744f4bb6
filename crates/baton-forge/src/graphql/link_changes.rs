//! Mutations of the links between issues: parents and children, blockers and blocked.

use apollo_compiler::response::JsonMap;
use serde_json::{Value, json};

use super::ask::Input;
use super::context::Context;
use super::error::GraphError;
use super::issue::IssueNode;
use super::mutation::{Payload, required};
use super::resource;

fn number(node: &IssueNode) -> (&'static str, String) {
    ("issue_number", node.issue.number.to_string())
}

/// The child that an id or an address names.
fn child(context: &Context<'_>, input: &JsonMap) -> Result<IssueNode, GraphError> {
    match (input.text("subIssueId"), input.text("subIssueUrl")) {
        (Some(id), _) => IssueNode::find(context, id),
        (None, Some(url)) => resource::issue(context, url),
        (None, None) => Err(GraphError::unprocessable("Either `subIssueId` or `subIssueUrl` is needed")),
    }
}

pub(super) fn add_child(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let parent = IssueNode::find(context, required(input, "issueId")?)?;
    let child = child(context, input)?;
    let replace = input.flag("replaceParent").unwrap_or(false);
    let body = json!({ "sub_issue_id": child.issue.id, "replace_parent": replace });
    context.perform("issues/add-sub-issue", Some(&parent.visit), &[number(&parent)], &body)?;
    Ok(Payload::new("AddSubIssuePayload")
        .with("issue", parent.again(context)?)
        .with("subIssue", child.again(context)?))
}

pub(super) fn remove_child(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let parent = IssueNode::find(context, required(input, "issueId")?)?;
    let child = IssueNode::find(context, required(input, "subIssueId")?)?;
    let body = json!({ "sub_issue_id": child.issue.id });
    context.perform("issues/remove-sub-issue", Some(&parent.visit), &[number(&parent)], &body)?;
    Ok(Payload::new("RemoveSubIssuePayload")
        .with("issue", parent.again(context)?)
        .with("subIssue", child.again(context)?))
}

pub(super) fn move_child(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let parent = IssueNode::find(context, required(input, "issueId")?)?;
    let child = IssueNode::find(context, required(input, "subIssueId")?)?;
    let mut body = json!({ "sub_issue_id": child.issue.id });
    for (key, field) in [("afterId", "after_id"), ("beforeId", "before_id")] {
        if let Some(id) = input.text(key) {
            body[field] = IssueNode::find(context, id)?.issue.id.into();
        }
    }
    context.perform("issues/reprioritize-sub-issue", Some(&parent.visit), &[number(&parent)], &body)?;
    Ok(Payload::new("ReprioritizeSubIssuePayload").with("issue", parent.again(context)?))
}

pub(super) fn add_blocker(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let issue = IssueNode::find(context, required(input, "issueId")?)?;
    let blocker = IssueNode::find(context, required(input, "blockingIssueId")?)?;
    let body = json!({ "issue_id": blocker.issue.id });
    context.perform("issues/add-blocked-by-dependency", Some(&issue.visit), &[number(&issue)], &body)?;
    Ok(Payload::new("AddBlockedByPayload")
        .with("issue", issue.again(context)?)
        .with("blockingIssue", blocker.again(context)?))
}

pub(super) fn remove_blocker(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let issue = IssueNode::find(context, required(input, "issueId")?)?;
    let blocker = IssueNode::find(context, required(input, "blockingIssueId")?)?;
    let params = [number(&issue), ("issue_id", blocker.issue.id.to_string())];
    context.perform("issues/remove-dependency-blocked-by", Some(&issue.visit), &params, &Value::Null)?;
    Ok(Payload::new("RemoveBlockedByPayload")
        .with("issue", issue.again(context)?)
        .with("blockingIssue", blocker.again(context)?))
}
