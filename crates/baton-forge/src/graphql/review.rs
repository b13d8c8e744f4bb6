//! Reviews.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, null, object, optional, unknown};
use super::error::GraphError;
use super::git_object;
use super::ids::{self, node_id};
use super::pull_request::{self, PullRequestNode};
use super::repository::RepositoryNode;
use super::review_comment;
use crate::db::keyset::Key;
use crate::db::pulls;
use crate::db::repos::{self, Permission};
use crate::db::review_comments::Of;
use crate::db::reviews::{self, Review};
use crate::http::call::Visit;
use crate::wire::Time;

pub(crate) const REVIEWS: (&str, &str) = ("PullRequestReviewConnection", "PullRequestReviewEdge");

pub(crate) struct ReviewNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) review: Review,
    pub(crate) number: i64,
}

impl Entity for ReviewNode {
    fn type_name(&self) -> &'static str {
        "PullRequestReview"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let review = &self.review;
        match ask.name() {
            "id" => leaf(node_id("PRR", review.id)),
            "databaseId" => leaf(review.id),
            "fullDatabaseId" => leaf(review.id.to_string()),
            "state" => leaf(review.state.as_str()),
            "body" | "bodyText" => leaf(review.body.as_str()),
            "author" => object(context, ActorNode(context.account(review.author_id)?)),
            "authorAssociation" => {
                leaf(repos::association(context.conn, &self.visit.repo, review.author_id)?)
            }
            "authorCanPushToRepository" => {
                let author = context.account(review.author_id)?;
                leaf(repos::permission(context.conn, &self.visit.repo, &author)? >= Permission::Write)
            }
            "createdAt" => leaf(Time(review.created_at).to_string()),
            "updatedAt" => leaf(Time(review.updated_at).to_string()),
            "submittedAt" | "publishedAt" => optional(review.submitted_at.map(|at| Time(at).to_string())),
            "createdViaEmail" | "isMinimized" => leaf(false),
            "includesCreatedEdit" => leaf(
                review.submitted_at.is_some_and(|at| review.updated_at > at && review.state != "DISMISSED"),
            ),
            "minimizedReason" => null(),
            // Nobody can react to a review as a whole here: there is no endpoint for it.
            "reactionGroups" => null(),
            "commit" => maybe_object(context, git_object::load(context, &self.visit, &review.commit_oid)?),
            "comments" => {
                let of = Of::Review(review.id);
                object(context, review_comment::list(context, ask, &self.visit, of)?)
            }
            "pullRequest" => object(context, pull_request::by_row(context, &self.visit, review.pull_id)?),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "url" => leaf(context.web(&self.page())),
            "resourcePath" => leaf(format!("/{}", self.page())),
            "viewerDidAuthor" => leaf(self.is_viewers(context)),
            "viewerCanUpdate" => leaf(self.is_viewers(context)),
            "viewerCanDelete" => leaf(self.is_viewers(context) && review.is_pending()),
            _ => unknown("PullRequestReview", ask),
        }
    }
}

impl ReviewNode {
    fn page(&self) -> String {
        format!("{}/pull/{}#pullrequestreview-{}", self.visit.repo.full_name(), self.number, self.review.id)
    }

    fn is_viewers(&self, context: &Context<'_>) -> bool {
        context.viewer_id() == Some(self.review.author_id)
    }
}

/// The review of that id, if the viewer may see it.
pub(crate) fn by_node(context: &Context<'_>, id: &str) -> Result<ReviewNode, GraphError> {
    let missing = || ids::unresolvable(id);
    let row = ids::database_id(id, &["PRR"])?;
    let review = reviews::by_id(context.conn, row)?.ok_or_else(missing)?;
    if !review.is_visible_to(context.viewer_id().unwrap_or(0)) {
        return Err(missing());
    }
    let visit = context.visit_for(review.repo_id, id)?;
    let (issue, _) = pulls::by_id(context.conn, review.pull_id)?.ok_or_else(missing)?;
    Ok(ReviewNode { visit, review, number: issue.number })
}

/// A page of reviews of a pull request.
pub(crate) fn page(
    ask: &Ask<'_>,
    pull: &PullRequestNode,
    found: Vec<Review>,
) -> Result<Connection<ReviewNode>, GraphError> {
    let node = |review| ReviewNode { visit: Arc::clone(&pull.visit), review, number: pull.issue.number };
    let key = |review: &Review| Key::of_row(review.id);
    let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let page = Paging::of(ask)?.page(total, false, |range| Ok(range.pick(&found, key)), key)?;
    Ok(Connection::keyed(REVIEWS, total, page, node))
}

/// The reviews that the arguments ask for.
pub(crate) fn list(
    context: &Context<'_>,
    ask: &Ask<'_>,
    pull: &PullRequestNode,
) -> Result<Connection<ReviewNode>, GraphError> {
    let mut found = reviews::of_pull(context.conn, pull.pull.id, context.viewer_id().unwrap_or(0))?;
    if let Some(states) = ask.strings("states") {
        found.retain(|review| states.contains(&review.state.as_str()));
    }
    if let Some(login) = ask.str("author") {
        let author = crate::db::accounts::by_login(context.conn, login)?;
        found.retain(|review| author.as_ref().is_some_and(|author| author.id == review.author_id));
    }
    page(ask, pull, found)
}
