//! One run: an agent is started, waited for, and its end is told under the run's fence.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use baton_core::agent::{Errand, RunNumbers};
use baton_core::pipeline::outcome::{Effort, End};
use baton_core::slot::RunEnd;
use baton_core::slot::finish::{Baton, Fenced, FinishAsk};
use baton_core::slot::start::Started;
use baton_ports::{Agent as _, AgentReport, Agents, Clock, Entropy, LegEnd, Store};
use futures_util::future::{Either, select};

use super::shift::Shift;
use super::{News, Worker};

/// How often is looked how far an agent is.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// How long is waited before the store is told again.
const TELL_AGAIN: Duration = Duration::from_millis(250);

impl<S, E, C, A, N> Worker<S, E, C, A, N>
where
    S: Store,
    E: Entropy,
    C: Clock,
    A: Agents,
    N: Fn(News<'_>) + Send + Sync,
{
    pub(super) async fn execute(&self, shift: &Shift<A::Agent>, started: Started) {
        (self.tell)(News::Started(&started));
        let report = match self.agents.launch(&started, &|| shift.deadline()).await {
            Ok(agent) => self.wait(shift, &started, &Arc::new(agent)).await,
            Err(end) => not_begun(&started, end),
        };
        self.tell_end(shift, &started, report).await;
        shift.end(started.run.id);
    }

    async fn wait(&self, shift: &Shift<A::Agent>, started: &Started, agent: &Arc<A::Agent>) -> AgentReport {
        shift.add(started.run.id, agent);
        let ended = pin!(agent.wait());
        let mut report = match select(ended, pin!(self.tell_progress(started, agent))).await {
            Either::Left((report, _)) => report,
            Either::Right((never, _)) => match never {},
        };
        shift.remove(started.run.id);
        if report.end == RunEnd::Stopped && shift.is_ending() {
            report.end = RunEnd::GivenBack;
        }
        report
    }

    /// Tells how far an agent is whenever it has come further. It never ends.
    async fn tell_progress(&self, started: &Started, agent: &Arc<A::Agent>) -> Infallible {
        let mut told = RunNumbers::default();
        loop {
            self.pause(PROGRESS_EVERY).await;
            let numbers = agent.numbers();
            if numbers != told {
                (self.tell)(News::Progress(started, &numbers));
                told = numbers;
            }
        }
    }

    /// Tells how a run ended, again and again until the store answers or the lease is over. After that nothing is
    /// written: the run is another's. What the store can never take is given up; the run is then given back as one that
    /// this worker does not know.
    async fn tell_end(&self, shift: &Shift<A::Agent>, started: &Started, report: AgentReport) {
        let baton = Baton { run: started.run.id, worker: shift.worker, fence: started.run.fence };
        let AgentReport { end, cost_micros, leg } = report;
        let outcome = leg.as_ref().map(|leg| Box::new(leg.outcome.clone()));
        let ask = FinishAsk { baton, end, cost_micros, effects: Vec::new(), outcome };
        while self.clock.boot_now() < shift.deadline() {
            match self.relay.finish(&ask).await {
                Ok(Fenced::Done(status)) => return (self.tell)(News::Ended(started, status, leg.as_ref())),
                Ok(Fenced::LostSlot) => return (self.tell)(News::Lost(started.run.id)),
                Err(error) if error.is_retryable() => (self.tell)(News::OutOfReach(&error)),
                Err(error) => return (self.tell)(News::OutOfReach(&error)),
            }
            self.pause(TELL_AGAIN).await;
        }
        (self.tell)(News::Lost(started.run.id));
    }
}

/// Returns what a run came to that could not begin. What is its own fault is told to the pipeline, which tries it a few
/// times; what is nobody's fault is simply tried again.
fn not_begun(started: &Started, end: RunEnd) -> AgentReport {
    let errand = Errand::read(&started.run.context).ok().filter(|_| matches!(end, RunEnd::Failed(_)));
    let outcome =
        errand.map(|errand| errand.outcome(End::NotStarted, String::new(), None, Effort::default()));
    let leg = outcome.map(|outcome| LegEnd { outcome, closed: None });
    AgentReport { end, cost_micros: 0, leg }
}
