//! Heartbeats: the lease goes on, the agents live longer, and those that must stop are stopped.

use std::pin::pin;
use std::time::Duration;

use baton_core::slot::finish::{Baton, FinishAsk};
use baton_core::slot::{RunEnd, RunId, WorkerId};
use baton_core::time::BootTime;
use baton_ports::store::{Heartbeat, RunFilter};
use baton_ports::{Agents, Clock, Entropy, Store, StoreError};
use futures_util::future::{Either, select};

use super::shift::Shift;
use super::{News, Worker};

/// The least that is waited before a failed heartbeat is tried again.
const AGAIN_MIN: Duration = Duration::from_millis(100);

impl<S, E, C, A, N> Worker<S, E, C, A, N>
where
    S: Store,
    E: Entropy,
    C: Clock,
    A: Agents,
    N: Fn(News<'_>) + Send + Sync,
{
    /// Renews the lease until it is lost.
    pub(super) async fn beat(&self, shift: &Shift<A::Agent>) {
        let mut next = self.clock.boot_now().plus(self.settings.heartbeat);
        loop {
            self.clock.sleep_until(next.min(shift.deadline())).await;
            let sent_at = self.clock.boot_now();
            match self.beat_before(shift.worker, shift.deadline()).await {
                None | Some(Ok(Heartbeat::Lost)) => return,
                Some(Ok(Heartbeat::Alive { stops, running, .. })) => {
                    shift.extend(sent_at.plus(self.settings.ttl));
                    let must_stop =
                        |run| stops.iter().any(|(stop, _)| *stop == run) || !running.contains(&run);
                    shift.stop(must_stop);
                    self.give_back_unheard_of(shift, &running).await;
                    next = sent_at.plus(self.settings.heartbeat);
                }
                Some(Err(error)) => {
                    (self.tell)(News::OutOfReach(&error));
                    next = sent_at.plus((self.settings.heartbeat / 4).max(AGAIN_MIN));
                }
            }
        }
    }

    /// Gives back runs that the store has given to this worker in an answer that never came. Nobody else would: the
    /// worker is alive.
    async fn give_back_unheard_of(&self, shift: &Shift<A::Agent>, running: &[RunId]) {
        for run in shift.unheard_of(running) {
            match self.give_back(shift.worker, run).await {
                Ok(()) => (self.tell)(News::Lost(run)),
                Err(error) => (self.tell)(News::OutOfReach(&error)),
            }
        }
    }

    async fn give_back(&self, worker: WorkerId, run: RunId) -> Result<(), StoreError> {
        let filter = RunFilter { id: Some(run), limit: 1, ..RunFilter::default() };
        for row in self.relay.store.runs(&filter).await? {
            let baton = Baton { run, worker, fence: row.run.fence };
            let ask = FinishAsk { baton, end: RunEnd::GivenBack, cost_micros: 0, effects: Vec::new() };
            self.relay.finish(&ask).await?;
        }
        Ok(())
    }

    /// Sends a heartbeat, or nothing when the deadline comes first.
    async fn beat_before(
        &self,
        worker: WorkerId,
        deadline: BootTime,
    ) -> Option<Result<Heartbeat, StoreError>> {
        if self.clock.boot_now() >= deadline {
            return None;
        }
        let beat = pin!(self.relay.store.heartbeat(worker, self.settings.ttl));
        match select(beat, pin!(self.clock.sleep_until(deadline))).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right(_) => None,
        }
    }
}
