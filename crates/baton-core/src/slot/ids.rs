//! Numbers of rows. They are given out by the store, grow, and are small enough to be typed by a person.

use std::fmt;
use std::str::FromStr;

macro_rules! id {
    ($name:ident, $what:literal) => {
        #[doc = concat!("The number of ", $what, ".")]
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let number = text.parse().ok().filter(|number| *number > 0);
                number.map(Self).ok_or_else(|| IdError { what: $what, text: text.to_owned() })
            }
        }
    };
}

/// The text is no number of a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the number of {what}: write a whole number such as 17")]
pub struct IdError {
    what: &'static str,
    text: String,
}

id!(ItemId, "an item");
id!(RunId, "a run");
id!(WakeupId, "a wakeup");
id!(WorkerId, "a worker");
id!(EffectId, "an effect");
