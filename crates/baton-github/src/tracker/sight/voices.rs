//! Who said something, whether they may, and whether it was acted on.

use std::collections::BTreeMap;

use baton_core::RepoSlug;
use baton_core::pipeline::item::{Comment, Sign};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::client::graph::gone;
use crate::client::{Answer, GitHub};
use crate::graphql::comment::{CommentWire, ReactionWire, Rockets, RocketsWire, SignWire, has_thumbs};
use crate::graphql::page::{ActorWire, Connection, NodePage, login_of};
use crate::graphql::{Document, MORE_ROCKETS, ROCKETS, SIGNS};

/// As many nodes as GitHub takes by their ids at once.
const IDS_MAX: usize = 100;

/// Where people speak, and who listens.
pub(super) struct Room<'a> {
    pub(super) github: &'a GitHub,
    pub(super) repo: &'a RepoSlug,
    viewer: String,
    viewer_may_write: bool,
}

impl<'a> Room<'a> {
    pub(super) fn new(
        github: &'a GitHub,
        repo: &'a RepoSlug,
        viewer: String,
        permission: Option<&str>,
    ) -> Self {
        // Without its ending, a program would be taken for the person who has the same name.
        let is_bare = github.is_app() && !viewer.ends_with("[bot]");
        let viewer = if is_bare { format!("{viewer}[bot]") } else { viewer };
        let viewer_may_write = matches!(permission, Some("ADMIN" | "MAINTAIN" | "WRITE"));
        Self { github, repo, viewer, viewer_may_write }
    }

    /// Reads the first page of a list that another document has left out.
    pub(super) async fn first_page<T: DeserializeOwned>(
        &self,
        document: &Document,
        id: &str,
    ) -> Answer<Connection<T>> {
        let answer = self.github.query::<NodePage<T>>(self.repo, document, json!({ "id": id })).await?;
        answer.value.node.and_then(|node| node.page).ok_or_else(|| gone(document))
    }

    /// Judges comments. Who put a 🚀 on them is in `told`, or came with them.
    pub(super) async fn comments(
        &self,
        wires: impl IntoIterator<Item = CommentWire>,
        told: &BTreeMap<String, Rockets>,
        is_on_pull: bool,
    ) -> Answer<Vec<Comment>> {
        let mut comments = Vec::new();
        for wire in wires {
            let came_along = Rockets::of(&wire.reaction_groups);
            let rockets = told.get(&wire.id).unwrap_or(&came_along);
            comments.push(self.comment(wire, rockets, is_on_pull).await?);
        }
        Ok(comments)
    }

    /// Reads who put a 🚀 on comments of threads, unless it is known to be us.
    pub(super) async fn rockets<'w>(
        &self,
        wires: impl Iterator<Item = &'w CommentWire>,
    ) -> Answer<BTreeMap<String, Rockets>> {
        let is_unsure = |wire: &&CommentWire| !Rockets::of(&wire.reaction_groups).is_own;
        let unsure: Vec<_> = wires.filter(is_unsure).map(|wire| wire.id.clone()).collect();
        let mut told = BTreeMap::new();
        for ids in unsure.chunks(IDS_MAX) {
            let answer = self.github.query::<RocketsWire>(self.repo, &ROCKETS, json!({ "ids": ids })).await?;
            let known = answer.value.nodes.into_iter().flatten();
            told.extend(known.filter_map(|node| Some((node.id?, Rockets::of(&node.reaction_groups)))));
        }
        Ok(told)
    }

    async fn comment(&self, wire: CommentWire, rockets: &Rockets, is_on_pull: bool) -> Answer<Comment> {
        let author = login_of(wire.author.as_ref());
        let is_bot = wire.author.as_ref().is_some_and(ActorWire::is_bot);
        Ok(Comment {
            id: wire.full_database_id,
            is_bot,
            may_write: self.may_write(&author, is_bot).await?,
            is_own_account: self.is_viewer(&author),
            has_rocket: self.has_rocket(&wire.id, rockets).await?,
            signs: self.signs(&wire, &author).await?,
            body: wire.body,
            created_at: wire.created_at,
            author,
            is_on_pull,
        })
    }

    /// Returns the 👍 and 👎 on a comment. They answer questions of ours, so on others' comments they are not read.
    async fn signs(&self, wire: &CommentWire, author: &str) -> Answer<Vec<Sign>> {
        if !self.is_viewer(author) || !has_thumbs(&wire.reaction_groups) {
            return Ok(Vec::new());
        }
        let first = self.first_page::<SignWire>(&SIGNS, &wire.id).await?;
        let mut signs = Vec::new();
        for sign in self.github.whole(self.repo, &SIGNS, &wire.id, first).await? {
            let is_for = match sign.content.as_str() {
                "THUMBS_UP" => true,
                "THUMBS_DOWN" => false,
                _ => continue,
            };
            let Some(user) = sign.user else { continue };
            let (by, is_bot) = (user.login(), user.is_bot());
            let may_write = self.may_write(&by, is_bot).await?;
            signs.push(Sign { by, is_for, is_bot, may_write, at: sign.created_at });
        }
        Ok(signs)
    }

    /// A 🚀 of somebody who may not write says nothing.
    async fn has_rocket(&self, id: &str, rockets: &Rockets) -> Answer<bool> {
        if rockets.is_own {
            return Ok(true);
        }
        for (login, is_bot) in &rockets.logins {
            if self.may_write(login, *is_bot).await? {
                return Ok(true);
            }
        }
        if rockets.has_more { self.is_among_all(id).await } else { Ok(false) }
    }

    async fn is_among_all(&self, id: &str) -> Answer<bool> {
        let first = self.first_page::<ReactionWire>(&MORE_ROCKETS, id).await?;
        for reaction in self.github.whole(self.repo, &MORE_ROCKETS, id, first).await? {
            let Some(user) = reaction.user else { continue };
            if self.may_write(&user.login(), user.is_bot()).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_viewer(&self, login: &str) -> bool {
        login.eq_ignore_ascii_case(&self.viewer)
    }

    async fn may_write(&self, login: &str, is_bot: bool) -> Answer<bool> {
        if self.is_viewer(login) {
            return Ok(self.viewer_may_write || is_bot);
        }
        self.github.may_write(self.repo, login, is_bot).await
    }
}

/// Oldest first, each once: a comment can be on two pages when another one goes in between.
pub(super) fn in_order(comments: impl Iterator<Item = Comment>) -> Vec<Comment> {
    let mut comments: Vec<_> = comments.collect();
    comments.sort_by_key(|comment| (comment.created_at, comment.id));
    comments.dedup_by_key(|comment| comment.id);
    comments
}
