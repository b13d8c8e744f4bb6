//! What a repository has many of: issues, labels, milestones, people, refs, objects.

use std::sync::Arc;

use apollo_compiler::resolvers::ResolvedValue;

use super::actor::{ActorNode, actors, is_descending};
use super::ask::{Ask, Input};
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, object, unknown};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::issue::{self, IssueNode};
use super::label::LabelNode;
use super::milestone::MilestoneNode;
use super::repository::{RepositoryNode, permission_name};
use super::shared::{self, USERS};
use super::{git_object, git_ref, issue_links};
use crate::db::issue_query::IssueQuery;
use crate::db::labels::{self, LabelQuery};
use crate::db::milestones::{self, Milestone};
use crate::db::repos::{self, Permission};
use crate::db::{issues, pins};
use crate::http::call::Visit;

/// Answers a field that is a list or an entry of one; nothing for any other.
pub(super) fn field<'a>(
    node: &'a RepositoryNode,
    context: &'a Context<'a>,
    ask: &Ask<'a>,
) -> Option<Answer<'a>> {
    let visit = &node.0;
    Some(match ask.name() {
        "issues" => issue_links::issues_like(context, ask, visit, IssueQuery::default())
            .and_then(|page| object(context, page)),
        "issueOrPullRequest" => issue_or_pull(context, ask, visit),
        "pinnedIssues" => pinned(context, ask, visit),
        "label" => label(context, ask, visit),
        "labels" => all_labels(context, ask, visit),
        "milestone" => milestone(context, ask, visit),
        "milestones" => all_milestones(context, ask, visit),
        "assignableUsers" | "mentionableUsers" => shared::suggested(context, ask, visit, USERS),
        "suggestedActors" => shared::suggested(context, ask, visit, ("ActorConnection", "ActorEdge")),
        "collaborators" => collaborators(context, ask, visit),
        // Nobody watches here, and forms for issues are files that the forge does not read.
        "watchers" => actors(context, Vec::new())
            .and_then(|none| object(context, Connection::whole(USERS, Paging::of(ask)?, none))),
        "issueTemplates" | "pullRequestTemplates" | "contactLinks" => Ok(ResolvedValue::list([])),
        "viewerPossibleCommitEmails" => emails(context),
        "defaultBranchRef" => git_ref::default_branch(context, visit),
        "ref" => git_ref::named(context, visit, ask.str("qualifiedName").unwrap_or_default()),
        "refs" => git_ref::list(context, ask, visit).and_then(|page| object(context, page)),
        "object" => git_object::asked(context, ask, visit),
        _ => return None,
    })
}

fn issue_or_pull<'a>(context: &'a Context<'a>, ask: &Ask<'a>, visit: &Arc<Visit>) -> Answer<'a> {
    let number = ask.i64("number").unwrap_or_default();
    let found = issues::by_number(context.conn, visit.repo.id, number)?.ok_or_else(|| {
        let message = "Could not resolve to an issue or pull request with the number of";
        GraphError::not_found(format!("{message} {number}."))
    })?;
    object(context, issue::subject_node(context, Arc::clone(visit), found)?)
}

fn label<'a>(context: &'a Context<'a>, ask: &Ask<'a>, visit: &Arc<Visit>) -> Answer<'a> {
    let found = labels::find(context.conn, visit.repo.id, ask.str("name").unwrap_or_default())?;
    maybe_object(context, found.map(|label| LabelNode { visit: Arc::clone(visit), label }))
}

fn all_labels<'a>(context: &'a Context<'a>, ask: &Ask<'a>, visit: &Arc<Visit>) -> Answer<'a> {
    let query = LabelQuery {
        text: ask.str("query").filter(|text| !text.is_empty()),
        by_name: ask.object("orderBy").and_then(|order| order.text("field")) == Some("NAME"),
        descending: is_descending(ask),
    };
    let found = labels::matching(context.conn, visit.repo.id, &query)?;
    let nodes = found.into_iter().map(|label| LabelNode { visit: Arc::clone(visit), label }).collect();
    object(context, Connection::whole(("LabelConnection", "LabelEdge"), Paging::of(ask)?, nodes))
}

fn milestone<'a>(context: &'a Context<'a>, ask: &Ask<'a>, visit: &Arc<Visit>) -> Answer<'a> {
    let number = ask.i64("number").unwrap_or_default();
    let found = milestones::by_number(context.conn, visit.repo.id, number)?;
    maybe_object(context, found.map(|milestone| MilestoneNode { visit: Arc::clone(visit), milestone }))
}

