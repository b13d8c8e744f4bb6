//! Opening a pull request, once: whatever is unclear is looked for before it is asked for again.

use std::time::Duration;

use baton_core::chain::{ChainState, Deed, PartState, judge, section_for, with_section};
use baton_core::tracker::{NewPull, Pull, PullOpening};
use baton_ports::{Clock, Tracker};

use super::{Chains, Did, Trouble};

/// How often a pull request is asked for, when it stays unclear what became of it.
const TRIES_MAX: u32 = 3;
const LOOK_PAUSE: Duration = Duration::from_millis(250);

impl<T: Tracker, C: Clock> Chains<T, C> {
    pub(super) async fn open(
        &self,
        chain: &ChainState,
        at: usize,
        base: &str,
    ) -> Result<(Did, Pull), Trouble> {
        let part = &chain.parts[at];
        let new = NewPull {
            head: part.head.clone(),
            base: base.to_owned(),
            title: chain.title_of(part).to_owned(),
            body: with_section(chain.words_of(part), &section_for(chain, at)),
            is_draft: chain.is_draft,
        };
        let mut unclear = None;
        for _ in 0..TRIES_MAX {
            match self.tracker.open_pull(&part.repo, &new).await {
                Ok(PullOpening::Opened(pull)) => return Ok((Did::Opened, pull)),
                Ok(PullOpening::Exists) => {
                    // After an unclear try it is most likely that one's.
                    let did = if unclear.is_some() { Did::Opened } else { Did::Adopted };
                    let found = self.found_soon(part).await?;
                    return found.map(|pull| (did, pull)).ok_or_else(|| hidden(part));
                }
                Err(error) if error.may_have_happened() => unclear = Some(Trouble::from(&error)),
                Err(error) => return Err(Trouble::from(&error)),
            }
            if let Some(pull) = self.found_soon(part).await? {
                return Ok((Did::Opened, pull));
            }
        }
        Err(unclear.unwrap_or_else(|| hidden(part)))
    }

    /// Looks for a part's pull request until it would have to be visible.
    async fn found_soon(&self, part: &PartState) -> Result<Option<Pull>, Trouble> {
        let (until, mut pause) = (self.clock.boot_now().plus(self.visible_within), LOOK_PAUSE);
        loop {
            let seen = self.look(part).await.map_err(|error| Trouble::from(&error))?;
            if let Deed::Adopt(pull) | Deed::Follow(pull) = judge(part, &seen) {
                return Ok(Some(pull));
            }
            let now = self.clock.boot_now();
            if now >= until {
                return Ok(None);
            }
            self.clock.sleep_until(now.plus(pause).min(until)).await;
            pause *= 2;
        }
    }
}

fn hidden(part: &PartState) -> Trouble {
    let PartState { repo, head, .. } = part;
    let why = format!(
        "{repo} says that there is a pull request from `{head}` and shows none; check that the token may see it, then try again"
    );
    Trouble { why, is_transient: true }
}
