//! Mutations of comments and reactions.

use std::sync::Arc;

use apollo_compiler::response::JsonMap;
use serde_json::{Value, json};

use super::comment::CommentNode;
use super::connection::{Cursor, OwnedEdge};
use super::context::Context;
use super::entity::Entity;
use super::error::GraphError;
use super::ids;
use super::issue;
use super::mutation::{Payload, required};
use super::reaction::{self, Reactable, ReactionNode};
use super::review_comment;
use crate::db::comments;
use crate::db::keyset::Key;
use crate::db::reactions::{self, Reaction, Subject};

pub(super) fn add(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (visit, issue) = issue::subject(context, required(input, "subjectId")?)?;
    let params = [("issue_number", issue.number.to_string())];
    let body = json!({ "body": required(input, "body")? });
    let made = context.perform("issues/create-comment", Some(&visit), &params, &body)?;
    let id = made["id"].as_i64().unwrap_or_default();
    let last = comments::count_of_issue(context.conn, issue.id, None)?;
    let edge = |name, at| -> Result<OwnedEdge<CommentNode>, GraphError> {
        let comment = comments::by_id(context.conn, visit.repo.id, id)?;
        let comment = comment.ok_or_else(|| GraphError::not_found("The comment is gone already."))?;
        Ok(OwnedEdge { name, at, entity: CommentNode { visit: Arc::clone(&visit), comment } })
    };
    let subject = issue::subject_node(context, Arc::clone(&visit), issue.clone())?;
    Ok(Payload::new("AddCommentPayload")
        .with("commentEdge", edge("IssueCommentEdge", Cursor::Key(Key::of_row(id)))?)
        .with("timelineEdge", edge("IssueTimelineItemEdge", Cursor::Place(last))?)
        .with("subject", subject))
}

pub(super) fn update(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let id = required(input, "id")?;
    let node = CommentNode::find(context, id)?;
    let params = [("comment_id", node.comment.id.to_string())];
    let body = json!({ "body": required(input, "body")? });
    context.perform("issues/update-comment", Some(&node.visit), &params, &body)?;
    Ok(Payload::new("UpdateIssueCommentPayload").with("issueComment", CommentNode::find(context, id)?))
}

pub(super) fn delete(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = CommentNode::find(context, required(input, "id")?)?;
    let params = [("comment_id", node.comment.id.to_string())];
    context.perform("issues/delete-comment", Some(&node.visit), &params, &Value::Null)?;
    Ok(Payload::new("DeleteIssueCommentPayload"))
}

/// What is reacted to, with the name of its REST endpoints and the path's part that names it.
struct Target {
    reactable: Reactable,
    endpoint: &'static str,
    param: (&'static str, String),
}

fn target(context: &Context<'_>, id: &str) -> Result<Target, GraphError> {
    if id.starts_with("IC_") {
        let node = CommentNode::find(context, id)?;
        let param = ("comment_id", node.comment.id.to_string());
        let reactable = Reactable { visit: node.visit, subject: Subject::Comment(node.comment.id) };
        return Ok(Target { reactable, endpoint: "issue-comment", param });
    }
    if id.starts_with("PRRC_") {
        let node = review_comment::by_node(context, id)?;
        let param = ("comment_id", node.comment.id.to_string());
        return Ok(Target { reactable: node.reactable(), endpoint: "pull-request-review-comment", param });
    }
    let (visit, issue) = issue::subject(context, id).map_err(|_| ids::unresolvable(id))?;
    let param = ("issue_number", issue.number.to_string());
    let reactable = Reactable { visit, subject: Subject::Issue(issue.id) };
    Ok(Target { reactable, endpoint: "issue", param })
}

fn content(input: &JsonMap) -> Result<&'static str, GraphError> {
    let name = required(input, "content")?;
    reaction::content_of(name).ok_or_else(|| GraphError::unprocessable(format!("{name} is not a reaction")))
}

/// The viewer's own reaction of that content.
fn own(context: &Context<'_>, reactable: &Reactable, content: &str) -> Result<Option<Reaction>, GraphError> {
    let all = reactions::list(context.conn, reactable.subject, Some(content))?;
    Ok(all.into_iter().find(|reaction| Some(reaction.account_id) == context.viewer_id()))
}

fn payload(
    context: &Context<'_>,
    name: &'static str,
    reactable: Reactable,
    reaction: Option<Reaction>,
) -> Result<Payload, GraphError> {
    let groups = reaction::groups(context, &reactable)?;
    let groups = groups.into_iter().map(|group| Box::new(group) as Box<dyn Entity>).collect();
    let subject = reactable.node(context)?;
    let payload = Payload::new(name).with("subject", subject).with_list("reactionGroups", groups);
    Ok(match reaction {
        Some(reaction) => payload.with("reaction", ReactionNode { reactable, reaction }),
        None => payload.with_none("reaction"),
    })
}

pub(super) fn react(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let target = target(context, required(input, "subjectId")?)?;
    let content = content(input)?;
    let operation = format!("reactions/create-for-{}", target.endpoint);
    let (params, body) = ([target.param], json!({ "content": content }));
    context.perform(&operation, Some(&target.reactable.visit), &params, &body)?;
    let reaction = own(context, &target.reactable, content)?;
    payload(context, "AddReactionPayload", target.reactable, reaction)
}

pub(super) fn unreact(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let target = target(context, required(input, "subjectId")?)?;
    let content = content(input)?;
    let reaction = own(context, &target.reactable, content)?;
    if let Some(reaction) = &reaction {
        // Here GitHub says the name of a review's comment in another way.
        let endpoint = target.endpoint.replace("review-comment", "comment");
        let operation = format!("reactions/delete-for-{endpoint}");
        let params = [target.param, ("reaction_id", reaction.id.to_string())];
        context.perform(&operation, Some(&target.reactable.visit), &params, &Value::Null)?;
    }
    payload(context, "RemoveReactionPayload", target.reactable, reaction)
}
