//! Comments on issues and pull requests.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, null, object, objects, unknown};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::issue::IssueNode;
use super::pull_request::PullRequestNode;
use super::reaction::{self, Reactable};
use super::repository::RepositoryNode;
use super::shared;
use crate::db::comments::{self, Comment};
use crate::db::reactions::Subject;
use crate::db::repos::Permission;
use crate::db::{issues, pulls};
use crate::http::call::Visit;
use crate::wire::Time;

pub(crate) struct CommentNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) comment: Comment,
}

impl CommentNode {
    /// The comment behind a node id, if the viewer may see it.
    pub(crate) fn find(context: &Context<'_>, id: &str) -> Result<Self, GraphError> {
        let row = ids::database_id(id, &["IC"])?;
        let (repo, comment) = comments::anywhere(context.conn, row)?.ok_or_else(|| ids::unresolvable(id))?;
        Ok(Self { visit: context.visit_for(repo, id)?, comment })
    }

    fn reactable(&self) -> Reactable {
        Reactable { visit: Arc::clone(&self.visit), subject: Subject::Comment(self.comment.id) }
    }

    fn path(&self) -> String {
        let Comment { id, issue_number, is_pull, .. } = &self.comment;
        let kind = if *is_pull { "pull" } else { "issues" };
        format!("{}/{kind}/{issue_number}#issuecomment-{id}", self.visit.repo.full_name())
    }

    /// A comment is its author's, and of those who may write to the repository.
    fn may_change(&self, context: &Context<'_>) -> bool {
        let is_own = context.viewer_id() == Some(self.comment.author_id);
        !self.visit.repo.archived && (is_own || self.visit.permission >= Permission::Write)
    }

    fn issue<'a>(&self, context: &'a Context<'a>) -> Answer<'a> {
        let issue = issues::by_id(context.conn, self.comment.issue_id)?;
        let issue = issue.ok_or_else(|| GraphError::not_found("Could not resolve to an Issue."))?;
        object(context, IssueNode { visit: Arc::clone(&self.visit), issue })
    }

    fn pull_request<'a>(&self, context: &'a Context<'a>) -> Answer<'a> {
        let number = self.comment.issue_number;
        match pulls::by_number(context.conn, self.visit.repo.id, number)? {
            Some((issue, pull)) => {
                object(context, PullRequestNode { visit: Arc::clone(&self.visit), issue, pull })
            }
            None => null(),
        }
    }
}

impl Entity for CommentNode {
    fn type_name(&self) -> &'static str {
        "IssueComment"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let comment = &self.comment;
        match ask.name() {
            "id" => leaf(node_id("IC", comment.id)),
            "databaseId" => leaf(comment.id),
            "fullDatabaseId" => leaf(comment.id.to_string()),
            "body" | "bodyText" => leaf(comment.body.as_str()),
            "author" => object(context, ActorNode(context.account(comment.author_id)?)),
            "authorAssociation" => shared::association(context, &self.visit, comment.author_id),
            "createdAt" | "publishedAt" => leaf(Time(comment.created_at).to_string()),
            "updatedAt" => leaf(Time(comment.updated_at).to_string()),
            "createdViaEmail" | "isMinimized" | "viewerCanMinimize" => leaf(false),
            "minimizedReason" => null(),
            "includesCreatedEdit" => leaf(comment.updated_at > comment.created_at),
            "issue" => self.issue(context),
            "pullRequest" if comment.is_pull => self.pull_request(context),
            "pullRequest" => null(),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "resourcePath" => leaf(format!("/{}", self.path())),
            "url" => leaf(context.web(&self.path())),
            "reactionGroups" => objects(context, reaction::groups(context, &self.reactable())?),
            "reactions" => object(context, reaction::list(context, ask, &self.reactable())?),
            "viewerCanReact" => leaf(context.viewer_id().is_some() && !self.visit.repo.archived),
            "viewerCanDelete" | "viewerCanUpdate" => leaf(self.may_change(context)),
            "viewerDidAuthor" => leaf(context.viewer_id() == Some(comment.author_id)),
            _ => unknown("IssueComment", ask),
        }
    }
}
