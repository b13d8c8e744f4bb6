//! The relay's verbs over a store: wake, start, finish, cancel and the rest, each one transaction.
//!
//! Each verb lets a rule of the core decide under the lock of an item. Nothing is decided here, nothing is retried for
//! longer than a moment, and no agent is started.

use baton_core::slot::effect::{self, SettleAsk, Settled};
use baton_core::slot::finish::{self, Baton, Fenced, FinishAsk, OwnLease};
use baton_core::slot::heal::{self, Healed};
use baton_core::slot::start::{self, StartOutcome, Started};
use baton_core::slot::steer::{self, Steered};
use baton_core::slot::wake::{self, WakeAsk, WakeOutcome};
use baton_core::slot::{
    AgentName, Context, Decision, Gates, ItemKey, Policy, RunId, RunStatus, Situation, WorkerId,
};
use baton_ports::store::{Lookup, StartSearch, Target, Verdict};
use baton_ports::{Entropy, Store, StoreError, StoreErrorKind};

/// How often a start is tried when others take what was found first.
const START_TRIES: u32 = 8;

/// A store with the policy that its rules follow.
#[derive(Debug, Clone)]
pub struct Relay<S, E> {
    /// Where everything is kept.
    pub store: S,
    /// Where dice come from.
    pub entropy: E,
    /// What the rules follow.
    pub policy: Policy,
}

/// What a worker gets that asks for work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartAnswer {
    /// This run.
    Started(Box<Started>),
    /// There is nothing that may be started now.
    Nothing,
    /// There is, but this counter is full.
    Full(String),
}

impl<S: Store, E: Entropy> Relay<S, E> {
    /// Asks that an agent look at an item.
    pub async fn wake(&self, item: &ItemKey, ask: &WakeAsk) -> Result<WakeOutcome, StoreError> {
        let wake_key = ask.key.as_ref().map(|key| (ask.agent.key(), key.clone()));
        let lookup = Lookup { wake_key, run: ask.asked_by.run };
        let policy = self.policy();
        self.on_item(item, &lookup, |situation| wake::wake(situation, ask, &policy)).await
    }

    /// Gives a worker the oldest run that it may start.
    pub async fn start(&self, worker: WorkerId) -> Result<StartAnswer, StoreError> {
        let policy = self.policy();
        let agents = policy.executes.iter().flatten().cloned().collect();
        let target = Target::ToStart(StartSearch { worker, agents });
        for _ in 0..START_TRIES {
            let rule = |situation: &Situation| start::start(situation, worker, &policy);
            match self.store.decide(&target, &Lookup::default(), rule).await? {
                Verdict::Committed(StartOutcome::Started(started)) => {
                    return Ok(StartAnswer::Started(started));
                }
                // What was found has changed since; there may be more.
                Verdict::Committed(StartOutcome::NotYours(_)) => {}
                Verdict::NoItem => return Ok(StartAnswer::Nothing),
                Verdict::Full(counter) => return Ok(StartAnswer::Full(counter)),
            }
        }
        Ok(StartAnswer::Nothing)
    }

    /// Ends a run under its fence.
    pub async fn finish(&self, ask: &FinishAsk) -> Result<Fenced<RunStatus>, StoreError> {
        let policy = self.policy();
        let ended = self.on_run(ask.baton.run, |situation| finish::finish(situation, ask, &policy)).await?;
        Ok(ended.unwrap_or(Fenced::LostSlot))
    }

    /// Keeps the token of the tracker's lease that a run has got.
    pub async fn keep_lease(&self, baton: &Baton, token: Option<String>) -> Result<Fenced<()>, StoreError> {
        let policy = self.policy();
        let rule = |situation: &Situation| finish::keep_lease(situation, baton, token.clone(), &policy);
        Ok(self.on_run(baton.run, rule).await?.unwrap_or(Fenced::LostSlot))
    }

    /// Answers a claim by a run.
    pub async fn own_lease(&self, item: &ItemKey, run: RunId) -> Result<OwnLease, StoreError> {
        let rule = |situation: &Situation| unchanged(finish::own_lease(situation, run));
        self.on_item(item, &Lookup::default(), rule).await
    }

    /// Cancels a run; nothing when there is no such run.
    pub async fn cancel(&self, run: RunId, keep_queue: bool) -> Result<Option<Steered>, StoreError> {
        let policy = self.policy();
        self.on_run(run, |situation| steer::cancel(situation, run, keep_queue, &policy)).await
    }

