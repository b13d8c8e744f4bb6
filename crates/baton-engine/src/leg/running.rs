//! A leg under way: the agent's program, further shares of turns, and the place that is left behind.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use baton_core::agent::judge::{Judgement, SessionFate, judge};
use baton_core::agent::spending::spent;
use baton_core::agent::{AgentExit, KeptSession, RunNumbers, waking};
use baton_core::pipeline::markers;
use baton_core::pipeline::outcome::{Effort, End, Outcome, Word, Workplace};
use baton_core::pipeline::turns::{self, Budget, Extension, Progress};
use baton_core::slot::RunEnd;
use baton_core::time::BootTime;
use baton_core::workspace::{CloseAsk, Closed, PushTerms, Pushed, Standing};
use baton_ports::{
    Agent, AgentProgram, AgentPrograms, AgentReport, LegEnd, ProgramEnd, Store, Tracker, WorkspaceError,
    Workspaces,
};

use futures_util::future::{Either, select};

use super::Track;
use super::prepare::Prepared;
use crate::bell::Bell;
use crate::leases::Keeper;

/// A leg under way.
pub struct Leg<W, P: AgentPrograms, T, S, K> {
    track: Arc<Track<W, P, T, S, K>>,
    prepared: Prepared,
    program: Mutex<Arc<P::Program>>,
    deadline_ms: AtomicU64,
    is_stopping: AtomicBool,
    /// Rung when the run is stopped.
    stopped: Bell<()>,
}

/// A run whose program has ended.
struct Ran {
    judgement: Judgement,
    exit: AgentExit,
    taken: Taken,
}

/// What all invocations of a run have taken.
#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    cost_micros: u64,
    effort: Effort,
}

impl<W, P: AgentPrograms, T, S, K> Leg<W, P, T, S, K> {
    pub(super) fn new(
        track: Arc<Track<W, P, T, S, K>>,
        prepared: Prepared,
        program: P::Program,
        deadline: BootTime,
    ) -> Self {
        let (program, deadline_ms) = (Mutex::new(Arc::new(program)), AtomicU64::new(deadline.ms));
        let (is_stopping, stopped) = (AtomicBool::new(false), Bell::default());
        Self { track, prepared, program, deadline_ms, is_stopping, stopped }
    }

    fn program(&self) -> MutexGuard<'_, Arc<P::Program>> {
        self.program.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Workspaces, P: AgentPrograms, T: Tracker, S: Store, K: Keeper> Agent for Leg<W, P, T, S, K> {
    fn extend(&self, deadline: BootTime) {
        // Under the lock, so that a program that is started meanwhile hears of it one way or the other.
        let program = self.program();
        self.deadline_ms.store(deadline.ms, Ordering::Release);
        program.extend(deadline);
    }

    fn stop(&self) {
        let program = self.program();
        self.is_stopping.store(true, Ordering::Release);
        self.stopped.ring(());
        program.stop();
    }

    fn numbers(&self) -> RunNumbers {
        self.program().numbers()
    }

    async fn wait(&self) -> AgentReport {
        let (run, lost) = self.under_the_lease().await;
        let terms = match lost {
            Some(why) => Err(why),
            None => self.push_terms().await,
        };
        self.report(run, terms).await
    }
}

impl<W: Workspaces, P: AgentPrograms, T: Tracker, S: Store, K: Keeper> Leg<W, P, T, S, K> {
    /// Waits for the run's end, and keeps the issue's lease as long. A run that loses it is stopped: the issue is another's.
    async fn under_the_lease(&self) -> (Ran, Option<String>) {
        let Some((issue, token)) = &self.prepared.lease else { return (self.until_over().await, None) };
        let (over, lost) = (pin!(self.until_over()), pin!(self.track.keeper.keep(issue, token)));
        match select(over, lost).await {
            Either::Left((ran, _)) => (ran, None),
            Either::Right((why, over)) => {
                self.stop();
                (over.await, Some(why))
            }
        }
    }

    /// Asks on which terms the work may be pushed. That may take long, unless the run is stopped before or meanwhile.
    async fn push_terms(&self) -> Result<PushTerms, String> {
        let Some((issue, token)) = &self.prepared.lease else { return Ok(PushTerms::Lease) };
        let asked = pin!(self.track.keeper.push_terms(issue, token, false));
        match select(asked, pin!(self.stopped.heard())).await {
            Either::Left((terms, _)) => terms,
            Either::Right(_) => self.track.keeper.push_terms(issue, token, true).await,
        }
    }

