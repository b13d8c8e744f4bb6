//! A bell: many ring it, one listens. What was rung for is kept until the listener takes it.
//!
//! It belongs to no runtime, so that a simulation orders everything. Deliberately absent: several listeners.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// A bell that is rung for something.
#[derive(Debug)]
pub struct Bell<T>(Arc<Mutex<Rung<T>>>);

#[derive(Debug)]
struct Rung<T> {
    things: BTreeSet<T>,
    listener: Option<Waker>,
}

impl<T> Clone for Bell<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Ord> Default for Bell<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Rung { things: BTreeSet::new(), listener: None })))
    }
}

impl<T: Ord> Bell<T> {
    /// Rings for something. Ringing twice before anybody hears it is ringing once.
    pub fn ring(&self, thing: T) {
        let mut rung = self.rung();
        rung.things.insert(thing);
        if let Some(listener) = rung.listener.take() {
            listener.wake();
        }
    }

    /// Waits until the bell was rung, and takes all that it was rung for.
    pub fn heard(&self) -> impl Future<Output = BTreeSet<T>> + Send + '_
    where
        T: Send,
    {
        poll_fn(|context| {
            let mut rung = self.rung();
            if rung.things.is_empty() {
                rung.listener = Some(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(std::mem::take(&mut rung.things))
        })
    }

    fn rung(&self) -> MutexGuard<'_, Rung<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn what_was_rung_for_is_heard_once_and_together() {
        let bell = Bell::default();
        assert!(bell.heard().now_or_never().is_none(), "nobody has rung");
        bell.ring(2);
        bell.ring(1);
        bell.ring(2);
        assert_eq!(bell.heard().now_or_never(), Some(BTreeSet::from([1, 2])));
        assert!(bell.heard().now_or_never().is_none());
    }
}
