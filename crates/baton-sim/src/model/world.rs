//! A world that lives through a history: workers with what they believe, agents, and a tracker.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use baton_core::slot::effect::{AfterTry, Deed, NewEffect, SettleAsk, survives_its_run};
use baton_core::slot::finish::{Baton, Fenced, FinishAsk};
use baton_core::slot::limits::{self, Limit};
use baton_core::slot::start::Started;
use baton_core::slot::wake::{WakeAsk, WakeOutcome};
use baton_core::slot::{
    Asker, Context, EffectId, Gates, ItemId, ItemKey, Policy, Reason, RunEnd, RunId, RunStatus, Source,
    WakeupId, WorkerId,
};
use baton_core::time::StoreTime;
use baton_core::tracker::IssueKey;
use baton_engine::relay::{Relay, StartAnswer};
use baton_ports::store::{Heartbeat, RunFilter};
use baton_ports::{Store, StoreError};

use super::ops::{AGENTS, Dies, ISSUES, Op, WORKERS};
use crate::conformance::{FixedDice, Ground};

/// How long a worker's lease lasts.
pub(super) const TTL: Duration = Duration::from_secs(45);
/// How much may run at once, so that the limit is met.
const AT_ONCE: i64 = 2;

/// A rule that did not hold, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken(pub String);

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self(format!("the store failed: {error}"))
    }
}

/// What can be told of a history afterwards, the same on every store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// How each wakeup ended, in order.
    pub wakeups: Vec<String>,
    /// How each run ended, in order.
    pub runs: Vec<String>,
    /// How each slot was passed on, in order.
    pub transfers: Vec<String>,
    /// What the tracker shows.
    pub tracker: Vec<String>,
}

/// What a tracker shows: effects in the order in which they were performed.
pub(super) type Tracker = Arc<Mutex<BTreeMap<ItemId, Vec<EffectId>>>>;

/// A worker, as it sees itself.
pub(super) struct Believer {
    pub(super) id: WorkerId,
    /// When its agents are dead, by its own clock.
    pub(super) deadline: StoreTime,
    pub(super) holds: Vec<Started>,
    /// What it told about the end of runs and never heard an answer to.
    unheard: Vec<Started>,
    is_cut_off: bool,
}

pub(super) struct World<G: Ground> {
    ground: G,
    pub(super) relay: Relay<G::Store, FixedDice>,
    pub(super) workers: Vec<Believer>,
    /// The one tracker of all.
    pub(super) tracker: Tracker,
    /// What each wakeup said, by its number.
    pub(super) asked: BTreeMap<WakeupId, u64>,
    /// What agents were told when they were started.
    pub(super) seen: BTreeSet<u64>,
    pub(super) next_comment: u64,
}

/// Lives through a history, then lets everything come to rest, and checks the rules all the while.
pub async fn live<G: Ground>(history: &[Op], policy: &Policy) -> Result<Summary, Broken> {
    let mut world = World::<G>::new(G::fresh().await, policy).await?;
    for op in history {
        world.step(op).await?;
        world.check_beliefs().await?;
        world.check_rows().await?;
    }
    world.come_to_rest().await?;
    world.check_end().await
}

pub(super) fn issue(number: u64) -> ItemKey {
    ItemKey::issue(&IssueKey { repo: "acme/web".parse().unwrap(), number })
}

impl<G: Ground> World<G> {
    pub(super) async fn new(ground: G, policy: &Policy) -> Result<Self, Broken> {
        let relay = Relay { store: ground.store(), entropy: FixedDice(250), policy: policy.clone() };
        let all = Limit { name: limits::ALL.to_owned(), max: Some(AT_ONCE) };
        relay.store.set_limits(&[all]).await?;
        let mut world = Self {
            ground,
            relay,
            workers: Vec::new(),
            tracker: Tracker::default(),
            asked: BTreeMap::new(),
            seen: BTreeSet::new(),
            next_comment: 1,
        };
        for _ in 0..WORKERS {
            let worker = world.enlist().await?;
            world.workers.push(worker);
        }
        Ok(world)
    }

    pub(super) fn store(&self) -> &G::Store {
        &self.relay.store
    }

