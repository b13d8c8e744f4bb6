//! Pull requests.

use std::sync::Arc;

use super::actor::{ActorNode, OwnerNode};
use super::ask::Ask;
use super::board_links;
use super::connection::Connection;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, null, object, optional};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::issue::labels_of;
use super::repository::RepositoryNode;
use super::{merge_status, pull_contents, review, review_request, review_thread, shared};
use crate::db::issues::Issue;
use crate::db::pulls::{self, Pull};
use crate::db::repos::Permission;
use crate::db::{review_comments, reviews};
use crate::http::call::Visit;
use crate::wire::Time;

pub(crate) struct PullRequestNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) issue: Issue,
    pub(crate) pull: Pull,
}

impl Entity for PullRequestNode {
    fn type_name(&self) -> &'static str {
        "PullRequest"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let (issue, pull) = (&self.issue, &self.pull);
        match ask.name() {
            "id" => leaf(node_id("PR", pull.id)),
            "databaseId" => leaf(pull.id),
            "fullDatabaseId" => leaf(pull.id.to_string()),
            "number" => leaf(issue.number),
            "title" => leaf(issue.title.as_str()),
            "body" => leaf(issue.body.as_deref().unwrap_or_default()),
            "state" => leaf(self.state()),
            "closed" => leaf(!issue.is_open()),
            "merged" => leaf(pull.merged_at.is_some()),
            "mergedAt" => optional(pull.merged_at.map(|at| Time(at).to_string())),
            "mergedBy" => self.merged_by(context),
            "isDraft" => leaf(pull.draft),
            "createdAt" => leaf(Time(issue.created_at).to_string()),
            "updatedAt" => leaf(Time(issue.updated_at).to_string()),
            "closedAt" => optional(issue.closed_at.map(|at| Time(at).to_string())),
            "author" => object(context, ActorNode(context.account(issue.author_id)?)),
            "repository" | "baseRepository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "url" | "permalink" => leaf(context.web(&self.page())),
            "resourcePath" => leaf(format!("/{}", self.page())),
            "labels" => object(context, labels_of(context, ask, &self.visit, issue)?),
            "projectItems" | "projectV2" | "projectsV2" => {
                board_links::issue_field(&self.visit, issue, context, ask)
            }
            "totalCommentsCount" => {
                leaf(issue.comments + review_comments::count_public(context.conn, pull.id)?)
            }
            _ => self
                .end_field(context, ask)
                .or_else(|| self.review_field(context, ask))
                .or_else(|| pull_contents::field(self, context, ask))
                .or_else(|| shared::field(context, ask, &self.visit, issue))
                .unwrap_or_else(|| merge_status::field(self, context, ask)),
        }
    }
}

