//! Stamp files: a record of what an installation was made from, so that an unchanged one is not made again.
//!
//! A stamp is removed before work starts and written after it succeeds; an installation that was interrupted is
//! therefore repeated. Whether the installed files still exist is the caller's question.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

/// A place for a record, and the record that should stand there.
pub(crate) struct Stamp {
    path: PathBuf,
    wanted: String,
}

impl Stamp {
    /// Names the stamp at a path that stands for these inputs.
    ///
    /// The hash of the standard library may change with the compiler; then everything is installed once more.
    pub(crate) fn of(path: PathBuf, inputs: &[&str]) -> Self {
        let mut hasher = DefaultHasher::new();
        inputs.hash(&mut hasher);
        Self { path, wanted: format!("{:016x}\n", hasher.finish()) }
    }

    /// Tells whether the last finished installation was made from the same inputs.
    pub(crate) fn is_current(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|found| found == self.wanted)
    }

    /// Runs an installation between the removal and the writing of the stamp.
    pub(crate) fn around(&self, install: impl FnOnce() -> Result<()>) -> Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("removing `{}`", self.path.display()));
            }
            _ => install()?,
        }
        fs::write(&self.path, &self.wanted).with_context(|| format!("writing `{}`", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn a_stamp_is_current_after_success_and_only_for_its_inputs() {
        let directory = tempfile::tempdir().unwrap();
        let stamp = |inputs: &[&str]| Stamp::of(directory.path().join("stamp"), inputs);
        assert!(!stamp(&["a", "b"]).is_current());
        stamp(&["a", "b"]).around(|| Ok(())).unwrap();
        assert!(stamp(&["a", "b"]).is_current());
        assert!(!stamp(&["ab"]).is_current());
        assert!(!stamp(&["a", "c"]).is_current());
    }

    #[test]
    fn a_failed_installation_leaves_no_stamp() {
        let directory = tempfile::tempdir().unwrap();
        let stamp = Stamp::of(directory.path().join("stamp"), &["a"]);
        stamp.around(|| Ok(())).unwrap();
        stamp.around(|| bail!("interrupted")).unwrap_err();
        assert!(!stamp.is_current());
    }
}
