//! A text that is never shown.
//!
//! It protects against logs and error messages, not against someone who reads the memory of the process.

use std::fmt;

use ring::hmac;

/// A token or a key. Its `Debug` says only that there is one.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret; white space around it, such as the line end of a file, is dropped.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    /// Returns whether a text is the secret. The time that this takes says nothing about how much of it is right. Nothing is
    /// the empty secret: everybody knows it.
    pub fn is(&self, text: &str) -> bool {
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"compare");
        let tag = hmac::sign(&key, self.0.as_bytes());
        !self.0.is_empty() && hmac::verify(&key, text.as_bytes(), tag.as_ref()).is_ok()
    }

    /// Returns its length, in characters.
    pub fn chars(&self) -> usize {
        self.0.chars().count()
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_trimmed_and_never_shown() {
        let secret = Secret::new(" ghp_1234\n");
        assert_eq!(secret.reveal(), "ghp_1234");
        assert!(!format!("{secret:?} {:?}", Some(&secret)).contains("ghp"));
    }

    #[test]
    fn a_text_is_the_secret_or_not() {
        let secret = Secret::new("ghp_1234\n");
        assert!(secret.is("ghp_1234"));
        for other in ["", "ghp_123", "ghp_12345", "ghp_1234\0", "GHP_1234", "ghp_1234\n"] {
            assert!(!secret.is(other), "{other:?}");
        }
        assert!(!Secret::new(" ").is(""));
    }
}
