//! The store: wakeups, runs, slots, workers, effects and deliveries, and the transactions over them.
//!
//! A store loads a [`Situation`] under the lock of an item's row, lets a rule of the core decide, and commits the rule's
//! changes in the same transaction. It decides nothing itself; beside that it lists, keeps leases of workers, and hands
//! out effects in order.
//!
//! Lock order everywhere: the item, then its run, then workers, then counters.

use std::future::Future;
use std::time::Duration;

use baton_core::slot::effect::{AfterTry, Effect, EffectStatus};
use baton_core::slot::ids::{EffectId, ItemId, RunId, WorkerId};
use baton_core::slot::item::{AgentKey, Item, ItemKey};
use baton_core::slot::limits::Limit;
use baton_core::slot::situation::{Decision, Situation, Transfer};
use baton_core::slot::{ItemMemory, Run, RunStatus, Stop, Wakeup, WakeupStatus, WorkerLease};
use baton_core::time::StoreTime;

use crate::StoreError;

/// What a store promises to give.
type Answer<T> = Result<T, StoreError>;

/// Which item a decision is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The item of this key. It is made if it is not there yet: open, with open gates and a free slot.
    Key(ItemKey),
    /// The item that this run works, or worked, on.
    OfRun(RunId),
    /// The oldest item that has a run to start for this worker, that nobody else looks at right now. The worker is
    /// looked up.
    ToStart(StartSearch),
    /// An item whose owner is over or has a lost worker, or that has somebody waiting for a free slot, and that nobody
    /// else looks at right now.
    ToHeal {
        /// How long after the end of a worker's lease it is lost.
        stop_grace: Duration,
    },
}

/// Which runs a worker would start. It leaves out what cannot be started now: what is not due, closed, gated, has effects
/// to perform or has a full counter. The rule looks again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartSearch {
    /// Who asks.
    pub worker: WorkerId,
    /// The agents it knows.
    pub agents: Vec<AgentKey>,
}

/// What to look up beside the item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lookup {
    /// A wakeup of this item with this agent and key.
    pub wake_key: Option<(AgentKey, String)>,
    /// A run, of whatever item.
    pub run: Option<RunId>,
}

/// What became of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict<T> {
    /// The changes are committed.
    Committed(T),
    /// There is no such item: no such run, or nothing to start or to heal.
    NoItem,
    /// A counter that needs room has none; nothing was changed.
    Full(String),
}

/// What a worker hears when it renews its lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heartbeat {
    /// The lease goes on until this time; these runs must stop.
    Alive {
        /// Until when.
        until: StoreTime,
        /// The worker's runs that must stop, and why.
        stops: Vec<(RunId, Stop)>,
        /// All of the worker's runs, as the store knows them.
        running: Vec<RunId>,
    },
    /// The lease is over, and the worker has lost all its runs.
    Lost,
}

/// A worker, as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerRow {
    /// Its lease.
    pub lease: WorkerLease,
    /// What it calls itself.
    pub name: String,
    /// The machine it is on; sessions and logs are there.
    pub host: String,
    /// When it first appeared.
    pub since: StoreTime,
}

/// An effect that was handed out to be performed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenEffect {
    /// The effect; `attempts` counts this try too.
    pub effect: Effect,
    /// What it is to be performed on.
    pub item: Item,
    /// When an earlier try began that may have taken effect; it is looked for before another is made.
    pub unclear_since: Option<StoreTime>,
}

/// A webhook's delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The tracker's id of it.
    pub id: String,
    /// What kind of event it is.
    pub event: String,
    /// What it says.
    pub payload: String,
}

/// Whether a delivery is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// It is, and is committed.
    New,
    /// It was here before.
    Seen,
}

/// Which runs to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Of this item.
    pub item: Option<ItemKey>,
    /// In one of these; all when empty.
    pub statuses: Vec<RunStatus>,
    /// With this number.
    pub id: Option<RunId>,
    /// Ended at this time or later.
    pub finished_since: Option<StoreTime>,
    /// At most so many, the newest.
    pub limit: u32,
}

/// Which effects to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffectFilter {
    /// In one of these; all when empty.
    pub statuses: Vec<EffectStatus>,
    /// Took effect, or died, at this time or later.
    pub finished_since: Option<StoreTime>,
    /// At most so many, the newest.
    pub limit: u32,
}

/// Which wakeups to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WakeupFilter {
    /// Of this item.
    pub item: Option<ItemKey>,
    /// In one of these; all when empty.
    pub statuses: Vec<WakeupStatus>,
    /// Asked before.
    pub created_before: Option<StoreTime>,
    /// At most so many, the newest.
    pub limit: u32,
}

/// A run with what it works on and who executes it, as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// The run.
    pub run: Run,
    /// What it works on.
    pub item: ItemKey,
    /// The machine of its worker, where its log is.
    pub host: Option<String>,
}

/// An effect with what it is performed on, as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectRow {
    /// The effect.
    pub effect: Effect,
    /// What it is performed on.
    pub item: ItemKey,
}

/// A wakeup with what it is about, as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WakeupRow {
    /// The wakeup.
    pub wakeup: Wakeup,
    /// What it is about.
    pub item: ItemKey,
}

