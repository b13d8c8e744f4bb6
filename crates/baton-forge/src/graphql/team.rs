//! Teams.

use super::actor::ActorNode;
use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, optional, unknown};
use super::ids::node_id;
use crate::db::teams::Team;
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
            "createdAt" => leaf(Time(team.created_at).to_string()),
            "updatedAt" => leaf(Time(team.updated_at).to_string()),
            "organization" => object(context, ActorNode(context.account(team.org_id)?)),
            "url" => {
                let org = context.account(team.org_id)?;
                leaf(context.web(&format!("orgs/{}/teams/{}", org.login, team.slug)))
            }
            _ => unknown("Team", ask),
        }
    }
}