    async fn enlist(&self) -> Result<Believer, Broken> {
        let now = self.now().await?;
        let id = self.store().enlist("w", "here", TTL).await?.worker;
        Ok(Believer {
            id,
            deadline: now.plus(TTL),
            holds: Vec::new(),
            unheard: Vec::new(),
            is_cut_off: false,
        })
    }

    pub(super) async fn now(&self) -> Result<StoreTime, Broken> {
        Ok(self.store().now().await?)
    }

    pub(super) async fn step(&mut self, op: &Op) -> Result<(), Broken> {
        match op {
            Op::Wake { issue, agent, is_person } => {
                self.wake(*issue, AGENTS[*agent], *is_person, None).await.map(|_| ())
            }
            Op::OwnDoing { worker } => self.own_doing(*worker).await,
            Op::Start { worker } => self.start(*worker).await,
            Op::StartUnheard { worker } => {
                self.relay.start(self.workers[*worker].id).await.map(|_| ()).map_err(Broken::from)
            }
            Op::Finish { worker, end, with_effects } => {
                self.finish(*worker, (*end).into(), *with_effects).await
            }
            Op::LateFinish { worker } => self.late_finish(*worker).await,
            Op::Heartbeat { worker } => self.heartbeat(*worker).await,
            Op::Crash { worker } => self.crash(*worker).await,
            Op::Partition { worker } => {
                self.workers[*worker].is_cut_off = true;
                Ok(())
            }
            Op::Rejoin { worker } => {
                self.workers[*worker].is_cut_off = false;
                Ok(())
            }
            Op::Settle { issue: number } => self.settle(*number).await,
            Op::Perform { worker, dies } => self.perform(*worker, *dies).await,
            Op::Scan => self.relay.heal(20).await.map(|_| ()).map_err(Broken::from),
            Op::Advance { seconds } => {
                self.ground.advance(Duration::from_secs(*seconds)).await;
                Ok(())
            }
            Op::Cancel { .. } | Op::Reassign { .. } | Op::SetOpen { .. } | Op::SetGate { .. } => {
                self.steer(op).await
            }
        }
    }

    async fn steer(&mut self, op: &Op) -> Result<(), Broken> {
        match op {
            Op::Cancel { issue: number, keep_queue } => {
                let item = self.store().item(&issue(*number)).await?;
                if let Some(run) = item.and_then(|item| item.owner) {
                    self.relay.cancel(run, *keep_queue).await?;
                }
            }
            Op::Reassign { issue: number, agent } => {
                self.relay.reassign(&issue(*number), Some(&AGENTS[*agent].into())).await?;
            }
            Op::SetOpen { issue: number, is_open } => {
                self.relay.set_open(&issue(*number), *is_open).await?;
            }
            Op::SetGate { issue: number, is_shut } => {
                let paused = is_shut.then(|| "lunch".to_owned());
                self.relay.set_gates(&issue(*number), &Gates { paused, ..Gates::default() }).await?;
            }
            _ => {}
        }
        Ok(())
    }

    async fn wake(
        &mut self,
        number: u64,
        agent: &str,
        is_person: bool,
        run: Option<RunId>,
    ) -> Result<WakeOutcome, Broken> {
        let comment = self.next_comment;
        self.next_comment += 1;
        let ask = WakeAsk {
            agent: agent.into(),
            source: Source::Webhook,
            reason: Reason::IssueCommented,
            context: Context::of_comments([comment]),
            asked_by: Asker { who: "somebody".to_owned(), is_person, run },
            key: Some(format!("comment-{comment}")),
        };
        let outcome = self.relay.wake(&issue(number), &ask).await?;
        if let WakeOutcome::Queued { wakeup, .. }
        | WakeOutcome::Coalesced { wakeup, .. }
        | WakeOutcome::Deferred { wakeup, .. } = &outcome
        {
            self.asked.insert(*wakeup, comment);
        }
        Ok(outcome)
    }

    async fn own_doing(&mut self, worker: usize) -> Result<(), Broken> {
        let Some(started) = self.alive(worker).await?.first().cloned() else { return Ok(()) };
        let ItemKey::Issue(key) = &started.item.key else { return Ok(()) };
        let outcome = self.wake(key.number, &started.run.agent.0, false, Some(started.run.id)).await?;
        match outcome {
            WakeOutcome::OwnDoing { .. } => Ok(()),
            other => Err(Broken(format!("a run's own doing woke its agent: {other:?}"))),
        }
    }

