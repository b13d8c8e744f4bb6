//! A board as the fields of one answer share it: its row, and its fields once somebody asks for them.

use std::cell::OnceCell;
use std::rc::Rc;

use super::context::Context;
use super::error::GraphError;
use super::ids;
use crate::boards::rights::{self, Level};
use crate::db::project_fields::{self, Field};
use crate::db::project_items::{self, Item};
use crate::db::projects::{self, Project};

pub(crate) struct Board {
    pub(crate) project: Project,
    fields: OnceCell<Vec<Rc<Field>>>,
}

impl Board {
    pub(crate) fn new(project: Project) -> Rc<Self> {
        Rc::new(Self { project, fields: OnceCell::new() })
    }

    /// Its fields in their order, read once.
    pub(crate) fn fields(&self, context: &Context<'_>) -> Result<&[Rc<Field>], GraphError> {
        if let Some(known) = self.fields.get() {
            return Ok(known);
        }
        let found = project_fields::list(context.conn, self.project.id)?;
        Ok(self.fields.get_or_init(|| found.into_iter().map(Rc::new).collect()))
    }

    /// The field of that name. GitHub does not look at the case.
    pub(crate) fn field_named(
        &self,
        context: &Context<'_>,
        name: &str,
    ) -> Result<Option<Rc<Field>>, GraphError> {
        let found = self.fields(context)?.iter().find(|field| field.name.eq_ignore_ascii_case(name));
        Ok(found.map(Rc::clone))
    }
}

/// Returns what the viewer may do with a board.
pub(crate) fn level(context: &Context<'_>, project: &Project) -> Result<Level, GraphError> {
    Ok(rights::with_project(context.conn, project, context.call.viewer.as_ref())?)
}

pub(crate) fn is_seen(context: &Context<'_>, project: &Project) -> Result<bool, GraphError> {
    Ok(level(context, project)? >= Level::Read)
}

/// The board of a row's id, if the viewer may see it.
pub(crate) fn find(context: &Context<'_>, id: i64) -> Result<Option<Rc<Board>>, GraphError> {
    let Some(project) = projects::by_id(context.conn, id)? else { return Ok(None) };
    Ok(is_seen(context, &project)?.then(|| Board::new(project)))
}

/// The board that a node id names.
pub(crate) fn by_node(context: &Context<'_>, id: &str) -> Result<Rc<Board>, GraphError> {
    find(context, ids::database_id(id, &["PVT"])?)?.ok_or_else(|| ids::unresolvable(id))
}

/// The item that a node id names (its own, or that of the draft it is), with its board.
pub(crate) fn item_by_node(context: &Context<'_>, id: &str) -> Result<(Rc<Board>, Item), GraphError> {
    let row = ids::database_id(id, &["PVTI", "DI"])?;
    let missing = || ids::unresolvable(id);
    let (board, item) = item_by_row(context, row)?.ok_or_else(missing)?;
    if id.starts_with("DI_") && item.issue.is_some() {
        return Err(missing());
    }
    Ok((board, item))
}

/// The item of a row's id, with its board, if the viewer may see it.
pub(crate) fn item_by_row(context: &Context<'_>, id: i64) -> Result<Option<(Rc<Board>, Item)>, GraphError> {
    let Some(item) = project_items::by_id(context.conn, id)? else { return Ok(None) };
    Ok(find(context, item.project_id)?.map(|board| (board, item)))
}

/// The field that a node id names, with its board.
pub(crate) fn field_by_node(context: &Context<'_>, id: &str) -> Result<(Rc<Board>, Rc<Field>), GraphError> {
    let row = ids::database_id(id, &["PVTF", "PVTSSF"])?;
    let missing = || ids::unresolvable(id);
    let field = project_fields::by_id(context.conn, row)?.filter(|field| id.starts_with(&prefix(field)));
    let field = field.ok_or_else(missing)?;
    Ok((find(context, field.project_id)?.ok_or_else(missing)?, Rc::new(field)))
}

fn prefix(field: &Field) -> String {
    format!("{}_", field.kind.prefix())
}
