//! Labels.

use std::sync::Arc;

use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, optional, unknown};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::issue_links;
use super::repository::RepositoryNode;
use crate::db::issue_query::IssueQuery;
use crate::db::labels::{self, Label};
use crate::http::call::Visit;
use crate::wire::segment;

pub(crate) struct LabelNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) label: Label,
}

impl LabelNode {
    pub(crate) fn find(context: &Context<'_>, id: &str) -> Result<Self, GraphError> {
        let row = ids::database_id(id, &["LA"])?;
        let (repo, label) = labels::by_id(context.conn, row)?.ok_or_else(|| ids::unresolvable(id))?;
        Ok(Self { visit: context.visit_for(repo, id)?, label })
    }

    fn path(&self) -> String {
        format!("{}/labels/{}", self.visit.repo.full_name(), segment(&self.label.name))
    }
}

impl Entity for LabelNode {
    fn type_name(&self) -> &'static str {
        "Label"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let label = &self.label;
        match ask.name() {
            "id" => leaf(node_id("LA", label.id)),
            "name" => leaf(label.name.as_str()),
            "color" => leaf(label.color.as_str()),
            "description" => optional(label.description.as_deref()),
            "isDefault" => leaf(label.is_default),
            "issues" => {
                let query = IssueQuery { labels: vec![label.name.clone()], ..IssueQuery::default() };
                object(context, issue_links::issues_like(context, ask, &self.visit, query)?)
            }
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "resourcePath" => leaf(format!("/{}", self.path())),
            "url" => leaf(context.web(&self.path())),
            _ => unknown("Label", ask),
        }
    }
}
