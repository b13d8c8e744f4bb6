//! The one routine by which a run ends and its slot becomes free: it always gives the slot to the next in line.
//!
//! Who is next: a retry that is due; else the oldest deferred wakeup that is still valid, where an invalid one is skipped
//! with its reason; else, when all must wait, the one that may go first, which keeps the slot reserved until then.

use super::context::Context;
use super::draft::{Draft, Ending, Seat};
use super::ids::{RunId, WakeupId};
use super::item::AgentName;
use super::retry::{Charge, Retry};
use super::run::{Run, RunStatus};
use super::situation::{Change, TransferReason};
use super::wakeup::{Disposition, Skip, Wakeup, WakeupStatus};
use crate::time::StoreTime;

/// Somebody who may be next.
pub(super) struct Entry {
    pub(super) wakeup: WakeupId,
    pub(super) agent: AgentName,
    pub(super) context: Context,
    pub(super) attempt: u32,
    pub(super) interruptions: u32,
    pub(super) not_before: StoreTime,
    retry_of: Option<RunId>,
    /// It is stored as deferred, as it is here.
    is_stored: bool,
}

impl Draft<'_> {
    /// Ends the run that owns the slot, and gives the slot to the next.
    pub(super) fn free(&mut self, ending: Ending, charge: Charge) {
        let (status, cause, now) = (ending.status, ending.cause, self.s.now);
        let mut ending = ending;
        let outcome = ending.outcome.take();
        let Some(run) = self.end_owner(ending) else { return };
        let retry = self.policy.retry.next(&run, charge, now, self.policy.dice);
        // A retry of a closed issue would be skipped at once; the wakeup ends with its run instead.
        let retry = retry.filter(|_| self.s.item.is_open);
        // A retry that nobody can start would keep the slot for ever.
        let skip = retry.and_then(|_| self.reason_to_skip(&run.agent));
        match (retry, skip) {
            (None, _) => self.end_wakeup(run.wakeup, wakeup_status(status), None),
            (_, Some(_)) => self.end_wakeup(run.wakeup, WakeupStatus::Skipped, skip),
            _ => {}
        }
        let retry = retry.filter(|_| skip.is_none());
        self.tell_the_pipeline(&run, outcome, (status, cause), retry.is_some());
        self.pass_on(Some(&run), retry);
    }

    /// Gives a slot that nobody has to whoever waits for it.
    pub(super) fn drain(&mut self) {
        let over = self.s.owner.take();
        if self.s.item.owner.is_none() && self.line.is_empty() {
            return;
        }
        self.pass_on(over.as_ref(), None);
    }

    fn pass_on(&mut self, ended: Option<&Run>, retry: Option<Retry>) {
        self.skip_invalid();
        if let (Some(run), Some(retry)) = (ended, retry) {
            self.queue_retry(run, retry);
        }
        let after = ended.map(|run| run.status);
        let chosen = if self.policy.safeguards.drain { choose(&mut self.line, self.s.now) } else { None };
        let agent = ended.map(|run| run.agent.clone());
        match chosen {
            Some(entry) => self.seat_entry(entry, after),
            None if self.s.item.owner.is_some() => {
                self.clear_slot(&agent.unwrap_or_else(|| AgentName::from("")), after);
            }
            None => {}
        }
        self.keep_waiting();
    }

    /// Takes those out of the line who are not valid any more.
    fn skip_invalid(&mut self) {
        for entry in std::mem::take(&mut self.line) {
            match self.reason_to_skip(&entry.agent) {
                Some(skip) => self.end_wakeup(entry.wakeup, WakeupStatus::Skipped, Some(skip)),
                None => self.line.push(entry),
            }
        }
    }

    /// Returns why an agent is not to be woken.
    pub(super) fn reason_to_skip(&self, agent: &AgentName) -> Option<Skip> {
        if !self.s.item.is_open {
            return Some(Skip::IssueClosed);
        }
        (!self.policy.knows(agent)).then_some(Skip::UnknownAgent)
    }

    /// Puts a retry into the line: first, or into what waits for the same agent.
    fn queue_retry(&mut self, run: &Run, retry: Retry) {
        let Some(at) = self.line.iter().position(|entry| entry.agent.key() == run.agent.key()) else {
            self.line.insert(0, Entry::retry(run, retry));
            return;
        };
        let Ok(context) = run.context.merged(&self.line[at].context) else {
            // Two of one agent must not wait, and nothing may be forgotten; so it does not wait at all.
            let retry = Retry { not_before: self.s.now, ..retry };
            self.line.insert(0, Entry::retry(run, retry));
            return;
        };
        let follow_up = self.line.remove(at).tells_retry(context, run, retry);
        let (id, merged_into) = (run.wakeup, Some(follow_up.wakeup));
        self.push(Change::EndWakeup { id, status: WakeupStatus::Coalesced, skip: None, merged_into });
        let at = if retry.not_before <= self.s.now { 0 } else { at };
        self.line.insert(at, follow_up);
    }

    fn seat_entry(&mut self, entry: Entry, after: Option<RunStatus>) {
        let is_retry = entry.retry_of.is_some();
        let reason = if is_retry { TransferReason::Retried } else { TransferReason::Promoted };
        let disposition = (!is_retry).then_some(Disposition::Promoted);
        let id = entry.wakeup;
        let run = self.seat(entry.into_seat(reason), after);
        self.push(Change::QueueWakeup { id, run, disposition });
    }

    fn keep_waiting(&mut self) {
        for entry in std::mem::take(&mut self.line) {
            if !entry.is_stored {
                self.push(Change::DeferWakeup {
                    id: entry.wakeup,
                    context: Box::new(entry.context.clone()),
                    attempt: entry.attempt,
                    interruptions: entry.interruptions,
                    not_before: entry.not_before,
                });
            }
            self.line.push(Entry { is_stored: true, ..entry });
        }
    }
}

