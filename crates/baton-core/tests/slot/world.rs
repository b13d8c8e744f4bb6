//! One item and all that is kept about it, in memory: loads situations, applies changes, keeps what was violated.

use std::collections::BTreeMap;
use std::time::Duration;

use baton_core::slot::effect::{Effect, EffectStatus};
use baton_core::slot::ids::{ItemId, RunId, WakeupId, WorkerId};
use baton_core::slot::item::{Gates, Item, ItemKey};
use baton_core::slot::situation::{Change, Decision, LookedUp, Situation, Transfer};
use baton_core::slot::{Context, ItemMemory, Policy, Run, RunStatus, Wakeup, WakeupStatus, WorkerLease};
use baton_core::time::StoreTime;

use crate::slot::checks;

/// How long a worker's lease is.
pub(crate) const TTL: Duration = Duration::from_secs(45);

/// Something that happens in a world.
pub(crate) type Event<'e, T = ()> = &'e dyn Fn(&mut World) -> T;

/// One item and its surroundings.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) now: StoreTime,
    pub(crate) policy: Policy,
    pub(crate) item: Item,
    pub(crate) runs: BTreeMap<RunId, Run>,
    pub(crate) wakeups: BTreeMap<WakeupId, Wakeup>,
    pub(crate) leases: BTreeMap<WorkerId, WorkerLease>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) memory: ItemMemory,
    pub(crate) transfers: Vec<Transfer>,
    pub(crate) counters: BTreeMap<String, i64>,
    /// What each run was told when it started; what is merged later is never seen.
    pub(crate) told: BTreeMap<RunId, Context>,
    /// The changes of the last decision.
    pub(crate) last: Vec<Change>,
    /// The last comment that was made.
    pub(crate) comments: u64,
    /// What was violated; it is collected only where a test looks for it.
    pub(crate) violations: Vec<String>,
    pub(crate) collects: bool,
}

/// What a rule asks for beside the item.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lookup {
    pub(crate) key: Option<(String, String)>,
    pub(crate) run: Option<RunId>,
    pub(crate) worker: Option<WorkerId>,
}

impl World {
    /// Returns an open issue with a free slot, and one worker that is alive.
    pub(crate) fn new() -> Self {
        let now = StoreTime { ms: 1_777_664_553_000 };
        let mut world = Self {
            now,
            policy: Policy::default(),
            item: Item {
                id: ItemId(1),
                key: "acme/web#42".parse().unwrap(),
                is_open: true,
                gates: Gates::default(),
                owner: None,
                fence: 0,
                lease: None,
                version: 0,
            },
            runs: BTreeMap::new(),
            wakeups: BTreeMap::new(),
            leases: BTreeMap::new(),
            effects: Vec::new(),
            memory: ItemMemory::default(),
            transfers: Vec::new(),
            counters: BTreeMap::new(),
            told: BTreeMap::new(),
            last: Vec::new(),
            comments: 0,
            violations: Vec::new(),
            collects: false,
        };
        world.enlist();
        world
    }

    /// Returns the same for one task of an agent, without an issue.
    pub(crate) fn of_task() -> Self {
        let mut world = Self::new();
        world.item.key = ItemKey::task(&"ada".into(), "nightly");
        world
    }

    pub(crate) fn enlist(&mut self) -> WorkerId {
        let worker = WorkerId(i64::try_from(self.leases.len()).unwrap() + 1);
        let lease = WorkerLease { worker, until: self.now.plus(TTL), is_buried: false };
        self.leases.insert(worker, lease);
        worker
    }

    pub(crate) fn owner(&self) -> Option<&Run> {
        self.runs.get(&self.item.owner?)
    }

    /// Returns who owns the slot and where the run stands.
    pub(crate) fn slot(&self) -> Option<(&str, RunStatus)> {
        self.owner().map(|run| (run.agent.0.as_str(), run.status))
    }

    /// Returns the agents that wait, oldest first.
    pub(crate) fn waiting(&self) -> Vec<&str> {
        self.deferred().map(|wakeup| wakeup.agent.0.as_str()).collect()
    }

    pub(crate) fn deferred(&self) -> impl Iterator<Item = &Wakeup> {
        self.wakeups.values().filter(|wakeup| wakeup.status == WakeupStatus::Deferred)
    }

    pub(crate) fn situation(&self, lookup: &Lookup) -> Situation {
        let owner = self.owner().cloned();
        let same_key = |(agent, key): &(String, String)| {
            let same = |wakeup: &&Wakeup| wakeup.agent.key().0 == *agent && wakeup.key.as_ref() == Some(key);
            self.wakeups.values().find(same).cloned()
        };
        Situation {
            now: self.now,
            next_run: RunId(self.runs.keys().last().map_or(1, |id| id.0 + 1)),
            next_wakeup: WakeupId(self.wakeups.keys().last().map_or(1, |id| id.0 + 1)),
            item: self.item.clone(),
            owner_lease: owner.as_ref().and_then(|run| self.leases.get(&run.worker?).copied()),
            owner,
            waiting: self.deferred().cloned().collect(),
            has_pending_effects: self.effects.iter().any(|effect| effect.status == EffectStatus::Pending),
            looked_up: LookedUp {
                same_key: lookup.key.as_ref().and_then(same_key),
                run: lookup.run.and_then(|run| self.runs.get(&run).cloned()),
                worker: lookup.worker.and_then(|worker| self.leases.get(&worker).copied()),
            },
        }
    }

