//! The root of queries.

use apollo_compiler::resolvers::ResolvedValue;

use super::actor::{ActorNode, OwnerNode};
use super::ask::Ask;
use super::board;
use super::comment::CommentNode;
use super::context::Context;
use super::entity::{Answer, Bound, Entity, leaf, maybe_object, object, unknown};
use super::error::GraphError;
use super::git_object;
use super::git_ref::RefNode;
use super::ids;
use super::issue::IssueNode;
use super::label::LabelNode;
use super::milestone::MilestoneNode;
use super::project::ProjectNode;
use super::project_field::ProjectFieldNode;
use super::project_item::{DraftNode, ProjectItemNode};
use super::project_value::ValueNode;
use super::pull_request::PullRequestNode;
use super::reaction::ReactionNode;
use super::repository::RepositoryNode;
use super::repository_lists::PinnedIssue;
use super::timeline::EventNode;
use super::{resource, search};
use crate::db::accounts::{self, AccountKind};
use crate::db::pulls;
use crate::http::error::ApiError;
use crate::http::rate::Resource;
use crate::wire::Time;

pub(crate) struct Query;

impl Entity for Query {
    fn type_name(&self) -> &'static str {
        "Query"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "viewer" => {
                let id = context
                    .viewer_id()
                    .ok_or_else(|| GraphError::from(ApiError::requires_authentication()))?;
                object(context, OwnerNode(ActorNode(context.account(id)?)))
            }
            "rateLimit" => object(context, RateLimit),
            "repository" => repository(context, ask),
            "user" | "organization" => owner(context, ask),
            "repositoryOwner" => {
                let found = accounts::by_login(context.conn, ask.str("login").unwrap_or_default())?;
                maybe_object(context, found.map(|account| OwnerNode(ActorNode(account.into()))))
            }
            "node" => {
                let id = ask.str("id").unwrap_or_default();
                object(context, node(context, id)?)
            }
            "nodes" => nodes(context, ask),
            "search" => search::search(context, ask),
            "resource" => resource::resource(context, ask),
            _ => unknown("Query", ask),
        }
    }
}

fn repository<'a>(context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
    let (owner, name) = (ask.str("owner").unwrap_or_default(), ask.str("name").unwrap_or_default());
    let visit = context.repo_named(owner, name)?.ok_or_else(|| {
        GraphError::not_found(format!("Could not resolve to a Repository with the name '{owner}/{name}'."))
    })?;
    object(context, RepositoryNode(visit))
}

fn owner<'a>(context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
    let login = ask.str("login").unwrap_or_default();
    let (wanted, kind) = match ask.name() {
        "organization" => (AccountKind::Organization, "an Organization"),
        _ => (AccountKind::User, "a User"),
    };
    let found = accounts::by_login(context.conn, login)?.filter(|account| account.kind == wanted);
    let account = found.ok_or_else(|| {
        GraphError::not_found(format!("Could not resolve to {kind} with the login of '{login}'."))
    })?;
    object(context, ActorNode(account.into()))
}

/// What cannot be found is null in its place and told beside the others, which the executor's own errors cannot do: one
/// of them takes the whole list along.
fn nodes<'a>(context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
    let ids = ask.strings("ids").unwrap_or_default();
    let mut found = Vec::new();
    for (index, id) in ids.into_iter().enumerate() {
        found.push(node(context, id).map_err(|error| context.note(ask.fault_at(index, error))).ok());
    }
    Ok(ResolvedValue::list(
        found
            .into_iter()
            .map(|node| ResolvedValue::nullable_object(node.map(|node| Bound::new(context, node)))),
    ))
}

/// Finds anything that has an id. Each group of nouns knows its own kinds.
pub(crate) fn node(context: &Context<'_>, id: &str) -> Result<Box<dyn Entity>, GraphError> {
    let missing = || ids::unresolvable(id);
    let (prefix, _) = ids::split(id).ok_or_else(missing)?;
    let row = || ids::database_id(id, &[prefix]);
    Ok(match prefix {
        "U" | "O" | "BOT" => Box::new(ActorNode(context.account(row()?).map_err(|_| missing())?)),
        "R" => Box::new(RepositoryNode(context.repo(row()?)?.ok_or_else(missing)?)),
        "I" => Box::new(IssueNode::by_node(context, id)?),
        "IC" => Box::new(CommentNode::find(context, id)?),
        "LA" => Box::new(LabelNode::find(context, id)?),
        "MI" => Box::new(MilestoneNode::find(context, id)?),
        "REA" => Box::new(ReactionNode::find(context, id)?),
        "E" => Box::new(EventNode::find(context, id)?),
        "PI" => Box::new(PinnedIssue::find(context, id)?),
        "REF" => Box::new(RefNode::find(context, id)?),
        "T" => Box::new(super::team::by_node(context, id)?),
        "C" | "TA" | "B" | "TREE" => git_object::find(context, id, prefix)?,
        "PR" => {
            let (issue, pull) = pulls::by_id(context.conn, row()?)?.ok_or_else(missing)?;
            Box::new(PullRequestNode { visit: context.visit_for(issue.repo_id, id)?, issue, pull })
        }
        "PRR" => Box::new(super::review::by_node(context, id)?),
        "PRRC" => Box::new(super::review_comment::by_node(context, id)?),
        "PRRT" => Box::new(super::review_thread::by_node(context, id)?),
        "RR" => Box::new(super::review_request::by_node(context, id)?),
        "PURC" => Box::new(super::pull_contents::commit_by_node(context, id)?),
        "PVT" => Box::new(ProjectNode(board::by_node(context, id)?)),
        "PVTI" | "DI" => {
            let (board, item) = board::item_by_node(context, id)?;
            let item = ProjectItemNode::new(&board, item);
            if prefix == "DI" { Box::new(DraftNode(item)) } else { Box::new(item) }
        }
        "PVTF" | "PVTSSF" => {
            let (board, field) = board::field_by_node(context, id)?;
            Box::new(ProjectFieldNode { board, field })
        }
        "PVTFTV" | "PVTFNV" | "PVTFDV" | "PVTFSV" => Box::new(ValueNode::by_node(context, id)?),
        "A" | "CR" | "CS" | "SC" | "BPR" => super::check::node(context, id)?,
        "S" | "SCR" => super::status::by_node(context, id, prefix)?,
        "CMP" => Box::new(super::comparison::by_node(context, id)?),
        _ => return Err(missing()),
    })
}

/// What the viewer may still spend.
struct RateLimit;

impl Entity for RateLimit {
    fn type_name(&self) -> &'static str {
        "RateLimit"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let (forge, viewer) = (&context.call.forge, context.call.viewer.as_ref());
        let limit = forge.limit(Resource::Graphql, viewer.is_some());
        let token = viewer.map_or(0, |viewer| viewer.token.id);
        let standing = forge.rates.standing(token, Resource::Graphql, limit, context.call.now);
        match ask.name() {
            "cost" => leaf(context.cost.points),
            "nodeCount" => leaf(context.cost.nodes),
            "limit" => leaf(standing.limit),
            "remaining" => leaf(standing.remaining()),
            "used" => leaf(standing.used),
            "resetAt" => leaf(Time(standing.reset).to_string()),
            _ => unknown("RateLimit", ask),
        }
    }
}