fn all_milestones<'a>(context: &'a Context<'a>, ask: &Ask<'a>, visit: &Arc<Visit>) -> Answer<'a> {
    let states = ask.strings("states");
    let text = ask.str("query").unwrap_or_default().to_lowercase();
    let mut found = milestones::list(context.conn, visit.repo.id, "all")?;
    found.retain(|milestone| {
        let state = milestone.state.to_ascii_uppercase();
        let is_named = milestone.title.to_lowercase().contains(&text);
        is_named && states.as_ref().is_none_or(|states| states.contains(&state.as_str()))
    });
    sort_milestones(ask, &mut found);
    let node = |milestone| MilestoneNode { visit: Arc::clone(visit), milestone };
    let nodes = found.into_iter().map(node).collect();
    object(context, Connection::whole(("MilestoneConnection", "MilestoneEdge"), Paging::of(ask)?, nodes))
}

fn sort_milestones(ask: &Ask<'_>, found: &mut [Milestone]) {
    match ask.object("orderBy").and_then(|order| order.text("field")) {
        Some("DUE_DATE") => found.sort_by_key(|milestone| (milestone.due_on.is_none(), milestone.due_on)),
        Some("UPDATED_AT") => found.sort_by_key(|milestone| milestone.updated_at),
        Some("CREATED_AT") => found.sort_by_key(|milestone| milestone.created_at),
        _ => found.sort_by_key(|milestone| milestone.number),
    }
    if is_descending(ask) {
        found.reverse();
    }
}

fn emails<'a>(context: &'a Context<'a>) -> Answer<'a> {
    let email = context.call.viewer.as_ref().and_then(|viewer| viewer.account.email.clone());
    Ok(ResolvedValue::list(email.into_iter().map(ResolvedValue::leaf)))
}

/// Somebody with a standing of their own in a repository.
struct Collaborator {
    actor: ActorNode,
    permission: Permission,
}

impl Entity for Collaborator {
    fn type_name(&self) -> &'static str {
        self.actor.type_name()
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        self.actor.field(context, ask)
    }

    fn edge_field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "permission" => leaf(permission_name(self.permission)),
            _ => unknown("RepositoryCollaboratorEdge", ask),
        }
    }
}

/// As over REST, only those who may write see who else has a standing.
fn collaborators<'a>(context: &'a Context<'a>, ask: &Ask<'a>, visit: &Arc<Visit>) -> Answer<'a> {
    if visit.permission < Permission::Write {
        return Err(GraphError::forbidden("Must have push access to view repository collaborators."));
    }
    let login = ask.str("login");
    let mut nodes = Vec::new();
    for account in repos::people(context.conn, &visit.repo)? {
        if login.is_none_or(|login| login.eq_ignore_ascii_case(&account.login)) {
            let permission = repos::permission(context.conn, &visit.repo, &account)?;
            let actor = ActorNode(account.into());
            nodes.extend(actor.is_user().then_some(Collaborator { actor, permission }));
        }
    }
    let names = ("RepositoryCollaboratorConnection", "RepositoryCollaboratorEdge");
    object(context, Connection::whole(names, Paging::of(ask)?, nodes))
}

/// An issue on top of its repository's list.
pub(super) struct PinnedIssue {
    pub(super) visit: Arc<Visit>,
    pub(super) issue_id: i64,
}

impl PinnedIssue {
    pub(super) fn find(context: &Context<'_>, id: &str) -> Result<Self, GraphError> {
        let issue_id = ids::database_id(id, &["PI"])?;
        let missing = || ids::unresolvable(id);
        let issue = issues::by_id(context.conn, issue_id)?.ok_or_else(missing)?;
        let visit = context.visit_for(issue.repo_id, id)?;
        pins::pinned_by(context.conn, issue_id)?.ok_or_else(missing)?;
        Ok(Self { visit, issue_id })
    }
}

impl Entity for PinnedIssue {
    fn type_name(&self) -> &'static str {
        "PinnedIssue"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let gone = || GraphError::not_found("The issue is not pinned any more.");
        match ask.name() {
            "id" => leaf(node_id("PI", self.issue_id)),
            "databaseId" => leaf(self.issue_id),
            "fullDatabaseId" => leaf(self.issue_id.to_string()),
            "issue" => {
                let issue = issues::by_id(context.conn, self.issue_id)?.ok_or_else(gone)?;
                object(context, IssueNode { visit: Arc::clone(&self.visit), issue })
            }
            "pinnedBy" => {
                let by = pins::pinned_by(context.conn, self.issue_id)?.ok_or_else(gone)?;
                object(context, ActorNode(context.account(by)?))
            }
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            _ => unknown("PinnedIssue", ask),
        }
    }
}

fn pinned<'a>(context: &'a Context<'a>, ask: &Ask<'a>, visit: &Arc<Visit>) -> Answer<'a> {
    let found = pins::of_repo(context.conn, visit.repo.id)?;
    let nodes =
        found.into_iter().map(|issue_id| PinnedIssue { visit: Arc::clone(visit), issue_id }).collect();
    let names = ("PinnedIssueConnection", "PinnedIssueEdge");
    object(context, Connection::whole(names, Paging::of(ask)?, nodes))
}
