//! The fields of a board.

use std::rc::Rc;

use super::ask::Ask;
use super::board::Board;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, objects, unknown};
use super::ids::node_id;
use super::project::ProjectNode;
use crate::db::project_fields::{Choice, Field, FieldKind};
use crate::wire::Time;

pub(crate) struct ProjectFieldNode {
    pub(crate) board: Rc<Board>,
    pub(crate) field: Rc<Field>,
}

impl Entity for ProjectFieldNode {
    fn type_name(&self) -> &'static str {
        match self.field.kind {
            FieldKind::SingleSelect => "ProjectV2SingleSelectField",
            _ => "ProjectV2Field",
        }
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let field = &self.field;
        match ask.name() {
            "id" => leaf(node_id(field.kind.prefix(), field.id)),
            "databaseId" => leaf(field.id),
            "name" => leaf(field.name.as_str()),
            "dataType" => leaf(field.kind.as_str()),
            "createdAt" => leaf(Time(field.created_at).to_string()),
            "updatedAt" => leaf(Time(field.updated_at).to_string()),
            "project" => object(context, ProjectNode(Rc::clone(&self.board))),
            "options" => {
                let names = ask.strings("names");
                let is_wanted = |option: &&Choice| {
                    names.as_ref().is_none_or(|names| names.contains(&option.name.as_str()))
                };
                let wanted: Vec<_> =
                    field.options.iter().filter(is_wanted).cloned().map(OptionNode).collect();
                objects(context, wanted)
            }
            _ => unknown(self.type_name(), ask),
        }
    }
}

/// One option of a single-select field.
struct OptionNode(Choice);

impl Entity for OptionNode {
    fn type_name(&self) -> &'static str {
        "ProjectV2SingleSelectFieldOption"
    }

    fn field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let Choice { id, name, color, description } = &self.0;
        match ask.name() {
            "id" => leaf(id.as_str()),
            "name" => leaf(name.as_str()),
            "nameHTML" => leaf(html(name)),
            "color" => leaf(color.as_str()),
            "description" => leaf(description.as_str()),
            "descriptionHTML" => leaf(html(description)),
            _ => unknown("ProjectV2SingleSelectFieldOption", ask),
        }
    }
}

/// A text as it stands in a page.
pub(crate) fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
