//! A text that is never shown.
//!
//! It protects against logs and error messages, not against someone who reads the memory of the process.

use std::fmt;

/// A token or a key. Its `Debug` says only that there is one.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret; white space around it, such as the line end of a file, is dropped.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
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
}