    /// Lets a rule decide, applies what it decides, and checks what must hold.
    pub(crate) fn decide<T>(
        &mut self,
        lookup: &Lookup,
        rule: impl Fn(&Situation, &Policy) -> Decision<T>,
    ) -> T {
        let before = self.clone();
        let decision = rule(&self.situation(lookup), &self.policy);
        for change in &decision.changes {
            self.apply(change);
            let wrong = checks::at_every_moment(self);
            self.note(wrong, change);
        }
        let wrong = checks::after_a_step(&before, self, &decision.changes);
        self.last = decision.changes;
        let last = self.last.clone();
        self.note(wrong, &last);
        decision.outcome
    }

    /// Keeps what was violated, or fails.
    #[track_caller]
    pub(crate) fn note(&mut self, wrong: Vec<String>, by: &impl std::fmt::Debug) {
        assert!(self.collects || wrong.is_empty(), "{wrong:#?}\nby {by:#?}");
        self.violations.extend(wrong);
    }

    fn apply(&mut self, change: &Change) {
        match change.clone() {
            Change::AddWakeup(wakeup) => assert!(self.wakeups.insert(wakeup.id, *wakeup).is_none()),
            Change::AddRun(run) => assert!(self.runs.insert(run.id, *run).is_none(), "a run was added twice"),
            Change::Transfer(transfer) => {
                self.item.owner = transfer.to;
                self.item.fence = transfer.fence;
                self.transfers.push(transfer);
            }
            Change::SetOpen(is_open) => self.item.is_open = is_open,
            Change::SetGates(gates) => self.item.gates = gates,
            Change::SetLease(lease) => self.item.lease = lease,
            Change::SetVersion(version) => self.item.version = version,
            Change::SetMemory(memory) => self.memory = *memory,
            Change::AddEffect(effect) => self.effects.push(*effect),
            Change::BuryWorker(lease) => {
                assert_eq!(self.leases[&lease.worker], lease);
                self.leases.get_mut(&lease.worker).unwrap().is_buried = true;
            }
            Change::Count(counts) => {
                for count in counts {
                    *self.counters.entry(count.name).or_default() += count.add;
                }
            }
            of_wakeup @ (Change::QueueWakeup { .. }
            | Change::DeferWakeup { .. }
            | Change::EndWakeup { .. }) => self.apply_to_wakeup(of_wakeup),
            of_run => self.apply_to_run(of_run),
        }
    }

    fn apply_to_wakeup(&mut self, change: Change) {
        let now = self.now;
        match change {
            Change::QueueWakeup { id, run, disposition } => {
                let wakeup = self.wakeups.get_mut(&id).unwrap();
                wakeup.status = WakeupStatus::Queued;
                wakeup.run = Some(run);
                wakeup.disposition = disposition.or(wakeup.disposition);
            }
            Change::DeferWakeup { id, context, attempt, interruptions, not_before } => {
                let wakeup = self.wakeups.get_mut(&id).unwrap();
                wakeup.status = WakeupStatus::Deferred;
                (wakeup.context, wakeup.not_before) = (*context, not_before);
                (wakeup.attempt, wakeup.interruptions) = (attempt, interruptions);
            }
            Change::EndWakeup { id, status, skip, merged_into } => {
                let wakeup = self.wakeups.get_mut(&id).unwrap();
                assert!(!wakeup.status.is_over(), "{id} was over already");
                (wakeup.status, wakeup.skip, wakeup.merged_into) = (status, skip, merged_into);
                wakeup.finished_at = Some(now);
            }
            other => unreachable!("{other:?}"),
        }
    }

    fn apply_to_run(&mut self, change: Change) {
        let now = self.now;
        match change {
            Change::MergeIntoRun { id, context, status, not_before } => {
                let run = self.runs.get_mut(&id).unwrap();
                (run.context, run.status, run.not_before) = (*context, status, not_before);
            }
            Change::StartRun { id, worker } => {
                let run = self.runs.get_mut(&id).unwrap();
                (run.status, run.worker, run.started_at) = (RunStatus::Running, Some(worker), Some(now));
                let context = run.context.clone();
                self.told.insert(id, context);
            }
            Change::AskToStop { id, stop } => self.runs.get_mut(&id).unwrap().stop = Some(stop),
            Change::EndRun { id, status, cause, error, cost_micros } => {
                let run = self.runs.get_mut(&id).unwrap();
                (run.status, run.cause, run.error, run.cost_micros) = (status, cause, error, cost_micros);
                run.finished_at = Some(now);
            }
            other => unreachable!("{other:?}"),
        }
    }
}
