//! Tries again, and only what may be tried again.
//!
//! * An answer that is a limit means that nothing was done: any call is repeated after the pause it asks for.
//! * A request that did not leave this machine may be repeated as well.
//! * After anything else that could have carried a write out (a lost answer, a 5xx), only calls for which twice is
//!   the same as once are repeated. A comment that was answered with 502 may well be there.
//!
//! All waiting of the client happens here, and all of it is bounded: attempts, pauses, and the total.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tower::{Layer, Service, ServiceExt as _};

use super::limits::{limit_of, retry_after};
use crate::call::{Call, Exchange, Failure, Outcome, Pending, Repeat, Reply};
use crate::pace::{Pace, SharedPace};
use crate::settings::RetrySettings;

/// Over how much time the calls that wait for a limit come back at most.
const SPREAD_MAX: Duration = Duration::from_secs(2);

/// How far one call has got.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Progress {
    retries: u32,
    /// Time since the first attempt began.
    elapsed: Duration,
    /// How much of it was spent waiting for limits.
    limit_waited: Duration,
}

/// What to do with an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Finish,
    AfterLimit(Duration),
    AfterPause(Duration),
}

/// Returns whether an outcome leaves open if the call was carried out.
fn is_doubtful(outcome: &Outcome) -> bool {
    match outcome {
        Ok(reply) => reply.status.is_server_error(),
        Err(failure) => matches!(failure, Failure::Lost(_)),
    }
}

fn next(
    settings: &RetrySettings,
    repeat: Repeat,
    outcome: &Outcome,
    progress: Progress,
    pace: &dyn Pace,
) -> Next {
    if progress.retries >= settings.retries_max {
        return Next::Finish;
    }
    if let Some(wait) = limit_of(outcome) {
        return after_limit(settings, wait, progress, pace);
    }
    let is_repeated = match outcome {
        Err(Failure::Unsent(_)) => true,
        outcome => is_doubtful(outcome) && repeat == Repeat::Always,
    };
    if is_repeated { after_pause(settings, outcome, progress, pace) } else { Next::Finish }
}

/// Calls that wait for the same limit come back one after another, because all at once they would meet the next.
fn after_limit(settings: &RetrySettings, wait: Duration, progress: Progress, pace: &dyn Pace) -> Next {
    let is_bearable = progress.limit_waited.saturating_add(wait) <= settings.limit_wait_max;
    let spread = pace.draw((wait / 8).min(SPREAD_MAX));
    if is_bearable { Next::AfterLimit(wait + spread) } else { Next::Finish }
}

fn after_pause(settings: &RetrySettings, outcome: &Outcome, progress: Progress, pace: &dyn Pace) -> Next {
    let doubled = settings.pause_first.saturating_mul(1 << progress.retries.min(16));
    let half = doubled.min(settings.pause_max) / 2;
    // A server that is down for maintenance says how long; to come back earlier is of no use.
    let asked = outcome.as_ref().ok().and_then(retry_after).unwrap_or_default();
    let pause = (half + pace.draw(half)).max(asked);
    let spent = progress.elapsed.saturating_sub(progress.limit_waited);
    if spent.saturating_add(pause) <= settings.total_max { Next::AfterPause(pause) } else { Next::Finish }
}

/// Repeats calls before a service.
#[derive(Debug, Clone)]
pub(crate) struct RetryLayer {
    pub(crate) settings: RetrySettings,
    pub(crate) pace: SharedPace,
}

impl<S> Layer<S> for RetryLayer {
    type Service = Retry<S>;

    fn layer(&self, inner: S) -> Retry<S> {
        Retry { inner, settings: self.settings, pace: Arc::clone(&self.pace) }
    }
}

/// A service whose calls are repeated where that is safe.
#[derive(Debug, Clone)]
pub(crate) struct Retry<S> {
    inner: S,
    settings: RetrySettings,
    pace: SharedPace,
}

impl<S: Exchange> Retry<S> {
    async fn run(self, call: Call) -> Outcome {
        let began = self.pace.now();
        let (mut progress, mut is_after_doubt) = (Progress::default(), false);
        loop {
            let outcome = self.inner.clone().oneshot(call.clone()).await;
            progress.elapsed = self.pace.now().saturating_sub(began);
            let next = next(&self.settings, call.repeat, &outcome, progress, self.pace.as_ref());
            let (Next::AfterLimit(pause) | Next::AfterPause(pause)) = next else {
                return finish(outcome, is_after_doubt);
            };
            tracing::debug!(?call, why = %shown(&outcome), ?pause, "trying again");
            is_after_doubt |= is_doubtful(&outcome);
            progress.retries += 1;
            if matches!(next, Next::AfterLimit(_)) {
                progress.limit_waited += pause;
            }
            self.pace.pause(pause).await;
        }
    }
}

/// Tells a caller that an earlier attempt may have been carried out.
fn finish(outcome: Outcome, is_after_doubt: bool) -> Outcome {
    match outcome {
        Ok(reply) => Ok(Reply { is_after_doubt, ..reply }),
        Err(Failure::Unsent(why)) if is_after_doubt => {
            Err(Failure::Lost(format!("{why}, after an attempt that had no clear answer")))
        }
        Err(Failure::Spent { .. }) if is_after_doubt => {
            Err(Failure::Lost("a limit holds, after an attempt that had no clear answer".to_owned()))
        }
        failed => failed,
    }
}

fn shown(outcome: &Outcome) -> String {
    match outcome {
        Ok(reply) => reply.status.to_string(),
        Err(failure) => format!("{failure:?}"),
    }
}

impl<S: Exchange + Sync> Service<Call> for Retry<S> {
    type Response = Reply;
    type Error = Failure;
    type Future = Pending;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Pending {
        Box::pin(self.clone().run(call))
    }
}

#[cfg(test)]
mod tests;
