//! Chains of pull requests, carried out: each part is looked for before it is opened, what is known is kept after each,
//! and then every body tells of all the others.
//!
//! Whoever dies in between leaves nothing that the next one does not find: a pull request is found by its branch, and the
//! tracker has one open between two branches at most. Deliberately absent: files, locks between processes, and pushes.

mod look;
mod open;
mod refresh;
mod watch;

use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::chain::{ChainState, Deed, PartStatus, Plan, judge, plan};
use baton_ports::{Clock, Tracker, TrackerError};

pub use watch::{Goal, Seen, WaitTerms, Waited};

/// What carries chains out.
#[derive(Debug, Clone)]
pub struct Chains<T, C> {
    /// Where pull requests are.
    pub tracker: T,
    /// This machine's clocks.
    pub clock: C,
    /// How long a write may take to become visible to reads.
    pub visible_within: Duration,
}

/// What was done about a part's pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Did {
    /// It was opened.
    Opened,
    /// It was there and is taken in.
    Adopted,
    /// It was there and known.
    Found,
    /// There is none.
    Nothing,
}

/// What stood in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What was tried, what came back, and what to do.
    pub why: String,
    /// Whether the same may work later without anybody doing anything.
    pub is_transient: bool,
}

/// What came of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartReport {
    /// The repository.
    pub repo: RepoSlug,
    /// What was done about its pull request.
    pub did: Did,
    /// Whether its body was changed.
    pub is_refreshed: bool,
    /// What stood in the way of either.
    pub trouble: Option<Trouble>,
}

/// What came of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// The chain as it is now.
    pub chain: ChainState,
    /// Its parts, in its order.
    pub parts: Vec<PartReport>,
}

impl From<&TrackerError> for Trouble {
    fn from(error: &TrackerError) -> Self {
        Self { why: error.to_string(), is_transient: error.is_retryable() }
    }
}

impl<T: Tracker, C: Clock> Chains<T, C> {
    /// Tells what [`Self::execute`] would do, and what could not be looked at. Nothing is changed.
    pub async fn plan(&self, chain: &ChainState) -> (Plan, Vec<Trouble>) {
        let (mut seen, mut troubles) = (Vec::with_capacity(chain.parts.len()), Vec::new());
        for part in &chain.parts {
            seen.push(self.look(part).await.map_err(|error| {
                troubles.push(Trouble::from(&error));
                error.to_string()
            }));
        }
        (plan(chain, &seen), troubles)
    }

    /// Opens what is not open, and brings every body up to date. `keep` is told the chain before anything is done and
    /// after every part; when it fails, nothing more is done. A part that fails does not stop the others.
    pub async fn execute<K>(
        &self,
        mut chain: ChainState,
        mut keep: impl FnMut(&ChainState) -> Result<(), K>,
    ) -> Result<Executed, K> {
        keep(&chain)?;
        let mut parts = Vec::with_capacity(chain.parts.len());
        for at in 0..chain.parts.len() {
            parts.push(self.settle(&mut chain, at).await);
            keep(&chain)?;
        }
        for (at, report) in parts.iter_mut().enumerate() {
            match self.refresh(&chain, at).await {
                Ok(is_refreshed) => report.is_refreshed = is_refreshed,
                Err(trouble) => report.trouble = report.trouble.take().or(Some(trouble)),
            }
        }
        Ok(Executed { chain, parts })
    }

    /// Sees to it that a part has its pull request.
    async fn settle(&self, chain: &mut ChainState, at: usize) -> PartReport {
        let repo = chain.parts[at].repo.clone();
        let (did, trouble) = match self.settled(chain, at).await {
            Ok(did) => (did, None),
            Err(trouble) => (Did::Nothing, Some(trouble)),
        };
        tracing::debug!(%repo, ?did, ?trouble, "settled a part of a chain");
        let part = &mut chain.parts[at];
        // One that is known is still there, although it could not be looked at.
        if let (Some(trouble), None) = (&trouble, part.status.number()) {
            part.status = PartStatus::Failed { why: trouble.why.clone(), at: self.clock.wall_now() };
        }
        PartReport { repo, did, is_refreshed: false, trouble }
    }

    async fn settled(&self, chain: &mut ChainState, at: usize) -> Result<Did, Trouble> {
        let seen = self.look(&chain.parts[at]).await.map_err(|error| Trouble::from(&error))?;
        let (did, pull) = match judge(&chain.parts[at], &seen) {
            Deed::Follow(pull) => (Did::Found, pull),
            Deed::Adopt(pull) => (Did::Adopted, pull),
            Deed::Open { base } => self.open(chain, at, &base).await?,
            Deed::Refuse(why) => {
                chain.parts[at].status = PartStatus::Pending;
                return Err(Trouble { why, is_transient: false });
            }
        };
        let part = &mut chain.parts[at];
        part.status = PartStatus::of(&pull);
        part.base.get_or_insert(pull.base_branch);
        Ok(did)
    }
}
