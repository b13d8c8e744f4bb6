//! Ids of git's objects.
//!
//! A text that became an [`Oid`] can be an argument of git: it is no option, no ref and no expression. Deliberately
//! absent: whether there is such an object.

use std::fmt;
use std::str::FromStr;

/// The id of an object: SHA-1 or SHA-256, in lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(String);

/// The text is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the id of a git object: write all 40 or 64 of its digits")]
pub struct OidError(pub String);

impl Oid {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Oid {
    type Err = OidError;

    fn from_str(text: &str) -> Result<Self, OidError> {
        let is_digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        // Git writes "no object" as zeros only.
        let is_object = text.bytes().any(|byte| byte != b'0');
        match matches!(text.len(), 40 | 64) && is_digits && is_object {
            true => Ok(Self(text.to_owned())),
            false => Err(OidError(text.to_owned())),
        }
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_ids_of_objects_are_ids() {
        let (sha1, sha256) = ("4b825dc642cb6eb9a060e54bf8d69288fbee4904", "ab".repeat(32));
        for text in [sha1, &sha256] {
            assert_eq!(text.parse::<Oid>().map(|oid| oid.to_string()), Ok(text.to_owned()));
        }
        let upper = sha1.to_ascii_uppercase();
        for text in ["", "4b825dc", "HEAD", "--all", &"0".repeat(40), &upper, &format!("{sha1} ")] {
            assert!(text.parse::<Oid>().is_err(), "{text:?}");
        }
    }
}
