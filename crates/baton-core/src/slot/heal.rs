//! Healing: an owner that is over, or whose worker is lost, frees the slot; and a free slot does not leave anybody
//! waiting.

use super::draft::{Draft, Ending};
use super::ids::RunId;
use super::policy::Policy;
use super::retry::Charge;
use super::run::{EndCause, RunStatus};
use super::situation::{Change, Decision, Situation};

/// What healing found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Healed {
    /// All was well.
    Nothing,
    /// A run whose worker was lost, or that was over, gave up its slot.
    Freed(RunId),
    /// Somebody waited for a slot that nobody had.
    Drained,
}

/// Heals an item.
pub fn heal(situation: &Situation, policy: &Policy) -> Decision<Healed> {
    let mut draft = Draft::new(situation, policy);
    let healed = draft.heal();
    draft.done(healed)
}

impl Draft<'_> {
    pub(super) fn heal(&mut self) -> Healed {
        if !self.policy.safeguards.heal {
            return Healed::Nothing;
        }
        let Some(owner) = &self.s.owner else { return self.heal_unowned() };
        let id = owner.id;
        if !owner.status.is_active() {
            self.drain();
            return Healed::Freed(id);
        }
        if owner.status != RunStatus::Running || !self.worker_is_lost() {
            return Healed::Nothing;
        }
        // A heartbeat may be on its way to be committed; whoever is second must see the first.
        if let Some(lease) = self.s.owner_lease.filter(|lease| !lease.is_buried) {
            self.push(Change::BuryWorker(lease));
        }
        self.reap();
        Healed::Freed(id)
    }

    fn heal_unowned(&mut self) -> Healed {
        let was_named = self.s.item.owner;
        if was_named.is_none() && self.line.is_empty() {
            return Healed::Nothing;
        }
        self.drain();
        was_named.map_or(Healed::Drained, Healed::Freed)
    }

    fn worker_is_lost(&self) -> bool {
        self.s.owner_lease.is_none_or(|lease| lease.is_lost(self.s.now, self.policy.stop_grace))
    }

    /// Ends a run whose worker is lost. What was asked of the run while it ran still counts.
    fn reap(&mut self) {
        let stop = self.s.owner.as_ref().and_then(|run| run.stop);
        let (status, cause, charge) = match stop {
            Some(stop) => stop.consequence(),
            None => (RunStatus::Interrupted, EndCause::WorkerLost, Charge::Interruption),
        };
        let error = Some("the worker's lease ran out".to_owned());
        self.free(Ending::silent(status, cause, error), charge);
    }
}
