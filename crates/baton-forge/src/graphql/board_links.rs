//! The way from owners, repositories, issues and pull requests to their boards.

use std::sync::Arc;

use super::ask::{Ask, Input as _};
use super::board::{self, Board};
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, maybe_object, object, unknown};
use super::error::GraphError;
use super::project::{ProjectNode, is_descending};
use super::project_item::ProjectItemNode;
use crate::boards::projects::is_asked_for;
use crate::boards::rights::Level;
use crate::db::accounts::{Account, AccountKind};
use crate::db::issues::Issue;
use crate::db::project_items;
use crate::db::projects::{self, Project};
use crate::http::call::Visit;

/// The boards of a user or an organisation.
pub(super) fn owner_field<'a>(account: &Account, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
    match ask.name() {
        "projectV2" => {
            let number = ask.i64("number").unwrap_or_default();
            let found = projects::by_number(context.conn, account.id, number)?;
            numbered(context, ask, found, true)
        }
        "projectsV2" => object(context, listed(context, ask, projects::of_owner(context.conn, account.id)?)?),
        _ => unknown(
            match account.kind {
                AccountKind::Organization => "Organization",
                AccountKind::User => "User",
                AccountKind::Bot => "Bot",
            },
            ask,
        ),
    }
}

/// The boards that a repository is linked to.
pub(super) fn repository_field<'a>(visit: &Visit, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
    let found = projects::of_repo(context.conn, visit.repo.id)?;
    among(context, ask, found, "Repository")
}

/// The boards that an issue or a pull request is on, and where it stands there.
pub(super) fn issue_field<'a>(
    _visit: &'a Arc<Visit>,
    issue: &'a Issue,
    context: &'a Context<'a>,
    ask: &Ask<'a>,
) -> Answer<'a> {
    let kind = if issue.is_pull { "PullRequest" } else { "Issue" };
    if ask.name() != "projectItems" {
        return match ask.name() {
            "projectV2" | "projectsV2" => {
                among(context, ask, projects::of_issue(context.conn, issue.id)?, kind)
            }
            _ => unknown(kind, ask),
        };
    }
    let archived = ask.bool("includeArchived").unwrap_or(true);
    let mut nodes = Vec::new();
    for item in project_items::of_issue(context.conn, issue.id, archived)? {
        let board = board::find(context, item.project_id)?;
        nodes.extend(board.map(|board| ProjectItemNode::new(&board, item)));
    }
    let names = ("ProjectV2ItemConnection", "ProjectV2ItemEdge");
    object(context, Connection::whole(names, Paging::of(ask)?, nodes))
}

fn among<'a>(context: &'a Context<'a>, ask: &Ask<'a>, found: Vec<Project>, kind: &'static str) -> Answer<'a> {
    match ask.name() {
        "projectV2" => {
            let number = ask.i64("number").unwrap_or_default();
            let found = found.into_iter().find(|project| project.number == number);
            numbered(context, ask, found, false)
        }
        "projectsV2" => object(context, listed(context, ask, found)?),
        _ => unknown(kind, ask),
    }
}

/// One board. An owner's that is not there is an error; another's is just not there.
fn numbered<'a>(
    context: &'a Context<'a>,
    ask: &Ask<'a>,
    found: Option<Project>,
    must_exist: bool,
) -> Answer<'a> {
    let seen = match found {
        Some(project) if board::is_seen(context, &project)? => Some(project),
        _ => None,
    };
    if seen.is_none() && must_exist {
        let number = ask.i64("number").unwrap_or_default();
        let message = format!("Could not resolve to a ProjectV2 with the number {number}.");
        return Err(GraphError::not_found(message));
    }
    maybe_object(context, seen.map(|project| ProjectNode(Board::new(project))))
}

fn listed(
    context: &Context<'_>,
    ask: &Ask<'_>,
    found: Vec<Project>,
) -> Result<Connection<ProjectNode>, GraphError> {
    let least = match ask.str("minPermissionLevel") {
        Some("ADMIN") => Level::Admin,
        Some("WRITE") => Level::Write,
        _ => Level::Read,
    };
    let query = ask.str("query").unwrap_or_default();
    let mut seen = Vec::new();
    for project in found {
        if board::level(context, &project)? >= least && is_asked_for(&project, query) {
            seen.push(project);
        }
    }
    match ask.object("orderBy").and_then(|order| order.text("field")) {
        Some("TITLE") => seen.sort_by_key(|project| project.title.to_lowercase()),
        Some("CREATED_AT") => seen.sort_by_key(|project| (project.created_at, project.id)),
        Some("UPDATED_AT") => seen.sort_by_key(|project| (project.updated_at, project.id)),
        _ => seen.sort_by_key(|project| project.number),
    }
    if is_descending(ask) {
        seen.reverse();
    }
    let nodes = seen.into_iter().map(|project| ProjectNode(Board::new(project))).collect();
    Ok(Connection::whole(("ProjectV2Connection", "ProjectV2Edge"), Paging::of(ask)?, nodes))
}
