//! A decision in the making: the situation as it will be, and the changes that make it so.
//!
//! Rules that follow one another in one transaction, such as healing and then waking, see what the first has changed.

use super::context::Context;
use super::effect::{Effect, EffectKey, NewEffect};
use super::free::Entry;
use super::ids::RunId;
use super::ids::WakeupId;
use super::item::AgentName;
use super::limits;
use super::policy::Policy;
use super::run::{EndCause, Run, RunStatus};
use super::situation::{Change, Decision, Situation, Transfer, TransferReason};
use super::wakeup::{Skip, WakeupStatus};
use crate::pipeline::outcome::Outcome;
use crate::time::StoreTime;

/// What is needed for a new run.
pub(super) struct Seat {
    pub(super) wakeup: WakeupId,
    pub(super) agent: AgentName,
    pub(super) context: Context,
    pub(super) attempt: u32,
    pub(super) interruptions: u32,
    pub(super) not_before: StoreTime,
    pub(super) retry_of: Option<RunId>,
    pub(super) reason: TransferReason,
}

/// How the owner ended.
pub(super) struct Ending {
    pub(super) status: RunStatus,
    pub(super) cause: Option<EndCause>,
    pub(super) error: Option<String>,
    pub(super) cost_micros: i64,
    /// What the agent came to, when it got to work for a stage.
    pub(super) outcome: Option<Box<Outcome>>,
}

impl Ending {
    /// Returns the end of a run whose agent said nothing.
    pub(super) fn silent(status: RunStatus, cause: EndCause, error: Option<String>) -> Self {
        Self { status, cause: Some(cause), error, cost_micros: 0, outcome: None }
    }
}

pub(super) struct Draft<'a> {
    /// The situation as it will be; who waits is in the line.
    pub(super) s: Situation,
    /// Those who wait, oldest first, as they will be.
    pub(super) line: Vec<Entry>,
    pub(super) policy: &'a Policy,
    changes: Vec<Change>,
    /// Counters are locked last, so that transactions on different items hold them as briefly as possible.
    counts: Vec<limits::Count>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(situation: &Situation, policy: &'a Policy) -> Self {
        let mut s = situation.clone();
        let line = std::mem::take(&mut s.waiting).into_iter().map(Entry::waiting).collect();
        Self { s, line, policy, changes: Vec::new(), counts: Vec::new() }
    }

    pub(super) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(super) fn count(&mut self, counts: Vec<limits::Count>) {
        self.counts.extend(counts);
    }

    pub(super) fn done<T>(mut self, outcome: T) -> Decision<T> {
        if !self.counts.is_empty() {
            self.changes.push(Change::Count(self.counts));
        }
        Decision { changes: self.changes, outcome }
    }

    /// Ends the owner. The slot still names it, until it is seated or cleared.
    pub(super) fn end_owner(&mut self, ending: Ending) -> Option<Run> {
        let mut run = self.s.owner.take()?;
        if run.status == RunStatus::Running {
            let ended = limits::ended(&self.s.item.key, &run.agent.key(), self.s.now, ending.cost_micros);
            self.count(ended);
        }
        run.status = ending.status;
        self.s.owner_lease = None;
        self.push(Change::EndRun {
            id: run.id,
            status: ending.status,
            cause: ending.cause,
            error: ending.error,
            cost_micros: ending.cost_micros,
        });
        Some(run)
    }

    /// Gives the slot to a new run.
    pub(super) fn seat(&mut self, seat: Seat, after: Option<RunStatus>) -> RunId {
        let (id, now) = (self.s.next_run, self.s.now);
        let from = self.s.item.owner;
        let is_due = seat.not_before <= now;
        self.s.item.fence += 1;
        self.s.item.owner = Some(id);
        self.push(Change::AddRun(Box::new(Run {
            id,
            item: self.s.item.id,
            agent: seat.agent.clone(),
            wakeup: seat.wakeup,
            status: if is_due { RunStatus::Queued } else { RunStatus::ScheduledRetry },
            context: seat.context,
            fence: self.s.item.fence,
            worker: None,
            attempt: seat.attempt,
            interruptions: seat.interruptions,
            retry_of: seat.retry_of,
            not_before: seat.not_before,
            stop: None,
            created_at: now,
            started_at: None,
            finished_at: None,
            cause: None,
            error: None,
            cost_micros: 0,
        })));
        self.transfer(from, &seat.agent, seat.reason, after);
        self.s.owner = self.last_run();
        id
    }

    /// Leaves the slot free.
    pub(super) fn clear_slot(&mut self, agent: &AgentName, after: Option<RunStatus>) {
        let from = self.s.item.owner.take();
        self.transfer(from, agent, TransferReason::Freed, after);
    }

    pub(super) fn end_wakeup(&mut self, id: WakeupId, status: WakeupStatus, skip: Option<Skip>) {
        self.push(Change::EndWakeup { id, status, skip, merged_into: None });
    }

    /// Writes effects, as the next version of the item.
    /// The item has a lease from now on, under this token; what is decided in the same breath is bound to it.
    pub(super) fn take_lease(&mut self, token: String) {
        self.s.item.lease = Some(token.clone());
        self.push(Change::SetLease(Some(token)));
    }

    pub(super) fn add_effects(&mut self, effects: &[NewEffect], fence: i64) {
        if effects.is_empty() {
            return;
        }
        self.s.item.version += 1;
        self.s.has_pending_effects = true;
        self.push(Change::SetVersion(self.s.item.version));
        for (step, effect) in effects.iter().enumerate() {
            let step = u32::try_from(step).unwrap_or(u32::MAX);
            let key = EffectKey { item: self.s.item.id, version: self.s.item.version, step };
            let lease = self.s.item.lease.clone();
            self.push(Change::AddEffect(Box::new(Effect::new(key, effect, lease, fence, self.s.now))));
        }
    }

    fn transfer(
        &mut self,
        from: Option<RunId>,
        agent: &AgentName,
        reason: TransferReason,
        after: Option<RunStatus>,
    ) {
        let transfer = Transfer {
            at: self.s.now,
            item: self.s.item.id,
            from,
            to: self.s.item.owner,
            agent: agent.key(),
            fence: self.s.item.fence,
            reason,
            after,
        };
        self.push(Change::Transfer(transfer));
    }

    fn last_run(&self) -> Option<Run> {
        self.changes.iter().rev().find_map(|change| match change {
            Change::AddRun(run) => Some((**run).clone()),
            _ => None,
        })
    }
}
