//! Short words for what the suites do to a store.

use std::time::Duration;

use baton_core::slot::effect::{Deed, NewEffect, SettleAsk, Settled};
use baton_core::slot::finish::{Baton, Fenced, FinishAsk};
use baton_core::slot::start::Started;
use baton_core::slot::wake::{WakeAsk, WakeOutcome};
use baton_core::slot::{
    AgentName, Asker, Context, Item, ItemKey, Policy, Reason, Run, RunEnd, RunId, RunStatus, Source, Wakeup,
    WakeupId, WakeupStatus, WorkerId,
};
use baton_core::tracker::IssueKey;
use baton_engine::relay::{Relay, StartAnswer};
use baton_ports::store::{RunFilter, WakeupFilter};
use baton_ports::{Entropy, Store};

use super::Ground;

/// Dice that always show the same, so that waits are exact.
#[derive(Debug, Clone, Copy)]
pub struct FixedDice(pub u64);

impl Entropy for FixedDice {
    fn bits(&self) -> u128 {
        u128::from(self.0)
    }
}

/// How long the leases of the suites' workers last.
pub(super) const TTL: Duration = Duration::from_secs(45);

/// A store with the verbs over it.
pub struct Desk<G: Ground> {
    /// Where it stands.
    pub ground: G,
    /// The verbs.
    pub relay: Relay<G::Store, FixedDice>,
}

impl<G: Ground> Desk<G> {
    /// Makes an empty store, with a policy whose retries wait exactly 60 s, 120 s and so on.
    pub async fn new() -> Self {
        let ground = G::fresh().await;
        let relay = Relay { store: ground.store(), entropy: FixedDice(250), policy: Policy::default() };
        Self { ground, relay }
    }

    /// Returns the store.
    pub fn store(&self) -> &G::Store {
        &self.relay.store
    }

    /// Wakes an agent for an issue, for no special reason.
    pub async fn wake(&self, agent: &str, number: u64) -> WakeOutcome {
        self.wake_with(number, &ask(agent)).await
    }

    /// Wakes an agent for an issue.
    pub async fn wake_with(&self, number: u64, ask: &WakeAsk) -> WakeOutcome {
        self.relay.wake(&issue(number), ask).await.unwrap()
    }

    /// Enlists a worker.
    pub async fn worker(&self) -> WorkerId {
        self.store().enlist("worker", "here", TTL).await.unwrap().worker
    }

    /// Starts what there is to start.
    pub async fn try_start(&self, worker: WorkerId) -> StartAnswer {
        self.relay.start(worker).await.unwrap()
    }

    /// Starts what there must be to start.
    ///
    /// # Panics
    ///
    /// Panics when nothing was started.
    pub async fn start(&self, worker: WorkerId) -> Started {
        match self.try_start(worker).await {
            StartAnswer::Started(started) => *started,
            other => panic!("nothing was started: {other:?}"),
        }
    }

    /// Ends a run.
    pub async fn finish(&self, started: &Started, end: RunEnd) -> Fenced<RunStatus> {
        self.finish_with(started, end, Vec::new(), 0).await
    }

    /// Ends a run with effects and a cost.
    pub async fn finish_with(
        &self,
        started: &Started,
        end: RunEnd,
        effects: Vec<NewEffect>,
        cost_micros: i64,
    ) -> Fenced<RunStatus> {
        let ask = FinishAsk { baton: baton(started), end, cost_micros, effects, outcome: None };
        self.relay.finish(&ask).await.unwrap()
    }

    /// Decides something about an issue as it is now.
    pub async fn settle(&self, number: u64, bodies: &[&str]) -> Settled {
        let seen = self.item(number).await.version;
        let effects = bodies.iter().map(|body| comment(body)).collect();
        self.relay
            .settle(&issue(number), &SettleAsk { seen, effects, memory: None, lease: None, settles: None })
            .await
            .unwrap()
    }

    /// Lets time pass.
    pub async fn advance(&self, by: Duration) {
        self.ground.advance(by).await;
    }

    /// Returns an issue's item.
    pub async fn item(&self, number: u64) -> Item {
        self.store().item(&issue(number)).await.unwrap().expect("the issue has an item")
    }

