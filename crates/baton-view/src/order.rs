//! What people may order about an issue, and what they hear back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An order about an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// No agent starts on it until it is resumed; one that is at work stops.
    Pause {
        /// Why, for those who read the issue.
        #[serde(default)]
        reason: Option<String>,
    },
    /// Agents may go on.
    Resume {},
    /// An agent looks at it, though nothing asks for that.
    Wake {
        /// Which agent; the one of its stage when none is named.
        #[serde(default)]
        agent: Option<String>,
        /// What the agent is told.
        #[serde(default)]
        note: Option<String>,
    },
    /// The run that has the slot is ended.
    Cancel {},
    /// Nobody claims it until it is let go.
    Hold {},
    /// It may be claimed again.
    Unhold {},
    /// The plan is good.
    Approve {
        /// What else to say.
        #[serde(default)]
        note: Option<String>,
        /// The plan that was read, by its mark; without it, the one that waits now.
        #[serde(default)]
        plan: Option<String>,
    },
    /// The plan is not good.
    Reject {
        /// What is wrong with it.
        reason: String,
        /// The plan that was read, by its mark; without it, the one that waits now.
        #[serde(default)]
        plan: Option<String>,
    },
    /// It goes to another column.
    Move {
        /// Which.
        to: String,
    },
    /// Something is said.
    Comment {
        /// What.
        text: String,
    },
}

/// The name of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderKind {
    /// No agent starts on it.
    Pause,
    /// Agents may go on.
    Resume,
    /// An agent looks at it.
    Wake,
    /// The run is ended.
    Cancel,
    /// Nobody claims it.
    Hold,
    /// It may be claimed again.
    Unhold,
    /// The plan is good.
    Approve,
    /// The plan is not good.
    Reject,
    /// It goes to another column.
    Move,
    /// Something is said.
    Comment,
}

impl OrderKind {
    /// All of them, in the order that people read.
    pub const ALL: [Self; 10] = [
        Self::Pause,
        Self::Resume,
        Self::Wake,
        Self::Cancel,
        Self::Hold,
        Self::Unhold,
        Self::Approve,
        Self::Reject,
        Self::Move,
        Self::Comment,
    ];

    /// Returns the word that addresses and commands use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Wake => "wake",
            Self::Cancel => "cancel",
            Self::Hold => "hold",
            Self::Unhold => "unhold",
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Move => "move",
            Self::Comment => "comment",
        }
    }
}

impl Order {
    /// Returns its name.
    pub fn kind(&self) -> OrderKind {
        match self {
            Self::Pause { .. } => OrderKind::Pause,
            Self::Resume {} => OrderKind::Resume,
            Self::Wake { .. } => OrderKind::Wake,
            Self::Cancel {} => OrderKind::Cancel,
            Self::Hold {} => OrderKind::Hold,
            Self::Unhold {} => OrderKind::Unhold,
            Self::Approve { .. } => OrderKind::Approve,
            Self::Reject { .. } => OrderKind::Reject,
            Self::Move { .. } => OrderKind::Move,
            Self::Comment { .. } => OrderKind::Comment,
        }
    }
}

/// What became of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reply {
    /// Whether it was done, or was so already.
    pub is_done: bool,
    /// In a word: `paused`, `already-paused`, `not-paused` and the like.
    pub outcome: String,
    /// In a sentence.
    pub said: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_named_in_json_as_in_addresses() {
        for kind in OrderKind::ALL {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.word()));
        }
        let order: Order = serde_json::from_str(r#"{"order":"pause","reason":"not yet"}"#).unwrap();
        assert_eq!(order, Order::Pause { reason: Some("not yet".to_owned()) });
        assert_eq!(order.kind(), OrderKind::Pause);
    }

    #[test]
    fn an_order_with_something_unknown_is_refused() {
        let order = serde_json::from_str::<Order>(r#"{"order":"resume","please":true}"#);
        assert!(order.is_err(), "{order:?}");
    }
}
