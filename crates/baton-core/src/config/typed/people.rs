//! How people are asked and told: who may decide about plans, where Slack is, and what deserves a notice.
//!
//! Deliberately absent: tokens. They come from the environment alone.

use super::{Reader, known};
use crate::words::words;

/// Who decides about plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalsConfig {
    /// How many must approve.
    pub required: u64,
    /// The accounts of the tracker that may; nothing for everybody who may write.
    pub approvers: Vec<String>,
}

/// How Slack is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlackConfig {
    /// Where its Web API is, without a slash at the end.
    pub api_url: String,
    /// The channel in which people are asked.
    pub channel: Option<String>,
    /// The users that may decide, by their ids.
    pub approvers: Vec<String>,
    /// Whether it tells of reactions at once.
    pub socket_mode: bool,
}

/// What people are told of, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotifyConfig {
    /// What.
    pub on: Vec<Notice>,
    /// The command that the shell runs with each notice.
    pub command: Option<String>,
    /// Whether notices go to Slack's incoming webhook.
    pub slack: bool,
}

words! {
    /// What people may be told of.
    Notice, "a notice" {
        /// An issue was paused.
        Pause = "pause",
        /// An agent asked something, and waits.
        Input = "input",
        /// A plan waits for approval.
        Approval = "approval",
        /// A stage failed for good.
        Failure = "failure",
    }
}

impl ApprovalsConfig {
    pub(super) fn new(read: Reader<'_>) -> Self {
        Self {
            required: read.count("approvals_required").expect("it has a default"),
            approvers: read.list("approvers").to_vec(),
        }
    }
}

impl SlackConfig {
    pub(super) fn new(read: Reader<'_>) -> Self {
        Self {
            api_url: read.text("slack.api_url").expect("it has a default"),
            channel: read.text("slack.channel"),
            approvers: read.list("slack.approvers").to_vec(),
            socket_mode: read.switch("slack.socket_mode"),
        }
    }
}

impl NotifyConfig {
    pub(super) fn new(read: Reader<'_>) -> Self {
        Self {
            on: read.list("notify.on").iter().map(|word| known(word)).collect(),
            command: read.text("notify.command"),
            slack: read.switch("notify.slack"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::config;
    use super::*;

    #[test]
    fn without_a_word_one_person_who_may_write_decides_and_everything_is_told() {
        let config = config("").unwrap();
        assert_eq!(config.approvals, ApprovalsConfig { required: 1, approvers: Vec::new() });
        assert_eq!(config.slack.api_url, "https://slack.com/api");
        assert_eq!(config.notify.on, Notice::ALL);
        assert!(config.notify.command.is_none() && !config.notify.slack && !config.slack.socket_mode);
    }

    #[test]
    fn approvers_and_notices_can_be_named() {
        let yaml = "approvers: [ana, ben]\napprovals_required: 2\nslack: {channel: C1, approvers: [U1, U2]}\n\
                    notify: {on: [approval], command: notify-send Baton}\n";
        let config = config(yaml).unwrap();
        assert_eq!((config.approvals.required, config.approvals.approvers.len()), (2, 2));
        assert_eq!((config.slack.channel.as_deref(), config.slack.approvers.len()), (Some("C1"), 2));
        assert_eq!((config.notify.on, config.notify.command.is_some()), (vec![Notice::Approval], true));
    }
}
