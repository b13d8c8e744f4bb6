//! Orders, carried out where everybody sees them: on the tracker, on the board, or in the slot.

use baton_core::slot::steer::Steered;
use baton_core::slot::wake::{WakeAsk, WakeOutcome};
use baton_core::slot::{AgentName, Asker, Context, ItemKey, Reason, Source};
use baton_core::tracker::IssueKey;
use baton_ports::{Board as _, Store as _, TrackerErrorKind};
use baton_view::{LookoutError, Order, Reply};

use super::{Answer, Watchtower, of_claim, of_store, of_tracker};
use crate::claims::HoldOutcome;
use crate::marshal::Parts;
use crate::orders::{COMMENT_CHARS_MAX, REASON_CHARS_MAX, Speaker, Word, comment, reply};

impl<P: Parts, L> Watchtower<P, L> {
    pub(super) async fn carry_out(&self, issue: &IssueKey, order: &Order, by: &str) -> Answer<Reply> {
        let tracker = &self.marshal.tracker;
        let speaker = Speaker { who: by, names: self.marshal.rules().policy.names };
        match order {
            Order::Pause { reason } => {
                let reason = line(reason.as_deref(), "reason")?;
                speaker.pause(tracker, issue, reason).await.map_err(of_tracker)
            }
            Order::Resume {} => speaker.resume(tracker, issue).await.map_err(of_tracker),
            Order::Wake { agent, note } => self.wake(issue, agent.as_deref(), note.as_deref(), by).await,
            Order::Cancel {} => self.cancel(issue).await,
            Order::Hold {} => self.hold(issue, by).await,
            Order::Unhold {} => self.unhold(issue, by).await,
            Order::Approve { note, plan } => {
                let note = line(note.as_deref(), "note")?;
                self.decide(issue, speaker, (true, note, plan.as_deref())).await
            }
            Order::Reject { reason, plan } => {
                let reason = line(Some(reason), "reason")?;
                let reason =
                    reason.ok_or_else(|| LookoutError::Refused("a rejection needs a reason".to_owned()))?;
                self.decide(issue, speaker, (false, Some(reason), plan.as_deref())).await
            }
            Order::Move { to } => self.move_to(issue, to).await,
            Order::Comment { text } => {
                let text = text.trim();
                if text.is_empty() || text.chars().count() > COMMENT_CHARS_MAX {
                    return Err(LookoutError::Refused(format!(
                        "a comment is 1 to {COMMENT_CHARS_MAX} characters"
                    )));
                }
                comment(tracker, issue, text).await.map_err(of_tracker)
            }
        }
    }

    async fn decide(
        &self,
        issue: &IssueKey,
        speaker: Speaker<'_>,
        (is_for, reason, plan): (bool, Option<&str>, Option<&str>),
    ) -> Answer<Reply> {
        let approvers = &self.marshal.rules().policy.approvers;
        let dialect = self.marshal.settings.dialect;
        let word = Word { is_for, reason, plan, approvers, dialect };
        speaker.decide(&self.marshal.tracker, issue, word).await.map_err(of_tracker)
    }

    async fn wake(
        &self,
        issue: &IssueKey,
        agent: Option<&str>,
        note: Option<&str>,
        by: &str,
    ) -> Answer<Reply> {
        let agent = self.agent(issue, line(agent, "agent")?)?;
        let note = line(note, "note")?;
        let context = note.map(Context::of_note).unwrap_or_default();
        let asked_by = Asker { who: by.to_owned(), is_person: true, run: None };
        let name = agent.to_string();
        let ask =
            WakeAsk { agent, source: Source::Api, reason: Reason::Manual, context, asked_by, key: None };
        let outcome = self.marshal.relay.wake(&ItemKey::issue(issue), &ask).await.map_err(of_store)?;
        Ok(match outcome {
            WakeOutcome::Queued { run, .. } => {
                reply(true, "queued", format!("run {run} of {name} is queued"))
            }
            WakeOutcome::Coalesced { run, .. } => {
                reply(true, "merged", format!("{name} is about to look anyway: it was merged into run {run}"))
            }
            WakeOutcome::OwnDoing { run, .. } => {
                reply(true, "own_doing", format!("run {run} of {name} has the slot"))
            }
            WakeOutcome::Deferred { behind, .. } => reply(
                true,
                "deferred",
                format!("{name} looks when run {behind}, which has the slot, is over"),
            ),
            WakeOutcome::Skipped { skip, .. } => {
                reply(false, "skipped", format!("it was not followed: {}", skip.as_str().replace('_', " ")))
            }
            WakeOutcome::Duplicate { .. } => reply(true, "duplicate", format!("{name} was asked already")),
            WakeOutcome::Refused(error) => reply(false, "refused", error.to_string()),
        })
    }

