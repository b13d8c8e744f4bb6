//! The version number a program prints about itself, and whether it is recent enough.
//!
//! Programs disagree about everything but the leading numbers, so only those count: this is not semantic versioning,
//! and pre-releases and build names are not looked at.

use std::fmt;

/// Three numbers; those a program leaves out are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) u32, pub(crate) u32, pub(crate) u32);

impl Version {
    /// Finds the first version in the output of `--version`: a word of numbers with a dot between them.
    pub(crate) fn find(output: &str) -> Option<Self> {
        output.split_whitespace().find_map(Self::of_word)
    }

    fn of_word(word: &str) -> Option<Self> {
        let word = word.strip_prefix('v').unwrap_or(word);
        let numbers = word.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
        let mut parts = numbers.split('.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        let patch = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
        Some(Self(major, minor, patch))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_in_what_programs_print() {
        let table = [
            ("git version 2.47.3", Some(Version(2, 47, 3))),
            ("git version 2.50.1 (Apple Git-155)", Some(Version(2, 50, 1))),
            ("git version 2.47.1.windows.2", Some(Version(2, 47, 1))),
            ("git version 2.52.0-rc1", Some(Version(2, 52, 0))),
            ("v20.20.2", Some(Version(20, 20, 2))),
            ("Python 3.11.7", Some(Version(3, 11, 7))),
            ("cargo-nextest 0.9.143 (60fa45f63 2026-08-04)\nrelease: 0.9.143", Some(Version(0, 9, 143))),
            ("cargo-deny 0.20", Some(Version(0, 20, 0))),
            ("no version here", None),
            ("7", None),
            ("", None),
        ];
        for (output, wanted) in table {
            assert_eq!(Version::find(output), wanted, "in {output:?}");
        }
    }

    #[test]
    fn versions_are_ordered_as_numbers_and_not_as_text() {
        assert!(Version(2, 39, 0) > Version(2, 9, 9));
        assert!(Version(0, 9, 100) > Version(0, 9, 99));
    }
}
