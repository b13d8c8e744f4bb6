//! A report of a period: how much was done, how long it took, what it cost.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::Stamp;

/// A period that ends now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct Period {
    /// How many days, today included.
    #[param(minimum = 1, maximum = 366)]
    pub days: u32,
}

impl Default for Period {
    fn default() -> Self {
        Self { days: 14 }
    }
}

/// A report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Report {
    /// The first moment.
    pub from: Stamp,
    /// The last moment.
    pub to: Stamp,
    /// All of it.
    pub totals: Totals,
    /// A line for each day, oldest first, those without anything too.
    pub days: Vec<DayLine>,
    /// A line for each stage in which runs ended, in the order of the pipeline; those that people woke by hand come last.
    pub stages: Vec<StageTime>,
    /// A line for each issue and task on which something was spent or that was merged, the most expensive first.
    pub issues: Vec<IssueCost>,
    /// How many of them are not listed.
    #[serde(default)]
    pub hidden: u64,
}

/// All of a period.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Totals {
    /// Issues whose pull request was merged, by the engine or by a person.
    pub merged: u64,
    /// Runs that ended.
    pub runs: u64,
    /// Those of them that did not end well.
    pub failed_runs: u64,
    /// What was spent, in millionths of a US dollar.
    pub cost_micros: i64,
    /// How long an issue took from its first run to its merge, in the middle, in seconds.
    pub cycle_s: Option<u64>,
}

/// A day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DayLine {
    /// Which, in UTC: `2026-05-01`.
    pub day: String,
    /// Issues whose pull request was merged.
    pub merged: u64,
    /// Runs that ended.
    pub runs: u64,
    /// What was spent, in millionths of a US dollar.
    pub cost_micros: i64,
}

/// How long a stage takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StageTime {
    /// Which.
    pub stage: String,
    /// How many issues passed through it.
    pub issues: u64,
    /// How many runs ended in it.
    pub runs: u64,
    /// From an issue's first run in it to the end of its last, in the middle, in seconds.
    pub median_s: u64,
    /// The same; nine of ten issues took no longer.
    pub p90_s: u64,
    /// What was spent in it, in millionths of a US dollar.
    pub cost_micros: i64,
}

/// What an issue cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IssueCost {
    /// Which; a task is written like `task:AGENT:NAME`.
    pub issue: String,
    /// Its title, as far as it is known.
    pub title: Option<String>,
    /// How many runs ended.
    pub runs: u64,
    /// What was spent, in millionths of a US dollar.
    pub cost_micros: i64,
    /// Whether its pull request was merged in the period.
    pub is_merged: bool,
    /// How long it took from its first run to its merge, in seconds.
    pub cycle_s: Option<u64>,
}
