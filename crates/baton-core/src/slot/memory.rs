//! What is remembered about an item between two decisions. All counters live in the store, so that a restart forgets
//! nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::time::{ServerTime, StoreTime};

/// The memory of an item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ItemMemory {
    /// How often each stage was tried in vain.
    pub attempts: BTreeMap<String, u32>,
    /// How often each loop went round: reviews, failing checks, rebases.
    pub cycles: BTreeMap<String, u32>,
    /// What must not happen again before a time.
    pub cooldowns: BTreeMap<String, StoreTime>,
    /// The comments that were acted on.
    pub processed_comments: BTreeSet<u64>,
    /// How often each stage ended at its limit of turns.
    pub slices: BTreeMap<String, u32>,
    /// When agents were lately sent to answer comments.
    pub comment_runs: Vec<StoreTime>,
    /// The pull requests that were seen to have checks.
    pub checked_pulls: BTreeSet<u64>,
    /// Since when something is waited for that no label tells of.
    pub waiting_since: BTreeMap<String, StoreTime>,
    /// Why the engine paused the issue, until it is seen to go on.
    pub paused_by_engine: Option<EnginePause>,
    /// The question in Slack that waits for an answer, so that a restart hears the same one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack: Option<SlackMessage>,
}

/// A question in Slack.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlackMessage {
    /// The stage whose plan it is about.
    pub stage: String,
    /// The plan.
    pub plan: String,
    /// The channel, by its id.
    pub channel: String,
    /// What names the message there.
    pub ts: String,
}

/// A pause that the engine decided.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnginePause {
    /// In which stage.
    pub stage: String,
    /// For which reason, in one word.
    pub cause: String,
    /// Comments from before this moment do not end it, since they led to it.
    #[serde(default)]
    pub unheard_before: Option<ServerTime>,
}

impl ItemMemory {
    /// Returns whether something may happen again.
    pub fn is_cool(&self, what: &str, now: StoreTime) -> bool {
        self.cooldowns.get(what).is_none_or(|until| *until <= now)
    }

    /// Counts one more, and returns how many there are now.
    pub fn count(counts: &mut BTreeMap<String, u32>, what: &str) -> u32 {
        let count = counts.entry(what.to_owned()).or_default();
        *count = count.saturating_add(1);
        *count
    }
}
