//! The claimants that Baton is measured against: other people's ways to claim an issue, as they really behave.
//!
//! Each is written from the description of its protocol, faults included: what a rival gets wrong is what the tests want
//! to see. Each can be run in one go (`contend`) or step by step, so that a test can choose the interleaving. They know
//! only the tracker's API; how many of them there are, and when they start, is for the caller to say.

pub(crate) mod alfred;
pub(crate) mod alfred_sweep;
pub(crate) mod alfred_words;
pub(crate) mod api;
pub(crate) mod label_lock;
pub(crate) mod label_verify;
pub(crate) mod verdict;

pub(crate) use api::Api;
pub(crate) use verdict::{Outcome, Verdict};

use baton_core::time::ServerTime;

/// Who claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The name that others see.
    pub(crate) codename: String,
    /// What tells this run of it from its other runs.
    pub(crate) firing_id: String,
}

impl Identity {
    /// Returns an identity whose firing began now; `salt` tells firings of one second apart.
    pub(crate) fn fresh(codename: &str, salt: u16) -> Self {
        let now = ServerTime(i64::try_from(api::now_ms() / 1_000).unwrap_or_default());
        Self { codename: codename.to_owned(), firing_id: format!("{}-{salt:04x}", now.compact()) }
    }
}
