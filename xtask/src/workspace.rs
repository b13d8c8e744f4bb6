//! Where the workspace stands: its root, its target directory, and the place under it that `setup` fills.
//!
//! Both directories come from `cargo metadata`, because the target directory may be outside the clone and because a
//! path compiled into this program would be wrong in the next clone that shares the target directory. This module
//! creates nothing.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use cargo_metadata::MetadataCommand;

/// The directories every command starts from.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
}

impl Workspace {
    /// Finds the workspace around the current directory.
    pub(crate) fn find() -> Result<Self> {
        let metadata = MetadataCommand::new().no_deps().exec().context(
            "`cargo metadata --no-deps` failed; run this inside the repository, with valid manifests",
        )?;
        Ok(Self {
            root: metadata.workspace_root.into_std_path_buf(),
            target: metadata.target_directory.into_std_path_buf(),
        })
    }

    /// Names the directory that leads to the installed contract clients.
    pub(crate) fn contract(&self) -> PathBuf {
        self.target.join("contract")
    }

    /// Names the report that nextest writes about a run; nextest keeps it here wherever the target directory is.
    pub(crate) fn test_report(&self) -> PathBuf {
        self.root.join("target/nextest/default/junit.xml")
    }

    /// Names the list of the tests that passed only when they were tried again.
    pub(crate) fn flaky_tests(&self) -> PathBuf {
        self.target.join("flaky.txt")
    }
}
