//! What a run may write, all of it under its fence: its end with the effects it wants, and the lease it has got.
//!
//! A run that has lost its slot is told so, and stops. A claim by the run that owns the slot is answered here too.

use super::draft::{Draft, Ending};
use super::effect::NewEffect;
use super::ids::{RunId, WorkerId};
use super::memory::ItemMemory;
use super::policy::Policy;
use super::retry::Charge;
use super::run::{EndCause, Run, RunEnd, RunStatus, Stop};
use super::settling;
use super::situation::{Change, Decision, Situation};
use crate::pipeline::outcome::Outcome;

/// A run as its worker knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Baton {
    /// The run.
    pub run: RunId,
    /// Who executes it.
    pub worker: WorkerId,
    /// The slot's fence when it was taken.
    pub fence: i64,
}

/// What a worker tells at the end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishAsk {
    /// Which run.
    pub baton: Baton,
    /// How it ended.
    pub end: RunEnd,
    /// What it cost, in millionths of a dollar.
    pub cost_micros: i64,
    /// What is to be done on the tracker because of it, in order.
    pub effects: Vec<NewEffect>,
    /// What its agent came to, when it got to work for a stage.
    pub outcome: Option<Box<Outcome>>,
}

/// Whether something could be written under a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fenced<T> {
    /// It was.
    Done(T),
    /// The run has lost its slot; nothing was written.
    LostSlot,
}

/// Ends a run, and gives its slot to the next.
pub fn finish(situation: &Situation, ask: &FinishAsk, policy: &Policy) -> Decision<Fenced<RunStatus>> {
    let mut draft = Draft::new(situation, policy);
    let Some(run) = draft.holder(&ask.baton) else { return draft.done(Fenced::LostSlot) };
    let (ending, charge) = judge(&run, ask);
    let status = ending.status;
    draft.add_effects(&ask.effects, run.fence);
    draft.free(ending, charge);
    draft.done(Fenced::Done(status))
}

/// Keeps the token of the tracker's lease that a run has got for the installation.
pub fn keep_lease(
    situation: &Situation,
    baton: &Baton,
    token: Option<String>,
    policy: &Policy,
) -> Decision<Fenced<()>> {
    let mut draft = Draft::new(situation, policy);
    if draft.holder(baton).is_none() {
        return draft.done(Fenced::LostSlot);
    }
    draft.push(Change::SetLease(token));
    draft.done(Fenced::Done(()))
}

/// Forgets the token of a lease that was given back, unless a newer one took its place. A decision that could not be carried
/// out for want of the lease is `undone`, by its version: the memory from before it is kept, unless more was decided since.
pub fn forget_lease(situation: &Situation, token: &str, undone: Option<(i64, &ItemMemory)>) -> Decision<()> {
    let item = &situation.item;
    let is_it = item.lease.as_deref() == Some(token);
    let mut changes = if is_it { vec![Change::SetLease(None)] } else { Vec::new() };
    let before = undone.filter(|(version, _)| is_it && *version == item.version).map(|(_, before)| before);
    changes.extend(before.map(|before| Change::SetMemory(Box::new(before.clone()))));
    Decision { changes, outcome: () }
}

/// What a run hears that claims the issue it works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnLease {
    /// The issue is the run's; this is the token of its lease, if one was taken on the tracker.
    Yours(Option<String>),
    /// It is not.
    NotYours,
}

/// Answers a claim by a run: the run that owns the slot has the lease already, and meets no conflict.
pub fn own_lease(situation: &Situation, run: RunId) -> OwnLease {
    let owner =
        situation.owner.as_ref().filter(|owner| owner.id == run && owner.status == RunStatus::Running);
    owner.map_or(OwnLease::NotYours, |_| OwnLease::Yours(situation.item.lease.clone()))
}

impl Draft<'_> {
    /// Returns the run, if it still owns the slot under this fence.
    fn holder(&self, baton: &Baton) -> Option<Run> {
        let is_fenced = |run: &Run| {
            run.id == baton.run
                && run.worker == Some(baton.worker)
                && run.fence == baton.fence
                && self.s.item.fence == baton.fence
        };
        let running = self.s.owner.as_ref().filter(|run| run.status == RunStatus::Running);
        running.filter(|run| is_fenced(run) || !self.policy.safeguards.fences).cloned()
    }
}

/// Judges an end in the light of what was asked of the run while it ran.
fn judge(run: &Run, ask: &FinishAsk) -> (Ending, Charge) {
    let (status, cause, charge, error) = match (&ask.end, run.stop) {
        (RunEnd::Succeeded, _) => (RunStatus::Succeeded, None, Charge::Final, None),
        (_, Some(stop)) => {
            let (status, cause, charge) = stop.consequence();
            (status, Some(cause), charge, None)
        }
        (end, None) => end.consequence(),
    };
    let outcome = ask.outcome.clone().filter(|_| settling::is_for_the_pipeline(run));
    let charge = if outcome.as_ref().is_some_and(|outcome| settling::is_counted(outcome.end)) {
        // The pipeline counts it, and says when it is tried again; who counts twice gives up too early.
        Charge::Final
    } else {
        charge
    };
    (Ending { status, cause, error, cost_micros: ask.cost_micros, outcome }, charge)
}

impl Stop {
    /// What becomes of a run that had to stop.
    pub(super) fn consequence(self) -> (RunStatus, EndCause, Charge) {
        match self {
            Self::Cancelled => (RunStatus::Cancelled, EndCause::Operator, Charge::Final),
            Self::IssueClosed => (RunStatus::Cancelled, EndCause::IssueClosed, Charge::Final),
            Self::Reassigned => (RunStatus::Cancelled, EndCause::Reassigned, Charge::Final),
            Self::Released => (RunStatus::Cancelled, EndCause::Released, Charge::Final),
            Self::Gated => (RunStatus::Interrupted, EndCause::Gated, Charge::Free),
        }
    }
}

impl RunEnd {
    fn consequence(&self) -> (RunStatus, Option<EndCause>, Charge, Option<String>) {
        match self {
            Self::Succeeded => (RunStatus::Succeeded, None, Charge::Final, None),
            Self::Failed(error) => {
                (RunStatus::Failed, Some(EndCause::AgentFailed), Charge::Failure, Some(error.clone()))
            }
            Self::ProviderLimit(reset) => {
                (RunStatus::Failed, Some(EndCause::ProviderLimit), Charge::FreeAt(*reset), None)
            }
            Self::NotReady(error) => {
                (RunStatus::Interrupted, Some(EndCause::NotReady), Charge::FreeAt(None), Some(error.clone()))
            }
            Self::TimedOut(error) => {
                (RunStatus::TimedOut, Some(EndCause::WallTime), Charge::Failure, Some(error.clone()))
            }
            Self::Stopped | Self::GivenBack => {
                (RunStatus::Interrupted, Some(EndCause::WorkerStopped), Charge::Free, None)
            }
        }
    }
}