    /// Returns a run.
    pub async fn run(&self, id: RunId) -> Run {
        let filter = RunFilter { id: Some(id), limit: 1, ..RunFilter::default() };
        self.store().runs(&filter).await.unwrap().remove(0).run
    }

    /// Returns the runs of an issue, oldest first.
    pub async fn runs(&self, number: u64) -> Vec<Run> {
        let filter = RunFilter { item: Some(issue(number)), limit: 10_000, ..RunFilter::default() };
        let rows = self.store().runs(&filter).await.unwrap();
        rows.into_iter().rev().map(|row| row.run).collect()
    }

    /// Returns the run that owns an issue's slot.
    pub async fn owner(&self, number: u64) -> Run {
        let owner = self.item(number).await.owner.expect("the slot has an owner");
        self.run(owner).await
    }

    /// Returns a wakeup.
    pub async fn wakeup(&self, id: WakeupId) -> Wakeup {
        let filter = WakeupFilter { limit: 10_000, ..WakeupFilter::default() };
        let rows = self.store().wakeups(&filter).await.unwrap();
        rows.into_iter().map(|row| row.wakeup).find(|wakeup| wakeup.id == id).expect("the wakeup is there")
    }

    /// Returns what waits for an issue's slot, oldest first.
    pub async fn waiting(&self, number: u64) -> Vec<Wakeup> {
        let filter = WakeupFilter {
            item: Some(issue(number)),
            statuses: vec![WakeupStatus::Deferred],
            limit: 10_000,
            ..WakeupFilter::default()
        };
        let rows = self.store().wakeups(&filter).await.unwrap();
        rows.into_iter().rev().map(|row| row.wakeup).collect()
    }
}

/// Returns the key of one of the suites' issues.
pub(super) fn issue(number: u64) -> ItemKey {
    issue_of("acme/web", number)
}

/// Returns the key of an issue of a repository.
pub(super) fn issue_of(repo: &str, number: u64) -> ItemKey {
    ItemKey::issue(&IssueKey { repo: repo.parse().unwrap(), number })
}

/// Returns a request by a program, for no special reason.
pub(super) fn ask(agent: &str) -> WakeAsk {
    WakeAsk {
        agent: AgentName::from(agent),
        source: Source::Webhook,
        reason: Reason::IssueCommented,
        context: Context::default(),
        asked_by: Asker { who: "tracker".to_owned(), is_person: false, run: None },
        key: None,
    }
}

/// Returns a request by a person.
pub(super) fn persons_ask(agent: &str) -> WakeAsk {
    let asked_by = Asker { who: "ada".to_owned(), is_person: true, run: None };
    WakeAsk { asked_by, reason: Reason::Manual, source: Source::Cli, ..ask(agent) }
}

/// Returns a request that names comments.
pub(super) fn ask_about(agent: &str, comments: &[u64]) -> WakeAsk {
    WakeAsk { context: Context::of_comments(comments.iter().copied()), ..ask(agent) }
}

/// Returns what a worker knows of a run that it started.
pub(super) fn baton(started: &Started) -> Baton {
    let worker = started.run.worker.expect("a started run has a worker");
    Baton { run: started.run.id, worker, fence: started.run.fence }
}

/// Returns an effect that says something.
pub(super) fn comment(body: &str) -> NewEffect {
    NewEffect::free(Deed::Comment { on: baton_core::pipeline::effect::Place::Issue, body: body.to_owned() })
}

/// Returns the run and the wakeup of an outcome that has them.
#[track_caller]
pub(super) fn queued(outcome: &WakeOutcome) -> (WakeupId, RunId) {
    match outcome {
        WakeOutcome::Queued { wakeup, run } => (*wakeup, *run),
        other => panic!("it was not queued: {other:?}"),
    }
}

/// Returns the wakeup of an outcome that was deferred on its own.
#[track_caller]
pub(super) fn deferred(outcome: &WakeOutcome) -> WakeupId {
    match outcome {
        WakeOutcome::Deferred { wakeup, merged_into: None, .. } => *wakeup,
        other => panic!("it was not deferred: {other:?}"),
    }
}

pub(super) fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
