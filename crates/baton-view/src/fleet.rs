//! The fleet: who works, who waits, and how the tracker is.

use baton_core::pipeline::budget::Spending;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{RunLine, Stamp, Warning};

/// The fleet at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Fleet {
    /// When it was looked at.
    pub now: Stamp,
    /// The workers, the living first.
    pub workers: Vec<WorkerLine>,
    /// The limits of what runs at once, and how much of each is in use.
    pub counters: Vec<CounterLine>,
    /// The budgets of agents for today that have a limit.
    pub spending: Vec<SpendingLine>,
    /// The runs that agents are at.
    pub running: Vec<RunLine>,
    /// The runs that wait for a worker or for their time.
    pub queued: Vec<RunLine>,
    /// The wakeups that wait for a slot.
    pub deferred: Vec<WakeupLine>,
    /// The claims on the tracker that this installation holds.
    pub leases: Vec<LeaseLine>,
    /// What was decided and never took effect, with nothing done after it.
    pub dead: Vec<EffectLine>,
    /// What is left of the tracker's budget.
    pub budget: BudgetView,
    /// How far webhooks can be relied on.
    pub hooks: HooksView,
    /// What a person should know.
    pub warnings: Vec<Warning>,
}

/// A worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerLine {
    /// Its number.
    pub worker: i64,
    /// What it calls itself.
    pub name: String,
    /// The machine it is on.
    pub host: String,
    /// When it first appeared.
    pub since: Stamp,
    /// When its lease ends.
    pub until: Stamp,
    /// Whether it may take runs.
    pub is_live: bool,
    /// The runs that it executes.
    pub runs: Vec<i64>,
}

/// A limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CounterLine {
    /// What is counted.
    pub name: String,
    /// How much is in use.
    pub in_use: i64,
    /// How much may be, if there is a limit.
    pub max: Option<i64>,
}

/// A day's budget that has a limit. Days end at midnight, UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpendingLine {
    /// What it is, such as `runs of the issue`.
    pub budget: String,
    /// How much was used today, in words.
    pub used: String,
    /// How much may be, in words.
    pub limit: String,
    /// How much of it is used, in thousandths.
    pub used_permille: u64,
    /// Whether nothing is left.
    pub is_spent: bool,
}

/// A wakeup that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WakeupLine {
    /// Its number.
    pub wakeup: i64,
    /// The issue; nothing for a task without one.
    pub issue: Option<String>,
    /// Who should look.
    pub agent: String,
    /// Why.
    pub reason: String,
    /// Who asked.
    pub asked_by: String,
    /// Since when it waits.
    pub since: Stamp,
    /// Whether it has waited for longer than it should.
    pub is_overdue: bool,
}

/// A claim that is held on the tracker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeaseLine {
    /// The issue.
    pub issue: String,
    /// The run that works under it.
    pub run: Option<i64>,
    /// The slot's fence.
    pub fence: i64,
}

/// An effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EffectLine {
    /// Its number.
    pub effect: i64,
    /// The issue; nothing for a task without one.
    pub issue: Option<String>,
    /// What is to be done, in a few words.
    pub deed: String,
    /// Where it stands: `pending`, `sending`, `done`, `dead`.
    pub status: String,
    /// How often it was tried.
    pub attempts: u32,
    /// What came back at the last try, or why it is dead.
    pub error: Option<String>,
    /// When it was decided.
    pub created_at: Stamp,
    /// When it took effect, or died.
    pub finished_at: Option<Stamp>,
}

/// What is left of the tracker's budget.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BudgetView {
    /// In thousandths; nothing when the tracker has not told.
    pub left_permille: Option<u32>,
}

/// How far webhooks can be relied on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HooksView {
    /// In a word: `off`, `starting_up`, `healthy`, `unhealthy`.
    pub health: String,
    /// When the last one was taken since the start.
    pub last_at: Option<Stamp>,
    /// How many were taken since the start.
    pub taken: u64,
    /// How many are not worked off.
    pub unread: u64,
}

impl From<&Spending> for SpendingLine {
    fn from(spending: &Spending) -> Self {
        let (used, limit) = spending.amounts();
        Self {
            budget: spending.budget.clone(),
            used,
            limit,
            used_permille: spending.used.saturating_mul(1000) / spending.limit.max(1),
            is_spent: spending.is_spent(),
        }
    }
}
