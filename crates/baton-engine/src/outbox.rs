//! The outbox: effects that were committed with a decision are performed on the tracker, in order, at least once on the
//! wire and once in effect.
//!
//! The store hands out one effect at a time for each item, and marks it before it is sent. After a crash or an ambiguous
//! answer, what the effect would have made is looked for before it is made again. A committed effect is performed although
//! the slot has passed on; what is checked is the tracker's lease that it was decided under.
//!
//! Deliberately absent: a loop, heartbeats of the worker, and deciding what is to be done.

mod arbiter;
mod attempt;
mod comments;
mod deeds;
mod leases;
mod pulls;
mod refusals;

use std::time::Duration;

use baton_core::slot::effect::{AfterTry, Deed, Effect, Tried, after_try, survives_its_run};
use baton_core::slot::{EffectId, ItemKey, Safeguards, Situation, WorkerId, finish};
use baton_core::time::BootTime;
use baton_core::tracker::IssueKey;
use baton_ports::store::{Lookup, TakenEffect, Target};
use baton_ports::{Clock, Store, StoreError, Tracker};

pub use arbiter::{Arbiter, Nobody};
use attempt::Attempt;
pub use leases::{Alone, LeaseLook, Leases, Returned};
pub(crate) use refusals::{of_read, of_write};

/// How often the store is told what came of a try, when it does not answer.
const TELLS_MAX: u32 = 5;
const TELL_PAUSE: Duration = Duration::from_millis(200);

/// What performs effects.
#[derive(Debug, Clone)]
pub struct Outbox<S, T, C, L, A> {
    /// Where effects are.
    pub store: S,
    /// Where they are performed.
    pub tracker: T,
    /// This machine's clocks.
    pub clock: C,
    /// The tracker's leases.
    pub leases: L,
    /// Who decides what the ends of runs come to.
    pub arbiter: A,
    /// How long a write may take to become visible to reads.
    pub visible_within: Duration,
    /// How long a call to the tracker may take, its repetitions included.
    pub request_timeout: Duration,
    /// Which safeguards are on. All of them, except in the tests that show what each is for.
    #[doc(hidden)]
    pub safeguards: Safeguards,
}

/// A worker's turn at the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Who performs.
    pub worker: WorkerId,
    /// How long after the end of a worker's lease its effects are taken over.
    pub stop_grace: Duration,
    /// When the worker's own lease ends, by the boot clock; nothing is sent that could land after it.
    pub write_until: BootTime,
}

/// What a turn came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Performed {
    /// There is nothing to perform now.
    Nothing,
    /// This effect took effect.
    Done(EffectId),
    /// This one is tried again later.
    Later(EffectId, String),
    /// This one never will take effect.
    Dead(EffectId, String),
    /// This one is not wanted any more: somebody else has the issue, or it has changed since the decision that the effect
    /// belongs to. Nobody refused anything.
    Dropped(EffectId, String),
    /// Somebody else took this one over meanwhile, or the store had heard already.
    Overtaken(EffectId),
}

impl<S: Store, T: Tracker, C: Clock, L: Leases, A: Arbiter> Outbox<S, T, C, L, A> {
    /// Performs the next effect, if there is one.
    ///
    /// After an error the store may have marked an effect as being sent by this worker, and nobody takes it while the
    /// worker lives: retire the worker, and go on as a new one. That is why the outbox is best a worker of its own.
    pub async fn perform_next(&self, turn: &Turn) -> Result<Performed, StoreError> {
        match self.take(turn).await? {
            None => Ok(Performed::Nothing),
            Some(taken) => self.perform_taken(turn, &taken).await,
        }
    }

    /// Takes the next effect from the store, which marks it as being sent by this worker.
    pub async fn take(&self, turn: &Turn) -> Result<Option<TakenEffect>, StoreError> {
        self.store.take_effect(turn.worker, turn.stop_grace).await
    }

