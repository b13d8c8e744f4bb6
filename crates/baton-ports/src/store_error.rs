//! How a store fails: what was tried, what came back, and what a person can do.

use std::fmt;

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// The store cannot be reached, or the connection was lost; whether a commit was made may be unknown.
    Unreachable,
    /// Others kept it busy for too long; nothing was changed.
    Busy,
    /// The store was made by a newer version of this program.
    NewerSchema,
    /// The store refused a change that would break one of its rules. That is a mistake of this program.
    Refused,
    /// What is stored cannot be understood.
    Corrupt,
    /// The address names no store.
    Address,
}

/// A store that did not give what was asked for.
#[derive(Debug, Clone, thiserror::Error)]
pub struct StoreError {
    /// What kind of failure it was.
    pub kind: StoreErrorKind,
    /// What was tried.
    pub tried: String,
    /// What came back.
    pub answer: String,
}

impl StoreError {
    /// Describes a failure.
    pub fn new(kind: StoreErrorKind, tried: impl Into<String>, answer: impl Into<String>) -> Self {
        Self { kind, tried: tried.into(), answer: answer.into() }
    }

    /// Returns whether the same may work later.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, StoreErrorKind::Unreachable | StoreErrorKind::Busy)
    }

    /// Says what a person can do about it.
    pub fn advice(&self) -> &'static str {
        match self.kind {
            StoreErrorKind::Unreachable => {
                "check `store` (BATON_STORE) and that the database is up and reachable"
            }
            StoreErrorKind::Busy => {
                "try again; if it stays so, look for a process that keeps the store locked"
            }
            StoreErrorKind::NewerSchema => "use the newer version of baton, or another store",
            StoreErrorKind::Refused => "this is a mistake in baton: please report it with this message",
            StoreErrorKind::Corrupt => "restore the store from a backup, or report this message",
            StoreErrorKind::Address => "write sqlite:PATH or postgres://USER@HOST/DATABASE",
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.tried, self.answer, self.advice())
    }
}
