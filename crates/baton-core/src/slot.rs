//! Wakeups, runs and the one slot of an issue: many wakeups, one execution at a time.
//!
//! A rule is a pure function: it is given a [`Situation`], everything about one item that was read under the lock of its
//! row, and answers with a [`Decision`], the [`Change`]s to commit in the same transaction and what to tell the caller.
//! Stores load situations and apply changes; they decide nothing. Nothing here reads a clock, draws lots or makes ids.
//!
//! | rule | where |
//! |---|---|
//! | heal | [`heal`] |
//! | coalesce, defer, take a free slot, end a backoff | [`wake`] |
//! | start | [`start`] |
//! | free again, and drain | [`free`] |
//! | every transaction of a run requires its fence | [`finish`] |
//! | cancel, close, reassign, gate, release | [`steer`] |
//! | retries | [`retry`] |
//! | the pipeline hears of each run of its own that is over | `settling` |
//! | deciding once, and the outbox | [`effect`] |

pub mod context;
mod draft;
pub mod effect;
pub mod finish;
pub mod free;
pub mod heal;
pub mod ids;
pub mod item;
pub mod limits;
pub mod memory;
pub mod policy;
pub mod retry;
pub mod run;
mod settling;
pub mod situation;
pub mod start;
pub mod steer;
pub mod wake;
pub mod wakeup;
pub mod worker;

pub use context::{Context, ContextError};
pub use effect::{Effect, EffectKey, EffectStatus, NewEffect};
pub use ids::{EffectId, ItemId, RunId, WakeupId, WorkerId};
pub use item::{AgentKey, AgentName, Gates, Item, ItemKey};
pub use memory::{EnginePause, ItemMemory, SlackMessage};
pub use policy::{Policy, Safeguards};
pub use run::{EndCause, Run, RunEnd, RunStatus, Stop};
pub use situation::{Change, Decision, Situation, Transfer};
pub use wakeup::{Asker, Disposition, Reason, Skip, Source, Wakeup, WakeupStatus};
pub use worker::WorkerLease;
