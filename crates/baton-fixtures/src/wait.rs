//! Waiting for what others do, never longer than a bound, and doing many things at once, never too many.

use std::future::Future;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

/// Long enough for anything that must happen, however busy the machine is.
pub const SOON: Duration = Duration::from_secs(180);

const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Waits until something is there. Fails after [`SOON`], with its name.
#[track_caller]
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < SOON, "{what}: not within {SOON:?}");
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Waits until something is there. Fails after [`SOON`], with its name.
pub async fn eventually<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    eventually_within(what, SOON, look).await
}

/// Waits until something is there. Fails after a bound, with its name.
pub async fn eventually_within<T>(what: &str, bound: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < bound, "{what}: not within {bound:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Waits until a look that asks somebody finds something. Fails after [`SOON`], with its name.
pub async fn eventually_async<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(started.elapsed() < SOON, "{what}: not within {SOON:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Does many things, so many at a time, and returns what came of them in their order.
pub async fn in_parallel<F>(at_once: usize, things: impl IntoIterator<Item = F>) -> Vec<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let mut running = JoinSet::new();
    let mut done = Vec::new();
    for (index, thing) in things.into_iter().enumerate() {
        if running.len() >= at_once {
            done.extend(running.join_next().await.map(Result::unwrap));
        }
        running.spawn(async move { (index, thing.await) });
    }
    while let Some(ended) = running.join_next().await {
        done.push(ended.unwrap());
    }
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, output)| output).collect()
}
