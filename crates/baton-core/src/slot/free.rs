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
struct Entry {
    wakeup: WakeupId,
    agent: AgentName,
    context: Context,
    attempt: u32,
    interruptions: u32,
    not_before: StoreTime,
    retry_of: Option<RunId>,
    /// It is stored as deferred, as it is here.
    is_stored: bool,
}

impl Draft<'_> {
    /// Ends the run that owns the slot, and gives the slot to the next.
    pub(super) fn free(&mut self, ending: Ending, charge: Charge) {
        let (status, now) = (ending.status, self.s.now);
        let Some(run) = self.end_owner(ending) else { return };
        let retry = self.policy.retry.next(&run, charge, now, self.policy.dice);
        // A retry of a closed issue would be skipped at once; the wakeup ends with its run instead.
        let retry = retry.filter(|_| self.s.item.is_open);
        if retry.is_none() {
            self.end_wakeup(run.wakeup, wakeup_status(status), None);
        }
        self.pass_on(Some(&run), retry);
    }

    /// Gives a slot that nobody has to whoever waits for it.
    pub(super) fn drain(&mut self) {
        if self.s.item.owner.is_none() && self.s.waiting.is_empty() {
            return;
        }
        self.pass_on(None, None);
    }

    fn pass_on(&mut self, ended: Option<&Run>, retry: Option<Retry>) {
        let mut line = self.line();
        if let (Some(run), Some(retry)) = (ended, retry) {
            self.queue_retry(&mut line, run, retry);
        }
        let after = ended.map(|run| run.status);
        let chosen = if self.policy.safeguards.drain { choose(&mut line, self.s.now) } else { None };
        let agent = ended.map(|run| run.agent.clone());
        match chosen {
            Some(entry) => self.seat_entry(entry, after),
            None if self.s.item.owner.is_some() => {
                self.clear_slot(&agent.unwrap_or_else(|| AgentName::from("")), after);
            }
            None => {}
        }
        self.keep_waiting(line);
    }

    /// Takes the deferred wakeups that are still valid; the others are skipped.
    fn line(&mut self) -> Vec<Entry> {
        let waiting = std::mem::take(&mut self.s.waiting);
        let mut line = Vec::with_capacity(waiting.len() + 1);
        for wakeup in waiting {
            match self.reason_to_skip(&wakeup) {
                Some(skip) => self.end_wakeup(wakeup.id, WakeupStatus::Skipped, Some(skip)),
                None => line.push(Entry::waiting(wakeup)),
            }
        }
        line
    }

    fn reason_to_skip(&self, wakeup: &Wakeup) -> Option<Skip> {
        if !self.s.item.is_open {
            return Some(Skip::IssueClosed);
        }
        (!self.policy.knows(&wakeup.agent)).then_some(Skip::UnknownAgent)
    }

    /// Puts a retry into the line: first, or into what waits for the same agent.
    fn queue_retry(&mut self, line: &mut Vec<Entry>, run: &Run, retry: Retry) {
        if let Some(follow_up) = line.iter_mut().find(|entry| entry.agent.key() == run.agent.key())
            && let Ok(context) = run.context.merged(&follow_up.context)
        {
            follow_up.context = context;
            follow_up.attempt = retry.attempt;
            follow_up.interruptions = retry.interruptions;
            follow_up.retry_of = Some(run.id);
            // It was asked for while the run was at work, so it does not wait for the end of a backoff.
            follow_up.is_stored = false;
            let merged_into = Some(follow_up.wakeup);
            let status = WakeupStatus::Coalesced;
            self.push(Change::EndWakeup { id: run.wakeup, status, skip: None, merged_into });
            return;
        }
        line.insert(0, Entry::retry(run, retry));
    }

    fn seat_entry(&mut self, entry: Entry, after: Option<RunStatus>) {
        let is_retry = entry.retry_of.is_some();
        let reason = if is_retry { TransferReason::Retried } else { TransferReason::Promoted };
        let disposition = (!is_retry).then_some(Disposition::Promoted);
        let id = entry.wakeup;
        let run = self.seat(entry.into_seat(reason), after);
        self.push(Change::QueueWakeup { id, run, disposition });
    }

    fn keep_waiting(&mut self, line: Vec<Entry>) {
        for entry in line.into_iter().filter(|entry| !entry.is_stored) {
            self.push(Change::DeferWakeup {
                id: entry.wakeup,
                context: Box::new(entry.context),
                attempt: entry.attempt,
                interruptions: entry.interruptions,
                not_before: entry.not_before,
            });
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
    fn waiting(wakeup: Wakeup) -> Self {
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
