//! Where the log of a run is: decided here, for the engine that writes it and for `baton logs` that reads it.

use std::path::{Path, PathBuf};

use baton_core::slot::RunId;

/// Returns the file of a run's log.
pub(super) fn path(log_dir: &Path, run: RunId) -> PathBuf {
    log_dir.join(format!("{run}.log"))
}
