//! How a chain stands, and waiting for it. Nothing is changed on the tracker.

use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::chain::{ChainState, Deed, PartState, PartStatus, judge};
use baton_core::time::BootTime;
use baton_ports::{Clock, Tracker, TrackerError};

use super::{Chains, Trouble};

/// The first pause between two looks.
const PAUSE_FIRST: Duration = Duration::from_secs(1);

/// A chain as the tracker shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The chain.
    pub chain: ChainState,
    /// What could not be looked at, and why; that part is as it was known.
    pub troubles: Vec<(RepoSlug, Trouble)>,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Every part has its pull request.
    Open,
    /// Every part is merged.
    Merged,
}

/// How long is waited, and how often is looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitTerms {
    /// What is waited for.
    pub goal: Goal,
    /// The longest pause between two looks.
    pub pause_max: Duration,
    /// How long is waited; without an end when nothing is said.
    pub timeout: Option<Duration>,
}

/// How waiting ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waited {
    /// It is as it was wanted.
    Reached(ChainState),
    /// This one was closed without a merge, so it will never be.
    Closed(ChainState, String),
    /// The time is over.
    TimedOut(Seen),
    /// It cannot be looked at, and that will not change by waiting.
    Unseen(RepoSlug, Trouble),
}

impl Goal {
    fn is_reached(self, status: &PartStatus) -> bool {
        match status {
            PartStatus::Merged { .. } => true,
            PartStatus::Open { .. } => self == Self::Open,
            PartStatus::Pending | PartStatus::Failed { .. } | PartStatus::Closed { .. } => false,
        }
    }
}

impl<T: Tracker, C: Clock> Chains<T, C> {
    /// Looks at every part.
    pub async fn status(&self, mut chain: ChainState) -> Seen {
        let mut troubles = Vec::new();
        for part in &mut chain.parts {
            match self.standing(part).await {
                Ok(Some(status)) => part.status = status,
                Ok(None) => {}
                Err(error) => troubles.push((part.repo.clone(), Trouble::from(&error))),
            }
        }
        Seen { chain, troubles }
    }

    /// Returns what a part's pull request says; nothing when there is none.
    async fn standing(&self, part: &PartState) -> Result<Option<PartStatus>, TrackerError> {
        let found = match part.status.number() {
            Some(number) => Some(self.tracker.pull(&part.repo, number).await?),
            None => match judge(part, &self.look(part).await?) {
                Deed::Adopt(pull) | Deed::Follow(pull) => Some(pull),
                Deed::Open { .. } | Deed::Refuse(_) => None,
            },
        };
        Ok(found.as_ref().map(PartStatus::of))
    }

    /// Looks until the goal is reached, or never will be, or the time is over. `read` gives the chain as others may have
    /// changed it meanwhile.
    pub async fn wait<K>(
        &self,
        terms: &WaitTerms,
        mut read: impl FnMut() -> Result<ChainState, K>,
    ) -> Result<Waited, K> {
        let until = terms.timeout.map(|timeout| self.clock.boot_now().plus(timeout));
        let mut pause = PAUSE_FIRST.min(terms.pause_max);
        loop {
            let seen = self.status(read()?).await;
            if let Some(end) = ended(&seen, terms.goal) {
                return Ok(end);
            }
            let next = self.clock.boot_now().plus(pause);
            if is_over(until, self.clock.boot_now()) {
                return Ok(Waited::TimedOut(seen));
            }
            self.clock.sleep_until(until.map_or(next, |until| next.min(until))).await;
            pause = (pause * 2).min(terms.pause_max);
        }
    }
}

fn is_over(until: Option<BootTime>, now: BootTime) -> bool {
    until.is_some_and(|until| now >= until)
}

fn ended(seen: &Seen, goal: Goal) -> Option<Waited> {
    let closed = seen.chain.parts.iter().find_map(|part| match part.status {
        PartStatus::Closed { number, .. } => Some(format!("{}#{number}", part.repo)),
        _ => None,
    });
    if let Some(name) = closed {
        return Some(Waited::Closed(seen.chain.clone(), name));
    }
    if let Some((repo, trouble)) = seen.troubles.iter().find(|(_, trouble)| !trouble.is_transient) {
        return Some(Waited::Unseen(repo.clone(), trouble.clone()));
    }
    let is_reached =
        seen.troubles.is_empty() && seen.chain.parts.iter().all(|part| goal.is_reached(&part.status));
    is_reached.then(|| Waited::Reached(seen.chain.clone()))
}
