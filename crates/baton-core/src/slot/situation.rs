//! What a rule is given and what it answers: a situation in, a decision out.

use super::context::Context;
use super::effect::Effect;
use super::ids::{EffectId, ItemId, RunId, WakeupId, WorkerId};
use super::item::{AgentKey, Gates, Item};
use super::limits::Count;
use super::memory::ItemMemory;
use super::run::{EndCause, Run, RunStatus, Stop};
use super::wakeup::{Disposition, Skip, Wakeup, WakeupStatus};
use super::worker::WorkerLease;
use crate::time::StoreTime;
use crate::words::words;

/// Everything about one item that rules may ask for, read under the lock of its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Situation {
    /// The store's clock, read after the lock was had.
    pub now: StoreTime,
    /// The number that the next run gets.
    pub next_run: RunId,
    /// The number that the next wakeup gets.
    pub next_wakeup: WakeupId,
    /// The item, with its slot.
    pub item: Item,
    /// The run that owns the slot.
    pub owner: Option<Run>,
    /// The lease of the worker that executes the owner.
    pub owner_lease: Option<WorkerLease>,
    /// The deferred wakeups, oldest first; one for each agent at most.
    pub waiting: Vec<Wakeup>,
    /// Whether effects are still to be performed.
    pub has_pending_effects: bool,
    /// What else the caller asked to look up.
    pub looked_up: LookedUp,
}

/// What a caller may ask to be looked up beside the item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookedUp {
    /// The wakeup that has the same key.
    pub same_key: Option<Wakeup>,
    /// The run that was named.
    pub run: Option<Run>,
    /// The lease of the worker that asks.
    pub worker: Option<WorkerLease>,
}

words! {
    /// Why a slot went from one run to another.
    TransferReason, "a reason of a transfer" {
        /// It was free.
        Taken = "taken",
        /// It became free, and a run that ended is tried again.
        Retried = "retried",
        /// It became free, and the next in line has it.
        Promoted = "issue_execution_promoted",
        /// It became free, and nobody waits.
        Freed = "freed",
    }
}

/// A slot goes from one run to another. Every transfer is kept as a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// When.
    pub at: StoreTime,
    /// Whose slot.
    pub item: ItemId,
    /// Who had it.
    pub from: Option<RunId>,
    /// Who has it.
    pub to: Option<RunId>,
    /// The agent that has it, or had it last.
    pub agent: AgentKey,
    /// The fence from now on.
    pub fence: i64,
    /// Why.
    pub reason: TransferReason,
    /// How the run ended that had it.
    pub after: Option<RunStatus>,
}

/// One change of one row. Applied in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A new wakeup.
    AddWakeup(Box<Wakeup>),
    /// A wakeup has a run: because its run is tried again, or because it was promoted.
    QueueWakeup {
        /// Which.
        id: WakeupId,
        /// Its run.
        run: RunId,
        /// That it was promoted, if so.
        disposition: Option<Disposition>,
    },
    /// A wakeup waits, again or with more to say.
    DeferWakeup {
        /// Which.
        id: WakeupId,
        /// What there is to know.
        context: Box<Context>,
        /// Failures charged so far.
        attempt: u32,
        /// Interruptions so far.
        interruptions: u32,
        /// Not before.
        not_before: StoreTime,
    },
    /// Nothing more becomes of a wakeup.
    EndWakeup {
        /// Which.
        id: WakeupId,
        /// How it ended.
        status: WakeupStatus,
        /// Why it was skipped.
        skip: Option<Skip>,
        /// What it was merged into.
        merged_into: Option<WakeupId>,
    },
    /// A new run.
    AddRun(Box<Run>),
    /// A run that has not started is told more, or may start sooner.
    MergeIntoRun {
        /// Which.
        id: RunId,
        /// What there is to know.
        context: Box<Context>,
        /// Where it stands now.
        status: RunStatus,
        /// Not before.
        not_before: StoreTime,
    },
    /// A worker has taken a run; the slot is stamped.
    StartRun {
        /// Which.
        id: RunId,
        /// Who.
        worker: WorkerId,
    },
    /// A running run must stop.
    AskToStop {
        /// Which.
        id: RunId,
        /// Why.
        stop: Stop,
    },
    /// A run is over.
    EndRun {
        /// Which.
        id: RunId,
        /// How.
        status: RunStatus,
        /// Why.
        cause: Option<EndCause>,
        /// What went wrong.
        error: Option<String>,
        /// What it cost.
        cost_micros: i64,
    },
    /// The slot goes to another run, or becomes free.
    Transfer(Transfer),
    /// The item is open, or closed.
    SetOpen(bool),
    /// The gates of the item.
    SetGates(Gates),
    /// The token of the tracker's lease.
    SetLease(Option<String>),
    /// The item's version, of which each decision makes a new one.
    SetVersion(i64),
    /// What is remembered about the item.
    SetMemory(Box<ItemMemory>),
    /// A new effect, to be performed after the commit.
    AddEffect(Box<Effect>),
    /// An effect is over, because of this decision.
    EndEffect(EffectId),
    /// A worker never comes back. Refused, and everything decided again, when its lease is not the one that was seen.
    BuryWorker(WorkerLease),
    /// Counters change, in this order. Refused as a whole when one that needs room has none.
    Count(Vec<Count>),
}

/// What a rule answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision<T> {
    /// What to commit.
    pub changes: Vec<Change>,
    /// What to tell the caller.
    pub outcome: T,
}

impl Change {
    /// Returns whether somebody may have something to do because of it.
    pub fn is_news(&self) -> bool {
        matches!(
            self,
            Self::AddRun(_)
                | Self::MergeIntoRun { .. }
                | Self::AskToStop { .. }
                | Self::EndRun { .. }
                | Self::SetOpen(_)
                | Self::SetGates(_)
                | Self::AddEffect(_)
                | Self::EndEffect(_)
        )
    }
}
