//! Commits.

use std::sync::Arc;

use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, unknown};
use super::error::GraphError;
use super::ids::named_id;
use super::repository::RepositoryNode;
use crate::git::objects::{CommitInfo, parse_oid};
use crate::http::call::Visit;
use crate::wire::Time;

/// An object's place: its repository and its id.
#[derive(Clone)]
pub(crate) struct Located {
    pub(crate) visit: Arc<Visit>,
    pub(crate) oid: String,
}

pub(crate) struct CommitNode {
    pub(crate) at: Located,
    pub(crate) info: CommitInfo,
}

impl Entity for CommitNode {
    fn type_name(&self) -> &'static str {
        "Commit"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let (headline, body) = self.info.message.split_once('\n').unwrap_or((&self.info.message, ""));
        let visit = &self.at.visit;
        match ask.name() {
            "id" => leaf(named_id("C", visit.repo.id, &self.at.oid)),
            "oid" => leaf(self.at.oid.as_str()),
            "message" => leaf(self.info.message.as_str()),
            "messageHeadline" => leaf(headline),
            "messageBody" => leaf(body.trim_start_matches('\n')),
            "committedDate" => leaf(Time(self.info.committer.at).to_string()),
            "authoredDate" => leaf(Time(self.info.author.at).to_string()),
            "repository" => object(context, RepositoryNode(Arc::clone(visit))),
            _ => unknown("Commit", ask),
        }
    }
}

/// The commit of that id.
pub(crate) fn load(
    context: &Context<'_>,
    visit: &Arc<Visit>,
    oid: &str,
) -> Result<Option<Box<dyn Entity>>, GraphError> {
    let repository = context.call.forge.git.open(visit.repo.id)?;
    let Some(found) = parse_oid(oid).and_then(|oid| repository.find_commit(oid).ok()) else {
        return Ok(None);
    };
    let at = Located { visit: Arc::clone(visit), oid: oid.to_owned() };
    Ok(Some(Box::new(CommitNode { at, info: CommitInfo::of(&found) })))
}
