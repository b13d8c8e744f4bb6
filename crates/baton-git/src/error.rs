//! Why git did not do what it was asked.
//!
//! Refusals are no errors: they are outcomes of a push. Texts of git are shown without secrets.

use crate::oid::Oid;

/// Git could not be asked, or did not answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program did not start.
    #[error("git cannot be run; install git 2.39 or later")]
    Program(#[source] std::io::Error),
    /// The caller's words cannot be meant as they are.
    #[error("{0}")]
    Input(String),
    /// Git failed, and nothing was pushed.
    #[error("{tried} failed, and nothing was pushed: {said}")]
    Failed {
        /// What was tried.
        tried: &'static str,
        /// What git said.
        said: String,
    },
    /// The time was up before anything was sent.
    #[error("{tried} took too long, and nothing was pushed")]
    TooLate {
        /// What was tried.
        tried: &'static str,
    },
    /// The push was sent, and it could not be found out what became of it.
    #[error("it is not known whether the push arrived: {said}; look at the remote before you push again")]
    Unclear {
        /// The commit that is on the claim ref if it did arrive.
        heartbeat: Option<Oid>,
        /// What git said.
        said: String,
    },
}

impl GitError {
    /// Returns whether trying again later can help.
    pub fn is_worth_another_try(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::TooLate { .. } | Self::Unclear { .. })
    }
}
