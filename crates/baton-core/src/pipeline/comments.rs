//! Which comments are news for an agent.

use super::authors::{is_bot_login, is_service_notice};
use super::item::Comment;
use super::names::Names;
use super::voice;
use crate::claim::text;
use crate::slot::ItemMemory;

/// Returns whether nobody has acted on a comment and somebody should. What is cheap to see is asked first, since nearly
/// all comments are old.
pub fn is_new(comment: &Comment, memory: &ItemMemory, names: Names) -> bool {
    let is_for_nobody = |body: &str| {
        is_ours(comment, names)
            || text::is_meant_as_marker(body)
            || is_command(body)
            || voice::is_agents(body)
    };
    if comment.has_rocket || !comment.may_write || is_for_nobody(&comment.body) {
        return false;
    }
    let is_notice = || is_by_bot(comment) && is_service_notice(&comment.body);
    !memory.processed_comments.contains(&comment.id) && !is_notice()
}

/// Returns whether it decides about a plan and tells the agent nothing. What people say beside it is in the decision.
pub fn is_command(body: &str) -> bool {
    super::approval::verdict(body).is_some()
}

/// Returns whether the engine wrote it.
pub fn is_ours(comment: &Comment, names: Names) -> bool {
    comment.body.starts_with(names.heading())
}

/// Returns whether a program wrote it.
pub fn is_by_bot(comment: &Comment) -> bool {
    comment.is_bot || is_bot_login(&comment.author)
}
