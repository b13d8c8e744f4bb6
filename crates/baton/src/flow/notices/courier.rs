//! Carries notices to where people are, one after the other, each a few times at most.

use std::time::Duration;

use baton_agent::Redactor;
use baton_ports::Tracker;

use super::command::Program;
use super::slack::Webhook;
use super::{Due, Errand, Errands, Message};

/// How long one try may take.
pub(super) const TRY_WITHIN: Duration = Duration::from_secs(10);
/// How often a notice is tried at one receiver, and how long is waited after each try.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// How long the title of an issue is waited for.
const TITLE_WITHIN: Duration = Duration::from_secs(5);

/// How a try failed.
#[derive(Debug)]
pub(super) struct Failed {
    /// What came back.
    pub(super) answer: String,
    /// Whether another try may go better.
    pub(super) may_try_again: bool,
}

/// Who carries notices.
pub(in crate::flow) struct Courier {
    pub(super) command: Option<Program>,
    pub(super) slack: Option<Webhook>,
    pub(super) redactor: Redactor,
}

impl Courier {
    /// Carries what comes, until nothing more does.
    pub(in crate::flow) async fn carry(self, mut errands: Errands, tracker: impl Tracker) {
        while let Some(Errand::Tell(due)) = errands.0.recv().await {
            let message = self.message(due, &tracker).await;
            self.tell(&message).await;
        }
    }

    /// A notice without a title is better than none.
    async fn message(&self, due: Due, tracker: &impl Tracker) -> Message {
        let issue = tokio::time::timeout(TITLE_WITHIN, tracker.issue(&due.issue)).await;
        let issue = issue.ok().and_then(Result::ok).map(|issue| issue.value);
        let clean = |text: &str| self.redactor.redact_text(text).into_owned();
        Message {
            kind: due.kind,
            issue: due.issue.to_string(),
            title: issue.as_ref().map(|issue| clean(&issue.title)),
            url: issue.map(|issue| issue.url).filter(|url| !url.is_empty()),
            text: clean(&due.text),
            when: due.when.to_string(),
        }
    }

    async fn tell(&self, message: &Message) {
        if let Some(program) = &self.command {
            let end = persist(|| program.tell(message)).await;
            self.log(
                message,
                "the command of `notify.command`",
                "run it by hand with a notice on its input",
                end,
            );
        }
        if let Some(webhook) = &self.slack {
            let end = persist(|| webhook.tell(message)).await;
            self.log(
                message,
                "Slack's webhook",
                "check BATON_SLACK_WEBHOOK_URL and that the webhook is still there",
                end,
            );
        }
    }

    fn log(&self, message: &Message, whom: &str, what_to_do: &str, end: Result<(), Failed>) {
        if let Err(failed) = end {
            let answer = self.redactor.redact_text(&failed.answer).into_owned();
            eprintln!(
                "warning: {whom} was not told that {} waits ({}): {answer}; {what_to_do}",
                message.issue, message.kind
            );
        }
    }
}

async fn persist<F: Future<Output = Result<(), Failed>>>(tell: impl Fn() -> F) -> Result<(), Failed> {
    for pause in PAUSES {
        match tell().await {
            Err(failed) if failed.may_try_again => tokio::time::sleep(pause).await,
            end => return end,
        }
    }
    tell().await
}