/// Takes the next out of the line.
fn choose(line: &mut Vec<Entry>, now: StoreTime) -> Option<Entry> {
    let due = line.iter().position(|entry| entry.not_before <= now);
    let first = || line.iter().enumerate().min_by_key(|(_, entry)| entry.not_before).map(|(at, _)| at);
    due.or_else(first).map(|at| line.remove(at))
}

/// What becomes of a wakeup whose run ended without another try.
fn wakeup_status(run: RunStatus) -> WakeupStatus {
    match run {
        RunStatus::Succeeded => WakeupStatus::Completed,
        RunStatus::Cancelled => WakeupStatus::Cancelled,
        _ => WakeupStatus::Failed,
    }
}

impl Entry {
    pub(super) fn waiting(wakeup: Wakeup) -> Self {
        Self {
            wakeup: wakeup.id,
            agent: wakeup.agent,
            context: wakeup.context,
            attempt: wakeup.attempt,
            interruptions: wakeup.interruptions,
            not_before: wakeup.not_before,
            retry_of: None,
            is_stored: true,
        }
    }

    fn retry(run: &Run, retry: Retry) -> Self {
        Self {
            wakeup: run.wakeup,
            agent: run.agent.clone(),
            context: run.context.clone(),
            attempt: retry.attempt,
            interruptions: retry.interruptions,
            not_before: retry.not_before,
            retry_of: Some(run.id),
            is_stored: false,
        }
    }

    /// Returns a follow-up that is a retry too.
    fn tells_retry(self, context: Context, run: &Run, retry: Retry) -> Self {
        // A follow-up was asked for while the run was at work, so it does not wait for the end of a backoff. A provider
        // that has reached its limit would refuse it all the same.
        let is_charged = retry.attempt > run.attempt;
        let not_before = if is_charged { self.not_before } else { retry.not_before };
        let Retry { attempt, interruptions, .. } = retry;
        let retry_of = Some(run.id);
        Self { context, attempt, interruptions, not_before, retry_of, is_stored: false, ..self }
    }

    fn into_seat(self, reason: TransferReason) -> Seat {
        Seat {
            wakeup: self.wakeup,
            agent: self.agent,
            context: self.context,
            attempt: self.attempt,
            interruptions: self.interruptions,
            not_before: self.not_before,
            retry_of: self.retry_of,
            reason,
        }
    }
}