    /// Leaves the place, and tells what the run came to. Without the lease nothing is pushed and nothing said counts.
    async fn report(&self, ran: Ran, terms: Result<PushTerms, String>) -> AgentReport {
        let Ran { judgement, exit, taken } = ran;
        let (push, lost) = match terms {
            Ok(terms) => (terms, None),
            Err(why) => (PushTerms::Withheld, Some(why)),
        };
        let closed = self.close(&judgement, &exit, push).await;
        let workplace = self.workplace(closed.as_ref());
        let mut outcome =
            self.prepared.errand.outcome(judgement.end, judgement.text, workplace, taken.effort);
        let mut end = end_of_run(judgement.run_end, closed.as_ref());
        let is_complete = self.is_complete(&outcome);
        match (lost, &end) {
            (Some(why), _) => {
                end = RunEnd::Failed(format!("the tracker's lease was lost: {why}"));
                outcome = silenced(outcome, End::NotStarted);
            }
            // What is not on the remote is not done, whatever the agent said; the run is tried again, and pushes it.
            (None, _) if !is_safe(closed.as_ref()) && (is_complete || outcome.end == End::Finished) => {
                outcome = silenced(outcome, End::Failed);
            }
            // The work is done, whatever became of the program afterwards.
            (None, RunEnd::Failed(_) | RunEnd::TimedOut(_)) if is_complete => end = RunEnd::Succeeded,
            _ => {}
        }
        let cost_micros = i64::try_from(taken.cost_micros).unwrap_or(i64::MAX);
        AgentReport { end, cost_micros, leg: Some(LegEnd { outcome, closed }) }
    }

    fn is_complete(&self, outcome: &Outcome) -> bool {
        let marks = markers::read(&outcome.text, self.track.settings.get().dialect.into());
        outcome.word(&marks) == Word::Complete
    }

    /// Waits for the program, and for those that go on where it stopped.
    async fn until_over(&self) -> Ran {
        let mut kept = self.prepared.session.clone();
        let mut budget = self.prepared.budget;
        let mut before = self.prepared.standing.clone();
        let mut total = Taken::default();
        loop {
            let program = Arc::clone(&self.program());
            let end = program.wait().await;
            total.add(kept.as_ref(), &end, budget);
            let judgement = judge(self.prepared.program, &end.report, &end.exit, &end.last_error);
            let was_resumed = kept.is_some();
            let next = match &judgement.session {
                SessionFate::Forget if was_resumed => {
                    self.track.programs.forget_session(&self.prepared.order).await;
                    kept = None;
                    Some(budget)
                }
                _ => {
                    self.note_resume(was_resumed, &judgement).await;
                    let after = self.standing().await;
                    let more = self.more_turns(&judgement, budget, before.as_ref(), after.as_ref());
                    before = after;
                    if more.is_some() {
                        kept = self.track.programs.session(&self.prepared.order).await;
                    }
                    more.filter(|_| kept.is_some())
                }
            };
            let Some(next) = next else { return Ran { judgement, exit: end.exit, taken: total } };
            if !self.start_again(kept.as_ref(), next).await {
                return Ran { judgement, exit: end.exit, taken: total };
            }
            budget = next;
        }
    }

    async fn note_resume(&self, was_resumed: bool, judgement: &Judgement) {
        if was_resumed {
            let is_fine = judgement.end != End::Failed;
            self.track.programs.note_resume(&self.prepared.order, is_fine).await;
        }
    }

    /// Starts the program once more, unless the run is being stopped. Returns whether it runs.
    async fn start_again(&self, session: Option<&KeptSession>, budget: Budget) -> bool {
        let mut order = self.prepared.order.clone();
        order.session = session.map(|session| session.id.clone());
        order.told.prompt = match session {
            Some(_) => waking::GO_ON.to_owned(),
            None => self.prepared.fresh_prompt.clone(),
        };
        order.max_turns = budget.turns;
        let deadline = BootTime { ms: self.deadline_ms.load(Ordering::Acquire) };
        if self.is_stopping.load(Ordering::Acquire) {
            return false;
        }
        let Ok(program) = self.track.programs.start(&order, deadline).await else { return false };
        let mut current = self.program();
        program.extend(BootTime { ms: self.deadline_ms.load(Ordering::Acquire) });
        if self.is_stopping.load(Ordering::Acquire) {
            program.stop();
        }
        *current = Arc::new(program);
        true
    }

    /// Returns another share of turns for a run that was cut off while it was getting somewhere.
    fn more_turns(
        &self,
        judgement: &Judgement,
        given: Budget,
        before: Option<&Standing>,
        after: Option<&Standing>,
    ) -> Option<Budget> {
        let stage = self.prepared.stage.as_ref()?;
        let job = self.prepared.errand.job;
        let text = judgement.text.clone();
        let outcome = self.prepared.errand.outcome(judgement.end, text, None, Effort::default());
        if !turns::is_cut_off(&outcome, self.track.settings.get().dialect.into()) {
            return None;
        }
        let has_progress = before
            .zip(after)
            .is_some_and(|(before, after)| turns::has_progressed(stage, &progress(before), &progress(after)));
        match turns::at_the_limit(stage, job, self.prepared.extends_turns, given, has_progress) {
            Extension::Granted(budget) => Some(budget),
            Extension::AtTheCap | Extension::NoProgress | Extension::NotAskedFor | Extension::NoShares => {
                None
            }
        }
    }

