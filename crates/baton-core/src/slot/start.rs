//! Starting: a worker takes the run that owns a slot, if nothing stands against it at that moment.

use super::draft::Draft;
use super::ids::WorkerId;
use super::item::Item;
use super::limits;
use super::policy::Policy;
use super::run::{Run, RunStatus};
use super::situation::{Change, Decision, Situation};

/// What a worker gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartOutcome {
    /// The run is the worker's.
    Started(Box<Started>),
    /// It is not, because of this.
    NotYours(NotYours),
}

/// A run that a worker has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The run, with its context and fence.
    pub run: Run,
    /// What it works on.
    pub item: Item,
}

/// Why a run cannot be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotYours {
    /// The item has no run that waits for a worker.
    NothingQueued,
    /// Its time has not come.
    NotDue,
    /// The issue is closed.
    Closed,
    /// A gate is shut, with its reason.
    Gated(String),
    /// Effects of the last decision are still to be performed.
    EffectsPending,
    /// This worker does not know the agent.
    OtherAgent,
    /// The worker's own lease is over.
    WorkerNotLive,
}

/// Takes the run that owns the slot, for a worker that can execute its agent.
pub fn start(situation: &Situation, worker: WorkerId, policy: &Policy) -> Decision<StartOutcome> {
    let mut draft = Draft::new(situation, policy);
    let outcome = match draft.against(worker) {
        Some(why) => StartOutcome::NotYours(why),
        None => draft.take(worker),
    };
    draft.done(outcome)
}

impl Draft<'_> {
    fn against(&self, worker: WorkerId) -> Option<NotYours> {
        let s = &self.s;
        let Some(run) =
            s.owner.as_ref().filter(|run| run.status.is_active() && run.status != RunStatus::Running)
        else {
            return Some(NotYours::NothingQueued);
        };
        let lease = s.looked_up.worker.filter(|lease| lease.worker == worker && lease.is_live(s.now));
        let has_effects = s.has_pending_effects && self.policy.safeguards.effects_before_start;
        match () {
            () if lease.is_none() => Some(NotYours::WorkerNotLive),
            () if run.not_before > s.now => Some(NotYours::NotDue),
            () if !s.item.is_open => Some(NotYours::Closed),
            () if has_effects => Some(NotYours::EffectsPending),
            () if !self.policy.can_execute(&run.agent) => Some(NotYours::OtherAgent),
            () => s.item.gates.reason().map(NotYours::Gated),
        }
    }

    fn take(&mut self, worker: WorkerId) -> StartOutcome {
        let now = self.s.now;
        let Some(run) = self.s.owner.as_mut() else { return StartOutcome::NotYours(NotYours::NothingQueued) };
        run.status = RunStatus::Running;
        run.worker = Some(worker);
        run.started_at = Some(now);
        let run = run.clone();
        let agent = run.agent.key();
        let budget_of = self.policy.budgeted.contains(&agent).then_some(now);
        self.push(Change::StartRun { id: run.id, worker });
        self.count(limits::started(&self.s.item.key, &agent, budget_of));
        StartOutcome::Started(Box::new(Started { run, item: self.s.item.clone() }))
    }
}
