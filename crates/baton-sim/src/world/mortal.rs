//! A process that does not live for ever: it is killed between any two steps of its, stands still for a while, or is asked to
//! end.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep_until};

/// What befalls a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing, ever.
    Spared,
    /// It is killed.
    Killed,
    /// It stands still, and goes on.
    Stalled(Duration),
    /// It is asked to end.
    Asked,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcessEnd {
    /// By itself.
    Ended,
    /// It was killed.
    Killed,
}

/// A process with its fate. What it was doing is dropped in the middle when it is killed.
pub(crate) struct Mortal<F> {
    life: Pin<Box<F>>,
    polls_left: u64,
    fate: Fate,
    stands_still: Option<Pin<Box<Sleep>>>,
    asked: Arc<Notify>,
}

impl<F: Future<Output = ()>> Mortal<F> {
    /// Lets `fate` befall a process after so many of its steps; `asked` is rung when it is asked to end.
    pub(crate) fn new(life: F, polls_left: u64, fate: Fate, asked: Arc<Notify>) -> Self {
        Self { life: Box::pin(life), polls_left, fate, stands_still: None, asked }
    }

    fn befall(&mut self) -> Option<ProcessEnd> {
        match std::mem::replace(&mut self.fate, Fate::Spared) {
            Fate::Spared => {}
            Fate::Killed => return Some(ProcessEnd::Killed),
            Fate::Stalled(wait) => self.stands_still = Some(Box::pin(sleep_until(Instant::now() + wait))),
            Fate::Asked => self.asked.notify_one(),
        }
        None
    }
}

impl<F: Future<Output = ()>> Future for Mortal<F> {
    type Output = ProcessEnd;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ProcessEnd> {
        if let Some(sleep) = &mut self.stands_still {
            if sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.stands_still = None;
        }
        if self.polls_left == 0
            && let Some(end) = self.befall()
        {
            return Poll::Ready(end);
        }
        self.polls_left = self.polls_left.saturating_sub(1);
        if let Some(sleep) = &mut self.stands_still {
            // It has just begun to stand still; the wait must be known to whoever wakes it.
            if sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
        self.life.as_mut().poll(cx).map(|()| ProcessEnd::Ended)
    }
}
