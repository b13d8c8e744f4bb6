//! What an issue and a pull request have in common, as fields of either.

use std::sync::Arc;

use super::actor::{ActorNode, actors, users};
use super::ask::{Ask, Input};
use super::comment::CommentNode;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, leaf, maybe_object, object, objects, optional};
use super::error::GraphError;
use super::milestone::MilestoneNode;
use super::reaction::{self, Reactable};
use crate::db::accounts::Account;
use crate::db::comments::Comment;
use crate::db::issues::{self, Issue};
use crate::db::keyset::Range;
use crate::db::reactions::Subject;
use crate::db::repos::Permission;
use crate::db::{comments, milestones, participants, repos};
use crate::http::call::Visit;
use crate::wire::Time;

pub(crate) const USERS: (&str, &str) = ("UserConnection", "UserEdge");
const ASSIGNEES: (&str, &str) = ("AssigneeConnection", "AssigneeEdge");

/// Answers a field that both have; nothing for any other.
pub(crate) fn field<'a>(
    context: &'a Context<'a>,
    ask: &Ask<'a>,
    visit: &'a Arc<Visit>,
    issue: &'a Issue,
) -> Option<Answer<'a>> {
    let author = issue.author_id;
    Some(match ask.name() {
        "activeLockReason" => optional(issue.lock_reason.as_deref().map(lock_reason_name)),
        "locked" => leaf(issue.locked),
        "assignees" => assignees(context, ask, issue, USERS),
        "assignedActors" => assignees(context, ask, issue, ASSIGNEES),
        "suggestedActors" => suggested(context, ask, visit, ASSIGNEES),
        "authorAssociation" => association(context, visit, author),
        "bodyText" => leaf(issue.body.as_deref().unwrap_or_default()),
        "comments" => comments_of(context, ask, visit, issue).and_then(|page| object(context, page)),
        // There is no other way to make one here.
        "createdViaEmail" => leaf(false),
        "publishedAt" => leaf(Time(issue.created_at).to_string()),
        "milestone" => milestone_of(context, visit, issue),
        "participants" => participants_of(context, ask, issue),
        "reactionGroups" => {
            let reactable = Reactable { visit: Arc::clone(visit), subject: Subject::Issue(issue.id) };
            reaction::groups(context, &reactable).and_then(|groups| objects(context, groups))
        }
        "reactions" => {
            let reactable = Reactable { visit: Arc::clone(visit), subject: Subject::Issue(issue.id) };
            reaction::list(context, ask, &reactable).and_then(|list| object(context, list))
        }
        "viewerCanReact" => leaf(context.viewer_id().is_some() && !visit.repo.archived),
        "viewerDidAuthor" => leaf(context.viewer_id() == Some(author)),
        "viewerCanClose" | "viewerCanReopen" | "viewerCanUpdate" => leaf(may_change(context, visit, author)),
        "viewerCanLabel" => leaf(visit.permission >= Permission::Triage && !visit.repo.archived),
        "viewerCanDelete" => leaf(visit.permission >= Permission::Admin),
        _ => return None,
    })
}

/// Texts and state belong to their author and to those who triage.
pub(super) fn may_change(context: &Context<'_>, visit: &Visit, author: i64) -> bool {
    !visit.repo.archived && (visit.permission >= Permission::Triage || context.viewer_id() == Some(author))
}

fn lock_reason_name(reason: &str) -> String {
    reason.to_ascii_uppercase().replace(['-', ' '], "_")
}

pub(super) fn association<'a>(context: &'a Context<'a>, visit: &Visit, account_id: i64) -> Answer<'a> {
    leaf(repos::association(context.conn, &visit.repo, account_id)?)
}

fn assignees<'a>(
    context: &'a Context<'a>,
    ask: &Ask<'a>,
    issue: &Issue,
    names: (&'static str, &'static str),
) -> Answer<'a> {
    let mut nodes = actors(context, issues::assignees(context.conn, issue.id)?)?;
    nodes.retain(|actor| names != USERS || actor.is_user());
    object(context, Connection::whole(names, Paging::of(ask)?, nodes))
}

/// Those who may be assigned, as far as a text is part of their name.
pub(super) fn suggested<'a>(
    context: &'a Context<'a>,
    ask: &Ask<'a>,
    visit: &Visit,
    names: (&'static str, &'static str),
) -> Answer<'a> {
    let wanted = ask.str("query").unwrap_or_default().to_lowercase();
    let logins: Option<Vec<String>> = ask
        .str("loginNames")
        .filter(|names| !names.is_empty())
        .map(|names| names.split(',').map(|name| name.trim().to_lowercase()).collect());
    let is_wanted = |account: &Account| {
        let login = account.login.to_lowercase();
        let name = account.name.as_deref().unwrap_or_default().to_lowercase();
        (login.contains(&wanted) || name.contains(&wanted))
            && logins.as_ref().is_none_or(|logins| logins.contains(&login))
    };
    let people = repos::people(context.conn, &visit.repo)?;
    let wanted = people.into_iter().filter(is_wanted).map(|account| ActorNode(account.into()));
    let nodes = wanted.filter(|actor| names != USERS || actor.is_user()).collect();
    object(context, Connection::whole(names, Paging::of(ask)?, nodes))
}

fn milestone_of<'a>(context: &'a Context<'a>, visit: &Arc<Visit>, issue: &Issue) -> Answer<'a> {
    let found = issue.milestone_id.map(|id| milestones::by_id(context.conn, id)).transpose()?;
    maybe_object(context, found.map(|milestone| MilestoneNode { visit: Arc::clone(visit), milestone }))
}

fn participants_of<'a>(context: &'a Context<'a>, ask: &Ask<'a>, issue: &Issue) -> Answer<'a> {
    let nodes = users(context, participants::of_issue(context.conn, issue.id)?)?;
    object(context, Connection::whole(USERS, Paging::of(ask)?, nodes))
}

/// The comments of an issue or a pull request, oldest first unless something else is asked for.
pub(crate) fn comments_of(
    context: &Context<'_>,
    ask: &Ask<'_>,
    visit: &Arc<Visit>,
    issue: &Issue,
) -> Result<Connection<CommentNode>, GraphError> {
    let direction = ask.object("orderBy").and_then(|order| order.text("direction"));
    let (by_update, descending) = (direction.is_some(), direction == Some("DESC"));
    let read = |range: &Range| comments::within(context.conn, issue.id, by_update, range);
    let key = |comment: &Comment| comment.key(by_update);
    let page = Paging::of(ask)?.page(issue.comments, descending, read, key)?;
    let node = |comment| CommentNode { visit: Arc::clone(visit), comment };
    Ok(Connection::keyed(("IssueCommentConnection", "IssueCommentEdge"), issue.comments, page, node))
}
