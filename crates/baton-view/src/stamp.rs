//! A moment as people see it, whichever clock told it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use baton_core::time::{ServerTime, StoreTime};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

/// A moment, in milliseconds since 1970. It is written as `2026-05-01T19:42:33Z`.
///
/// Clocks of the tracker and of the store are different types where something is decided. Here nothing is: what is shown
/// side by side may be off by as much as the clocks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp(pub i64);

impl Stamp {
    /// Returns the time from `earlier` to this moment; nothing when it lies after.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Returns the day, in UTC: `2026-05-01`.
    pub fn day(self) -> String {
        self.to_string().chars().take(10).collect()
    }
}

impl From<StoreTime> for Stamp {
    fn from(time: StoreTime) -> Self {
        Self(time.ms)
    }
}

impl From<ServerTime> for Stamp {
    fn from(time: ServerTime) -> Self {
        Self(time.0.saturating_mul(1000))
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        time.fmt(f)
    }
}

/// The text is not a time such as `2026-05-01T19:42:33Z`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time: write it like 2026-05-01T19:42:33Z")]
pub struct StampError(String);

impl FromStr for Stamp {
    type Err = StampError;

    fn from_str(text: &str) -> Result<Self, StampError> {
        let time: jiff::Timestamp = text.parse().map_err(|_| StampError(text.to_owned()))?;
        Ok(Self(time.as_millisecond()))
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl PartialSchema for Stamp {
    fn schema() -> RefOr<Schema> {
        let format = SchemaFormat::KnownFormat(KnownFormat::DateTime);
        ObjectBuilder::new().schema_type(Type::String).format(Some(format)).into()
    }
}

impl ToSchema for Stamp {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_as_it_was_written() {
        for (ms, text) in
            [(1_777_664_553_000, "2026-05-01T19:42:33Z"), (1_777_664_553_250, "2026-05-01T19:42:33.25Z")]
        {
            assert_eq!(Stamp(ms).to_string(), text);
            assert_eq!(text.parse(), Ok(Stamp(ms)));
        }
        assert_eq!(Stamp(1_777_664_553_000).day(), "2026-05-01");
    }

    #[test]
    fn what_lies_after_is_no_time_ago() {
        assert_eq!(Stamp(1_000).since(Stamp(3_000)), Duration::ZERO);
        assert_eq!(Stamp(3_000).since(Stamp(1_000)), Duration::from_secs(2));
    }
}
