//! What all parts of a simulated world share: its seed, its knobs, its time, its log, and what was found to be wrong.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_core::time::millis;
use baton_core::tracker::IssueKey;
use tokio::time::Instant;

use super::knobs::Knobs;
use super::log::EventLog;
use super::plant::Plant;

/// What all parts of a world share.
pub struct Scene {
    /// The seed that everything is drawn from.
    pub seed: u64,
    /// How the world is.
    pub knobs: Knobs,
    /// A bug that was planted.
    pub plant: Option<Plant>,
    /// When it began.
    pub start: Instant,
    log: Mutex<EventLog>,
    violations: Mutex<Vec<String>>,
    /// How often each engine has decided about each issue within the hour.
    decisions: Mutex<BTreeMap<(String, IssueKey), (u64, u32)>>,
}

/// How often an engine may decide about one issue within an hour. What is decided more often is decided in vain, and each
/// time costs the tracker's budget.
const DECISIONS_MAX: u32 = 150;
const HOUR_MS: u64 = 3_600_000;

impl Scene {
    /// Begins a world. It must be called within the runtime whose clock is paused.
    pub fn new(seed: u64, knobs: Knobs, plant: Option<Plant>) -> Arc<Self> {
        Arc::new(Self {
            seed,
            knobs,
            plant,
            start: Instant::now(),
            log: Mutex::default(),
            violations: Mutex::default(),
            decisions: Mutex::default(),
        })
    }

    /// Returns how long the world has been there, in milliseconds.
    pub fn now_ms(&self) -> u64 {
        millis(Instant::now().duration_since(self.start))
    }

    /// Returns whether things still go wrong by themselves.
    pub fn are_faults_on(&self) -> bool {
        Duration::from_millis(self.now_ms()) < self.knobs.faults_until
    }

    /// Returns whether a bug was planted.
    pub fn has_planted(&self, plant: Plant) -> bool {
        self.plant == Some(plant)
    }

    /// Writes a line into the log.
    pub fn tell(&self, what: &str) {
        let now = self.now_ms();
        self.log().tell(now, what);
    }

    /// Counts something.
    pub fn count(&self, what: &'static str) {
        self.log().count(what);
    }

    /// Counts a decision. An engine that decides about one issue again and again has lost its way.
    pub fn decided(&self, engine: &str, issue: &IssueKey) {
        let hour = self.now_ms() / HOUR_MS;
        let count = {
            let mut decisions = self.decisions.lock().unwrap_or_else(PoisonError::into_inner);
            let entry = decisions.entry((engine.to_owned(), issue.clone())).or_insert((hour, 0));
            *entry = if entry.0 == hour { (hour, entry.1 + 1) } else { (hour, 1) };
            entry.1
        };
        if count == DECISIONS_MAX + 1 {
            self.violated(
                "B1",
                &format!("{engine} decided about {issue} more than {DECISIONS_MAX} times in an hour"),
            );
        }
    }

    /// Notes that an invariant was violated.
    pub fn violated(&self, invariant: &str, what: &str) {
        self.tell(&format!("VIOLATED {invariant}: {what}"));
        self.violations.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{invariant}: {what}"));
    }

    /// Returns what was found to be wrong so far.
    pub fn violations(&self) -> Vec<String> {
        self.violations.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the log, at the end.
    pub fn take_log(&self) -> EventLog {
        std::mem::take(&mut *self.log())
    }

    fn log(&self) -> MutexGuard<'_, EventLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
