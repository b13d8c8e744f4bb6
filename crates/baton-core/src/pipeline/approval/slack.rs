//! What a thread in Slack says about a plan: reactions are votes, replies are additions to the plan.

use serde::{Deserialize, Serialize};

use super::super::item::{Saying, Via, Vote};
use super::{SlackApprover, Terms};

const APPROVE: [&str; 4] = ["white_check_mark", "heavy_check_mark", "+1", "thumbsup"];
const REJECT: [&str; 4] = ["x", "negative_squared_cross_mark", "-1", "thumbsdown"];

/// What is known of a question in Slack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Heard {
    /// Nobody was asked there about this plan.
    #[default]
    NotAsked,
    /// This was said.
    Thread(SlackThread),
    /// Slack does not answer, for this reason. Nothing follows from that.
    Unheard(String),
}

/// The message that asks, with what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlackThread {
    /// Who reacted, and with what.
    pub reactions: Vec<Reacted>,
    /// What was replied, oldest first.
    pub replies: Vec<Replied>,
}

/// A reaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reacted {
    /// The name of the emoji, perhaps with a tone of skin.
    pub name: String,
    /// Who.
    pub user: String,
}

/// A reply in the thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replied {
    /// Who.
    pub user: String,
    /// What.
    pub text: String,
}

/// Returns the votes in Slack, each with what its voter replied, and what the others who may decide replied.
pub(super) fn said(terms: Terms<'_>, heard: &Heard) -> (Vec<Vote>, Vec<Saying>) {
    let Heard::Thread(thread) = heard else { return (Vec::new(), Vec::new()) };
    if !terms.asks_slack() {
        return (Vec::new(), Vec::new());
    }
    let approvers = terms.approvers.slack.iter();
    let votes: Vec<_> = approvers.filter_map(|who| vote(who, thread)).collect();
    let is_reason = |by: &str| votes.iter().any(|vote| !vote.is_for && vote.by == by);
    let replies = thread.replies.iter().filter_map(|reply| {
        let who = terms.approvers.slack.iter().find(|who| who.id == reply.user)?;
        Some(Saying { is_rejection: false, by: who.name(), text: reply.text.clone() })
    });
    let amendments = replies.filter(|saying| !is_reason(&saying.by)).collect();
    (votes, amendments)
}

/// Returns the vote of one person; of two signs of theirs, the rejection counts.
fn vote(who: &SlackApprover, thread: &SlackThread) -> Option<Vote> {
    let own = thread.reactions.iter().filter(|reaction| reaction.user == who.id);
    let names: Vec<_> = own.map(|reaction| without_tone(&reaction.name)).collect();
    let has = |signs: &[&str]| names.iter().any(|name| signs.contains(name));
    let is_for = match (has(&APPROVE), has(&REJECT)) {
        (_, true) => false,
        (true, false) => true,
        (false, false) => return None,
    };
    let replies = thread.replies.iter().filter(|reply| !is_for && reply.user == who.id);
    let reason = replies.map(|reply| reply.text.as_str()).collect::<Vec<_>>().join("\n");
    Some(Vote { by: who.name(), is_for, reason, via: Via::Slack })
}

/// A tone of skin follows two colons.
fn without_tone(name: &str) -> &str {
    name.split_once("::").map_or(name, |(name, _)| name)
}