    async fn standing(&self) -> Option<Standing> {
        let place = self.prepared.place.as_ref()?;
        self.track.workspaces.standing(&place.issue).await.ok()
    }

    /// Leaves the place in order: what is not committed is, and everything is pushed. A run whose lease is over leaves it as
    /// it is, because it may be another's by now.
    async fn close(
        &self,
        judgement: &Judgement,
        exit: &AgentExit,
        push: PushTerms,
    ) -> Option<Result<Closed, WorkspaceError>> {
        let place = self.prepared.place.as_ref()?;
        if matches!(exit, AgentExit::DeadlinePassed | AgentExit::SupervisorLost) {
            return None;
        }
        let is_read_only = self.prepared.order.is_read_only;
        let ask = CloseAsk {
            issue: place.issue.clone(),
            is_read_only,
            commit_rest_as: (!is_read_only).then(|| self.message(judgement)),
            push,
        };
        Some(self.track.workspaces.close(&ask).await)
    }

    /// The message of a commit of what the agent left uncommitted.
    fn message(&self, judgement: &Judgement) -> String {
        let what = self.prepared.errand.stage.as_deref().unwrap_or("unnamed");
        let outcome =
            self.prepared.errand.outcome(judgement.end, judgement.text.clone(), None, Effort::default());
        let marks = markers::read(&outcome.text, self.track.settings.get().dialect.into());
        match outcome.word(&marks) {
            Word::Complete => format!("chore: keep what the {what} stage left uncommitted"),
            _ => format!("chore: partial {what} stage progress (incomplete)"),
        }
    }

    fn workplace(&self, closed: Option<&Result<Closed, WorkspaceError>>) -> Option<Workplace> {
        let place = &self.prepared.place.as_ref()?.opened;
        let head = closed.and_then(|closed| closed.as_ref().ok()).map(|closed| closed.head.clone());
        Some(Workplace {
            branch: place.branch.clone(),
            commit: head.unwrap_or_else(|| place.head.clone()),
            base: place.base_commit.clone(),
        })
    }
}

impl Taken {
    fn add(&mut self, kept: Option<&KeptSession>, end: &ProgramEnd, budget: Budget) {
        let spent = spent(kept, &end.report);
        self.cost_micros = self.cost_micros.saturating_add(spent.cost_micros);
        let turns = u32::try_from(end.report.turns).unwrap_or(u32::MAX);
        self.effort.turns = self.effort.turns.saturating_add(turns);
        self.effort.turns_max = match (self.effort.turns_max, budget.turns) {
            (Some(max), Some(more)) => Some(max.saturating_add(more)),
            (max, more) => max.or(more),
        };
        self.effort.input_tokens = self.effort.input_tokens.saturating_add(spent.input_tokens);
        self.effort.output_tokens = self.effort.output_tokens.saturating_add(spent.output_tokens);
    }
}

fn progress(standing: &Standing) -> Progress {
    Progress { head: standing.head.clone(), is_dirty: standing.is_dirty, ..Progress::default() }
}

/// A run whose work could not be brought to safety has not succeeded, whatever its agent said.
fn end_of_run(end: RunEnd, closed: Option<&Result<Closed, WorkspaceError>>) -> RunEnd {
    match (end, closed) {
        (RunEnd::Succeeded, Some(Err(error))) if error.is_transient => RunEnd::NotReady(error.to_string()),
        (RunEnd::Succeeded, Some(Err(error))) => RunEnd::Failed(error.to_string()),
        (RunEnd::Succeeded, Some(Ok(closed))) => {
            not_pushed(&closed.push).map_or(RunEnd::Succeeded, RunEnd::Failed)
        }
        (end, _) => end,
    }
}

/// Returns whether all that a run has done is on the remote, or need not be.
fn is_safe(closed: Option<&Result<Closed, WorkspaceError>>) -> bool {
    match closed {
        None => true,
        Some(closed) => closed.as_ref().is_ok_and(|closed| not_pushed(&closed.push).is_none()),
    }
}

/// Returns an outcome without the agent's words: what they tell of is not there.
fn silenced(outcome: Outcome, end: End) -> Outcome {
    Outcome { end, text: String::new(), ..outcome }
}

/// Returns why the work of a run is not on its branch of the remote, if it is not.
fn not_pushed(push: &Pushed) -> Option<String> {
    match push {
        Pushed::Withheld | Pushed::Unneeded | Pushed::Done { .. } => None,
        Pushed::BranchMoved { rescued_as } => Some(format!(
            "somebody else has moved the branch, so it was not pushed; the work is kept on the remote as {rescued_as}"
        )),
        Pushed::ClaimLost => {
            Some("the issue is claimed by somebody else by now, so nothing was pushed".to_owned())
        }
        Pushed::Refused(why) => Some(format!("the remote refused the push: {why}")),
    }
}