/// A counter, as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterRow {
    /// Which.
    pub name: String,
    /// How much is in use.
    pub in_use: i64,
    /// How much may be, if there is a limit.
    pub max: Option<i64>,
}

/// A store.
pub trait Store: Send + Sync {
    /// Hears that somebody may have something to do.
    type Nudges: Nudges;

    /// Lets a rule decide about one item, and commits what it decides. The rule may be asked again when the first answer
    /// could not be committed.
    fn decide<T, R>(
        &self,
        target: &Target,
        lookup: &Lookup,
        rule: R,
    ) -> impl Future<Output = Answer<Verdict<T>>> + Send
    where
        T: Send,
        R: Fn(&Situation) -> Decision<T> + Send + Sync;

    /// Returns an item.
    fn item(&self, key: &ItemKey) -> impl Future<Output = Answer<Option<Item>>> + Send;

    /// Returns what is remembered about an item; nothing special when nothing is.
    fn memory(&self, item: ItemId) -> impl Future<Output = Answer<ItemMemory>> + Send;

    /// Lists runs, newest first.
    fn runs(&self, filter: &RunFilter) -> impl Future<Output = Answer<Vec<RunRow>>> + Send;

    /// Lists wakeups, newest first.
    fn wakeups(&self, filter: &WakeupFilter) -> impl Future<Output = Answer<Vec<WakeupRow>>> + Send;

    /// Lists the transfers of slots, of one item or of all, oldest first.
    fn transfers(&self, item: Option<&ItemKey>) -> impl Future<Output = Answer<Vec<Transfer>>> + Send;

    /// Lists the effects of an item, oldest first.
    fn effects(&self, item: &ItemKey) -> impl Future<Output = Answer<Vec<Effect>>> + Send;

    /// Lists effects of all items, newest first.
    fn effect_rows(&self, filter: &EffectFilter) -> impl Future<Output = Answer<Vec<EffectRow>>> + Send;

    /// Lists the counters.
    fn counters(&self) -> impl Future<Output = Answer<Vec<CounterRow>>> + Send;

    /// Sets the limits of counters.
    fn set_limits(&self, limits: &[Limit]) -> impl Future<Output = Answer<()>> + Send;

    /// Gives a new worker a lease.
    fn enlist(
        &self,
        name: &str,
        host: &str,
        ttl: Duration,
    ) -> impl Future<Output = Answer<WorkerLease>> + Send;

    /// Renews a worker's lease, if it is not over.
    fn heartbeat(&self, worker: WorkerId, ttl: Duration) -> impl Future<Output = Answer<Heartbeat>> + Send;

    /// Ends a worker's lease. Its runs, if it has any, are healed as those of a lost one.
    fn retire(&self, worker: WorkerId) -> impl Future<Output = Answer<()>> + Send;

    /// Lists the workers, newest first.
    fn workers(&self) -> impl Future<Output = Answer<Vec<WorkerRow>>> + Send;

    /// Hands out the next effect: pending and due, the first of its item, with no other of its item being sent; or one
    /// whose sender was lost. It is marked with the time before it is handed out.
    fn take_effect(
        &self,
        worker: WorkerId,
        stop_grace: Duration,
    ) -> impl Future<Output = Answer<Option<TakenEffect>>> + Send;

    /// Notes what became of a try, if the effect is still this worker's. Returns whether it was.
    fn effect_tried(
        &self,
        id: EffectId,
        worker: WorkerId,
        after: &AfterTry,
    ) -> impl Future<Output = Answer<bool>> + Send;

    /// Commits a delivery, unless it was here before.
    fn accept(&self, delivery: &Delivery) -> impl Future<Output = Answer<Accepted>> + Send;

    /// Commits deliveries together, each unless it was here before. Either all are answered for, or none is committed.
    fn accept_all(&self, deliveries: &[Delivery]) -> impl Future<Output = Answer<Vec<Accepted>>> + Send;

    /// Returns deliveries that were accepted and not worked off, oldest first.
    fn unread(&self, limit: u32) -> impl Future<Output = Answer<Vec<Delivery>>> + Send;

    /// Notes that a delivery was worked off. Its id is kept, by which it is known again; what it said is not.
    fn mark_read(&self, id: &str) -> impl Future<Output = Answer<()>> + Send;

    /// Notes that deliveries were worked off, all or none.
    fn mark_all_read(&self, ids: &[String]) -> impl Future<Output = Answer<()>> + Send;

    /// Forgets deliveries that were worked off and are older than this. Returns how many.
    fn forget_deliveries(&self, older_than: Duration) -> impl Future<Output = Answer<u64>> + Send;

    /// Returns the store's clock.
    fn now(&self) -> impl Future<Output = Answer<StoreTime>> + Send;

    /// Begins to listen. What was committed before is not told: scan after this, and again after every nudge.
    fn listen(&self) -> impl Future<Output = Answer<Self::Nudges>> + Send;
}

/// Nudges: hints that something was committed. They may be lost or too many; a poll stands behind them.
pub trait Nudges: Send {
    /// Waits for the next nudge. A connection that was lost and is back is one too.
    fn nudged(&mut self) -> impl Future<Output = Answer<()>> + Send;
}
