//! What decides about a pull request's merge, as fields of it: trial merges, checks, reviews.

use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, unknown};
use super::pull_request::PullRequestNode;

pub(super) fn field<'a>(_pull: &'a PullRequestNode, _context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
    unknown("PullRequest", ask)
}
