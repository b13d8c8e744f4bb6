//! Repositories.

use std::sync::Arc;

use super::actor::{ActorNode, OwnerNode};
use super::ask::{Ask, Input};
use super::board_links;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, null, object, optional};
use super::error::GraphError;
use super::ids::node_id;
use super::issue::IssueNode;
use super::merge_status;
use super::pull_list;
use super::pull_request::PullRequestNode;
use super::repository_lists;
use crate::db::accounts::AccountKind;
use crate::db::repos::{self, Affiliations, Permission, Repo};
use crate::db::{issues, pulls, refs};
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
            "owner" => object(context, OwnerNode(ActorNode(Arc::new(repo.owner.clone())))),
            "url" => leaf(context.web(&repo.full_name())),
            "description" => optional(repo.description.as_deref()),
            "isPrivate" => leaf(repo.private),
            "isArchived" => leaf(repo.archived),
            "hasIssuesEnabled" => leaf(repo.has_issues),
            "createdAt" => leaf(Time(repo.created_at).to_string()),
            "updatedAt" => leaf(Time(repo.updated_at).to_string()),
            "pushedAt" => leaf(Time(repo.pushed_at).to_string()),
            "resourcePath" => leaf(format!("/{}", repo.full_name())),
            "homepageUrl" => optional(repo.homepage.as_deref()),
            "sshUrl" => leaf(self.ssh_url(context)),
            "visibility" => leaf(if repo.private { "PRIVATE" } else { "PUBLIC" }),
            "isInOrganization" => leaf(repo.owner.kind == AccountKind::Organization),
            "isEmpty" => leaf(refs::with_prefix(context.conn, repo.id, "refs/")?.is_empty()),
            // Every repository takes part in boards and takes an issue without a form; none of the rest exists here.
            "hasProjectsEnabled" | "isBlankIssuesEnabled" => leaf(true),
            "hasDiscussionsEnabled"
            | "hasWikiEnabled"
            | "isDisabled"
            | "isFork"
            | "isLocked"
            | "isMirror"
            | "isTemplate"
            | "viewerHasStarred" => leaf(false),
            "forkCount" | "stargazerCount" => leaf(0),
            "parent" | "templateRepository" => null(),
            "viewerCanAdminister" => leaf(self.0.permission >= Permission::Admin),
            "viewerDefaultCommitEmail" => optional(viewer_email(context)),
            "viewerPermission" => leaf(permission_name(self.0.permission)),
            "issue" => self.issue(context, ask),
            "pullRequest" => self.pull_request(context, ask),
            "pullRequests" => object(context, pull_list::list(context, ask, &self.0)?),
            "projectV2" | "projectsV2" => board_links::repository_field(&self.0, context, ask),
            _ => repository_lists::field(self, context, ask)
                .unwrap_or_else(|| merge_status::repository_field(&self.0, context, ask)),
        }
    }
}

impl RepositoryNode {
    fn ssh_url(&self, context: &Context<'_>) -> String {
        let web = &context.call.links.web;
        let host = web.split_once("://").map_or(web.as_str(), |(_, host)| host);
        format!("git@{}:{}.git", host.split(':').next().unwrap_or(host), self.0.repo.full_name())
    }

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

pub(super) fn permission_name(permission: Permission) -> &'static str {
    match permission {
        Permission::None | Permission::Read => "READ",
        Permission::Triage => "TRIAGE",
        Permission::Write => "WRITE",
        Permission::Maintain => "MAINTAIN",
        Permission::Admin => "ADMIN",
    }
}

fn viewer_email<'c>(context: &'c Context<'_>) -> Option<&'c str> {
    context.call.viewer.as_ref()?.account.email.as_deref()
}

/// The repositories of an account that the viewer may see and that are as asked for.
pub(super) fn repositories_of(
    context: &Context<'_>,
    ask: &Ask<'_>,
    owner_id: i64,
) -> Result<Connection<RepositoryNode>, GraphError> {
    let wanted = ask.strings("ownerAffiliations").unwrap_or_default();
    let how = |name: &str| wanted.contains(&name);
    let by = Affiliations {
        owner: how("OWNER"),
        collaborator: how("COLLABORATOR"),
        member: how("ORGANIZATION_MEMBER"),
    };
    let mut found = repos::affiliated(context.conn, owner_id, by)?;
    found.retain(|repo| is_wanted(ask, repo));
    if let Some(order) = ask.object("orderBy") {
        match order.text("field") {
            Some("NAME") => found.sort_by_key(|repo| repo.name.to_lowercase()),
            Some("UPDATED_AT") => found.sort_by_key(|repo| repo.updated_at),
            Some("PUSHED_AT") => found.sort_by_key(|repo| repo.pushed_at),
            _ => found.sort_by_key(|repo| (repo.created_at, repo.id)),
        }
        if order.text("direction") == Some("DESC") {
            found.reverse();
        }
    }
    let mut nodes = Vec::new();
    for repo in found {
        nodes.extend(context.repo(repo.id)?.map(RepositoryNode));
    }
    Ok(Connection::whole(("RepositoryConnection", "RepositoryEdge"), Paging::of(ask)?, nodes))
}

fn is_wanted(ask: &Ask<'_>, repo: &Repo) -> bool {
    let fits = |name: &str, value: bool| ask.bool(name).is_none_or(|wanted| wanted == value);
    let seen = if repo.private { "PRIVATE" } else { "PUBLIC" };
    let is_seen = |name: &str| ask.str(name).is_none_or(|wanted| wanted == seen);
    // There are no forks.
    fits("isFork", false)
        && fits("isArchived", repo.archived)
        && fits("hasIssuesEnabled", repo.has_issues)
        && is_seen("privacy")
        && is_seen("visibility")
}
