//! Threads of review comments.

use std::sync::Arc;

use super::actor::users;
use super::ask::Ask;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, object, optional, unknown};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::pull_request::{self, PullRequestNode};
use super::repository::RepositoryNode;
use super::review_comment;
use crate::db::pulls;
use crate::db::repos::Permission;
use crate::db::review_comments::{Listing, Of};
use crate::db::review_threads::{self, Place, Thread};
use crate::http::call::Visit;

const THREADS: (&str, &str) = ("PullRequestReviewThreadConnection", "PullRequestReviewThreadEdge");

pub(crate) struct ThreadNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) thread: Thread,
    /// Who opened the pull request, who may settle its threads.
    pub(crate) pull_author: i64,
}

pub(super) fn subject_name(place: &Place) -> &'static str {
    if place.subject == "file" { "FILE" } else { "LINE" }
}

impl Entity for ThreadNode {
    fn type_name(&self) -> &'static str {
        "PullRequestReviewThread"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let (thread, place) = (&self.thread, &self.thread.place);
        let is_resolved = thread.resolved_by.is_some();
        match ask.name() {
            "id" => leaf(node_id("PRRT", thread.id)),
            "isResolved" | "isCollapsed" => leaf(is_resolved),
            "isOutdated" => leaf(thread.outdated),
            "path" => leaf(place.path.as_str()),
            "line" => optional(place.line),
            "startLine" => optional(place.start_line),
            "originalLine" => optional(thread.original_line),
            "originalStartLine" => optional(thread.original_start_line),
            "diffSide" => leaf(place.side),
            "startDiffSide" => optional(place.start_side),
            "subjectType" => leaf(subject_name(place)),
            "resolvedBy" => {
                let by = users(context, thread.resolved_by.into_iter().collect())?;
                maybe_object(context, by.into_iter().next())
            }
            "comments" => {
                let of = Of::Thread(thread.id);
                object(context, review_comment::list(context, ask, &self.visit, of)?)
            }
            "pullRequest" => object(context, pull_request::by_row(context, &self.visit, thread.pull_id)?),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "viewerCanReply" => leaf(context.viewer_id().is_some() && !self.visit.repo.archived),
            "viewerCanResolve" => leaf(!is_resolved && self.may_settle(context)),
            "viewerCanUnresolve" => leaf(is_resolved && self.may_settle(context)),
            _ => unknown("PullRequestReviewThread", ask),
        }
    }
}

impl ThreadNode {
    fn may_settle(&self, context: &Context<'_>) -> bool {
        let is_author = context.viewer_id() == Some(self.pull_author);
        !self.visit.repo.archived && (is_author || self.visit.permission >= Permission::Write)
    }
}

/// The thread of that id, if the viewer may see anything in it.
pub(crate) fn by_node(context: &Context<'_>, id: &str) -> Result<ThreadNode, GraphError> {
    let missing = || ids::unresolvable(id);
    let row = ids::database_id(id, &["PRRT"])?;
    let thread = review_threads::by_id(context.conn, row)?.ok_or_else(missing)?;
    let (issue, _) = pulls::by_id(context.conn, thread.pull_id)?.ok_or_else(missing)?;
    let visit = context.visit_for(issue.repo_id, id)?;
    match Listing::all(Of::Thread(row), context.viewer_id().unwrap_or(0)).count(context.conn)? {
        0 => Err(missing()),
        _ => Ok(ThreadNode { visit, thread, pull_author: issue.author_id }),
    }
}

pub(crate) fn list(
    context: &Context<'_>,
    ask: &Ask<'_>,
    pull: &PullRequestNode,
) -> Result<Connection<ThreadNode>, GraphError> {
    let found = review_threads::of_pull(context.conn, pull.pull.id, context.viewer_id().unwrap_or(0))?;
    let node =
        |thread| ThreadNode { visit: Arc::clone(&pull.visit), thread, pull_author: pull.issue.author_id };
    Ok(Connection::whole(THREADS, Paging::of(ask)?, found.into_iter().map(node).collect()))
}
