//! Boards.

use std::rc::Rc;
use std::sync::Arc;

use super::actor::{ActorNode, OwnerNode};
use super::ask::{Ask, Input as _};
use super::board::{self, Board};
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, object, optional, unknown};
use super::error::GraphError;
use super::ids::node_id;
use super::project_field::ProjectFieldNode;
use super::project_item::ProjectItemNode;
use super::repository::RepositoryNode;
use crate::boards::filter::Filter;
use crate::boards::rights::Level;
use crate::db::accounts::AccountKind;
use crate::db::keyset::{Key, Range};
use crate::db::project_items::{self, Item};
use crate::db::projects::{self, Project};
use crate::wire::Time;

pub(crate) struct ProjectNode(pub(crate) Rc<Board>);

impl Entity for ProjectNode {
    fn type_name(&self) -> &'static str {
        "ProjectV2"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let project = &self.0.project;
        match ask.name() {
            "id" => leaf(node_id("PVT", project.id)),
            "databaseId" | "fullDatabaseId" => leaf(project.id),
            "number" => leaf(project.number),
            "title" => leaf(project.title.as_str()),
            "shortDescription" => optional(project.short_description.as_deref()),
            "readme" => optional(project.readme.as_deref()),
            "public" => leaf(project.public),
            "template" => leaf(project.template),
            "closed" => leaf(project.closed_at.is_some()),
            "closedAt" => optional(project.closed_at.map(|at| Time(at).to_string())),
            "createdAt" => leaf(Time(project.created_at).to_string()),
            "updatedAt" => leaf(Time(project.updated_at).to_string()),
            "creator" => object(context, ActorNode(context.account(project.creator_id)?)),
            "owner" => object(context, OwnerNode(ActorNode(context.account(project.owner_id)?))),
            "url" => leaf(context.web(path_of(context, project)?.trim_start_matches('/'))),
            "resourcePath" => leaf(path_of(context, project)?),
            "viewerCanUpdate" | "viewerCanClose" | "viewerCanReopen" => {
                leaf(board::level(context, project)? >= Level::Write)
            }
            "field" => {
                let found = self.0.field_named(context, ask.str("name").unwrap_or_default())?;
                maybe_object(context, found.map(|field| self.field_node(field)))
            }
            "fields" => object(context, self.fields(context, ask)?),
            "items" => object(context, items(context, ask, &self.0)?),
            "repositories" => object(context, self.repositories(context, ask)?),
            _ => unknown("ProjectV2", ask),
        }
    }
}

impl ProjectNode {
    fn field_node(&self, field: Rc<crate::db::project_fields::Field>) -> ProjectFieldNode {
        ProjectFieldNode { board: Rc::clone(&self.0), field }
    }

    fn fields(
        &self,
        context: &Context<'_>,
        ask: &Ask<'_>,
    ) -> Result<Connection<ProjectFieldNode>, GraphError> {
        let mut fields = self.0.fields(context)?.to_vec();
        let order = ask.object("orderBy");
        match order.and_then(|order| order.text("field")) {
            Some("NAME") => fields.sort_by_key(|field| field.name.to_lowercase()),
            Some("CREATED_AT") => fields.sort_by_key(|field| field.id),
            _ => {}
        }
        if is_descending(ask) {
            fields.reverse();
        }
        let nodes = fields.into_iter().map(|field| self.field_node(field)).collect();
        let names = ("ProjectV2FieldConfigurationConnection", "ProjectV2FieldConfigurationEdge");
        Ok(Connection::whole(names, Paging::of(ask)?, nodes))
    }

    fn repositories(
        &self,
        context: &Context<'_>,
        ask: &Ask<'_>,
    ) -> Result<Connection<RepositoryNode>, GraphError> {
        let mut found = Vec::new();
        for id in projects::linked(context.conn, self.0.project.id)? {
            found.extend(context.repo(id)?);
        }
        match ask.object("orderBy").and_then(|order| order.text("field")) {
            Some("NAME") => found.sort_by_key(|visit| visit.repo.name.to_lowercase()),
            Some("UPDATED_AT") => found.sort_by_key(|visit| visit.repo.updated_at),
            Some("PUSHED_AT") => found.sort_by_key(|visit| visit.repo.pushed_at),
            _ => found.sort_by_key(|visit| (visit.repo.created_at, visit.repo.id)),
        }
        if is_descending(ask) {
            found.reverse();
        }
        let nodes = found.into_iter().map(|visit| RepositoryNode(Arc::clone(&visit))).collect();
        Ok(Connection::whole(("RepositoryConnection", "RepositoryEdge"), Paging::of(ask)?, nodes))
    }
}

pub(super) fn is_descending(ask: &Ask<'_>) -> bool {
    ask.object("orderBy").and_then(|order| order.text("direction")) == Some("DESC")
}

fn path_of(context: &Context<'_>, project: &Project) -> Result<String, GraphError> {
    let owner = context.account(project.owner_id)?;
    let kind = if owner.kind == AccountKind::Organization { "orgs" } else { "users" };
    Ok(format!("/{kind}/{}/projects/{}", owner.login, project.number))
}

const ITEM_NAMES: (&str, &str) = ("ProjectV2ItemConnection", "ProjectV2ItemEdge");

/// A page of a board's items. Its cursors are places on the board, so that no page costs more than the first.
pub(super) fn items(
    context: &Context<'_>,
    ask: &Ask<'_>,
    board: &Rc<Board>,
) -> Result<Connection<ProjectItemNode>, GraphError> {
    let (conn, project, descending) = (context.conn, &board.project, is_descending(ask));
    let asked: Paging<Key> = Paging::of(ask)?;
    let resume = |cursor| project_items::resume(conn, project.id, cursor);
    let (after, before) = (asked.after.map(resume).transpose()?, asked.before.map(resume).transpose()?);
    let paging = Paging { after, before, ..asked };
    let node = |item| ProjectItemNode::new(board, item);
    if let Some(filter) = Filter::parse(ask.str("query").unwrap_or_default()) {
        // The whole board is looked at.
        let all = filter.apply(&context.render(), project)?;
        let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
        let page = paging.page(total, descending, |range| Ok(range.pick(&all, Item::key)), Item::key)?;
        return Ok(Connection::keyed(ITEM_NAMES, total, page, node));
    }
    let read = |range: &Range| project_items::stretch(conn, project.id, range);
    let page = paging.page(project.item_count, descending, read, Item::key)?;
    Ok(Connection::keyed(ITEM_NAMES, project.item_count, page, node))
}
