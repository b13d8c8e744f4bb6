//! Comments and who reacted to them.

use baton_core::time::ServerTime;
use serde::Deserialize;

use super::page::{ActorWire, Connection, big, list, page, time};

/// A comment on an issue or a pull request, or one of a review thread.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommentWire {
    /// The tracker's own name of it.
    pub(crate) id: String,
    #[serde(deserialize_with = "big")]
    pub(crate) full_database_id: u64,
    pub(crate) body: String,
    #[serde(deserialize_with = "time")]
    pub(crate) created_at: ServerTime,
    pub(crate) author: Option<ActorWire>,
    #[serde(default, deserialize_with = "list")]
    pub(crate) reaction_groups: Vec<GroupWire>,
}

/// The reactions of one kind.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupWire {
    content: String,
    #[serde(default)]
    viewer_has_reacted: bool,
    #[serde(default, deserialize_with = "page")]
    reactors: Connection<ActorWire>,
}

/// Who put a 🚀 on something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rockets {
    pub(crate) is_own: bool,
    pub(crate) logins: Vec<(String, bool)>,
    pub(crate) has_more: bool,
}

impl Rockets {
    pub(crate) fn of(groups: &[GroupWire]) -> Self {
        let Some(group) = groups.iter().find(|group| group.content == "ROCKET") else {
            return Self::default();
        };
        let reactors = group.reactors.nodes.iter().flatten();
        Self {
            is_own: group.viewer_has_reacted,
            logins: reactors.map(|actor| (actor.login(), actor.is_bot())).collect(),
            has_more: group.reactors.page_info.has_next_page,
        }
    }
}

/// Returns whether anybody put a 👍 or a 👎 on something.
pub(crate) fn has_thumbs(groups: &[GroupWire]) -> bool {
    let is_thumb = |group: &&GroupWire| ["THUMBS_UP", "THUMBS_DOWN"].contains(&group.content.as_str());
    groups.iter().filter(is_thumb).any(|group| !group.reactors.nodes.is_empty())
}

/// A sign on a comment.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignWire {
    pub(crate) content: String,
    #[serde(deserialize_with = "time")]
    pub(crate) created_at: ServerTime,
    pub(crate) user: Option<ActorWire>,
}

/// The answer about who reacted to some comments.
#[derive(Debug, Deserialize)]
pub(crate) struct RocketsWire {
    pub(crate) nodes: Vec<Option<ReactedWire>>,
}

/// One of them.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReactedWire {
    pub(crate) id: Option<String>,
    #[serde(default, deserialize_with = "list")]
    pub(crate) reaction_groups: Vec<GroupWire>,
}

/// A reaction, on a further page of them.
#[derive(Debug, Deserialize)]
pub(crate) struct ReactionWire {
    pub(crate) user: Option<ActorWire>,
}
