//! A store with effects in it, and an outbox over it.

use std::time::Duration;

use baton_claims::machine::{SystemClock, SystemEntropy};
use baton_core::slot::effect::{Deed, Effect, EffectStatus, NewEffect, SettleAsk, Settled};
use baton_core::slot::finish::{Baton, Fenced, FinishAsk};
use baton_core::slot::start::Started;
use baton_core::slot::wake::WakeAsk;
use baton_core::slot::{
    AgentName, Asker, Context, ItemKey, Policy, Reason, RunEnd, Safeguards, Source, WorkerId,
};
use baton_core::tracker::IssueKey;
use baton_engine::outbox::{Alone, Leases, Nobody, Outbox, Performed, Turn};
use baton_engine::relay::{Relay, StartAnswer};
use baton_github::GitHub;
use baton_ports::{Clock as _, Store};
use baton_sim::{HandClock, MemoryStore};

/// How long the forge's writes may take to be seen, in tests where they do not lag.
pub(crate) const VISIBLE_WITHIN: Duration = Duration::from_millis(100);
/// Longer than any wait between two tries.
const NEXT_TRY: Duration = Duration::from_secs(301);
/// Longer than all waits of a test.
const TTL: Duration = Duration::from_secs(365 * 24 * 3600);

/// An outbox that checks no leases.
pub(crate) type FreeOutbox<S> = Outbox<S, GitHub, SystemClock, Alone, Nobody>;

pub(crate) fn outbox<S: Store, L: Leases>(
    store: S,
    tracker: GitHub,
    leases: L,
) -> Outbox<S, GitHub, SystemClock, L, Nobody> {
    Outbox {
        store,
        tracker,
        clock: SystemClock,
        leases,
        arbiter: Nobody,
        visible_within: VISIBLE_WITHIN,
        request_timeout: Duration::from_secs(20),
        safeguards: Safeguards::default(),
    }
}

/// A turn of a worker whose lease lasts long.
pub(crate) fn turn(worker: WorkerId) -> Turn {
    let write_until = SystemClock.boot_now().plus(Duration::from_secs(3600));
    Turn { worker, stop_grace: Duration::from_millis(50), write_until }
}

/// A store, the verbs over it, and one worker.
pub(crate) struct Effects<S> {
    pub(crate) relay: Relay<S, SystemEntropy>,
    pub(crate) worker: WorkerId,
}

/// Effects of a store in memory, whose clock is moved by hand.
pub(crate) struct MemoryEffects {
    pub(crate) effects: Effects<MemoryStore>,
    clock: HandClock,
}

impl<S: Store + Clone> Effects<S> {
    pub(crate) async fn over(store: S) -> Self {
        let worker = store.enlist("outbox", "here", TTL).await.unwrap().worker;
        Self { relay: Relay { store, entropy: SystemEntropy, policy: Policy::default() }, worker }
    }

    pub(crate) fn store(&self) -> S {
        self.relay.store.clone()
    }

    /// Decides what is to be done on an issue.
    pub(crate) async fn decide(&self, issue: &IssueKey, deeds: Vec<Deed>) {
        let key = ItemKey::issue(issue);
        let seen = self.relay.store.item(&key).await.unwrap().map_or(0, |item| item.version);
        let effects = deeds.into_iter().map(NewEffect::free).collect();
        let ask = SettleAsk { seen, effects, memory: None, lease: None, settles: None };
        let settled = self.relay.settle(&key, &ask).await.unwrap();
        assert_eq!(settled, Settled::Decided(seen + 1));
    }

    /// Wakes an agent for an issue, and starts its run.
    pub(crate) async fn start(&self, issue: &IssueKey, agent: &str) -> Started {
        self.wake(issue, agent).await;
        match self.relay.start(self.worker).await.unwrap() {
            StartAnswer::Started(started) => *started,
            other => panic!("nothing was started: {other:?}"),
        }
    }

    pub(crate) async fn wake(&self, issue: &IssueKey, agent: &str) {
        let ask = WakeAsk {
            agent: AgentName::from(agent),
            source: Source::Webhook,
            reason: Reason::IssueCommented,
            context: Context::default(),
            asked_by: Asker { who: "tracker".to_owned(), is_person: false, run: None },
            key: None,
        };
        self.relay.wake(&ItemKey::issue(issue), &ask).await.unwrap();
    }

    /// Keeps the token of the lease that a run has got.
    pub(crate) async fn keep_lease(&self, started: &Started, token: String) {
        let kept = self.relay.keep_lease(&self.baton(started), Some(token)).await.unwrap();
        assert_eq!(kept, Fenced::Done(()));
    }

    /// Ends a run with effects.
    pub(crate) async fn finish(&self, started: &Started, effects: Vec<NewEffect>) {
        let baton = self.baton(started);
        let ask = FinishAsk { baton, end: RunEnd::Succeeded, cost_micros: 0, effects, outcome: None };
        assert!(matches!(self.relay.finish(&ask).await.unwrap(), Fenced::Done(_)));
    }

    fn baton(&self, started: &Started) -> Baton {
        Baton { run: started.run.id, worker: self.worker, fence: started.run.fence }
    }

    pub(crate) async fn of(&self, issue: &IssueKey) -> Vec<Effect> {
        self.relay.store.effects(&ItemKey::issue(issue)).await.unwrap()
    }

    /// Returns how the effects of an issue stand.
    pub(crate) async fn statuses(&self, issue: &IssueKey) -> Vec<EffectStatus> {
        self.of(issue).await.iter().map(|effect| effect.status).collect()
    }
}

impl MemoryEffects {
    pub(crate) async fn new() -> Self {
        let clock = HandClock::default();
        let effects = Effects::over(MemoryStore::new(clock.clone())).await;
        Self { effects, clock }
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    pub(crate) fn free(&self, tracker: GitHub) -> FreeOutbox<MemoryStore> {
        outbox(self.effects.store(), tracker, Alone)
    }

    /// Performs until nothing is due, and returns what came of each turn.
    pub(crate) async fn perform_due<L: Leases>(
        &self,
        outbox: &Outbox<MemoryStore, GitHub, SystemClock, L, Nobody>,
    ) -> Vec<Performed> {
        let mut performed = Vec::new();
        loop {
            match outbox.perform_next(&turn(self.effects.worker)).await.unwrap() {
                Performed::Nothing => return performed,
                one => performed.push(one),
            }
        }
    }

    /// Lets time pass and performs until all is done or dead, however often that has to be tried.
    pub(crate) async fn perform_all<L: Leases>(
        &self,
        outbox: &Outbox<MemoryStore, GitHub, SystemClock, L, Nobody>,
    ) -> Vec<Performed> {
        let mut performed = Vec::new();
        loop {
            self.advance(NEXT_TRY);
            let due = self.perform_due(outbox).await;
            match due.is_empty() {
                true => return performed,
                false => performed.extend(due),
            }
        }
    }
}

pub(crate) fn comment(body: &str) -> Deed {
    Deed::Comment { on: baton_core::pipeline::effect::Place::Issue, body: body.to_owned() }
}

pub(crate) fn add(label: &str) -> Deed {
    Deed::AddLabels { labels: vec![label.to_owned()] }
}

pub(crate) fn remove(label: &str) -> Deed {
    Deed::RemoveLabel { label: label.to_owned() }
}

pub(crate) fn release(outcome: &str) -> NewEffect {
    NewEffect::leased(Deed::ReleaseLease {
        outcome: outcome.to_owned(),
        leaving: baton_core::slot::effect::Leaving::AsTheyAre,
    })
}