    /// Returns the agent that was named, or that of the issue's stage.
    fn agent(&self, issue: &IssueKey, named: Option<&str>) -> Answer<AgentName> {
        if let Some(name) = named {
            return Ok(AgentName::from(name));
        }
        let rules = self.marshal.rules();
        let column = self.marshal.picture().and_then(|picture| {
            let known = picture.issues.into_iter().find(|(known, _)| known == issue);
            known.and_then(|(_, known)| known.column)
        });
        let stage = column.and_then(|column| rules.pipeline.stage(&column).cloned());
        let of_stage = stage.and_then(|stage| stage.agent).map(AgentName);
        of_stage
            .or_else(|| rules.usual_agent.clone())
            .ok_or_else(|| LookoutError::Refused("no agent is configured for its stage: name one".to_owned()))
    }

    async fn cancel(&self, issue: &IssueKey) -> Answer<Reply> {
        let item = self.marshal.relay.store.item(&ItemKey::issue(issue)).await.map_err(of_store)?;
        let nothing =
            || reply(false, "nothing-runs", format!("nothing runs for {issue}, and nothing waits to run"));
        let Some(run) = item.and_then(|item| item.owner) else { return Ok(nothing()) };
        Ok(match self.marshal.relay.cancel(run, false).await.map_err(of_store)? {
            Some(Steered::Ended(_)) => reply(true, "ended", format!("run {run} is cancelled")),
            Some(Steered::AskedToStop(_)) => reply(
                true,
                "asked_to_stop",
                format!("run {run} is asked to stop, and its slot is free when its agent is gone"),
            ),
            Some(Steered::WasOver(status)) => {
                reply(false, "was_over", format!("run {run} was over already: {status}"))
            }
            Some(Steered::Nothing) | None => nothing(),
        })
    }

    async fn hold(&self, issue: &IssueKey, by: &str) -> Answer<Reply> {
        let note = format!("{by} keeps agents away from this issue");
        Ok(match self.marshal.leases.claims.hold(issue, &note, true, false).await.map_err(of_claim)? {
            HoldOutcome::Held => reply(true, "held", format!("agents are kept away from {issue}")),
            HoldOutcome::AlreadyHeld => {
                reply(true, "already-held", format!("agents are kept away from {issue} already"))
            }
            HoldOutcome::InFlight(holder) => {
                reply(false, "in-flight", format!("{issue} is held by {holder}"))
            }
            HoldOutcome::PullOpen => {
                reply(false, "pr-open", format!("{issue} has a pull request open already"))
            }
        })
    }

    async fn unhold(&self, issue: &IssueKey, by: &str) -> Answer<Reply> {
        let note = format!("{by} lets agents have this issue again");
        Ok(match self.marshal.leases.claims.unhold(issue, &note, false).await.map_err(of_claim)? {
            true => reply(true, "let-go", format!("agents may have {issue} again")),
            false => reply(false, "not-held", format!("nothing kept agents away from {issue}")),
        })
    }

    async fn move_to(&self, issue: &IssueKey, to: &str) -> Answer<Reply> {
        let rules = self.marshal.rules();
        let Some(stage) = rules.pipeline.stage(to.trim()) else {
            let names: Vec<_> = rules.pipeline.stages().iter().map(|stage| stage.name.as_str()).collect();
            return Err(LookoutError::Refused(format!(
                "there is no column `{to}`; there are: {}",
                names.join(", ")
            )));
        };
        match self.marshal.board.move_to(issue, &stage.name).await {
            Ok(()) => Ok(reply(true, "moved", format!("{issue} is in {}", stage.name))),
            Err(error) if error.kind == TrackerErrorKind::NotFound => Ok(reply(
                false,
                "no-such-issue",
                format!("there is no issue {issue} that this account may see"),
            )),
            Err(error) => Err(of_tracker(error)),
        }
    }
}

/// Returns a line that was given, without its edges; nothing when it is empty.
fn line<'a>(text: Option<&'a str>, what: &str) -> Answer<Option<&'a str>> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    match text.is_some_and(|text| text.chars().count() > REASON_CHARS_MAX) {
        true => {
            Err(LookoutError::Refused(format!("the {what} is longer than {REASON_CHARS_MAX} characters")))
        }
        false => Ok(text),
    }
}
