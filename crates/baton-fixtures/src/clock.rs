//! The clocks of this machine, as the product reads them.

use std::time::{SystemTime, UNIX_EPOCH};

use baton_claims::machine::SystemClock;
use baton_core::time::StoreTime;
use baton_ports::Clock as _;

/// Returns the wall clock in seconds since 1970; a forge's clock follows it unless it is moved.
pub fn wall_s() -> i64 {
    wall_ms() / 1000
}

/// Returns the wall clock in milliseconds since 1970.
pub fn wall_ms() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since_1970.as_millis()).unwrap()
}

/// Returns the wall clock as a store in a file takes it.
pub fn store_time() -> StoreTime {
    StoreTime { ms: wall_ms() }
}

/// Returns the boot clock, by which holders of leases judge themselves.
pub fn boot_ms() -> u64 {
    SystemClock.boot_now().ms
}
