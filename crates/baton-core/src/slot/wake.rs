//! Waking: a request meets the slot. It takes a free one, merges into what has not started, waits, or is skipped.

use super::context::{Context, ContextError};
use super::draft::{Draft, Seat};
use super::ids::{RunId, WakeupId};
use super::item::AgentName;
use super::policy::Policy;
use super::run::{Run, RunStatus};
use super::situation::{Change, Decision, Situation, TransferReason};
use super::wakeup::{Asker, Disposition, Reason, Skip, Source, Wakeup, WakeupStatus};

/// A request that an agent look at an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WakeAsk {
    /// Who should look.
    pub agent: AgentName,
    /// Where it comes from.
    pub source: Source,
    /// Why.
    pub reason: Reason,
    /// What to know.
    pub context: Context,
    /// Who asks.
    pub asked_by: Asker,
    /// What makes it the same as another of this item and agent.
    pub key: Option<String>,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WakeOutcome {
    /// It has a run of its own.
    Queued {
        /// The wakeup.
        wakeup: WakeupId,
        /// The run.
        run: RunId,
    },
    /// It was merged into a run that has not started.
    Coalesced {
        /// The wakeup.
        wakeup: WakeupId,
        /// The run that it was merged into.
        run: RunId,
    },
    /// It was the run's own doing.
    OwnDoing {
        /// The wakeup.
        wakeup: WakeupId,
        /// The run whose doing it was.
        run: RunId,
    },
    /// It waits until the slot is free; or it was merged into one that waits for the same agent.
    Deferred {
        /// The wakeup.
        wakeup: WakeupId,
        /// The run that has the slot.
        behind: RunId,
        /// The wakeup of the same agent into which it was merged.
        merged_into: Option<WakeupId>,
    },
    /// It was not followed.
    Skipped {
        /// The wakeup.
        wakeup: WakeupId,
        /// Why.
        skip: Skip,
    },
    /// One with the same key was there already; nothing was done.
    Duplicate {
        /// The one that was there.
        wakeup: WakeupId,
        /// What became of that.
        status: WakeupStatus,
    },
    /// What it says would make the context of what it is merged into too large; nothing was done.
    Refused(ContextError),
}

/// Lets a request meet the slot.
pub fn wake(situation: &Situation, ask: &WakeAsk, policy: &Policy) -> Decision<WakeOutcome> {
    let mut draft = Draft::new(situation, policy);
    if let Some(first) = &situation.looked_up.same_key {
        return draft.done(WakeOutcome::Duplicate { wakeup: first.id, status: first.status });
    }
    match draft.meet(ask) {
        Ok(outcome) => draft.done(outcome),
        Err(error) => Decision { changes: Vec::new(), outcome: WakeOutcome::Refused(error) },
    }
}

