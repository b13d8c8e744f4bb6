//! Many lives: each seed is lived twice, the two are compared, and what was seen is added up.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::life::{Life, live};
use super::plant::Plant;

/// How many of a life's last lines are shown when it went wrong.
const LAST_LINES: usize = 40;

/// What many lives came to.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many seeds were lived.
    pub seeds: u64,
    /// How long they lasted in their own time.
    pub lasted: Duration,
    /// What was counted in them.
    pub counts: BTreeMap<&'static str, u64>,
    /// The seeds that went wrong, each with what is to be said about it.
    pub failures: BTreeMap<u64, String>,
}

/// Lives a seed twice.
pub fn try_seed(seed: u64, plant: Option<Plant>) -> (Life, Option<String>) {
    let (first, second) = (live(seed, plant), live(seed, plant));
    let failure = match first.log.difference(&second.log) {
        Some(difference) => Some(format!("the two lives of seed {seed} differ: {difference}")),
        None if first.violations.is_empty() => None,
        None => Some(told(&first)),
    };
    (first, failure)
}

fn told(life: &Life) -> String {
    let lines = life.log.lines();
    let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
    format!("seed {} violated {}\n{}", life.seed, life.violations.join("; "), last.join("\n"))
}

/// Lives seeds in order until all are lived, or until one went wrong when `stops_early` is set.
pub fn campaign(
    seeds: std::ops::Range<u64>,
    plant: Option<Plant>,
    stops_early: bool,
    threads: usize,
) -> Tally {
    let next = AtomicU64::new(seeds.start);
    let tally = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    let is_enough = || stops_early && !locked(&tally).failures.is_empty();
                    if seed >= seeds.end || is_enough() {
                        return;
                    }
                    let (life, failure) = try_seed(seed, plant);
                    locked(&tally).add(&life, failure);
                }
            });
        }
    });
    tally.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn locked(tally: &Mutex<Tally>) -> std::sync::MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tally {
    fn add(&mut self, life: &Life, failure: Option<String>) {
        self.seeds += 1;
        self.lasted += life.lasted;
        for (what, count) in life.log.counts() {
            *self.counts.entry(what).or_default() += count;
        }
        if let Some(failure) = failure {
            self.failures.insert(life.seed, failure);
        }
    }

    /// Says what came of it.
    pub fn report(&self, plant: Option<Plant>) -> String {
        let days = self.lasted.as_secs_f64() / 86_400.0;
        let mut said = format!("seeds: {}, each lived twice\nsimulated days: {days:.1}\n", self.seeds);
        for (what, count) in &self.counts {
            let _ = writeln!(said, "{what}: {count}");
        }
        let _ = writeln!(said, "violations: {}", self.failures.len());
        for (seed, failure) in self.failures.iter().take(3) {
            let planted = plant.map(|plant| format!(" --plant {plant}")).unwrap_or_default();
            let _ = write!(said, "\n{failure}\nreplay: cargo xtask sim --seed {seed}{planted}\n");
        }
        said
    }
}
