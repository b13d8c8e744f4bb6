//! Deciding: one transaction in which a rule of the core is asked, and its changes are written.

use baton_core::slot::{Change, Decision, Situation};
use baton_ports::store::{Lookup, Target, Verdict};

use crate::fault::Fault;
use crate::find::find;
use crate::load;
use crate::plan::plan;
use crate::session::Session;
use crate::store::SqlStore;
use crate::write::{Written, write};

/// How often a decision is made again because a worker came back in between, or the database ended it.
const TRIES_MAX: u32 = 16;

/// What one transaction came to.
enum Attempt<T> {
    /// It is to be committed, unless nothing was changed.
    Decided { outcome: T, has_changed: bool, is_news: bool },
    /// It must be undone.
    Undo(Option<Verdict<T>>),
}

impl SqlStore {
    pub(crate) async fn decide_until_committed<T, R>(
        &self,
        target: &Target,
        lookup: &Lookup,
        rule: R,
    ) -> Result<Verdict<T>, Fault>
    where
        T: Send,
        R: Fn(&Situation) -> Decision<T> + Send + Sync,
    {
        for _ in 0..TRIES_MAX {
            match self.decide_once(target, lookup, &rule).await {
                Ok(Some(verdict)) => return Ok(verdict),
                Ok(None) => tracing::debug!("a worker came back; the decision is made again"),
                // The order of locks is there so that this never happens.
                Err(fault) if fault.is_lock_conflict() => {
                    tracing::warn!(?fault, ?target, "the database ended a transaction; it is made again");
                }
                Err(fault) => return Err(fault),
            }
        }
        Err(Fault::Busy(format!("others were faster {TRIES_MAX} times")))
    }

    /// Makes one transaction. Nothing comes back when it has to be made again.
    async fn decide_once<T, R>(
        &self,
        target: &Target,
        lookup: &Lookup,
        rule: &R,
    ) -> Result<Option<Verdict<T>>, Fault>
    where
        T: Send,
        R: Fn(&Situation) -> Decision<T> + Send + Sync,
    {
        let mut tx = self.begin_for_decision().await?;
        match self.attempt(&mut tx, target, lookup, rule).await {
            Ok(Attempt::Decided { outcome, has_changed: true, is_news }) => {
                self.commit(tx).await?;
                self.tell_neighbours(is_news);
                Ok(Some(Verdict::Committed(outcome)))
            }
            Ok(Attempt::Decided { outcome, has_changed: false, .. }) => {
                self.roll_back(tx).await?;
                Ok(Some(Verdict::Committed(outcome)))
            }
            Ok(Attempt::Undo(verdict)) => {
                self.roll_back(tx).await?;
                Ok(verdict)
            }
            Err(fault) => Err(self.abandon(tx, fault).await),
        }
    }

    async fn attempt<T, R>(
        &self,
        session: &mut Session,
        target: &Target,
        lookup: &Lookup,
        rule: &R,
    ) -> Result<Attempt<T>, Fault>
    where
        R: Fn(&Situation) -> Decision<T>,
    {
        let locking = self.locking();
        let early = if locking.clock_timestamp { None } else { Some(load::clock(session).await?) };
        let Some(found) = find(session, target, &locking).await? else {
            return Ok(Attempt::Undo(Some(Verdict::NoItem)));
        };
        self.read_clock(session);
        let mut situation = load::situation(session, &found.stored, target, lookup).await?;
        situation.now = early.unwrap_or(situation.now);
        let mut decision = rule(&situation);
        if !locking.locked_counters {
            decision.changes.iter_mut().for_each(forget_room);
        }
        let plan = plan(&situation, &found.stored, &decision.changes)?;
        let has_changed = found.is_new || !plan.is_empty();
        let is_news = plan.is_news;
        Ok(match write(session, &plan).await? {
            Written::All => Attempt::Decided { outcome: decision.outcome, has_changed, is_news },
            Written::Full(counter) => Attempt::Undo(Some(Verdict::Full(counter))),
            Written::WorkerCameBack => Attempt::Undo(None),
        })
    }
}

/// Lets counters grow past their limits, for the test that shows what their lock is for.
fn forget_room(change: &mut Change) {
    if let Change::Count(counts) = change {
        counts.iter_mut().for_each(|count| count.needs_room = false);
    }
}
