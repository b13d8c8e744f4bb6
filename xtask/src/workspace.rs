//! Where the workspace stands: its root, its target directory, and the places under it that `setup` fills.
//!
//! Both directories come from `cargo metadata`, because the target directory may be outside the clone and because a
//! path compiled into this program would be wrong in the next clone that shares the target directory. This module
//! creates nothing.

use std::env;
use std::ffi::OsString;
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

    /// Names the `--root` of the cargo plugins that `setup` installs.
    pub(crate) fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// Names the directory that holds the installed contract clients.
    pub(crate) fn contract(&self) -> PathBuf {
        self.target.join("contract")
    }

    /// Returns `PATH` with the installed plugins in front.
    ///
    /// In front, because `setup` installs a plugin only when the one on `PATH` is absent or too old.
    pub(crate) fn search_path(&self) -> Result<OsString> {
        let inherited = env::var_os("PATH").unwrap_or_default();
        let directories = [self.tools().join("bin")].into_iter().chain(env::split_paths(&inherited));
        env::join_paths(directories).with_context(|| {
            format!(
                "`{}` cannot be put on PATH; choose a target directory without `:`",
                self.tools().display()
            )
        })
    }
}
