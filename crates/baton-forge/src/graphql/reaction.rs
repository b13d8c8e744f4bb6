//! Reactions, one by one and in groups.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::{Ask, Input};
use super::comment::CommentNode;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, object, optional, unknown};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::issue;
use super::review_comment;
use crate::db::accounts::AccountKind;
use crate::db::comments;
use crate::db::issues;
use crate::db::reactions::{self, CONTENTS, Reaction, Subject};
use crate::db::review_comments;
use crate::http::call::Visit;
use crate::wire::Time;

/// GraphQL's names of [`CONTENTS`], in the same order.
const NAMES: [&str; 8] =
    ["THUMBS_UP", "THUMBS_DOWN", "LAUGH", "CONFUSED", "HEART", "HOORAY", "EYES", "ROCKET"];
/// The order in which GraphQL lists the groups, as places in [`CONTENTS`].
const GROUPS: [usize; 8] = [0, 1, 2, 5, 3, 4, 7, 6];

/// REST's name of a content.
pub(crate) fn content_of(name: &str) -> Option<&'static str> {
    NAMES.iter().position(|known| *known == name).map(|at| CONTENTS[at])
}

fn name_of(content: &str) -> &'static str {
    CONTENTS.iter().position(|known| *known == content).map_or("HEART", |at| NAMES[at])
}

/// Something that can be reacted to, with its repository.
#[derive(Clone)]
pub(crate) struct Reactable {
    pub(crate) visit: Arc<Visit>,
    pub(crate) subject: Subject,
}

impl Reactable {
    /// The object itself.
    pub(crate) fn node(&self, context: &Context<'_>) -> Result<Box<dyn Entity>, GraphError> {
        let gone = || GraphError::not_found("What was reacted to does not exist any more.");
        match self.subject {
            Subject::Issue(id) => {
                let found = issues::by_id(context.conn, id)?.ok_or_else(gone)?;
                issue::subject_node(context, Arc::clone(&self.visit), found)
            }
            Subject::Comment(id) => {
                let found = comments::by_id(context.conn, self.visit.repo.id, id)?.ok_or_else(gone)?;
                Ok(Box::new(CommentNode { visit: Arc::clone(&self.visit), comment: found }))
            }
            Subject::ReviewComment(id) => {
                let found = review_comments::by_id(context.conn, id)?.ok_or_else(gone)?;
                Ok(Box::new(review_comment::node(context, &self.visit, found)?))
            }
        }
    }
}

pub(crate) struct ReactionNode {
    pub(crate) reactable: Reactable,
    pub(crate) reaction: Reaction,
}

impl ReactionNode {
    pub(crate) fn find(context: &Context<'_>, id: &str) -> Result<Self, GraphError> {
        let missing = || ids::unresolvable(id);
        let row = ids::database_id(id, &["REA"])?;
        let (reaction, kind, at) = reactions::anywhere(context.conn, row)?.ok_or_else(missing)?;
        let (repo, subject) = match kind.as_str() {
            "issue" => (issues::by_id(context.conn, at)?.ok_or_else(missing)?.repo_id, Subject::Issue(at)),
            "comment" => (comments::anywhere(context.conn, at)?.ok_or_else(missing)?.0, Subject::Comment(at)),
            "review_comment" => {
                let found = review_comments::by_id(context.conn, at)?.ok_or_else(missing)?;
                (found.repo_id, Subject::ReviewComment(at))
            }
            _ => return Err(missing()),
        };
        Ok(Self { reactable: Reactable { visit: context.visit_for(repo, id)?, subject }, reaction })
    }
}

impl Entity for ReactionNode {
    fn type_name(&self) -> &'static str {
        "Reaction"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let reaction = &self.reaction;
        match ask.name() {
            "id" => leaf(node_id("REA", reaction.id)),
            "databaseId" => leaf(reaction.id),
            "content" => leaf(name_of(&reaction.content)),
            "createdAt" => leaf(Time(reaction.created_at).to_string()),
            "reactable" => object(context, self.reactable.node(context)?),
            "user" => {
                let account = context.account(reaction.account_id)?;
                let user = (account.kind == AccountKind::User).then(|| ActorNode(account));
                maybe_object(context, user)
            }
            _ => unknown("Reaction", ask),
        }
    }
}

