//! Waiting for what other processes do, never longer than a bound, and doing many things at once, never too many.

use std::future::Future;
use std::time::{Duration, Instant};

use baton_claims::machine::SystemClock;
use baton_ports::Clock as _;
use tokio::task::JoinSet;

const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Long enough for anything that must happen, however busy the machine is.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// How many claimants are at work at a time. Most of what they do is waiting.
pub(crate) const AT_ONCE: usize = 8;

/// Returns whether the long variants are wanted.
pub(crate) fn is_full() -> bool {
    std::env::var_os("BATON_TEST_FULL").is_some()
}

/// Waits until something is there; fails after the bound, with its name.
pub(crate) async fn eventually<T>(what: &str, within: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < within, "{what}: not within {within:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// The boot clock, as holders read it.
pub(crate) fn boot_ms() -> u64 {
    SystemClock.boot_now().ms
}

/// Does many things, so many at a time, and returns what came of them in their order.
pub(crate) async fn in_parallel<F>(at_once: usize, things: impl IntoIterator<Item = F>) -> Vec<F::Output>
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
