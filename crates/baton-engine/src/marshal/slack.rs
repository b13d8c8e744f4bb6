//! Asking people in Slack about plans, and hearing what they said there.
//!
//! The question on the tracker comes first, and what Slack decides is written down there. Slack that does not answer decides
//! nothing: the plan stays pending, and after a few failures in a row people are told.

use baton_core::course::Course;
use baton_core::pipeline::approval::{self, Heard, Terms};
use baton_core::pipeline::item::{Approval, ApprovalState, SlackSign};
use baton_core::pipeline::names::Said;
use baton_core::slot::{ItemMemory, SlackMessage};
use baton_core::tracker::{IssueKey, Sighting};
use baton_ports::{Messenger as _, MessengerError, PlanQuestion};

use super::{Glance, Happened, LookError, Marshal, Parts, Rules};

/// So many failures in a row mean that there is no way to Slack.
pub const FAILURES_MAX: u32 = 5;

impl<P: Parts> Marshal<P> {
    /// Returns what people said about the plan of the stage that an issue is in.
    pub(super) async fn approval(
        &self,
        issue: &IssueKey,
        seen: &Sighting,
        column: &str,
        rules: &Rules,
        memory: &ItemMemory,
    ) -> Option<Approval> {
        let (names, approvers) = (rules.policy.names, &rules.policy.approvers);
        let is_pending = seen.issue.labels.iter().any(|label| names.read(label) == Some(Said::PlanPending));
        if !is_pending {
            self.slack_answered(issue);
        }
        let stage = rules.pipeline.stage(column)?;
        let terms = Terms { names, stage: &stage.name, way: stage.approval?, approvers };
        let told = approval::of(terms, &seen.comments, &Heard::NotAsked)?;
        let is_asked = |message: &&SlackMessage| message.stage == stage.name && message.plan == told.plan;
        match memory.slack.as_ref().filter(is_asked).filter(|_| is_pending) {
            Some(message) => approval::of(terms, &seen.comments, &self.hear_slack(issue, message).await),
            None => Some(told),
        }
    }

    async fn hear_slack(&self, issue: &IssueKey, message: &SlackMessage) -> Heard {
        let place = (message.channel.clone(), message.ts.clone());
        self.desk().asked_in_slack.insert(place.clone(), issue.clone());
        match self.messenger.hear(message).await {
            Ok(thread) => {
                self.slack_answered(issue);
                Heard::Thread(thread)
            }
            // Whoever deleted the message has decided nothing; it is asked anew, and the new message takes its place.
            Err(error) if error.is_gone => {
                self.desk().asked_in_slack.remove(&place);
                Heard::NotAsked
            }
            Err(error) => {
                self.slack_failed(issue, &error);
                Heard::Unheard(error.to_string())
            }
        }
    }

    /// Asks in Slack about a plan that is to be asked about there. Returns whether something was decided.
    pub(super) async fn ask_in_slack(&self, glance: &Glance, rules: &Rules) -> Result<bool, LookError> {
        let Some(question) = question(glance, rules) else { return Ok(false) };
        let message = match self.messenger.ask(&question).await {
            Ok(message) => message,
            Err(error) => {
                self.slack_failed(&glance.item.issue, &error);
                return Ok(false);
            }
        };
        self.slack_answered(&glance.item.issue);
        let memory = ItemMemory { slack: Some(message.clone()), ..glance.item.memory.clone() };
        let course = Course { memory: Some(memory), ..Course::default() };
        let is_kept = self.commit(glance, &course).await?;
        if !is_kept {
            // Somebody else decided meanwhile. If the question is still wanted, the next look finds it in the channel.
            tracing::debug!(issue = %glance.item.issue, "a question in Slack was not noted");
        }
        Ok(is_kept)
    }

    /// Looks again at the issue that a message in Slack is about, if it is known.
    pub fn heard_of_slack(&self, channel: &str, ts: &str) {
        let issue = self.desk().asked_in_slack.get(&(channel.to_owned(), ts.to_owned())).cloned();
        if let Some(issue) = issue {
            self.bell.ring(issue);
        }
    }

    /// Puts what became of a question in its place. Everybody reads it on the tracker, so nothing waits for this.
    pub(super) async fn tell_slack(&self, message: &SlackMessage, said: &str) {
        self.desk().asked_in_slack.remove(&(message.channel.clone(), message.ts.clone()));
        if let Err(error) = self.messenger.tell(message, said).await {
            tracing::warn!("a question in Slack stays as it is, though it is settled: {error}");
        }
    }

    /// Notes that there is no trouble about an issue's question any more; people are told when there is none about any.
    fn slack_answered(&self, issue: &IssueKey) {
        let is_over = {
            let failures = &mut self.desk().slack_failures;
            let was_told = failures.remove(issue).is_some_and(|count| count >= FAILURES_MAX);
            was_told && failures.values().all(|count| *count < FAILURES_MAX)
        };
        if is_over {
            (self.tell)(&Happened::SlackHeard);
        }
    }

    fn slack_failed(&self, issue: &IssueKey, error: &MessengerError) {
        let failures = {
            let mut desk = self.desk();
            let failures = desk.slack_failures.entry(issue.clone()).or_default();
            *failures = failures.saturating_add(1);
            *failures
        };
        (self.tell)(&Happened::SlackUnheard { failures, error });
    }
}

/// Returns the question about a plan that waits for an answer and was not asked in Slack yet.
fn question(glance: &Glance, rules: &Rules) -> Option<PlanQuestion> {
    let item = &glance.item;
    let is_pending =
        item.labels.iter().any(|label| rules.policy.names.read(label) == Some(Said::PlanPending));
    let approval = item.approval.as_ref().filter(|_| is_pending)?;
    if approval.state != ApprovalState::Pending || approval.slack != SlackSign::NotAsked {
        return None;
    }
    let plan = approval::plan_of(&item.comments, &approval.stage, rules.policy.names);
    Some(PlanQuestion {
        issue: item.issue.clone(),
        title: item.title.clone(),
        url: item.url.clone(),
        stage: approval.stage.clone(),
        plan: plan.mark,
        text: plan.text,
        required: approval.required,
        asked_at_s: approval.asked_at.0,
    })
}
