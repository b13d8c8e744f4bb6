//! What a worker has under one lease: its name, its deadline, and its agents.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use baton_core::slot::{RunId, WorkerId};
use baton_core::time::BootTime;
use baton_ports::Agent;

/// The time under one lease.
pub(super) struct Shift<A> {
    pub(super) worker: WorkerId,
    held: Mutex<Held<A>>,
}

struct Held<A> {
    deadline: BootTime,
    agents: BTreeMap<RunId, Arc<A>>,
    is_ending: bool,
}

impl<A: Agent> Shift<A> {
    pub(super) fn new(worker: WorkerId, deadline: BootTime) -> Self {
        let held = Mutex::new(Held { deadline, agents: BTreeMap::new(), is_ending: false });
        Self { worker, held }
    }

    /// When the lease is over, by this machine's clock.
    pub(super) fn deadline(&self) -> BootTime {
        self.held().deadline
    }

    /// Lets all agents live longer.
    pub(super) fn extend(&self, deadline: BootTime) {
        let mut held = self.held();
        held.deadline = deadline;
        held.agents.values().for_each(|agent| agent.extend(deadline));
    }

    /// Takes care of an agent, which may have been started under an older deadline, or when the end was asked for.
    pub(super) fn add(&self, run: RunId, agent: &Arc<A>) {
        let mut held = self.held();
        agent.extend(held.deadline);
        if held.is_ending {
            agent.stop();
        }
        held.agents.insert(run, Arc::clone(agent));
    }

    pub(super) fn remove(&self, run: RunId) {
        self.held().agents.remove(&run);
    }

    /// Stops the agents of these runs, and of all that the store does not take for running.
    pub(super) fn stop(&self, stops: impl Fn(RunId) -> bool) {
        let held = self.held();
        held.agents.iter().filter(|(run, _)| stops(**run)).for_each(|(_, agent)| agent.stop());
    }

    /// Stops all agents, also those that are still being started.
    pub(super) fn stop_all(&self) {
        let mut held = self.held();
        held.is_ending = true;
        held.agents.values().for_each(|agent| agent.stop());
    }

    /// Returns whether the worker was asked to end, so that a stopped run is given back.
    pub(super) fn is_ending(&self) -> bool {
        self.held().is_ending
    }

    fn held(&self) -> MutexGuard<'_, Held<A>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