    /// Frees an item's slot by hand.
    pub async fn release(&self, item: &ItemKey) -> Result<Steered, StoreError> {
        let policy = self.policy();
        self.on_item(item, &Lookup::default(), |situation| steer::release(situation, &policy)).await
    }

    /// Gives an issue to another agent, or to nobody.
    pub async fn reassign(&self, item: &ItemKey, to: Option<&AgentName>) -> Result<Steered, StoreError> {
        let policy = self.policy();
        self.on_item(item, &Lookup::default(), |situation| steer::reassign(situation, to, &policy)).await
    }

    /// Notes that an issue was closed or opened again.
    pub async fn set_open(&self, item: &ItemKey, is_open: bool) -> Result<Steered, StoreError> {
        let policy = self.policy();
        self.on_item(item, &Lookup::default(), |situation| steer::set_open(situation, is_open, &policy)).await
    }

    /// Notes what keeps runs of an item from starting.
    pub async fn set_gates(&self, item: &ItemKey, gates: &Gates) -> Result<Steered, StoreError> {
        let policy = self.policy();
        self.on_item(item, &Lookup::default(), |situation| steer::set_gates(situation, gates, &policy)).await
    }

    /// Brings a retry that waits forward, and tells it what a person said. Returns whether it was still waiting.
    pub async fn hurry(&self, item: &ItemKey, run: RunId, news: &Context) -> Result<bool, StoreError> {
        let policy = self.policy();
        self.on_item(item, &Lookup::default(), |situation| steer::hurry(situation, run, news, &policy)).await
    }

    /// Returns everything that rules may ask about an item, as it is now. Nothing is changed, but for the row of an item that
    /// is seen for the first time.
    pub async fn situation(&self, item: &ItemKey) -> Result<Situation, StoreError> {
        self.on_item(item, &Lookup::default(), |situation| unchanged(situation.clone())).await
    }

    /// Commits a decision, if nobody decided since.
    pub async fn settle(&self, item: &ItemKey, ask: &SettleAsk) -> Result<Settled, StoreError> {
        let policy = self.policy();
        self.on_item(item, &Lookup::default(), |situation| effect::settle(situation, ask, &policy)).await
    }

    /// Heals items until there is none to heal, at most `most`. Returns what was found.
    pub async fn heal(&self, most: usize) -> Result<Vec<Healed>, StoreError> {
        let policy = self.policy();
        let target = Target::ToHeal { stop_grace: policy.stop_grace };
        let mut found = Vec::new();
        for _ in 0..most {
            let rule = |situation: &Situation| heal::heal(situation, &policy);
            match self.store.decide(&target, &Lookup::default(), rule).await? {
                // Somebody else was faster; the same would be found again. The next scan goes on.
                Verdict::Committed(Healed::Nothing) | Verdict::NoItem | Verdict::Full(_) => break,
                Verdict::Committed(healed) => found.push(healed),
            }
        }
        Ok(found)
    }

    /// Returns the policy with dice thrown anew.
    fn policy(&self) -> Policy {
        let dice = u64::try_from(self.entropy.bits() & u128::from(u64::MAX)).unwrap_or_default();
        Policy { dice, ..self.policy.clone() }
    }

    async fn on_item<T: Send>(
        &self,
        item: &ItemKey,
        lookup: &Lookup,
        rule: impl Fn(&Situation) -> Decision<T> + Send + Sync,
    ) -> Result<T, StoreError> {
        match self.store.decide(&Target::Key(item.clone()), lookup, rule).await? {
            Verdict::Committed(outcome) => Ok(outcome),
            Verdict::NoItem | Verdict::Full(_) => {
                let answer = "the store has no row for it, although it makes one";
                Err(StoreError::new(StoreErrorKind::Corrupt, format!("deciding about {item}"), answer))
            }
        }
    }

    async fn on_run<T: Send>(
        &self,
        run: RunId,
        rule: impl Fn(&Situation) -> Decision<T> + Send + Sync,
    ) -> Result<Option<T>, StoreError> {
        let lookup = Lookup { run: Some(run), ..Lookup::default() };
        match self.store.decide(&Target::OfRun(run), &lookup, rule).await? {
            Verdict::Committed(outcome) => Ok(Some(outcome)),
            Verdict::NoItem | Verdict::Full(_) => Ok(None),
        }
    }
}

fn unchanged<T>(outcome: T) -> Decision<T> {
    Decision { changes: Vec::new(), outcome }
}
