//! Where people are asked besides the tracker: a channel of a messenger such as Slack.
//!
//! Nothing is decided by what cannot be heard. Deliberately absent: what an answer means.

use std::future::Future;

use baton_core::pipeline::approval::SlackThread;
use baton_core::slot::SlackMessage;
use baton_core::tracker::IssueKey;

/// A question about a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanQuestion {
    /// The issue.
    pub issue: IssueKey,
    /// Its title.
    pub title: String,
    /// Its address, for people.
    pub url: String,
    /// The stage.
    pub stage: String,
    /// What the plan is known by.
    pub plan: String,
    /// What it says.
    pub text: String,
    /// How many must approve.
    pub required: u32,
    /// When the question was asked on the tracker, in seconds since 1970; it cannot have been asked here before.
    pub asked_at_s: i64,
}

/// A messenger did not do what it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{tried}: {answer}{}", then(.advice.as_deref()))]
pub struct MessengerError {
    /// What was tried.
    pub tried: String,
    /// What came back.
    pub answer: String,
    /// What a person can do about it, if that is known.
    pub advice: Option<String>,
    /// Whether the message that it is about is not there any more.
    pub is_gone: bool,
}

fn then(advice: Option<&str>) -> String {
    advice.map_or_else(String::new, |advice| format!("; {advice}"))
}

/// A messenger.
pub trait Messenger: Send + Sync {
    /// Asks people about a plan, unless the question is there already: an earlier try may have asked it and not lived to tell.
    fn ask(
        &self,
        question: &PlanQuestion,
    ) -> impl Future<Output = Result<SlackMessage, MessengerError>> + Send;

    /// Returns what came of a question: all of it, or an error.
    fn hear(
        &self,
        message: &SlackMessage,
    ) -> impl Future<Output = Result<SlackThread, MessengerError>> + Send;

    /// Puts what became of a question in its place.
    fn tell(
        &self,
        message: &SlackMessage,
        said: &str,
    ) -> impl Future<Output = Result<(), MessengerError>> + Send;
}

/// No messenger at all, for engines that ask on the tracker alone. Everything fails, so nothing is taken for an answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoMessenger;

impl NoMessenger {
    fn error() -> MessengerError {
        MessengerError {
            tried: "asking in Slack".to_owned(),
            answer: "Slack is not set up".to_owned(),
            advice: Some(
                "set `slack.channel` and `slack.approvers` in baton.yaml and BATON_SLACK_TOKEN in the environment"
                    .to_owned(),
            ),
            is_gone: false,
        }
    }
}

impl Messenger for NoMessenger {
    async fn ask(&self, _: &PlanQuestion) -> Result<SlackMessage, MessengerError> {
        Err(Self::error())
    }

    async fn hear(&self, _: &SlackMessage) -> Result<SlackThread, MessengerError> {
        Err(Self::error())
    }

    async fn tell(&self, _: &SlackMessage, _: &str) -> Result<(), MessengerError> {
        Err(Self::error())
    }
}

/// A messenger where there is one.
impl<M: Messenger> Messenger for Option<M> {
    async fn ask(&self, question: &PlanQuestion) -> Result<SlackMessage, MessengerError> {
        match self {
            Some(messenger) => messenger.ask(question).await,
            None => NoMessenger.ask(question).await,
        }
    }

    async fn hear(&self, message: &SlackMessage) -> Result<SlackThread, MessengerError> {
        match self {
            Some(messenger) => messenger.hear(message).await,
            None => NoMessenger.hear(message).await,
        }
    }

    async fn tell(&self, message: &SlackMessage, said: &str) -> Result<(), MessengerError> {
        match self {
            Some(messenger) => messenger.tell(message, said).await,
            None => NoMessenger.tell(message, said).await,
        }
    }
}
