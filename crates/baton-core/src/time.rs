//! The three clocks of the relay: the tracker's, in whole seconds; this machine's, in milliseconds since it booted; and
//! the store's, in milliseconds.
//!
//! They are different types because they must never be compared: order and age come from the server that keeps the
//! thing, a holder's own deadline comes from the machine. Nothing here reads a clock; times come in as values.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A moment by the tracker's clock, in seconds since 1970. GitHub's times have no more than one second of resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerTime(pub i64);

/// The text is not a time such as `2026-05-01T19:42:33Z`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time: write it like 2026-05-01T19:42:33Z")]
pub struct TimeError(pub String);

impl ServerTime {
    /// Returns the seconds from `earlier` to this moment; negative when it lies after.
    pub fn seconds_since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }

    /// Returns the time from `earlier` to this moment; nothing when it lies after.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_secs(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Returns the moment this many seconds before.
    pub fn minus(self, seconds: u64) -> Self {
        Self(self.0.saturating_sub_unsigned(seconds))
    }

    /// Returns `20260501-194233`, the head of a firing id.
    pub fn compact(self) -> String {
        self.zoned(|time| time.strftime("%Y%m%d-%H%M%S").to_string())
    }

    fn zoned(self, show: impl Fn(&jiff::Zoned) -> String) -> String {
        let time = jiff::Timestamp::from_second(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        show(&time.to_zoned(jiff::tz::TimeZone::UTC))
    }
}

impl fmt::Display for ServerTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.zoned(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()))
    }
}

impl FromStr for ServerTime {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let time: jiff::Timestamp = text.parse().map_err(|_| TimeError(text.to_owned()))?;
        Ok(Self(time.as_second()))
    }
}

impl Serialize for ServerTime {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ServerTime {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A moment by this machine's boot clock, which goes on while the machine sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BootTime {
    /// Milliseconds since the machine booted.
    pub ms: u64,
}

impl BootTime {
    /// Returns the moment `wait` later.
    pub fn plus(self, wait: Duration) -> Self {
        Self { ms: self.ms.saturating_add(millis(wait)) }
    }

    /// Returns the time from `earlier` to this moment, or nothing when it lies after.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.ms.saturating_sub(earlier.ms))
    }
}

/// A moment by the store's clock, in milliseconds since 1970: the database's own, or the machine's for a store on one
/// machine. Leases of workers, waits and ages are judged by it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoreTime {
    /// Milliseconds since 1970.
    pub ms: i64,
}

impl StoreTime {
    /// Returns the moment `wait` later.
    pub fn plus(self, wait: Duration) -> Self {
        Self { ms: self.ms.saturating_add_unsigned(millis(wait)) }
    }

    /// Returns the moment `wait` before.
    pub fn minus(self, wait: Duration) -> Self {
        Self { ms: self.ms.saturating_sub_unsigned(millis(wait)) }
    }

    /// Returns the time from `earlier` to this moment, or nothing when it lies after.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.ms.saturating_sub(earlier.ms)).unwrap_or(0))
    }

    /// Returns the day in UTC, such as `2026-05-01`, by which budgets are kept.
    pub fn day(self) -> String {
        self.seconds().to_string()[..10].to_owned()
    }

    /// Returns when the day in UTC began.
    #[must_use]
    pub fn midnight(self) -> Self {
        Self { ms: self.ms - self.ms.rem_euclid(DAY_MS) }
    }

    /// Returns the moment in whole seconds, as people read it.
    pub fn seconds(self) -> ServerTime {
        ServerTime(self.ms.div_euclid(1000))
    }
}

impl fmt::Display for StoreTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.seconds().fmt(f)
    }
}

/// Returns a duration in whole milliseconds.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_in_utc() {
        let noon = StoreTime { ms: 1_777_636_800_123 };
        assert_eq!(noon.midnight().seconds().to_string(), "2026-05-01T00:00:00Z");
        assert_eq!(noon.midnight().midnight(), noon.midnight());
    }

    #[test]
    fn a_time_is_read_and_written_unchanged() {
        let time: ServerTime = "2026-05-01T19:42:33Z".parse().unwrap();
        assert_eq!(time.to_string(), "2026-05-01T19:42:33Z");
        assert_eq!(time.compact(), "20260501-194233");
        assert_eq!("2026-05-01T19:42:33.9Z".parse::<ServerTime>().unwrap(), time);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "yesterday", "2026-05-01", "2026-13-01T00:00:00Z"] {
            assert!(text.parse::<ServerTime>().is_err(), "{text:?} was accepted");
        }
    }
}
