//! Teams.

use super::actor::ActorNode;
use super::ask::Ask;
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

pub(crate) fn by_node(context: &Context<'_>, id: &str) -> Result<TeamNode, GraphError> {
    let team = teams::by_id(context.conn, ids::database_id(id, &["T"])?)?;
    team.map(TeamNode).ok_or_else(|| ids::unresolvable(id))
}
