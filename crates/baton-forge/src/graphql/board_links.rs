//! The boards that an issue is on, as fields of it.

use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, unknown};
use super::issue::IssueNode;

pub(super) fn issue_field<'a>(_issue: &'a IssueNode, _context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
    unknown("Issue", ask)
}
