//! How long and what to measure, from variables that `cargo xtask bench store` sets.

use std::time::Duration;

/// How many wake and start at once.
pub(crate) const CLIENTS: [usize; 2] = [1, 16];

/// What is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// A wakeup of a fresh issue.
    Enqueue,
    /// That, its start and its end: three transactions.
    Cycle,
}

/// Cycles come first, so that their queue is short.
pub(crate) const WORKS: [Work; 2] = [Work::Cycle, Work::Enqueue];

impl Work {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Enqueue => "enqueue",
            Self::Cycle => "enqueue → start → finish",
        }
    }
}

/// What to measure.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Parts by name; all when empty.
    parts: Vec<String>,
    /// How long a round is.
    pub(crate) round: Duration,
    pub(crate) rounds: usize,
    /// How many finished runs are in the tables of the second half.
    pub(crate) finished_runs: u64,
    pub(crate) nudges: usize,
}

impl Plan {
    pub(crate) fn from_environment() -> Self {
        let is_quick = std::env::var_os("BATON_BENCH_QUICK").is_some();
        let parts = std::env::var("BATON_BENCH_PARTS").unwrap_or_default();
        let parts = parts.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let (secs, rounds, nudges) = if is_quick { (1, 3, 500) } else { (2, 5, 1_000) };
        let round = Duration::from_secs(secs);
        Self { parts, round, rounds, finished_runs: 1_000_000, nudges }
    }

    pub(crate) fn has_part(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|named| named == part)
    }
}

/// Returns the middle of several rounds.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
