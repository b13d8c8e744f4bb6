//! Refs: branches, tags, and whatever else is kept under a name.

use std::sync::Arc;

use super::ask::Ask;
use super::comparison;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, object, unknown};
use super::error::GraphError;
use super::git_object;
use super::ids::{self, named_id};
use super::protection_rule::{ProtectionRuleNode, UpdateRuleNode};
use super::repository::RepositoryNode;
use crate::db::protections::{self, Protection};
use crate::db::refs::{self, RefRow};
use crate::db::repos::Permission;
use crate::http::call::Visit;

pub(crate) struct RefNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) row: RefRow,
}

impl RefNode {
    pub(crate) fn find(context: &Context<'_>, id: &str) -> Result<Self, GraphError> {
        let (repo, name) = ids::name_in_repo(id, "REF")?;
        let visit = context.visit_for(repo, id)?;
        let row = refs::find(context.conn, repo, &name)?.ok_or_else(|| ids::unresolvable(id))?;
        Ok(Self { visit, row })
    }

    fn protection(&self, context: &Context<'_>) -> Result<Option<Protection>, GraphError> {
        let branch = self.row.name.strip_prefix("refs/heads/");
        let rule = branch.map(|branch| protections::of_branch(context.conn, self.visit.repo.id, branch));
        Ok(rule.transpose()?.flatten())
    }

    /// Where the short name begins: after the kind of a branch or a tag, and after the last slash of anything else.
    fn prefix_len(&self) -> usize {
        let name = &self.row.name;
        let known = ["refs/heads/", "refs/tags/"].into_iter().find(|prefix| name.starts_with(prefix));
        known.map_or_else(|| name.rfind('/').map_or(0, |at| at + 1), str::len)
    }
}

impl Entity for RefNode {
    fn type_name(&self) -> &'static str {
        "Ref"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let (prefix, name) = self.row.name.split_at(self.prefix_len());
        match ask.name() {
            "id" => leaf(named_id("REF", self.visit.repo.id, &self.row.name)),
            "name" => leaf(name),
            "prefix" => leaf(prefix),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "compare" => {
                let head = ask.str("headRef").unwrap_or_default();
                maybe_object(context, comparison::of(context, &self.visit, &self.row.name, head)?)
            }
            "target" => maybe_object(context, git_object::load(context, &self.visit, &self.row.oid)?),
            "branchProtectionRule" => {
                let node = |rule| ProtectionRuleNode { visit: Arc::clone(&self.visit), rule };
                // Rules are shown to those whom they may hinder.
                let shown = context.may(&self.visit, Permission::Write);
                maybe_object(context, self.protection(context)?.filter(|_| shown).map(node))
            }
            "refUpdateRule" => {
                let node = |rule| UpdateRuleNode { visit: Arc::clone(&self.visit), rule };
                maybe_object(context, self.protection(context)?.map(node))
            }
            _ => unknown("Ref", ask),
        }
    }
}

pub(super) fn default_branch<'a>(context: &'a Context<'a>, visit: &Arc<Visit>) -> Answer<'a> {
    named(context, visit, &format!("refs/heads/{}", visit.repo.default_branch))
}

/// The ref of a full name, or of a short one: a branch before a tag before anything else.
pub(super) fn named<'a>(context: &'a Context<'a>, visit: &Arc<Visit>, name: &str) -> Answer<'a> {
    let full = match name.starts_with("refs/") {
        true => vec![name.to_owned()],
        false => vec![format!("refs/heads/{name}"), format!("refs/tags/{name}"), format!("refs/{name}")],
    };
    for name in full {
        if let Some(row) = refs::find(context.conn, visit.repo.id, &name)? {
            return object(context, RefNode { visit: Arc::clone(visit), row });
        }
    }
    maybe_object(context, None::<RefNode>)
}

pub(super) fn list(
    context: &Context<'_>,
    ask: &Ask<'_>,
    visit: &Arc<Visit>,
) -> Result<Connection<RefNode>, GraphError> {
    let prefix = ask.str("refPrefix").unwrap_or_default();
    if !prefix.starts_with("refs/") {
        return Err(GraphError::unprocessable("`refPrefix` must start with 'refs/'."));
    }
    let query = ask.str("query").unwrap_or_default().to_lowercase();
    let mut rows = refs::with_prefix(context.conn, visit.repo.id, prefix)?;
    rows.retain(|row| row.name[prefix.len()..].to_lowercase().contains(&query));
    if ask.str("direction") == Some("DESC") {
        rows.reverse();
    }
    let nodes = rows.into_iter().map(|row| RefNode { visit: Arc::clone(visit), row }).collect();
    Ok(Connection::whole(("RefConnection", "RefEdge"), Paging::of(ask)?, nodes))
}