    /// Performs an effect that was taken.
    pub async fn perform_taken(&self, turn: &Turn, taken: &TakenEffect) -> Result<Performed, StoreError> {
        let effect = &taken.effect;
        let ItemKey::Issue(issue) = &taken.item.key else {
            let why = format!("{} is no issue, so there is no tracker to perform it on", taken.item.key);
            return Ok(self.tell(turn, taken, Tried::Never(why)).await?.1);
        };
        let attempt = self.attempt(turn, taken, issue).await?;
        let token = effect.lease.as_deref().or(taken.item.lease.as_deref());
        let is_orphan = effect.lease.is_some() && effect.lease != taken.item.lease;
        let tried = match survives_its_run(effect, taken.item.fence, self.safeguards) {
            _ if is_orphan => Tried::Moot("the lease that it was decided under was given up".to_owned()),
            true => self.perform(&attempt, &taken.item, token).await.err().unwrap_or(Tried::Done),
            false => Tried::Never("its run no longer has the slot".to_owned()),
        };
        tracing::debug!(%issue, effect = %effect.id, ?tried, "tried an effect");
        // The item forgets the lease first: one that is named and was given back would bind later effects to nothing.
        if let Some(token) = token.filter(|_| ends_lease(&tried, &effect.deed)) {
            self.forget_lease(&taken.item.key, token, effect).await?;
        }
        let is_moot = matches!(tried, Tried::Moot(_));
        let (is_ours, performed) = self.tell(turn, taken, tried).await?;
        let performed = match performed {
            Performed::Dead(id, why) if is_moot => Performed::Dropped(id, why),
            performed => performed,
        };
        // Whoever took it over may have said the same.
        if let (false, Deed::Comment { on, .. }) = (is_ours, &effect.deed)
            && let Ok(place) = self.place(&attempt, *on).await
        {
            self.remove_copies(&Attempt { place: &place, ..attempt }).await;
        }
        Ok(performed)
    }

    async fn forget_lease(&self, item: &ItemKey, token: &str, effect: &Effect) -> Result<(), StoreError> {
        // What was to be remembered of a decision that does not come about is not remembered.
        let undone = match &effect.deed {
            Deed::TakeLease { before, .. } => before.as_deref().map(|before| (effect.key.version, before)),
            _ => None,
        };
        let rule = |situation: &Situation| finish::forget_lease(situation, token, undone);
        self.store.decide(&Target::Key(item.clone()), &Lookup::default(), rule).await.map(drop)
    }

    async fn attempt<'a>(
        &self,
        turn: &'a Turn,
        taken: &'a TakenEffect,
        issue: &'a IssueKey,
    ) -> Result<Attempt<'a>, StoreError> {
        let began = self.clock.boot_now();
        Ok(Attempt {
            turn,
            effect: &taken.effect,
            issue,
            place: issue,
            taken_at: self.store.now().await?,
            began,
            unclear_since: taken.unclear_since,
            request_timeout: self.request_timeout,
            visible_within: self.visible_within,
        })
    }

    /// Tells the store what came of a try. Returns whether the effect was still this worker's, and what to tell the caller.
    async fn tell(
        &self,
        turn: &Turn,
        taken: &TakenEffect,
        tried: Tried,
    ) -> Result<(bool, Performed), StoreError> {
        let id = taken.effect.id;
        // What was settled ended together with the decision that settled it.
        if matches!((&taken.effect.deed, &tried), (Deed::Settle(_), Tried::Done)) {
            return Ok((true, Performed::Done(id)));
        }
        let after = after_try(tried, taken.effect.attempts, self.store.now().await?);
        if !self.told(turn, id, &after).await? {
            return Ok((false, Performed::Overtaken(id)));
        }
        let performed = match after {
            AfterTry::Done => Performed::Done(id),
            AfterTry::Again { error, .. } => Performed::Later(id, error),
            AfterTry::Dead(why) => Performed::Dead(id, why),
        };
        Ok((true, performed))
    }

    async fn told(&self, turn: &Turn, id: EffectId, after: &AfterTry) -> Result<bool, StoreError> {
        let mut pause = TELL_PAUSE;
        for _ in 1..TELLS_MAX {
            match self.store.effect_tried(id, turn.worker, after).await {
                Err(error) if error.is_retryable() => {
                    tracing::warn!(effect = %id, %error, "the store was not told what came of an effect");
                }
                answer => return answer,
            }
            self.clock.sleep_until(self.clock.boot_now().plus(pause)).await;
            pause *= 2;
        }
        self.store.effect_tried(id, turn.worker, after).await
    }
}

/// Returns whether the item has no lease any more after this: it was given back, or it could not be had.
fn ends_lease(tried: &Tried, deed: &Deed) -> bool {
    match deed {
        Deed::ReleaseLease { .. } => matches!(tried, Tried::Done | Tried::Never(_) | Tried::Moot(_)),
        Deed::TakeLease { .. } | Deed::RenewLease => matches!(tried, Tried::Never(_) | Tried::Moot(_)),
        _ => false,
    }
}
