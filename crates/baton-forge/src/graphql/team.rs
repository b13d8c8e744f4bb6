//! Teams.

use super::actor::{ActorNode, is_descending};
use super::ask::Ask;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, optional, unknown};
use super::error::GraphError;
use super::ids::{self, node_id};
use crate::db::accounts;
use crate::db::teams::{self, Team};
use crate::wire::Time;

pub(crate) struct TeamNode(pub(crate) Team);

impl Entity for TeamNode {
    fn type_name(&self) -> &'static str {
        "Team"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let team = &self.0;
        match ask.name() {
            "id" => leaf(node_id("T", team.id)),
            "databaseId" => leaf(team.id),
            "name" => leaf(team.name.as_str()),
            "slug" => leaf(team.slug.as_str()),
            "combinedSlug" => leaf(format!("{}/{}", context.account(team.org_id)?.login, team.slug)),
            "description" => optional(team.description.as_deref()),
            "avatarUrl" => leaf(context.web(&format!("avatars/t/{}", team.id))),
            "createdAt" => leaf(Time(team.created_at).to_string()),
            "updatedAt" => leaf(Time(team.updated_at).to_string()),
            "organization" => object(context, ActorNode(context.account(team.org_id)?)),
            "url" => leaf(context.web(&self.page(context)?)),
            "resourcePath" => leaf(format!("/{}", self.page(context)?)),
            "membersUrl" => leaf(context.web(&format!("{}/members", self.page(context)?))),
            "membersResourcePath" => leaf(format!("/{}/members", self.page(context)?)),
            "viewerCanAdminister" => {
                let viewer = context.viewer_id().unwrap_or(0);
                leaf(accounts::org_role(context.conn, team.org_id, viewer)?.as_deref() == Some("admin"))
            }
            _ => unknown("Team", ask),
        }
    }
}

impl TeamNode {
    fn page(&self, context: &Context<'_>) -> Result<String, GraphError> {
        Ok(format!("orgs/{}/teams/{}", context.account(self.0.org_id)?.login, self.0.slug))
    }
}

/// The team of an organisation that an argument names; nothing when there is none.
pub(super) fn named(context: &Context<'_>, ask: &Ask<'_>, org: i64) -> Result<Option<TeamNode>, GraphError> {
    let slug = teams::slug_of(ask.str("slug").unwrap_or_default());
    Ok(teams::by_slug(context.conn, org, &slug)?.map(TeamNode))
}

/// The teams of an organisation, as far as a text is part of their name.
pub(super) fn list(
    context: &Context<'_>,
    ask: &Ask<'_>,
    org: i64,
) -> Result<Connection<TeamNode>, GraphError> {
    let text = ask.str("query").unwrap_or_default().to_lowercase();
    let mut found = teams::of_org(context.conn, org)?;
    found.retain(|team| team.name.to_lowercase().contains(&text) || team.slug.contains(&text));
    if is_descending(ask) {
        found.reverse();
    }
    let nodes = found.into_iter().map(TeamNode).collect();
    Ok(Connection::whole(("TeamConnection", "TeamEdge"), Paging::of(ask)?, nodes))
}

pub(crate) fn by_node(context: &Context<'_>, id: &str) -> Result<TeamNode, GraphError> {
    let team = teams::by_id(context.conn, ids::database_id(id, &["T"])?)?;
    team.map(TeamNode).ok_or_else(|| ids::unresolvable(id))
}
