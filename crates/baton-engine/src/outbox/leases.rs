//! What the outbox asks about the tracker's lease: whether it is still the one an effect was decided under, and to hand it
//! back. Claim drivers answer; so does an installation that is alone.

use std::future::Future;
use std::sync::Arc;

use baton_core::claim::Outcome;
use baton_core::slot::effect::Leaving;
use baton_core::tracker::IssueKey;

/// What a look at a lease shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseLook {
    /// It is the one that the tracker shows, and lasts long enough for a request.
    Held,
    /// It is not; this is why.
    Lost(String),
    /// It could not be found out. That is no loss.
    Unknown(String),
}

/// What became of a lease that was to be handed back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Returned {
    /// The issue is free.
    Released,
    /// It was not held any more; this is why.
    Lost(String),
    /// It could not be done, or that is not known.
    Failed(String),
}

/// The leases of an installation, by their tokens.
pub trait Leases: Send + Sync {
    /// Looks whether a lease is still held.
    fn look(&self, issue: &IssueKey, token: &str) -> impl Future<Output = LeaseLook> + Send;

    /// Hands a lease back, with what becomes of the labels that tell where the issue is.
    fn hand_back(
        &self,
        issue: &IssueKey,
        token: &str,
        outcome: &Outcome,
        leaving: &Leaving,
    ) -> impl Future<Output = Returned> + Send;
}

impl<L: Leases> Leases for Arc<L> {
    async fn look(&self, issue: &IssueKey, token: &str) -> LeaseLook {
        L::look(self, issue, token).await
    }

    async fn hand_back(
        &self,
        issue: &IssueKey,
        token: &str,
        outcome: &Outcome,
        leaving: &Leaving,
    ) -> Returned {
        L::hand_back(self, issue, token, outcome, leaving).await
    }
}

/// The leases of an installation that is alone with its repositories: it takes none on the tracker, nobody takes any from
/// it, and the slot is all there is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Leases for Alone {
    async fn look(&self, _: &IssueKey, _: &str) -> LeaseLook {
        LeaseLook::Held
    }

    async fn hand_back(&self, _: &IssueKey, _: &str, _: &Outcome, _: &Leaving) -> Returned {
        Returned::Released
    }
}
