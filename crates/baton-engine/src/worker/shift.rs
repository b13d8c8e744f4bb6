//! What a worker has under one lease: its name, its deadline, and its agents.

use std::collections::{BTreeMap, BTreeSet};
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
    /// The runs that the store has given to this worker and of which it knows.
    known: BTreeSet<RunId>,
    /// The runs that the store takes for this worker's and of which it did not know at the last heartbeat.
    suspects: BTreeSet<RunId>,
    /// Those of which it still did not know one heartbeat later. They are given back, and must never be begun.
    abandoned: BTreeSet<RunId>,
    /// Those that were given back.
    given_back: BTreeSet<RunId>,
}

impl<A: Agent> Shift<A> {
    pub(super) fn new(worker: WorkerId, deadline: BootTime) -> Self {
        let held = Held {
            deadline,
            agents: BTreeMap::new(),
            is_ending: false,
            known: BTreeSet::new(),
            suspects: BTreeSet::new(),
            abandoned: BTreeSet::new(),
            given_back: BTreeSet::new(),
        };
        Self { worker, held: Mutex::new(held) }
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

    /// Notes that a run was given to this worker. Returns whether it may be begun: not when it was given back already,
    /// because the answer took too long.
    pub(super) fn begin(&self, run: RunId) -> bool {
        let mut held = self.held();
        !held.abandoned.contains(&run) && held.known.insert(run)
    }

    /// Notes that nothing more will become of a run here.
    pub(super) fn end(&self, run: RunId) {
        self.held().known.remove(&run);
    }

    /// Compares what the store takes for this worker's runs with what it knows. A run that it does not know at two
    /// heartbeats was given to it in an answer that never came: it is abandoned.
    pub(super) fn compare(&self, running: &[RunId]) {
        let mut held = self.held();
        let is_unknown = |run: &&RunId| !held.known.contains(run);
        let unknown: BTreeSet<_> = running.iter().filter(is_unknown).copied().collect();
        let lost: Vec<_> = unknown.intersection(&held.suspects).copied().collect();
        held.abandoned.extend(lost);
        held.suspects = unknown;
    }

    /// Notes that the store has an abandoned run back.
    pub(super) fn gave_back(&self, run: RunId) {
        self.held().given_back.insert(run);
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

    /// Returns the runs of which this worker knows.
    pub(super) fn known(&self) -> BTreeSet<RunId> {
        self.held().known.clone()
    }

    /// Returns the runs that are to be given back.
    pub(super) fn abandoned(&self) -> Vec<RunId> {
        let held = self.held();
        held.abandoned.difference(&held.given_back).copied().collect()
    }

    /// Stops the agents of these runs.
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

#[cfg(test)]
mod tests {
    use baton_core::agent::RunNumbers;
    use baton_core::slot::RunEnd;
    use baton_ports::AgentReport;

    use super::*;

    /// No agent is started here; the type only says that there could be one.
    struct NoAgent;

    impl Agent for NoAgent {
        fn extend(&self, _: BootTime) {}

        fn stop(&self) {}

        fn numbers(&self) -> RunNumbers {
            RunNumbers::default()
        }

        async fn wait(&self) -> AgentReport {
            RunEnd::Stopped.into()
        }
    }

    fn shift() -> Shift<NoAgent> {
        Shift::new(WorkerId(1), BootTime { ms: 0 })
    }

    #[test]
    fn a_run_whose_answer_was_lost_is_abandoned_at_the_second_heartbeat_and_never_begun() {
        let (shift, lost) = (shift(), RunId(7));
        shift.compare(&[lost]);
        assert_eq!(shift.abandoned(), [], "its answer may be on its way");
        shift.compare(&[lost]);
        assert_eq!(shift.abandoned(), [lost]);
        assert!(!shift.begin(lost), "an answer that comes now comes too late");
        shift.compare(&[lost]);
        assert_eq!(shift.abandoned(), [lost], "until the store has it back");
        shift.gave_back(lost);
        assert_eq!(shift.abandoned(), []);
        assert!(!shift.begin(lost));
    }

    #[test]
    fn a_run_that_is_known_is_kept_until_its_end_was_told() {
        let (shift, run) = (shift(), RunId(7));
        shift.compare(&[run]);
        assert!(shift.begin(run));
        for _ in 0..3 {
            shift.compare(&[run]);
            assert_eq!(shift.abandoned(), []);
        }
        shift.end(run);
        shift.compare(&[run]);
        shift.compare(&[run]);
        assert_eq!(shift.abandoned(), [run], "its end could not be told");
    }
}
