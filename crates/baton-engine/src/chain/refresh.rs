//! Bringing bodies up to date, around the words of people who may be editing them just now.
//!
//! Trackers have no compare and swap for bodies. A body is read just before it is written and written only when it
//! changes, and read again afterwards: when somebody's older text has taken our section away, it is put in once more. What
//! somebody saves between our read and our write, some milliseconds, is overwritten.

use std::time::Duration;

use baton_core::chain::{ChainState, PartState, section_for, with_section};
use baton_core::tracker::PullEdit;
use baton_ports::{Clock, Tracker};

use super::{Chains, Trouble};

/// How often a section is put in that somebody takes away again.
const ROUNDS_MAX: u32 = 4;
const LOOK_PAUSE: Duration = Duration::from_millis(100);

impl<T: Tracker, C: Clock> Chains<T, C> {
    /// Brings a part's body up to date, and returns whether it had to be changed.
    pub(super) async fn refresh(&self, chain: &ChainState, at: usize) -> Result<bool, Trouble> {
        let part = &chain.parts[at];
        let Some(number) = part.status.number() else { return Ok(false) };
        let section = section_for(chain, at);
        let mut body = self.body(part, number).await?;
        for round in 0..ROUNDS_MAX {
            let wanted = with_section(&body, &section);
            if wanted == body {
                return Ok(round > 0);
            }
            let edit = PullEdit { title: None, body: Some(wanted) };
            let edited = self.tracker.edit_pull(&part.repo, number, &edit).await;
            edited.map_err(|error| Trouble::from(&error))?;
            body = self.body_after(part, number, &body).await?;
        }
        match with_section(&body, &section) == body {
            true => Ok(true),
            false => Err(overwritten(part, number)),
        }
    }

    async fn body(&self, part: &PartState, number: u64) -> Result<String, Trouble> {
        let pull = self.tracker.pull(&part.repo, number).await.map_err(|error| Trouble::from(&error))?;
        Ok(pull.body)
    }

    /// Reads a body after a write. One that is still as it was before is read again until the write must be visible.
    async fn body_after(&self, part: &PartState, number: u64, before: &str) -> Result<String, Trouble> {
        let (until, mut pause) = (self.clock.boot_now().plus(self.visible_within), LOOK_PAUSE);
        loop {
            let body = self.body(part, number).await?;
            let now = self.clock.boot_now();
            if body != before || now >= until {
                return Ok(body);
            }
            self.clock.sleep_until(now.plus(pause).min(until)).await;
            pause *= 2;
        }
    }
}

fn overwritten(part: &PartState, number: u64) -> Trouble {
    let why = format!(
        "{}#{number}: something else keeps taking the chain's section out of the body; stop it, then run this again",
        part.repo
    );
    Trouble { why, is_transient: false }
}
