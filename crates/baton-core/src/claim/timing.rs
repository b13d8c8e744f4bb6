//! Every margin of the protocols in one place, and the two deadlines that follow from them.
//!
//! The server's view and the holder's view of the same lease differ on purpose: the holder stops one margin before its
//! ttl, everybody else waits one margin beyond it. Between the two nobody works.

use std::time::Duration;

use crate::time::{BootTime, ServerTime};

/// The longest ttl that is believed; one that asks for more gets this much.
const TTL_HONOURED_MAX: Duration = Duration::from_secs(24 * 3600);

/// What the protocols wait for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Timing {
    /// How long a hold lasts without a renewal.
    pub ttl: Duration,
    /// How long a bid lasts that is not yet a hold.
    pub bid_ttl: Duration,
    /// How long others' comments may take to become visible.
    pub settle: Duration,
    /// How long the own comment may take to become visible.
    pub visible_within: Duration,
    /// How old a claim can be and still matter.
    pub max_ttl: Duration,
    /// How long a claim lasts that names no ttl.
    pub foreign_ttl: Duration,
    /// How long a single request may take; nothing is sent that could land after the deadline.
    pub request_timeout: Duration,
    /// The least margin between the holder's deadline, its ttl, and the moment when others may take over.
    pub margin_floor: Duration,
    /// The pause between two looks at what is not there yet.
    pub look_again: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(4 * 3600),
            bid_ttl: Duration::from_secs(120),
            settle: Duration::from_secs(1),
            visible_within: Duration::from_secs(10),
            max_ttl: Duration::from_secs(24 * 3600),
            foreign_ttl: Duration::from_secs(4 * 3600),
            request_timeout: Duration::from_secs(20),
            margin_floor: Duration::from_secs(30),
            look_again: Duration::from_millis(250),
        }
    }
}

impl Timing {
    /// How far beyond its ttl a claim is still honoured by others.
    pub fn grace(&self) -> Duration {
        self.margin_floor.max(2 * self.settle)
    }

    /// Returns whether a claim has expired for everybody but its holder.
    pub fn is_expired(&self, ttl: Duration, touched_at: ServerTime, date: ServerTime) -> bool {
        let age = date.seconds_since(touched_at);
        u64::try_from(age).is_ok_and(|age| Duration::from_secs(age) > ttl + self.grace())
    }

    /// Returns when a holder must have stopped, if `sent_at` is when it began to send its last acknowledged claim or
    /// heartbeat.
    pub fn deadline(&self, ttl: Duration, sent_at: BootTime) -> BootTime {
        sent_at.plus(ttl.saturating_sub(self.margin_floor.max(ttl / 10)))
    }

    /// How far back comments are read: as far as the longest claim that anybody may hold, whoever set a shorter one here.
    pub fn reads_back(&self) -> Duration {
        self.max_ttl.max(TTL_HONOURED_MAX)
    }

    /// How long a claim is honoured that says how long it lasts. The limit is the same for everybody, because a shorter one
    /// here would take what someone else still holds.
    pub fn honoured(&self, ttl: Option<Duration>) -> Duration {
        ttl.unwrap_or(self.foreign_ttl).min(TTL_HONOURED_MAX.max(self.max_ttl))
    }

    /// Returns when a holder renews.
    pub fn renew_at(&self, ttl: Duration, sent_at: BootTime) -> BootTime {
        sent_at.plus(ttl / 3)
    }

    /// Returns the smallest ttl that leaves a holder any time at all between its start and its deadline.
    pub fn ttl_min(&self) -> Duration {
        self.margin_floor + 2 * self.request_timeout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TTL: Duration = Duration::from_secs(600);

    #[test]
    fn a_claim_expires_one_margin_after_its_ttl_and_not_before() {
        let timing = Timing::default();
        let expired = |age: i64| timing.is_expired(TTL, ServerTime(1000), ServerTime(1000 + age));
        assert!(!expired(-5) && !expired(600) && !expired(630));
        assert!(expired(631));
        let slow = Timing { settle: Duration::from_secs(40), ..timing };
        assert!(!slow.is_expired(TTL, ServerTime(0), ServerTime(680)));
        assert!(slow.is_expired(TTL, ServerTime(0), ServerTime(681)));
    }

    #[test]
    fn the_holder_stops_one_margin_before_its_ttl() {
        let timing = Timing::default();
        let deadline = |ttl: u64| timing.deadline(Duration::from_secs(ttl), BootTime { ms: 5000 }).ms;
        assert_eq!(deadline(600), 5000 + 540_000);
        assert_eq!(deadline(120), 5000 + 90_000);
        assert_eq!(deadline(10), 5000, "a ttl below the margin leaves nothing");
    }
}
