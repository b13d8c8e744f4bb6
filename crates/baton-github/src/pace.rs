//! Time and chance, as the layers need them.
//!
//! Pauses and deadlines run on a clock that is never set. The wall clock serves only to sign an App's tokens.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// A clock that can be waited on, and a die.
pub(crate) trait Pace: Send + Sync + fmt::Debug {
    /// Returns the time since some fixed moment.
    fn now(&self) -> Duration;

    /// Returns the seconds since 1970.
    fn wall_s(&self) -> u64;

    /// Waits.
    fn pause(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Returns some duration from nothing to `longest`.
    fn draw(&self, longest: Duration) -> Duration;
}

/// The clock that the layers share.
pub(crate) type SharedPace = Arc<dyn Pace>;

/// This machine's clock.
#[derive(Debug)]
pub(crate) struct MachinePace {
    began: Instant,
}

impl MachinePace {
    pub(crate) fn start() -> SharedPace {
        Arc::new(Self { began: Instant::now() })
    }
}

impl Pace for MachinePace {
    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn wall_s(&self) -> u64 {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }

    fn pause(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(time))
    }

    fn draw(&self, longest: Duration) -> Duration {
        let mut bytes = [0; 4];
        // Without chance, many clients come back at the same moment; that is worse, but no reason to fail.
        let _ = getrandom::fill(&mut bytes);
        longest.mul_f64(f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX))
    }
}

#[cfg(test)]
pub(crate) mod fake {
    //! A clock that tests move: pauses are noted and pass at once.

    use std::sync::Mutex;

    use super::*;

    #[derive(Debug, Default)]
    pub(crate) struct FakePace {
        now: Mutex<Duration>,
        pub(crate) pauses: Mutex<Vec<Duration>>,
    }

    impl FakePace {
        pub(crate) fn advance(&self, time: Duration) {
            *self.now.lock().unwrap() += time;
        }
    }

    impl Pace for FakePace {
        fn now(&self) -> Duration {
            *self.now.lock().unwrap()
        }

        fn wall_s(&self) -> u64 {
            1_700_000_000 + self.now().as_secs()
        }

        fn pause(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
            self.pauses.lock().unwrap().push(time);
            self.advance(time);
            Box::pin(std::future::ready(()))
        }

        fn draw(&self, longest: Duration) -> Duration {
            longest
        }
    }
}
