//! Comments on places of a pull request's difference.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, null, object, objects, optional, unknown};
use super::error::GraphError;
use super::git_object;
use super::ids::{self, node_id};
use super::pull_request;
use super::reaction::{self, Reactable};
use super::repository::RepositoryNode;
use super::review::ReviewNode;
use super::review_thread::subject_name;
use crate::db::keyset::Range;
use crate::db::reactions::Subject;
use crate::db::repos::{self, Permission};
use crate::db::review_comments::{self, Listing, Of, ReviewComment};
use crate::db::review_threads::{self, Thread};
use crate::db::{pulls, reviews};
use crate::http::call::Visit;
use crate::wire::Time;

pub(crate) const COMMENTS: (&str, &str) =
    ("PullRequestReviewCommentConnection", "PullRequestReviewCommentEdge");

pub(crate) struct ReviewCommentNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) comment: ReviewComment,
    pub(crate) thread: Arc<Thread>,
    pub(crate) number: i64,
}

impl Entity for ReviewCommentNode {
    fn type_name(&self) -> &'static str {
        "PullRequestReviewComment"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let comment = &self.comment;
        match ask.name() {
            "id" => leaf(node_id("PRRC", comment.id)),
            "databaseId" => leaf(comment.id),
            "fullDatabaseId" => leaf(comment.id.to_string()),
            "body" | "bodyText" => leaf(comment.body.as_str()),
            "author" => object(context, ActorNode(context.account(comment.author_id)?)),
            "authorAssociation" => {
                leaf(repos::association(context.conn, &self.visit.repo, comment.author_id)?)
            }
            "createdAt" | "draftedAt" => leaf(Time(comment.created_at).to_string()),
            "publishedAt" => optional((!comment.is_pending).then(|| Time(comment.created_at).to_string())),
            "updatedAt" => leaf(Time(comment.updated_at).to_string()),
            "createdViaEmail" | "isMinimized" => leaf(false),
            "includesCreatedEdit" => leaf(comment.updated_at > comment.created_at),
            "minimizedReason" => null(),
            "state" => leaf(if comment.is_pending { "PENDING" } else { "SUBMITTED" }),
            "pullRequest" => object(context, pull_request::by_row(context, &self.visit, comment.pull_id)?),
            "pullRequestReview" => self.review(context),
            "replyTo" => self.reply_to(context),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "url" => leaf(context.web(&self.page())),
            "resourcePath" => leaf(format!("/{}", self.page())),
            "viewerDidAuthor" => leaf(context.viewer_id() == Some(comment.author_id)),
            "viewerCanUpdate" | "viewerCanDelete" => leaf(self.may_change(context)),
            "viewerCanReact" => leaf(context.viewer_id().is_some() && !self.visit.repo.archived),
            "reactionGroups" => objects(context, reaction::groups(context, &self.reactable())?),
            "reactions" => object(context, reaction::list(context, ask, &self.reactable())?),
            "commit" => self.commit(context, &self.thread.place.commit_oid),
            "originalCommit" => self.commit(context, &self.thread.original_commit_oid),
            _ => self.place_field(ask),
        }
    }
}

impl ReviewCommentNode {
    fn place_field<'a>(&'a self, ask: &Ask<'a>) -> Answer<'a> {
        let (thread, place) = (&self.thread, &self.thread.place);
        match ask.name() {
            "path" => leaf(place.path.as_str()),
            "diffHunk" => leaf(place.diff_hunk.as_str()),
            "line" => optional(place.line),
            "startLine" => optional(place.start_line),
            "originalLine" => optional(thread.original_line),
            "originalStartLine" => optional(thread.original_start_line),
            "position" => optional(place.position),
            // A comment on a whole file stands at its beginning.
            "originalPosition" => leaf(thread.original_position.unwrap_or(1)),
            "outdated" => leaf(thread.outdated),
            "subjectType" => leaf(subject_name(place)),
            _ => unknown("PullRequestReviewComment", ask),
        }
    }

    pub(super) fn reactable(&self) -> Reactable {
        Reactable { visit: Arc::clone(&self.visit), subject: Subject::ReviewComment(self.comment.id) }
    }

    fn commit<'a>(&'a self, context: &'a Context<'a>, oid: &str) -> Answer<'a> {
        maybe_object(context, git_object::load(context, &self.visit, oid)?)
    }

    fn page(&self) -> String {
        format!("{}/pull/{}#discussion_r{}", self.visit.repo.full_name(), self.number, self.comment.id)
    }

    fn may_change(&self, context: &Context<'_>) -> bool {
        let is_own = context.viewer_id() == Some(self.comment.author_id);
        !self.visit.repo.archived && (is_own || self.visit.permission >= Permission::Write)
    }

    fn review<'a>(&'a self, context: &'a Context<'a>) -> Answer<'a> {
        let review = reviews::by_id(context.conn, self.comment.review_id)?;
        let node = |review| ReviewNode { visit: Arc::clone(&self.visit), review, number: self.number };
        maybe_object(context, review.map(node))
    }

    fn reply_to<'a>(&'a self, context: &'a Context<'a>) -> Answer<'a> {
        let answered = self.comment.in_reply_to.map(|id| review_comments::by_id(context.conn, id));
        let node = |comment| Self {
            visit: Arc::clone(&self.visit),
            comment,
            thread: Arc::clone(&self.thread),
            number: self.number,
        };
        maybe_object(context, answered.transpose()?.flatten().map(node))
    }
}

/// The node of a comment that the viewer may see.
pub(crate) fn node(
    context: &Context<'_>,
    visit: &Arc<Visit>,
    comment: ReviewComment,
) -> Result<ReviewCommentNode, GraphError> {
    let missing = || ids::unresolvable(&node_id("PRRC", comment.id));
    let thread = review_threads::by_id(context.conn, comment.thread_id)?.ok_or_else(missing)?;
    let (issue, _) = pulls::by_id(context.conn, comment.pull_id)?.ok_or_else(missing)?;
    Ok(ReviewCommentNode { visit: Arc::clone(visit), comment, thread: thread.into(), number: issue.number })
}

/// The comment of that id, if the viewer may see it.
pub(crate) fn by_node(context: &Context<'_>, id: &str) -> Result<ReviewCommentNode, GraphError> {
    let row = ids::database_id(id, &["PRRC"])?;
    let comment = review_comments::by_id(context.conn, row)?;
    let is_visible =
        |comment: &ReviewComment| !comment.is_pending || context.viewer_id() == Some(comment.author_id);
    let comment = comment.filter(is_visible).ok_or_else(|| ids::unresolvable(id))?;
    node(context, &context.visit_for(comment.repo_id, id)?, comment)
}

/// A page of the comments of a review or a thread.
pub(crate) fn list(
    context: &Context<'_>,
    ask: &Ask<'_>,
    visit: &Arc<Visit>,
    of: Of,
) -> Result<Connection<ReviewCommentNode>, GraphError> {
    let listing = Listing::all(of, context.viewer_id().unwrap_or(0));
    let total = listing.count(context.conn)?;
    let read = |range: &Range| listing.within(context.conn, range);
    let page = Paging::of(ask)?.page(total, false, read, ReviewComment::key)?;
    let page = page.try_map(|comment| node(context, visit, comment))?;
    Ok(Connection::keyed(COMMENTS, total, page, |node| node))
}