impl PullRequestNode {
    pub(crate) fn state(&self) -> &'static str {
        match (self.pull.merged_at, self.issue.is_open()) {
            (Some(_), _) => "MERGED",
            (None, true) => "OPEN",
            (None, false) => "CLOSED",
        }
    }

    pub(super) fn page(&self) -> String {
        format!("{}/pull/{}", self.visit.repo.full_name(), self.issue.number)
    }

    fn merged_by<'a>(&'a self, context: &'a Context<'a>) -> Answer<'a> {
        match self.pull.merged_by {
            Some(id) => object(context, ActorNode(context.account(id)?)),
            None => null(),
        }
    }

    /// What it has to say about its two branches.
    fn end_field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Option<Answer<'a>> {
        let pull = &self.pull;
        let is_cross = pull.head_repo_id != self.issue.repo_id;
        Some(match ask.name() {
            "headRefName" => leaf(pull.head_ref.as_str()),
            "headRefOid" => leaf(pull.head_oid.as_str()),
            "baseRefName" => leaf(pull.base_ref.as_str()),
            "baseRefOid" => leaf(pull.base_oid.as_str()),
            "isCrossRepository" => leaf(is_cross),
            // It is asked of branches in other repositories only, which there are none of.
            "maintainerCanModify" => leaf(is_cross),
            "headRepository" => self.head_repository(context),
            "headRepositoryOwner" => self.head_owner(context),
            "viewerCanUpdateBranch" => {
                leaf(self.issue.is_open() && self.visit.permission >= Permission::Write)
            }
            _ => return None,
        })
    }

    fn head_repository<'a>(&'a self, context: &'a Context<'a>) -> Answer<'a> {
        maybe_object(context, context.repo(self.pull.head_repo_id)?.map(RepositoryNode))
    }

    fn head_owner<'a>(&'a self, context: &'a Context<'a>) -> Answer<'a> {
        let visit = context.repo(self.pull.head_repo_id)?;
        maybe_object(context, visit.map(|visit| OwnerNode(ActorNode(Arc::new(visit.repo.owner.clone())))))
    }

    fn review_field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Option<Answer<'a>> {
        Some(match ask.name() {
            "reviews" => shown(context, review::list(context, ask, self)),
            "latestReviews" => shown(context, self.latest(context, ask, false)),
            "latestOpinionatedReviews" => shown(context, self.latest(context, ask, true)),
            "reviewThreads" => shown(context, review_thread::list(context, ask, self)),
            "reviewRequests" => shown(context, review_request::list(context, ask, self)),
            "viewerLatestReview" => self.viewer_review(context),
            "viewerLatestReviewRequest" => {
                review_request::of_viewer(context, self).and_then(|request| maybe_object(context, request))
            }
            _ => return None,
        })
    }

    fn latest(
        &self,
        context: &Context<'_>,
        ask: &Ask<'_>,
        decides: bool,
    ) -> Result<Connection<review::ReviewNode>, GraphError> {
        let mut found = reviews::latest(context.conn, self.pull.id, decides)?;
        if ask.bool("writersOnly") == Some(true) {
            let mut writers = Vec::new();
            for review in found {
                let author = context.account(review.author_id)?;
                let own = crate::db::repos::permission(context.conn, &self.visit.repo, &author)?;
                writers.extend((own >= Permission::Write).then_some(review));
            }
            found = writers;
        }
        review::page(ask, self, found)
    }

    fn viewer_review<'a>(&'a self, context: &'a Context<'a>) -> Answer<'a> {
        let viewer = context.viewer_id().unwrap_or(0);
        let found = reviews::of_pull(context.conn, self.pull.id, viewer)?;
        let last = found.into_iter().rfind(|review| review.author_id == viewer);
        let number = self.issue.number;
        let node = |review| review::ReviewNode { visit: Arc::clone(&self.visit), review, number };
        maybe_object(context, last.map(node))
    }
}

/// A page as an answer.
pub(super) fn shown<'a, E: Entity + 'a>(
    context: &'a Context<'a>,
    page: Result<Connection<E>, GraphError>,
) -> Answer<'a> {
    object(context, page?)
}

/// The pull request of a row that lies in a repository which the viewer sees.
pub(crate) fn by_row(
    context: &Context<'_>,
    visit: &Arc<Visit>,
    pull_id: i64,
) -> Result<PullRequestNode, GraphError> {
    let found = pulls::by_id(context.conn, pull_id)?;
    let (issue, pull) = found.ok_or_else(|| ids::unresolvable(&node_id("PR", pull_id)))?;
    Ok(PullRequestNode { visit: Arc::clone(visit), issue, pull })
}

/// The pull request of that id.
pub(crate) fn by_node(context: &Context<'_>, id: &str) -> Result<PullRequestNode, GraphError> {
    let (issue, pull) =
        pulls::by_id(context.conn, ids::database_id(id, &["PR"])?)?.ok_or_else(|| ids::unresolvable(id))?;
    Ok(PullRequestNode { visit: context.visit_for(issue.repo_id, id)?, issue, pull })
}
