//! Refs.

use std::sync::Arc;

use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, unknown};
use super::ids::named_id;
use crate::db::refs::{self, RefRow};
use crate::http::call::Visit;

pub(crate) struct RefNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) row: RefRow,
}

impl Entity for RefNode {
    fn type_name(&self) -> &'static str {
        "Ref"
    }

    fn field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "id" => leaf(named_id("REF", self.visit.repo.id, &self.row.name)),
            "name" => leaf(self.row.name.strip_prefix("refs/heads/").unwrap_or(&self.row.name)),
            _ => unknown("Ref", ask),
        }
    }
}

pub(super) fn named<'a>(context: &'a Context<'a>, visit: &Arc<Visit>, name: &str) -> Answer<'a> {
    let row = refs::find(context.conn, visit.repo.id, name)?;
    maybe_object(context, row.map(|row| RefNode { visit: Arc::clone(visit), row }))
}
