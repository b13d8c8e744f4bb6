//! Milestones.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, optional, unknown};
use super::ids::node_id;
use super::repository::RepositoryNode;
use crate::db::milestones::Milestone;
use crate::http::call::Visit;
use crate::wire::Time;

pub(crate) struct MilestoneNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) milestone: Milestone,
}

impl Entity for MilestoneNode {
    fn type_name(&self) -> &'static str {
        "Milestone"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let milestone = &self.milestone;
        match ask.name() {
            "id" => leaf(node_id("MI", milestone.id)),
            "number" => leaf(milestone.number),
            "title" => leaf(milestone.title.as_str()),
            "description" => optional(milestone.description.as_deref()),
            "dueOn" => optional(milestone.due_on.map(|at| Time(at).to_string())),
            "state" => leaf(milestone.state.to_ascii_uppercase()),
            "closed" => leaf(milestone.state == "closed"),
            "closedAt" => optional(milestone.closed_at.map(|at| Time(at).to_string())),
            "createdAt" => leaf(Time(milestone.created_at).to_string()),
            "updatedAt" => leaf(Time(milestone.updated_at).to_string()),
            "creator" => object(context, ActorNode(context.account(milestone.creator_id)?)),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "url" => {
                let at = format!("{}/milestone/{}", self.visit.repo.full_name(), milestone.number);
                leaf(context.web(&at))
            }
            _ => unknown("Milestone", ask),
        }
    }
}
