//! The Slack adapter: it asks people about plans in one channel, and tells what they said.
//!
//! A handful of calls of the Web API do, over plain reqwest, so that the address can be that of any server that speaks like
//! Slack. With Socket Mode, Slack tells when something happened to a message; that is a nudge to look, and never an answer.
//!
//! Deliberately absent: what a reaction means, who may decide, and when to ask.

#![expect(
    clippy::disallowed_methods,
    reason = "this crate owns the network, and the pauses between two connections"
)]

mod blocks;
mod call;
mod messenger;
mod socket;

use std::time::Duration;

pub use call::SlackToken;
pub use messenger::Slack;
pub use socket::{Happened, Socket};

/// How Slack is reached.
#[derive(Debug, Clone)]
pub struct SlackSettings {
    /// Where the Web API is, without a slash at the end.
    pub api_url: String,
    /// The channel in which people are asked, by its id.
    pub channel: String,
    /// The bot's token.
    pub token: SlackToken,
    /// How long one request may take.
    pub timeout: Duration,
}
