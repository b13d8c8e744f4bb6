//! Mutations of reviews, their comments and their threads.

use std::sync::Arc;

use apollo_compiler::response::JsonMap;
use serde_json::{Map, Value, json};

use super::ask::Input;
use super::connection::Cursor;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, unknown};
use super::error::GraphError;
use super::mutation::{Payload, required};
use super::pull_mutation::{named, number_of};
use super::pull_request::{self, PullRequestNode};
use super::review::{self, ReviewNode};
use super::review_comment::{self, ReviewCommentNode};
use super::review_thread::{self, ThreadNode};
use crate::api::review_comments::set_resolved;
use crate::api::review_places::{self, Wanted};
use crate::api::review_writing::{self, Reviewed, Spot};
use crate::db::keyset::Key;
use crate::db::review_threads::{self, Place};
use crate::db::reviews::{self, Review};
use crate::db::{Tx, pulls, review_comments};
use crate::http::call::{Call, Visit};
use crate::http::error::ApiError;

/// Carries out a mutation of this group; nothing for any other.
pub(super) fn carry_out(
    context: &Context<'_>,
    name: &str,
    input: &JsonMap,
) -> Option<Result<Payload, GraphError>> {
    Some(match name {
        "addPullRequestReview" => add(context, input),
        "submitPullRequestReview" => submit(context, input),
        "updatePullRequestReview" => update(context, input),
        "deletePullRequestReview" => delete(context, input),
        "dismissPullRequestReview" => dismiss(context, input),
        "addPullRequestReviewThread" => add_thread(context, input),
        "addPullRequestReviewThreadReply" => reply(context, input),
        "addPullRequestReviewComment" => add_comment(context, input),
        "updatePullRequestReviewComment" => update_comment(context, input),
        "deletePullRequestReviewComment" => delete_comment(context, input),
        "resolveReviewThread" => resolve(context, input, "ResolveReviewThreadPayload", true),
        "unresolveReviewThread" => resolve(context, input, "UnresolveReviewThreadPayload", false),
        _ => return None,
    })
}

fn params_of(node: &ReviewNode) -> [(&'static str, String); 2] {
    [("pull_number", node.number.to_string()), ("review_id", node.review.id.to_string())]
}

/// The review as it now is.
fn again(context: &Context<'_>, node: &ReviewNode) -> Result<ReviewNode, GraphError> {
    review::by_node(context, &super::ids::node_id("PRR", node.review.id))
}

fn side(input: &JsonMap, name: &str) -> Value {
    input.text(name).map_or(Value::Null, Value::from)
}

fn add(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = named(context, input)?;
    let items = |name: &str| {
        let list = input.get(name).and_then(|value| value.as_array());
        list.map(Vec::as_slice).unwrap_or_default().iter().filter_map(|item| item.as_object())
    };
    let comments = items("comments").map(|item| {
        json!({ "path": item.text("path"), "position": item.number("position"), "body": item.text("body") })
    });
    let threads = items("threads").map(|item| {
        json!({
            "path": item.text("path"),
            "body": item.text("body"),
            "line": item.number("line"),
            "side": side(item, "side"),
            "start_line": item.number("startLine"),
            "start_side": side(item, "startSide"),
        })
    });
    let mut body = Map::from_iter([("comments".to_owned(), comments.chain(threads).collect())]);
    for (from, to) in [("body", "body"), ("event", "event"), ("commitOID", "commit_id")] {
        if let Some(text) = input.text(from) {
            body.insert(to.to_owned(), text.into());
        }
    }
    let made = context.perform("pulls/create-review", Some(&node.visit), &number_of(&node), &body.into())?;
    let id = super::ids::node_id("PRR", made["id"].as_i64().unwrap_or_default());
    let edge = ReviewEdge(review::by_node(context, &id)?);
    let payload = Payload::new("AddPullRequestReviewPayload");
    Ok(payload.with("pullRequestReview", review::by_node(context, &id)?).with("reviewEdge", edge))
}

/// A new review on the edge to it.
struct ReviewEdge(ReviewNode);

impl Entity for ReviewEdge {
    fn type_name(&self) -> &'static str {
        "PullRequestReviewEdge"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &super::ask::Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "cursor" => leaf(Cursor::Key(Key::of_row(self.0.review.id)).text()),
            "node" => object(context, again(context, &self.0)?),
            _ => unknown("PullRequestReviewEdge", ask),
        }
    }
}

/// The review that is named, or the one that the viewer still writes.
fn meant(context: &Context<'_>, input: &JsonMap) -> Result<ReviewNode, GraphError> {
    if let Some(id) = input.text("pullRequestReviewId") {
        return review::by_node(context, id);
    }
    let pull = named(context, input)?;
    let pending = reviews::pending_of(context.conn, pull.pull.id, context.viewer_id().unwrap_or(0))?;
    let review = pending.ok_or_else(|| GraphError::not_found("Could not find a pending review."))?;
    Ok(ReviewNode { visit: Arc::clone(&pull.visit), review, number: pull.issue.number })
}

