//! The boards that an issue is on, as fields of it.

use std::sync::Arc;

use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, unknown};
use crate::db::issues::Issue;
use crate::http::call::Visit;

pub(super) fn issue_field<'a>(
    _visit: &'a Arc<Visit>,
    _issue: &'a Issue,
    _context: &'a Context<'a>,
    ask: &Ask<'a>,
) -> Answer<'a> {
    unknown("Issue", ask)
}
