//! What a holder has: the right to work on one issue until its own deadline.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::identity::{Holder, Nonce};
use super::outcome::Outcome;
use super::text::{ClaimState, ClaimText, Form, ReleaseText};
use crate::time::BootTime;

/// How a repository decides who holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// By server-timed comments.
    Comment,
    /// By compare and swap of a git ref.
    Ref,
}

/// The ref that says which protocol a repository uses.
pub const PROTOCOL_REF: &str = "refs/baton/protocol";
const PROTOCOL_PREFIX: &str = "baton-protocol: ";

impl Protocol {
    /// The message of the commit that makes this a repository's protocol.
    pub fn declaration(self) -> String {
        format!("{PROTOCOL_PREFIX}{self}\n\nWorkers of this repository claim issues by this protocol.")
    }

    /// Reads the commit at the protocol's ref.
    pub fn read_declaration(message: &str) -> Result<Self, ProtocolError> {
        let first = message.lines().next().unwrap_or_default();
        first.strip_prefix(PROTOCOL_PREFIX).unwrap_or(first).trim().parse()
    }
}

/// The text names no protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a claim protocol: use comment or ref")]
pub struct ProtocolError(pub String);

impl FromStr for Protocol {
    type Err = ProtocolError;

    fn from_str(text: &str) -> Result<Self, ProtocolError> {
        match text {
            "comment" => Ok(Self::Comment),
            "ref" => Ok(Self::Ref),
            other => Err(ProtocolError(other.to_owned())),
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Comment => "comment",
            Self::Ref => "ref",
        })
    }
}

/// A hold on one issue.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lease {
    /// Who holds.
    pub holder: Holder,
    /// What tells this hold from every other.
    pub nonce: Nonce,
    /// How it was won.
    pub protocol: Protocol,
    /// How long it lasts without a renewal.
    pub ttl: Duration,
    /// The claim comment: the claim itself, or its readable copy.
    pub comment: Option<u64>,
    /// The copy of the claim in the words of label locks.
    pub run_comment: Option<u64>,
    /// The own tip of the claim ref.
    pub tip: Option<String>,
    /// A heartbeat that was sent and not acknowledged.
    pub unclear_tip: Option<String>,
    /// The fencing token.
    pub epoch: Option<u64>,
    /// When the last acknowledged claim or heartbeat began to be sent.
    pub sent_at: BootTime,
    /// When the holder must have stopped.
    pub deadline: BootTime,
    /// When the hold ends however often it is renewed, because another tool sees no renewals.
    pub ends_at: Option<BootTime>,
}

impl Lease {
    /// Sets the deadline, which never lies beyond the end of the hold.
    pub fn extend_to(&mut self, deadline: BootTime) {
        self.deadline = self.ends_at.map_or(deadline, |end| deadline.min(end));
    }

    /// Returns whether something that may take `request` can still be sent.
    pub fn allows(&self, now: BootTime, request: Duration) -> bool {
        now.plus(request) < self.deadline
    }

    /// Returns whether the holder must have stopped.
    pub fn is_over(&self, now: BootTime) -> bool {
        now >= self.deadline
    }

    /// The end of the hold in words.
    pub fn release(&self, outcome: Outcome) -> ReleaseText {
        ReleaseText {
            claim: self.comment,
            nonce: Some(self.nonce),
            epoch: self.epoch,
            ..ReleaseText::new(self.holder.clone(), outcome)
        }
    }

    /// The claim in words.
    pub fn text(&self, state: ClaimState, ttl: Duration) -> ClaimText {
        ClaimText {
            form: Form::Baton,
            holder: self.holder.clone(),
            nonce: Some(self.nonce),
            ttl: Some(ttl),
            state,
            epoch: self.epoch,
            is_writer_dated: false,
            extra: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declared_protocol_is_read_back_and_an_unknown_one_is_not_followed() {
        for protocol in [Protocol::Comment, Protocol::Ref] {
            assert_eq!(Protocol::read_declaration(&protocol.declaration()), Ok(protocol));
        }
        assert!(Protocol::read_declaration("baton-protocol: quorum").is_err());
        assert!(Protocol::read_declaration("").is_err());
    }
}
