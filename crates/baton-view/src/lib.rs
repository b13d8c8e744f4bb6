//! What people see of the relay, and what they may order: plain data, and the door to it.
//!
//! The dashboard, the terminal board and the HTTP API all show these values, so they cannot tell different stories. Their
//! JSON is the API's, documented by the schemas that are derived here.
//!
//! Deliberately absent: how the values come about (the engine's watchtower), and how they are drawn.

mod board;
pub mod example;
mod fleet;
mod issue;
mod log;
mod lookout;
mod order;
mod report;
mod run;
mod stamp;

pub use board::{Badge, BadgeKind, Board, Card, CardState, Column, ColumnKind, Holder, Warning};
pub use fleet::{
    BudgetView, CounterLine, EffectLine, Fleet, HooksView, LeaseLine, SpendingLine, WakeupLine, WorkerLine,
};
pub use issue::{
    BlockerLine, CheckLine, CheckState, CommentLine, EventKind, IssueView, Offer, PullView, ReviewLine,
    ThreadLine, TimelineEvent, Tone, TrailLine, WhyView,
};
pub use log::{LogEntry, LogKind, LogPage};
pub use lookout::{Lookout, LookoutError};
pub use order::{Order, OrderKind, Reply};
pub use report::{DayLine, IssueCost, Period, Report, StageTime, Totals};
pub use run::{Numbers, RunLine, RunQuery, RunState, RunView};
pub use stamp::Stamp;
