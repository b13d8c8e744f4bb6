//! Milestones.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, optional, unknown};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::issue_links;
use super::repository::RepositoryNode;
use crate::db::issue_query::{IssueQuery, Presence};
use crate::db::milestones::{self, Milestone};
use crate::http::call::Visit;
use crate::wire::Time;

pub(crate) struct MilestoneNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) milestone: Milestone,
}

impl MilestoneNode {
    pub(crate) fn find(context: &Context<'_>, id: &str) -> Result<Self, GraphError> {
        let row = ids::database_id(id, &["MI"])?;
        let (repo, milestone) =
            milestones::anywhere(context.conn, row)?.ok_or_else(|| ids::unresolvable(id))?;
        Ok(Self { visit: context.visit_for(repo, id)?, milestone })
    }

    fn path(&self) -> String {
        format!("{}/milestone/{}", self.visit.repo.full_name(), self.milestone.number)
    }

    fn progress(&self) -> f64 {
        let (open, closed) = (self.milestone.open_issues, self.milestone.closed_issues);
        let share = |part: i64| f64::from(i32::try_from(part).unwrap_or(i32::MAX));
        if open + closed == 0 { 0.0 } else { 100.0 * share(closed) / share(open + closed) }
    }
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
            "state" => leaf(milestone.state.to_ascii_uppercase()),
            "closed" => leaf(milestone.state == "closed"),
            "closedAt" => optional(milestone.closed_at.map(|at| Time(at).to_string())),
            "dueOn" => optional(milestone.due_on.map(|at| Time(at).to_string())),
            "createdAt" => leaf(Time(milestone.created_at).to_string()),
            "updatedAt" => leaf(Time(milestone.updated_at).to_string()),
            "creator" => object(context, ActorNode(context.account(milestone.creator_id)?)),
            "openIssueCount" => leaf(milestone.open_issues),
            "closedIssueCount" => leaf(milestone.closed_issues),
            "progressPercentage" => leaf(self.progress()),
            "issues" => {
                let milestone = Some(Presence::Is(milestone.number));
                let query = IssueQuery { milestone, ..IssueQuery::default() };
                object(context, issue_links::issues_like(context, ask, &self.visit, query)?)
            }
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "resourcePath" => leaf(format!("/{}", self.path())),
            "url" => leaf(context.web(&self.path())),
            _ => unknown("Milestone", ask),
        }
    }
}
