//! Labels.

use std::sync::Arc;

use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, optional, unknown};
use super::ids::node_id;
use crate::db::labels::Label;
use crate::http::call::Visit;
use crate::wire::segment;

pub(crate) struct LabelNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) label: Label,
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
            "url" => {
                leaf(context.web(&format!("{}/labels/{}", self.visit.repo.full_name(), segment(&label.name))))
            }
            _ => unknown("Label", ask),
        }
    }
}