fn submit(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = meant(context, input)?;
    let mut body = Map::from_iter([("event".to_owned(), required(input, "event")?.into())]);
    if let Some(text) = input.text("body") {
        body.insert("body".to_owned(), text.into());
    }
    context.perform("pulls/submit-review", Some(&node.visit), &params_of(&node), &body.into())?;
    let payload = Payload::new("SubmitPullRequestReviewPayload");
    Ok(payload.with("pullRequestReview", again(context, &node)?))
}

fn update(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = meant(context, input)?;
    let body = json!({ "body": required(input, "body")? });
    context.perform("pulls/update-review", Some(&node.visit), &params_of(&node), &body)?;
    let payload = Payload::new("UpdatePullRequestReviewPayload");
    Ok(payload.with("pullRequestReview", again(context, &node)?))
}

fn delete(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = meant(context, input)?;
    let (visit, params) = (Arc::clone(&node.visit), params_of(&node));
    context.perform("pulls/delete-pending-review", Some(&visit), &params, &Value::Null)?;
    Ok(Payload::new("DeletePullRequestReviewPayload").with("pullRequestReview", node))
}

fn dismiss(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = meant(context, input)?;
    let body = json!({ "message": required(input, "message")? });
    context.perform("pulls/dismiss-review", Some(&node.visit), &params_of(&node), &body)?;
    let payload = Payload::new("DismissPullRequestReviewPayload");
    Ok(payload.with("pullRequestReview", again(context, &node)?))
}

/// The pull request of a thread or comment that is to be added: named itself, or by the review.
fn target(context: &Context<'_>, input: &JsonMap) -> Result<(PullRequestNode, Option<Review>), GraphError> {
    match input.text("pullRequestReviewId") {
        Some(id) => {
            let node = review::by_node(context, id)?;
            let pull = pull_request::by_row(context, &node.visit, node.review.pull_id)?;
            Ok((pull, Some(node.review)))
        }
        None => Ok((named(context, input)?, None)),
    }
}

/// What is said, and where.
struct Said {
    place: Result<Place, i64>,
    body: String,
}

/// Adds a comment to a review that is still written; begins one where there is none. Returns the comment's id.
fn add_pending(
    call: &Call,
    tx: &Tx<'_>,
    reviewed: &Reviewed,
    review_id: Option<i64>,
    said: &Said,
) -> Result<i64, ApiError> {
    let own = reviews::pending_of(tx, reviewed.pull.id, call.actor_id()?)?;
    let review = match (own, review_id) {
        (Some(review), None) => review,
        (Some(review), Some(id)) if review.id == id => review,
        (None, None) => review_writing::begin(call, tx, reviewed, "", &reviewed.pull.head_oid)?,
        _ => return Err(ApiError::unprocessable("The review is not pending, or is somebody else's.")),
    };
    match &said.place {
        Ok(place) => review_writing::comment(call, tx, reviewed, &review, (Spot::New(place), &said.body)),
        Err(thread_id) => {
            let thread = review_threads::by_id(tx, *thread_id)?;
            let own = thread.filter(|thread| thread.pull_id == reviewed.pull.id);
            let thread = own.ok_or_else(ApiError::not_found)?;
            review_writing::comment(call, tx, reviewed, &review, (Spot::Reply(&thread), &said.body))
        }
    }
}

fn write_pending(
    context: &Context<'_>,
    node: &PullRequestNode,
    review_id: Option<i64>,
    said: Said,
) -> Result<i64, GraphError> {
    let pull_id = node.pull.id;
    context.change(&node.visit, move |call, tx| {
        let (issue, pull) = pulls::by_id(tx, pull_id)?.ok_or_else(ApiError::not_found)?;
        add_pending(call, tx, &Reviewed { issue, pull }, review_id, &said)
    })
}

fn located(
    context: &Context<'_>,
    node: &PullRequestNode,
    commit: Option<&str>,
    wanted: &Wanted,
) -> Result<Place, GraphError> {
    let repository = context.call.forge.git.open(node.issue.repo_id)?;
    let commit = commit.unwrap_or(&node.pull.head_oid);
    Ok(review_places::locate(&repository, &node.pull, commit, wanted)?)
}

fn add_thread(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (node, review) = target(context, input)?;
    let text = |name: &str| input.text(name).map(str::to_owned);
    let start_line = input.number("startLine");
    let wanted = Wanted {
        path: required(input, "path")?.to_owned(),
        of_file: input.text("subjectType") == Some("FILE"),
        position: None,
        line: input.number("line"),
        side: text("side"),
        start_line,
        start_side: start_line.and_then(|_| text("startSide")),
    };
    let place = Ok(located(context, &node, None, &wanted)?);
    let said = Said { place, body: required(input, "body")?.to_owned() };
    let id = write_pending(context, &node, review.map(|review| review.id), said)?;
    let thread = thread_of(context, &node.visit, id)?;
    Ok(Payload::new("AddPullRequestReviewThreadPayload").with("thread", thread))
}