impl Draft<'_> {
    fn meet(&mut self, ask: &WakeAsk) -> Result<WakeOutcome, ContextError> {
        self.heal();
        if let Some(run) = self.own_doing(ask) {
            return Ok(self.record_own_doing(ask, run));
        }
        if let Some(skip) = self.reason_to_skip(&ask.agent) {
            return Ok(self.record_skip(ask, skip));
        }
        self.end_backoff(ask);
        let Some(owner) = self.s.owner.clone() else { return Ok(self.take_slot(ask)) };
        let is_same = owner.agent.key() == ask.agent.key();
        let may_merge =
            owner.status != RunStatus::Running || !self.policy.safeguards.merge_only_before_the_start;
        if is_same && may_merge { self.coalesce(ask, &owner) } else { self.defer(ask, &owner) }
    }

    /// Returns the run whose own doing this is: an agent that comments must not wake itself by it.
    fn own_doing(&self, ask: &WakeAsk) -> Option<RunId> {
        let doer = self.s.looked_up.run.as_ref().filter(|run| Some(run.id) == ask.asked_by.run)?;
        let is_own = doer.item == self.s.item.id && doer.agent.key() == ask.agent.key();
        (is_own && self.policy.safeguards.no_self_wake).then_some(doer.id)
    }

    /// A person's word brings a retry forward, whoever it is for: it stands between the person and an answer.
    fn end_backoff(&mut self, ask: &WakeAsk) {
        let now = self.s.now;
        let Some(owner) = self.s.owner.as_mut() else { return };
        if !ask.asked_by.is_person || owner.status != RunStatus::ScheduledRetry {
            return;
        }
        owner.status = RunStatus::Queued;
        owner.not_before = now;
        let (id, context) = (owner.id, Box::new(owner.context.clone()));
        self.push(Change::MergeIntoRun { id, context, status: RunStatus::Queued, not_before: now });
    }

    fn take_slot(&mut self, ask: &WakeAsk) -> WakeOutcome {
        let mut wakeup = self.wakeup(ask);
        let (id, run) = (wakeup.id, self.s.next_run);
        wakeup.run = Some(run);
        self.push(Change::AddWakeup(Box::new(wakeup)));
        let seat = Seat {
            wakeup: id,
            agent: ask.agent.clone(),
            context: ask.context.clone(),
            attempt: 0,
            interruptions: 0,
            not_before: self.s.now,
            retry_of: None,
            reason: TransferReason::Taken,
        };
        self.seat(seat, None);
        WakeOutcome::Queued { wakeup: id, run }
    }

    fn coalesce(&mut self, ask: &WakeAsk, owner: &Run) -> Result<WakeOutcome, ContextError> {
        let context = Box::new(owner.context.merged(&ask.context)?);
        let (id, status, not_before) = (owner.id, owner.status, owner.not_before);
        self.push(Change::MergeIntoRun { id, context, status, not_before });
        let merged_into = Some(owner.wakeup);
        let disposition = Some(Disposition::SameName);
        let wakeup =
            Wakeup { disposition, merged_into, run: Some(id), ..self.over(ask, WakeupStatus::Coalesced) };
        Ok(WakeOutcome::Coalesced { wakeup: self.add(wakeup), run: id })
    }

    fn defer(&mut self, ask: &WakeAsk, owner: &Run) -> Result<WakeOutcome, ContextError> {
        let same = self.line.iter().find(|waiting| waiting.agent.key() == ask.agent.key());
        let Some(waiting) = same else {
            let disposition = Some(Disposition::Deferred);
            let wakeup = Wakeup { status: WakeupStatus::Deferred, disposition, ..self.wakeup(ask) };
            return Ok(WakeOutcome::Deferred {
                wakeup: self.add(wakeup),
                behind: owner.id,
                merged_into: None,
            });
        };
        let merged_into = Some(waiting.wakeup);
        let more = Change::DeferWakeup {
            id: waiting.wakeup,
            context: Box::new(waiting.context.merged(&ask.context)?),
            attempt: waiting.attempt,
            interruptions: waiting.interruptions,
            not_before: if ask.asked_by.is_person { self.s.now } else { waiting.not_before },
        };
        self.push(more);
        let disposition = Some(Disposition::SameName);
        let wakeup = Wakeup { disposition, merged_into, ..self.over(ask, WakeupStatus::Coalesced) };
        Ok(WakeOutcome::Deferred { wakeup: self.add(wakeup), behind: owner.id, merged_into })
    }

    fn record_own_doing(&mut self, ask: &WakeAsk, run: RunId) -> WakeOutcome {
        let disposition = Some(Disposition::SameName);
        let wakeup = Wakeup { disposition, run: Some(run), ..self.over(ask, WakeupStatus::Coalesced) };
        WakeOutcome::OwnDoing { wakeup: self.add(wakeup), run }
    }

    fn record_skip(&mut self, ask: &WakeAsk, skip: Skip) -> WakeOutcome {
        let wakeup = Wakeup { skip: Some(skip), ..self.over(ask, WakeupStatus::Skipped) };
        WakeOutcome::Skipped { wakeup: self.add(wakeup), skip }
    }

    fn add(&mut self, wakeup: Wakeup) -> WakeupId {
        let id = wakeup.id;
        self.push(Change::AddWakeup(Box::new(wakeup)));
        id
    }

    fn over(&self, ask: &WakeAsk, status: WakeupStatus) -> Wakeup {
        Wakeup { status, finished_at: Some(self.s.now), ..self.wakeup(ask) }
    }

    fn wakeup(&self, ask: &WakeAsk) -> Wakeup {
        Wakeup {
            id: self.s.next_wakeup,
            item: self.s.item.id,
            agent: ask.agent.clone(),
            source: ask.source,
            reason: ask.reason,
            context: ask.context.clone(),
            asked_by: ask.asked_by.clone(),
            key: ask.key.clone(),
            status: WakeupStatus::Queued,
            disposition: None,
            skip: None,
            run: None,
            merged_into: None,
            attempt: 0,
            interruptions: 0,
            not_before: self.s.now,
            created_at: self.s.now,
            finished_at: None,
        }
    }
}
