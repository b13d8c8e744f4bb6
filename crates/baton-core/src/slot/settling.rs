//! The pipeline hears of each run of its own that is over: what the run came to is committed with its end, as an effect that
//! is performed before anything else happens to the issue. So no word of an agent is lost, whoever dies in between.

use super::draft::Draft;
use super::effect::{Deed, NewEffect, StageEnd};
use super::run::{EndCause, Run, RunStatus};
use crate::agent::Errand;
use crate::pipeline::outcome::{Effort, End, Outcome};

/// Returns whether the pipeline asked for a run, and wants to hear of it.
pub(super) fn is_for_the_pipeline(run: &Run) -> bool {
    Errand::read(&run.context).is_ok_and(|errand| errand.is_settled && errand.stage.is_some())
}

/// Returns whether the pipeline itself counts such an end, and decides when the stage is tried again.
pub(super) fn is_counted(end: End) -> bool {
    match end {
        End::Finished
        | End::FinishedWithError
        | End::TimedOut
        | End::TurnLimit
        | End::FailedForGood
        | End::NotStarted
        | End::Cancelled => true,
        End::Failed | End::Stopped => false,
    }
}

/// Returns how a run ended, as far as the pipeline cares, in the light of what becomes of it.
fn heeded(said: Option<End>, status: RunStatus, cause: Option<EndCause>, is_retried: bool) -> End {
    match (status, cause, said) {
        (RunStatus::Succeeded, _, Some(end)) => end,
        (RunStatus::Cancelled, Some(EndCause::Operator), _) => End::Cancelled,
        (RunStatus::Cancelled, ..) => End::Stopped,
        (_, _, Some(end)) if is_counted(end) => end,
        (RunStatus::Interrupted, ..) if is_retried => End::Stopped,
        _ if is_retried => End::Failed,
        _ => End::FailedForGood,
    }
}

impl Draft<'_> {
    /// Commits what a run came to, if the pipeline asked for it. A run that is tried again and said nothing is no news.
    pub(super) fn tell_the_pipeline(
        &mut self,
        run: &Run,
        outcome: Option<Box<Outcome>>,
        (status, cause): (RunStatus, Option<EndCause>),
        is_retried: bool,
    ) {
        let Ok(errand) = Errand::read(&run.context) else { return };
        let Some(stage) = errand.stage.clone().filter(|_| errand.is_settled) else { return };
        if outcome.is_none() && is_retried {
            return;
        }
        let end = heeded(outcome.as_ref().map(|outcome| outcome.end), status, cause, is_retried);
        let silent = || errand.outcome(end, String::new(), None, Effort::default());
        let outcome = Outcome { end, ..outcome.map_or_else(silent, |outcome| *outcome) };
        let end = StageEnd { run: run.id, stage, outcome };
        self.add_effects(&[NewEffect::free(Deed::Settle(Box::new(end)))], run.fence);
    }
}
