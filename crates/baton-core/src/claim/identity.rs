//! Who claims: a codename, one firing of it, and 128 random bits that no two claims share.
//!
//! Codename and firing id are for people and for pairing with other tools; the nonce is what tells two claims apart,
//! because four hexadecimal digits of a firing id collide too often.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::time::ServerTime;

/// The name of a worker, such as `lucius`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Codename(String);

/// One firing of a worker, such as `20260501-194217-643a`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FiringId(String);

/// 128 random bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Nonce(pub u128);

/// A name breaks the rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// Not a codename.
    #[error("`{0}` is not a codename: use a-z, 0-9, `.`, `_` and `-`")]
    Codename(String),
    /// Not a firing id.
    #[error("`{0}` is not a firing id: use letters, digits, `.`, `_` and `-`, such as 20260501-194217-643a")]
    FiringId(String),
    /// Not a nonce.
    #[error("`{0}` is not a nonce: it has 32 hexadecimal digits")]
    Nonce(String),
}

impl Codename {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FiringId {
    /// The firing that starts now: the time in UTC, and four digits from `bits`.
    pub fn starting(now: ServerTime, bits: u128) -> Self {
        Self(format!("{}-{:04x}", now.compact(), bits & 0xffff))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Codename {
    type Err = IdentityError;

    fn from_str(text: &str) -> Result<Self, IdentityError> {
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
        match !text.is_empty() && text.len() <= 100 && text.bytes().all(is_allowed) {
            true => Ok(Self(text.to_owned())),
            false => Err(IdentityError::Codename(text.to_owned())),
        }
    }
}

impl FromStr for FiringId {
    type Err = IdentityError;

    fn from_str(text: &str) -> Result<Self, IdentityError> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        match !text.is_empty() && text.len() <= 100 && text.bytes().all(is_allowed) {
            true => Ok(Self(text.to_owned())),
            false => Err(IdentityError::FiringId(text.to_owned())),
        }
    }
}

impl FromStr for Nonce {
    type Err = IdentityError;

    fn from_str(text: &str) -> Result<Self, IdentityError> {
        let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bits = is_hex.then(|| u128::from_str_radix(text, 16).ok()).flatten();
        bits.map(Self).ok_or_else(|| IdentityError::Nonce(text.to_owned()))
    }
}

macro_rules! text_conversions {
    ($($kind:ty => $show:expr),*) => {$(
        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let show: fn(&$kind, &mut fmt::Formatter<'_>) -> fmt::Result = $show;
                show(self, f)
            }
        }

        impl TryFrom<String> for $kind {
            type Error = IdentityError;

            fn try_from(text: String) -> Result<Self, IdentityError> {
                text.parse()
            }
        }

        impl From<$kind> for String {
            fn from(value: $kind) -> Self {
                value.to_string()
            }
        }
    )*};
}

text_conversions! {
    Codename => |name, f| f.write_str(&name.0),
    FiringId => |id, f| f.write_str(&id.0),
    Nonce => |nonce, f| write!(f, "{:032x}", nonce.0)
}

/// A worker in one of its firings, as people and other tools name it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Holder {
    /// The worker.
    pub codename: Codename,
    /// Its firing.
    pub firing_id: FiringId,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.codename, self.firing_id)
    }
}

impl FromStr for Holder {
    type Err = IdentityError;

    fn from_str(text: &str) -> Result<Self, IdentityError> {
        let (codename, firing_id) =
            text.split_once(':').ok_or_else(|| IdentityError::Codename(text.to_owned()))?;
        Ok(Self { codename: codename.parse()?, firing_id: firing_id.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_firing_is_named_by_its_time_and_four_digits() {
        let now = "2026-05-01T19:42:17Z".parse().unwrap();
        assert_eq!(FiringId::starting(now, 0xabcd_643a).as_str(), "20260501-194217-643a");
    }

    #[test]
    fn names_that_would_break_the_grammar_are_refused() {
        for text in ["", "a b", "a=b", "a>b", "Lucius", "ä", "a:b"] {
            assert!(text.parse::<Codename>().is_err(), "{text:?} was accepted");
        }
        for text in ["", "a b", "a=b", "->", "a:b"] {
            assert!(text.parse::<FiringId>().is_err(), "{text:?} was accepted");
        }
        for text in ["", "12", &"g".repeat(32), &"+1".repeat(16)] {
            assert!(text.parse::<Nonce>().is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn a_nonce_keeps_its_leading_zeros() {
        assert_eq!(Nonce(7).to_string().parse(), Ok(Nonce(7)));
        assert_eq!(Nonce(u128::MAX).to_string().parse(), Ok(Nonce(u128::MAX)));
    }
}
