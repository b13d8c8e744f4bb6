//! Time and chance, as doors.

use std::future::Future;

use baton_core::time::{BootTime, ServerTime};

/// This machine's clocks.
pub trait Clock: Send + Sync {
    /// Returns the boot clock, which goes on while the machine sleeps and is never set.
    fn boot_now(&self) -> BootTime;

    /// Returns the wall clock. It names firings; it decides nothing.
    fn wall_now(&self) -> ServerTime;

    /// Waits until the boot clock has reached `until`.
    fn sleep_until(&self, until: BootTime) -> impl Future<Output = ()> + Send;
}

/// A source of random bits.
pub trait Entropy: Send + Sync {
    /// Returns 128 random bits.
    fn bits(&self) -> u128;
}
