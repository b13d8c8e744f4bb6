//! How far two refs are apart.

use std::sync::Arc;

use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, unknown};
use super::error::GraphError;
use super::git_object;
use super::ids::{self, named_id};
use crate::git::objects::resolve;
use crate::http::call::Visit;

pub(crate) struct Comparison {
    visit: Arc<Visit>,
    base: String,
    head: String,
    ahead: usize,
    behind: usize,
}

/// Compares a ref with another of the same repository, which may be named with its owner; nothing when there is none.
pub(super) fn of(
    context: &Context<'_>,
    visit: &Arc<Visit>,
    base: &str,
    head: &str,
) -> Result<Option<Comparison>, GraphError> {
    let repository = context.call.forge.git.open(visit.repo.id)?;
    let own = match head.split_once(':') {
        Some((owner, name)) if owner.eq_ignore_ascii_case(&visit.repo.owner.login) => name,
        _ => head,
    };
    let (Some(base), Some(head)) = (resolve(&repository, base), resolve(&repository, own)) else {
        return Ok(None);
    };
    let (ahead, behind) = repository.graph_ahead_behind(head.id(), base.id())?;
    let (base, head) = (base.id().to_string(), head.id().to_string());
    Ok(Some(Comparison { visit: Arc::clone(visit), base, head, ahead, behind }))
}

/// The comparison that a node id names.
pub(super) fn by_node(context: &Context<'_>, id: &str) -> Result<Comparison, GraphError> {
    let missing = || ids::unresolvable(id);
    let (repo, pair) = ids::name_in_repo(id, "CMP")?;
    let visit = context.visit_for(repo, id)?;
    let (base, head) = pair.split_once("...").ok_or_else(missing)?;
    of(context, &visit, base, head)?.ok_or_else(missing)
}

impl Entity for Comparison {
    fn type_name(&self) -> &'static str {
        "Comparison"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let target = |oid: &str| maybe_object(context, git_object::load(context, &self.visit, oid)?);
        match ask.name() {
            "id" => leaf(named_id("CMP", self.visit.repo.id, &format!("{}...{}", self.base, self.head))),
            "aheadBy" => leaf(self.ahead),
            "behindBy" => leaf(self.behind),
            "status" => leaf(match (self.ahead, self.behind) {
                (0, 0) => "IDENTICAL",
                (_, 0) => "AHEAD",
                (0, _) => "BEHIND",
                _ => "DIVERGED",
            }),
            "baseTarget" => target(&self.base),
            "headTarget" => target(&self.head),
            _ => unknown("Comparison", ask),
        }
    }
}
