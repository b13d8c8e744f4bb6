//! Pull requests.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::board_links;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, optional};
use super::ids::node_id;
use super::issue::labels_of;
use super::merge_status;
use super::repository::RepositoryNode;
use crate::db::issues::Issue;
use crate::db::pulls::Pull;
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
            "databaseId" | "fullDatabaseId" => leaf(pull.id),
            "number" => leaf(issue.number),
            "title" => leaf(issue.title.as_str()),
            "body" => leaf(issue.body.as_deref().unwrap_or_default()),
            "state" => leaf(self.state()),
            "closed" => leaf(!issue.is_open()),
            "merged" => leaf(pull.merged_at.is_some()),
            "mergedAt" => optional(pull.merged_at.map(|at| Time(at).to_string())),
            "isDraft" => leaf(pull.draft),
            "headRefName" => leaf(pull.head_ref.as_str()),
            "headRefOid" => leaf(pull.head_oid.as_str()),
            "baseRefName" => leaf(pull.base_ref.as_str()),
            "baseRefOid" => leaf(pull.base_oid.as_str()),
            "createdAt" => leaf(Time(issue.created_at).to_string()),
            "updatedAt" => leaf(Time(issue.updated_at).to_string()),
            "closedAt" => optional(issue.closed_at.map(|at| Time(at).to_string())),
            "author" => object(context, ActorNode(context.account(issue.author_id)?)),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "url" => leaf(context.web(&format!("{}/pull/{}", self.visit.repo.full_name(), issue.number))),
            "resourcePath" => leaf(format!("/{}/pull/{}", self.visit.repo.full_name(), issue.number)),
            "labels" => object(context, labels_of(context, ask, &self.visit, issue)?),
            "projectItems" | "projectV2" | "projectsV2" => {
                board_links::issue_field(&self.visit, issue, context, ask)
            }
            _ => merge_status::field(self, context, ask),
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
}
