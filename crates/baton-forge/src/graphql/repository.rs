//! Repositories.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, optional};
use super::error::GraphError;
use super::ids::node_id;
use super::issue::IssueNode;
use super::merge_status;
use super::pull_request::PullRequestNode;
use crate::db::repos::Permission;
use crate::db::{issues, pulls};
use crate::http::call::Visit;
use crate::wire::Time;

pub(crate) struct RepositoryNode(pub(crate) Arc<Visit>);

impl Entity for RepositoryNode {
    fn type_name(&self) -> &'static str {
        "Repository"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let repo = &self.0.repo;
        match ask.name() {
            "id" => leaf(node_id("R", repo.id)),
            "databaseId" => leaf(repo.id),
            "name" => leaf(repo.name.as_str()),
            "nameWithOwner" => leaf(repo.full_name()),
            "owner" => object(context, ActorNode(Arc::new(repo.owner.clone()))),
            "url" => leaf(context.web(&repo.full_name())),
            "description" => optional(repo.description.as_deref()),
            "isPrivate" => leaf(repo.private),
            "isArchived" => leaf(repo.archived),
            "hasIssuesEnabled" => leaf(repo.has_issues),
            "createdAt" => leaf(Time(repo.created_at).to_string()),
            "updatedAt" => leaf(Time(repo.updated_at).to_string()),
            "viewerPermission" => leaf(permission_name(self.0.permission)),
            "issue" => self.issue(context, ask),
            "pullRequest" => self.pull_request(context, ask),
            _ => merge_status::repository_field(&self.0, context, ask),
        }
    }
}

impl RepositoryNode {
    fn issue<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let number = ask.i64("number").unwrap_or_default();
        let found = issues::by_number(context.conn, self.0.repo.id, number)?.filter(|issue| !issue.is_pull);
        let issue = found.ok_or_else(|| {
            GraphError::not_found(format!("Could not resolve to an Issue with the number of {number}."))
        })?;
        object(context, IssueNode { visit: Arc::clone(&self.0), issue })
    }
}

impl RepositoryNode {
    fn pull_request<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let number = ask.i64("number").unwrap_or_default();
        let (issue, pull) = pulls::by_number(context.conn, self.0.repo.id, number)?.ok_or_else(|| {
            GraphError::not_found(format!("Could not resolve to a PullRequest with the number of {number}."))
        })?;
        object(context, PullRequestNode { visit: Arc::clone(&self.0), issue, pull })
    }
}

fn permission_name(permission: Permission) -> &'static str {
    match permission {
        Permission::None | Permission::Read => "READ",
        Permission::Triage => "TRIAGE",
        Permission::Write => "WRITE",
        Permission::Maintain => "MAINTAIN",
        Permission::Admin => "ADMIN",
    }
}