fn comment_node(context: &Context<'_>, visit: &Arc<Visit>, id: i64) -> Result<ReviewCommentNode, GraphError> {
    let comment = review_comments::by_id(context.conn, id)?;
    let comment = comment.ok_or_else(|| GraphError::not_found("The comment is gone."))?;
    review_comment::node(context, visit, comment)
}

fn thread_of(context: &Context<'_>, visit: &Arc<Visit>, comment_id: i64) -> Result<ThreadNode, GraphError> {
    let comment = comment_node(context, visit, comment_id)?;
    review_thread::by_node(context, &super::ids::node_id("PRRT", comment.thread.id))
}

/// A reply is said at once, unless it is meant for a review that is still written.
fn reply(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let thread = review_thread::by_node(context, required(input, "pullRequestReviewThreadId")?)?;
    let node = pull_request::by_row(context, &thread.visit, thread.thread.pull_id)?;
    let body = required(input, "body")?;
    let id = match input.text("pullRequestReviewId") {
        Some(review) => {
            let review = review::by_node(context, review)?;
            let said = Said { place: Err(thread.thread.id), body: body.to_owned() };
            write_pending(context, &node, Some(review.review.id), said)?
        }
        None => answer(context, &node, &thread, body)?,
    };
    let comment = comment_node(context, &node.visit, id)?;
    Ok(Payload::new("AddPullRequestReviewThreadReplyPayload").with("comment", comment))
}

fn answer(
    context: &Context<'_>,
    node: &PullRequestNode,
    thread: &ThreadNode,
    body: &str,
) -> Result<i64, GraphError> {
    let first = review_comments::first_of_thread(context.conn, thread.thread.id)?.unwrap_or_default();
    let [number] = number_of(node);
    let params = [number, ("comment_id", first.to_string())];
    let operation = "pulls/create-reply-for-review-comment";
    let made = context.perform(operation, Some(&node.visit), &params, &json!({ "body": body }))?;
    Ok(made["id"].as_i64().unwrap_or_default())
}

fn add_comment(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (node, review) = target(context, input)?;
    let place = match input.text("inReplyTo") {
        Some(id) => Err(review_comment::by_node(context, id)?.thread.id),
        None => {
            let wanted = Wanted {
                path: required(input, "path")?.to_owned(),
                of_file: false,
                position: input.number("position"),
                line: None,
                side: None,
                start_line: None,
                start_side: None,
            };
            Ok(located(context, &node, input.text("commitOID"), &wanted)?)
        }
    };
    let said = Said { place, body: required(input, "body")?.to_owned() };
    let id = write_pending(context, &node, review.map(|review| review.id), said)?;
    let payload = Payload::new("AddPullRequestReviewCommentPayload");
    let payload = payload.with("comment", comment_node(context, &node.visit, id)?);
    Ok(payload.with("commentEdge", CommentEdge(comment_node(context, &node.visit, id)?)))
}

/// A new comment on the edge to it.
struct CommentEdge(ReviewCommentNode);

impl Entity for CommentEdge {
    fn type_name(&self) -> &'static str {
        review_comment::COMMENTS.1
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &super::ask::Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "cursor" => leaf(Cursor::Key(self.0.comment.key()).text()),
            "node" => object(context, comment_node(context, &self.0.visit, self.0.comment.id)?),
            _ => unknown(self.type_name(), ask),
        }
    }
}

fn update_comment(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = review_comment::by_node(context, required(input, "pullRequestReviewCommentId")?)?;
    let params = [("comment_id", node.comment.id.to_string())];
    let body = json!({ "body": required(input, "body")? });
    context.perform("pulls/update-review-comment", Some(&node.visit), &params, &body)?;
    let comment = comment_node(context, &node.visit, node.comment.id)?;
    Ok(Payload::new("UpdatePullRequestReviewCommentPayload").with("pullRequestReviewComment", comment))
}

fn delete_comment(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let node = review_comment::by_node(context, required(input, "id")?)?;
    let params = [("comment_id", node.comment.id.to_string())];
    let review = reviews::by_id(context.conn, node.comment.review_id)?;
    context.perform("pulls/delete-review-comment", Some(&node.visit), &params, &Value::Null)?;
    let payload = Payload::new("DeletePullRequestReviewCommentPayload");
    let (visit, number) = (Arc::clone(&node.visit), node.number);
    let payload = match review {
        Some(review) => payload.with("pullRequestReview", ReviewNode { visit, review, number }),
        None => payload.with_none("pullRequestReview"),
    };
    Ok(payload.with("pullRequestReviewComment", node))
}

fn resolve(
    context: &Context<'_>,
    input: &JsonMap,
    name: &'static str,
    resolved: bool,
) -> Result<Payload, GraphError> {
    let id = required(input, "threadId")?;
    let node = review_thread::by_node(context, id)?;
    let (thread_id, pull_id) = (node.thread.id, node.thread.pull_id);
    context.change(&node.visit, move |call, tx| {
        let (issue, pull) = pulls::by_id(tx, pull_id)?.ok_or_else(ApiError::not_found)?;
        set_resolved(call, tx, &Reviewed { issue, pull }, thread_id, resolved)
    })?;
    Ok(Payload::new(name).with("thread", review_thread::by_node(context, id)?))
}
