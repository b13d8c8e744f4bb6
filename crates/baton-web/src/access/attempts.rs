//! How often somebody has tried a wrong token, so that nobody tries for long.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ring::digest::{SHA256, digest};

/// So many wrong tokens are taken from one address in [`SPAN`].
const FAILURES_MAX: u32 = 10;
const SPAN: Duration = Duration::from_secs(60);
/// Addresses that are remembered at once. Whoever has more than that is treated as one.
const ADDRESSES_MAX: usize = 1024;

/// Wrong tokens by address. Time is counted from the start of the server.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    failures: Mutex<BTreeMap<Option<IpAddr>, Failures>>,
}

#[derive(Debug, Clone, Copy)]
struct Failures {
    count: u32,
    until: Duration,
    /// What was sent last by a program, digested. One that says the same again does not guess, and shall not lock out its neighbours.
    last: Option<[u8; 32]>,
}

impl Attempts {
    /// Returns how long an address has to wait before it may try again.
    pub(super) fn wait(&self, address: IpAddr, now: Duration) -> Option<Duration> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = failures.get(&Some(address));
        // Once the list is full, strangers share an entry.
        let failed = of_address.or_else(|| failures.get(&None))?;
        (failed.count >= FAILURES_MAX && failed.until > now).then(|| failed.until - now)
    }

    /// Remembers that a program at an address has sent a wrong token.
    pub(super) fn fail_with(&self, shown: &[u8], address: IpAddr, now: Duration) {
        let shown = digest(&SHA256, shown).as_ref().try_into().ok();
        self.count(shown, address, now);
    }

    /// Remembers that somebody at an address has failed.
    pub(super) fn fail(&self, address: IpAddr, now: Duration) {
        self.count(None, address, now);
    }

    fn count(&self, shown: Option<[u8; 32]>, address: IpAddr, now: Duration) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|_, failed| failed.until > now);
        let is_known = failures.contains_key(&Some(address));
        let key = Some(address).filter(|_| is_known || failures.len() < ADDRESSES_MAX);
        let failed = failures.entry(key).or_insert(Failures { count: 0, until: now + SPAN, last: None });
        if shown.is_none() || shown != failed.last {
            failed.count = failed.count.saturating_add(1);
            failed.last = shown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u32) -> IpAddr {
        IpAddr::V4(number.into())
    }

    #[test]
    fn whoever_fails_too_often_waits_and_others_do_not() {
        let attempts = Attempts::default();
        let at = Duration::from_secs;
        for second in 0..10 {
            assert_eq!(attempts.wait(address(1), at(second)), None);
            attempts.fail(address(1), at(second));
        }
        assert_eq!(attempts.wait(address(1), at(20)), Some(at(40)));
        assert_eq!(attempts.wait(address(2), at(20)), None);
        assert_eq!(attempts.wait(address(1), at(60)), None);
    }

    #[test]
    fn a_program_that_repeats_one_mistake_does_not_lock_out_its_neighbours() {
        let attempts = Attempts::default();
        for _ in 0..100 {
            attempts.fail_with(b"old token", address(1), Duration::ZERO);
        }
        assert_eq!(attempts.wait(address(1), Duration::ZERO), None);
        for guess in 0..9_u8 {
            attempts.fail_with(&[guess], address(1), Duration::ZERO);
        }
        assert!(attempts.wait(address(1), Duration::ZERO).is_some());
    }

    #[test]
    fn many_addresses_take_no_more_room_than_some() {
        let attempts = Attempts::default();
        for number in 0..5_000 {
            attempts.fail(address(number), Duration::ZERO);
        }
        assert!(attempts.failures.lock().unwrap().len() <= ADDRESSES_MAX + 1);
        assert!(attempts.wait(address(9_999), Duration::ZERO).is_some());
    }
}
