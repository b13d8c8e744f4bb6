//! Heartbeats: the lease goes on, the agents live longer, and those that must stop are stopped.

use std::pin::pin;
use std::time::Duration;

use baton_core::slot::finish::{Baton, FinishAsk};
use baton_core::slot::{RunEnd, RunId, WorkerId};
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
            if sent_at >= shift.deadline() {
                return;
            }
            // What is begun while the answer is on its way cannot be in it.
            let known = shift.known();
            match self.beat_once(shift).await {
                Some(Ok(Heartbeat::Lost)) => return,
                Some(Ok(Heartbeat::Alive { stops, running, .. })) => {
                    shift.extend(sent_at.plus(self.settings.ttl));
                    let must_stop = |run| stops.iter().any(|(stop, _)| *stop == run);
                    shift.stop(|run| must_stop(run) || (known.contains(&run) && !running.contains(&run)));
                    shift.compare(&running);
                    next = sent_at.plus(self.settings.heartbeat);
                }
                Some(Err(error)) => {
                    (self.tell)(News::OutOfReach(&error));
                    next = sent_at.plus((self.settings.heartbeat / 4).max(AGAIN_MIN));
                }
                // No answer at all: the next one goes by another connection.
                None => next = sent_at,
            }
        }
    }

    /// Sends a heartbeat. One that is not answered within the time of the next must not cost the whole lease.
    async fn beat_once(&self, shift: &Shift<A::Agent>) -> Option<Result<Heartbeat, StoreError>> {
        let patience = self.settings.heartbeat.min(self.settings.ttl / 3);
        let until = self.clock.boot_now().plus(patience).min(shift.deadline());
        let beat = pin!(self.relay.store.heartbeat(shift.worker, self.settings.ttl));
        match select(beat, pin!(self.clock.sleep_until(until))).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right(_) => None,
        }
    }

    /// Gives back runs that the store has given to this worker in an answer that never came. Nobody else would: the
    /// worker is alive. It never ends.
    pub(super) async fn give_back_abandoned(&self, shift: &Shift<A::Agent>) {
        loop {
            self.pause(self.settings.heartbeat).await;
            for run in shift.abandoned() {
                match self.give_back(shift.worker, run).await {
                    Ok(()) => shift.gave_back(run),
                    Err(error) => (self.tell)(News::OutOfReach(&error)),
                }
            }
        }
    }

    async fn give_back(&self, worker: WorkerId, run: RunId) -> Result<(), StoreError> {
        let filter = RunFilter { id: Some(run), limit: 1, ..RunFilter::default() };
        for row in self.relay.store.runs(&filter).await? {
            let baton = Baton { run, worker, fence: row.run.fence };
            let ask = FinishAsk {
                baton,
                end: RunEnd::GivenBack,
                cost_micros: 0,
                effects: Vec::new(),
                outcome: None,
            };
            self.relay.finish(&ask).await?;
        }
        Ok(())
    }
}
