//! Steering: what people and changes of the issue do to runs. A run that has not started ends at once; one that runs is
//! asked to stop, and keeps the slot until its agent is dead.

use super::context::Context;
use super::draft::{Draft, Ending};
use super::heal::Healed;
use super::ids::RunId;
use super::item::{AgentName, Gates};
use super::policy::Policy;
use super::retry::Charge;
use super::run::{RunStatus, Stop};
use super::situation::{Change, Decision, Situation};
use super::wakeup::{Skip, WakeupStatus};

/// What became of a run that should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steered {
    /// It had not started, and is over.
    Ended(RunId),
    /// It runs, and was asked to stop; the slot is free when its agent is dead.
    AskedToStop(RunId),
    /// It was over already.
    WasOver(RunStatus),
    /// There was nothing to end.
    Nothing,
}

/// Ends a run by an operator's word. That is final for the run and its retry and, unless the queue is kept, for what
/// waits behind it.
pub fn cancel(situation: &Situation, run: RunId, keep_queue: bool, policy: &Policy) -> Decision<Steered> {
    let mut draft = Draft::new(situation, policy);
    if situation.owner.as_ref().is_none_or(|owner| owner.id != run || !owner.status.is_active()) {
        let status = situation.looked_up.run.as_ref().map(|run| run.status);
        return draft.done(status.map_or(Steered::Nothing, Steered::WasOver));
    }
    if !keep_queue {
        draft.end_waiting(WakeupStatus::Cancelled, None);
    }
    let steered = draft.end_or_ask(Stop::Cancelled);
    draft.done(steered)
}

/// Frees an item's slot by hand; what waits goes on.
pub fn release(situation: &Situation, policy: &Policy) -> Decision<Steered> {
    let mut draft = Draft::new(situation, policy);
    let steered = draft.end_found(Stop::Released);
    draft.done(steered)
}

/// Gives an issue to another agent, or to nobody. A run of any other agent ends; what waits goes on.
pub fn reassign(situation: &Situation, to: Option<&AgentName>, policy: &Policy) -> Decision<Steered> {
    let mut draft = Draft::new(situation, policy);
    let is_theirs =
        draft.s.owner.as_ref().is_some_and(|run| to.is_some_and(|to| to.key() == run.agent.key()));
    if is_theirs {
        draft.heal();
        return draft.done(Steered::Nothing);
    }
    let steered = draft.end_found(Stop::Reassigned);
    draft.done(steered)
}

/// Notes that an issue was closed or opened again. When it is closed, nothing more is done on it.
pub fn set_open(situation: &Situation, is_open: bool, policy: &Policy) -> Decision<Steered> {
    let mut draft = Draft::new(situation, policy);
    if draft.s.item.is_open != is_open {
        draft.s.item.is_open = is_open;
        draft.push(Change::SetOpen(is_open));
    }
    if is_open {
        draft.heal();
        return draft.done(Steered::Nothing);
    }
    draft.end_waiting(WakeupStatus::Skipped, Some(Skip::IssueClosed));
    let steered = draft.end_found(Stop::IssueClosed);
    draft.done(steered)
}

/// Notes what keeps runs of an item from starting. One that runs stops, and goes on when the gates are open.
pub fn set_gates(situation: &Situation, gates: &Gates, policy: &Policy) -> Decision<Steered> {
    let mut draft = Draft::new(situation, policy);
    if draft.s.item.gates != *gates {
        draft.s.item.gates = gates.clone();
        draft.push(Change::SetGates(gates.clone()));
    }
    draft.heal();
    let runs = draft.s.owner.as_ref().is_some_and(|run| run.status == RunStatus::Running);
    let steered = if runs && !gates.are_open() { draft.end_or_ask(Stop::Gated) } else { Steered::Nothing };
    draft.done(steered)
}

/// Brings a retry that waits forward, because a person has said something, and tells it so. Whoever came too late for that
/// run changes nothing: a run of its own would have no stage and no lease. Returns whether it was brought forward.
pub fn hurry(situation: &Situation, run: RunId, news: &Context, policy: &Policy) -> Decision<bool> {
    let mut draft = Draft::new(situation, policy);
    let waiting = situation.owner.as_ref();
    let waiting = waiting.filter(|owner| owner.id == run && owner.status == RunStatus::ScheduledRetry);
    let Some(context) = waiting.and_then(|owner| owner.context.merged(news).ok()) else {
        return draft.done(false);
    };
    let (status, not_before) = (RunStatus::Queued, situation.now);
    draft.push(Change::MergeIntoRun { id: run, context: Box::new(context), status, not_before });
    draft.done(true)
}

impl Draft<'_> {
    /// Ends the run that was found in the slot, and no other: whoever gets the slot by healing has waited for it.
    fn end_found(&mut self, stop: Stop) -> Steered {
        let Some(found) = self.s.owner.clone() else {
            self.heal();
            return Steered::Nothing;
        };
        // A run whose worker is lost is not tried again after this.
        self.note_stop(stop);
        match self.heal() {
            Healed::Freed(id) if found.status.is_active() => Steered::Ended(id),
            Healed::Freed(_) => Steered::WasOver(found.status),
            _ => {
                self.s.owner = Some(found);
                self.end_or_ask(stop)
            }
        }
    }

    fn end_or_ask(&mut self, stop: Stop) -> Steered {
        let Some(owner) = &self.s.owner else { return Steered::Nothing };
        let (id, status) = (owner.id, owner.status);
        if status == RunStatus::Running {
            if self.note_stop(stop) {
                self.push(Change::AskToStop { id, stop });
            }
            return Steered::AskedToStop(id);
        }
        let (status, cause, charge) = stop.consequence();
        debug_assert!(charge == Charge::Final, "only what runs is asked to stop for a while");
        self.free(Ending::silent(status, cause, None), charge);
        Steered::Ended(id)
    }

    /// Notes that the owner must stop, if it runs. A final word is not taken back by a later one that would let the run
    /// go on. Returns whether that is new.
    fn note_stop(&mut self, stop: Stop) -> bool {
        let Some(owner) = self.s.owner.as_mut() else { return false };
        let is_new =
            owner.status == RunStatus::Running && owner.stop.is_none_or(|asked| asked == Stop::Gated);
        if is_new {
            owner.stop = Some(stop);
        }
        is_new
    }

    fn end_waiting(&mut self, status: WakeupStatus, skip: Option<Skip>) {
        for entry in std::mem::take(&mut self.line) {
            self.end_wakeup(entry.wakeup, status, skip);
        }
    }
}
