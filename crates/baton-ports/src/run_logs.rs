//! The logs of runs, as far as they are on this machine.

use std::future::Future;

use baton_core::slot::RunId;

/// A log could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the log {path}: {answer}")]
pub struct RunLogError {
    /// Which.
    pub path: String,
    /// What came back.
    pub answer: String,
}

/// What agents have printed.
pub trait RunLogs: Send + Sync {
    /// Returns what a run has printed from a place on, at most so many bytes; nothing when there is no log of it here.
    fn read(
        &self,
        run: RunId,
        from: u64,
        bytes_max: usize,
    ) -> impl Future<Output = Result<Option<Vec<u8>>, RunLogError>> + Send;
}