    /// Returns the runs whose agents are alive at this worker.
    async fn alive(&self, worker: usize) -> Result<Vec<Started>, Broken> {
        let now = self.now().await?;
        let believer = &self.workers[worker];
        Ok(if now < believer.deadline { believer.holds.clone() } else { Vec::new() })
    }

    pub(super) async fn start(&mut self, worker: usize) -> Result<(), Broken> {
        let now = self.now().await?;
        let believer = &self.workers[worker];
        if believer.is_cut_off || now >= believer.deadline {
            return Ok(());
        }
        let StartAnswer::Started(started) = self.relay.start(believer.id).await? else { return Ok(()) };
        self.seen.extend(started.run.context.comment_ids());
        self.check_started(&started).await?;
        self.workers[worker].holds.push(*started);
        Ok(())
    }

    async fn finish(&mut self, worker: usize, end: RunEnd, with_effects: bool) -> Result<(), Broken> {
        if self.alive(worker).await?.is_empty() {
            return Ok(());
        }
        let started = self.workers[worker].holds.remove(0);
        if self.workers[worker].is_cut_off {
            self.workers[worker].unheard.push(started);
            return Ok(());
        }
        self.tell_end(worker, &started, end, with_effects).await.map(|_| ())
    }

    async fn tell_end(
        &self,
        worker: usize,
        started: &Started,
        end: RunEnd,
        with_effects: bool,
    ) -> Result<Fenced<RunStatus>, Broken> {
        let said = |what: &str| {
            NewEffect::free(Deed::Comment {
                on: baton_core::pipeline::effect::Place::Issue,
                body: what.to_owned(),
            })
        };
        let effects = if with_effects { vec![said("done"), said("bye")] } else { Vec::new() };
        // What a worker tells late, it tells under the name that it had then.
        let worker = started.run.worker.unwrap_or(self.workers[worker].id);
        let baton = Baton { run: started.run.id, worker, fence: started.run.fence };
        let was_over = self.is_over(started.run.id).await?;
        let told =
            self.relay.finish(&FinishAsk { baton, end, cost_micros: 0, effects, outcome: None }).await?;
        if was_over && told != Fenced::LostSlot {
            return Err(Broken(format!("run {} wrote after it was over", started.run.id)));
        }
        Ok(told)
    }

    async fn is_over(&self, run: RunId) -> Result<bool, Broken> {
        let filter = RunFilter { id: Some(run), limit: 1, ..RunFilter::default() };
        Ok(self.store().runs(&filter).await?.iter().all(|row| !row.run.status.is_active()))
    }

    async fn late_finish(&mut self, worker: usize) -> Result<(), Broken> {
        let Some(started) = self.workers[worker].unheard.pop() else { return Ok(()) };
        self.tell_end(worker, &started, RunEnd::Succeeded, true).await.map(|_| ())
    }

    async fn heartbeat(&mut self, worker: usize) -> Result<(), Broken> {
        if self.workers[worker].is_cut_off {
            return Ok(());
        }
        let sent_at = self.now().await?;
        match self.store().heartbeat(self.workers[worker].id, TTL).await? {
            Heartbeat::Lost => self.crash(worker).await,
            Heartbeat::Alive { stops, running, .. } => {
                let believer = &mut self.workers[worker];
                believer.deadline = sent_at.plus(TTL);
                believer.holds.retain(|started| running.contains(&started.run.id));
                let must = |started: &&Started| stops.iter().any(|(run, _)| *run == started.run.id);
                let stopped: Vec<_> = believer.holds.iter().filter(must).cloned().collect();
                believer.holds.retain(|started| !stopped.contains(started));
                let holds: Vec<_> = believer.holds.iter().map(|started| started.run.id).collect();
                for started in &stopped {
                    self.tell_end(worker, started, RunEnd::Stopped, false).await?;
                }
                let is_unheard_of =
                    |run: &&RunId| !holds.contains(run) && !stopped.iter().any(|it| it.run.id == **run);
                for run in running.iter().filter(is_unheard_of) {
                    self.give_back(worker, *run).await?;
                }
                Ok(())
            }
        }
    }

