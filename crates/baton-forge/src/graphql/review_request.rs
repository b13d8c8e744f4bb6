//! Whose review is waited for.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, object, unknown};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::pull_request::{self, PullRequestNode};
use super::team::TeamNode;
use crate::db::review_requests::{self, ReviewRequest, Reviewer};
use crate::db::{pulls, teams};
use crate::http::call::Visit;

const REQUESTS: (&str, &str) = ("ReviewRequestConnection", "ReviewRequestEdge");

pub(crate) struct ReviewRequestNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) request: ReviewRequest,
}

impl Entity for ReviewRequestNode {
    fn type_name(&self) -> &'static str {
        "ReviewRequest"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "id" => leaf(node_id("RR", self.request.id)),
            "databaseId" => leaf(self.request.id),
            // The forge reads no file of code owners.
            "asCodeOwner" => leaf(false),
            "pullRequest" => {
                object(context, pull_request::by_row(context, &self.visit, self.request.pull_id)?)
            }
            "requestedReviewer" => match self.request.reviewer {
                Reviewer::Account(id) => object(context, ActorNode(context.account(id)?)),
                Reviewer::Team(id) => maybe_object(context, teams::by_id(context.conn, id)?.map(TeamNode)),
            },
            _ => unknown("ReviewRequest", ask),
        }
    }
}

pub(crate) fn by_node(context: &Context<'_>, id: &str) -> Result<ReviewRequestNode, GraphError> {
    let missing = || ids::unresolvable(id);
    let request =
        review_requests::by_id(context.conn, ids::database_id(id, &["RR"])?)?.ok_or_else(missing)?;
    let (issue, _) = pulls::by_id(context.conn, request.pull_id)?.ok_or_else(missing)?;
    Ok(ReviewRequestNode { visit: context.visit_for(issue.repo_id, id)?, request })
}

pub(crate) fn list(
    context: &Context<'_>,
    ask: &Ask<'_>,
    pull: &PullRequestNode,
) -> Result<Connection<ReviewRequestNode>, GraphError> {
    let found = review_requests::of_pull(context.conn, pull.pull.id)?;
    let node = |request| ReviewRequestNode { visit: Arc::clone(&pull.visit), request };
    Ok(Connection::whole(REQUESTS, Paging::of(ask)?, found.into_iter().map(node).collect()))
}

/// What the viewer is asked for, if anything.
pub(crate) fn of_viewer(
    context: &Context<'_>,
    pull: &PullRequestNode,
) -> Result<Option<ReviewRequestNode>, GraphError> {
    let found = review_requests::of_pull(context.conn, pull.pull.id)?;
    let viewer = context.viewer_id().map(Reviewer::Account);
    let own = found.into_iter().find(|request| Some(request.reviewer) == viewer);
    Ok(own.map(|request| ReviewRequestNode { visit: Arc::clone(&pull.visit), request }))
}