/// A page of reactions, and whether the viewer is among them.
pub(crate) struct ReactionList {
    page: Connection<ReactionNode>,
    viewer_has_reacted: bool,
}

impl Entity for ReactionList {
    fn type_name(&self) -> &'static str {
        "ReactionConnection"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "viewerHasReacted" => leaf(self.viewer_has_reacted),
            _ => self.page.field(context, ask),
        }
    }
}

pub(crate) fn list(
    context: &Context<'_>,
    ask: &Ask<'_>,
    reactable: &Reactable,
) -> Result<ReactionList, GraphError> {
    let content = ask.str("content").and_then(content_of);
    let mut found = reactions::list(context.conn, reactable.subject, content)?;
    if ask.object("orderBy").and_then(|order| order.text("direction")) == Some("DESC") {
        found.reverse();
    }
    let viewer_has_reacted = found.iter().any(|reaction| Some(reaction.account_id) == context.viewer_id());
    let node = |reaction| ReactionNode { reactable: reactable.clone(), reaction };
    let nodes = found.into_iter().map(node).collect();
    let page = Connection::whole(("ReactionConnection", "ReactionEdge"), Paging::of(ask)?, nodes);
    Ok(ReactionList { page, viewer_has_reacted })
}

/// All eight groups, the empty ones too.
pub(crate) fn groups(context: &Context<'_>, reactable: &Reactable) -> Result<Vec<ReactionGroup>, GraphError> {
    let all = reactions::list(context.conn, reactable.subject, None)?;
    let group = |at: usize| ReactionGroup {
        reactable: reactable.clone(),
        name: NAMES[at],
        reactions: all.iter().filter(|reaction| reaction.content == CONTENTS[at]).cloned().collect(),
    };
    Ok(GROUPS.into_iter().map(group).collect())
}

pub(crate) struct ReactionGroup {
    reactable: Reactable,
    name: &'static str,
    reactions: Vec<Reaction>,
}

impl Entity for ReactionGroup {
    fn type_name(&self) -> &'static str {
        "ReactionGroup"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "content" => leaf(self.name),
            "createdAt" => {
                optional(self.reactions.first().map(|reaction| Time(reaction.created_at).to_string()))
            }
            "reactors" => {
                object(context, self.people(context, ask, ("ReactorConnection", "ReactorEdge"), false)?)
            }
            "users" => {
                let names = ("ReactingUserConnection", "ReactingUserEdge");
                object(context, self.people(context, ask, names, true)?)
            }
            "subject" => object(context, self.reactable.node(context)?),
            "viewerHasReacted" => {
                let viewer = context.viewer_id();
                leaf(self.reactions.iter().any(|reaction| Some(reaction.account_id) == viewer))
            }
            _ => unknown("ReactionGroup", ask),
        }
    }
}

impl ReactionGroup {
    fn people(
        &self,
        context: &Context<'_>,
        ask: &Ask<'_>,
        names: (&'static str, &'static str),
        users_only: bool,
    ) -> Result<Connection<Reactor>, GraphError> {
        let mut people = Vec::new();
        for reaction in &self.reactions {
            let account = context.account(reaction.account_id)?;
            if !users_only || account.kind == AccountKind::User {
                people.push(Reactor { actor: ActorNode(account), at: reaction.created_at });
            }
        }
        Ok(Connection::whole(names, Paging::of(ask)?, people))
    }
}

/// Somebody who reacted, and when.
struct Reactor {
    actor: ActorNode,
    at: i64,
}

impl Entity for Reactor {
    fn type_name(&self) -> &'static str {
        self.actor.type_name()
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        self.actor.field(context, ask)
    }

    fn edge_field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "reactedAt" => leaf(Time(self.at).to_string()),
            _ => unknown("ReactorEdge", ask),
        }
    }
}