    /// Gives back a run that the store gave to this worker in an answer that never came.
    async fn give_back(&self, worker: usize, run: RunId) -> Result<(), Broken> {
        let filter = RunFilter { id: Some(run), limit: 1, ..RunFilter::default() };
        for row in self.store().runs(&filter).await? {
            let baton = Baton { run, worker: self.workers[worker].id, fence: row.run.fence };
            let (end, effects) = (RunEnd::GivenBack, Vec::new());
            self.relay.finish(&FinishAsk { baton, end, cost_micros: 0, effects, outcome: None }).await?;
        }
        Ok(())
    }

    async fn crash(&mut self, worker: usize) -> Result<(), Broken> {
        // What it told before it died may still be on its way.
        let mut reborn = self.enlist().await?;
        let dead = &mut self.workers[worker];
        reborn.unheard = std::mem::take(&mut dead.unheard);
        reborn.unheard.append(&mut dead.holds);
        self.workers[worker] = reborn;
        Ok(())
    }

    async fn settle(&mut self, number: u64) -> Result<(), Broken> {
        let Some(item) = self.store().item(&issue(number)).await? else { return Ok(()) };
        let effects = vec![NewEffect::free(Deed::Comment {
            on: baton_core::pipeline::effect::Place::Issue,
            body: "decided".to_owned(),
        })];
        self.relay
            .settle(
                &issue(number),
                &SettleAsk { seen: item.version, effects, memory: None, lease: None, settles: None },
            )
            .await?;
        Ok(())
    }

    pub(super) async fn perform(&mut self, worker: usize, dies: Option<Dies>) -> Result<(), Broken> {
        let now = self.now().await?;
        let believer = &self.workers[worker];
        if believer.is_cut_off || now >= believer.deadline {
            return Ok(());
        }
        let (id, policy) = (believer.id, &self.relay.policy);
        let Some(taken) = self.store().take_effect(id, policy.stop_grace).await? else { return Ok(()) };
        if dies == Some(Dies::BeforeTheTrackerHasIt) {
            return self.crash(worker).await;
        }
        if survives_its_run(&taken.effect, taken.item.fence, policy.safeguards) {
            let mut tracker = self.tracker.lock().unwrap();
            let shown = tracker.entry(taken.item.id).or_default();
            // Only what may have happened is looked for: what is sent twice without need is shown twice.
            if taken.unclear_since.is_none() || !shown.contains(&taken.effect.id) {
                shown.push(taken.effect.id);
            }
        }
        if dies == Some(Dies::BeforeTheStoreKnows) {
            return self.crash(worker).await;
        }
        self.store().effect_tried(taken.effect.id, id, &AfterTry::Done).await?;
        Ok(())
    }

    /// Lets all workers live on for longer than a lease, and end what they have: nothing may run for nobody.
    async fn workers_go_on(&mut self) -> Result<(), Broken> {
        for _ in 0..4 {
            self.ground.advance(Duration::from_secs(20)).await;
            for worker in 0..WORKERS {
                self.workers[worker].is_cut_off = false;
                self.heartbeat(worker).await?;
                while !self.workers[worker].holds.is_empty() {
                    self.finish(worker, RunEnd::Succeeded, false).await?;
                }
            }
            self.relay.heal(50).await?;
        }
        let filter = RunFilter { statuses: vec![RunStatus::Running], limit: 1, ..RunFilter::default() };
        match self.store().runs(&filter).await?.pop() {
            None => Ok(()),
            Some(row) => Err(Broken(format!("a run runs for nobody: {:?}", row.run))),
        }
    }

    /// Opens all gates, lets nobody fail any more, and goes on until there is nothing to do.
    pub(super) async fn come_to_rest(&mut self) -> Result<(), Broken> {
        for number in 1..=ISSUES {
            self.relay.set_gates(&issue(number), &Gates::default()).await?;
        }
        self.workers_go_on().await?;
        for _ in 0..40 {
            self.ground.advance(Duration::from_secs(31 * 60)).await;
            for worker in 0..WORKERS {
                self.crash(worker).await?;
            }
            self.relay.heal(50).await?;
            for _ in 0..20 {
                self.perform(0, None).await?;
            }
            for worker in 0..WORKERS {
                self.start(worker).await?;
                self.finish(worker, RunEnd::Succeeded, false).await?;
            }
            if self.is_at_rest().await? {
                return Ok(());
            }
        }
        Err(Broken("it never comes to rest: somebody waits for ever".to_owned()))
    }
}
