//! What an engine prints: one line for each run that starts or ends, and for trouble, which is not repeated.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use baton_claims::machine::SystemClock;
use baton_core::agent::RunNumbers;
use baton_core::slot::start::Started;
use baton_core::slot::{RunId, RunStatus};
use baton_core::time::BootTime;
use baton_core::workspace::Pushed;
use baton_engine::worker::News;
use baton_ports::{Clock as _, LegEnd};

use super::table;
use crate::claims::context::spoken;

/// How much of an agent's last line is shown.
const LAST_LINE_CHARS_MAX: usize = 100;
/// How many digits of a commit people read.
const SHORT_COMMIT: usize = 7;
/// How long the same trouble is told only once.
const QUIET: Duration = Duration::from_secs(60);

/// Tells people the news.
#[derive(Default)]
pub(super) struct Reporter {
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    began: BTreeMap<RunId, BootTime>,
    turns: BTreeMap<RunId, u64>,
    trouble: Option<(String, BootTime)>,
    waiting: usize,
}

impl Reporter {
    pub(super) fn tell(&self, news: &News<'_>) {
        let now = SystemClock.boot_now();
        let line = self.memory.lock().unwrap_or_else(PoisonError::into_inner).line(news, now);
        if let Some(line) = line {
            eprintln!("{line}");
        }
    }
}

impl Memory {
    fn line(&mut self, news: &News<'_>, now: BootTime) -> Option<String> {
        match news {
            News::Enlisted(worker) => {
                self.trouble = None;
                Some(format!("worker {worker} is ready"))
            }
            News::Started(started) => {
                self.began.insert(started.run.id, now);
                Some(begun(started))
            }
            News::Progress(started, numbers) => self.progress(started, numbers),
            News::Ended(started, status, leg) => {
                self.turns.remove(&started.run.id);
                let took = self.began.remove(&started.run.id).map(|began| now.since(began));
                Some(ended(started.run.id, *status, took.unwrap_or_default(), *leg))
            }
            News::Lost(run) => {
                self.began.remove(run);
                Some(format!(
                    "run {run} is over for the store, or another's; nothing was written by this worker"
                ))
            }
            News::LeaseLost => {
                self.began.clear();
                Some("the lease was lost: all agents are being stopped; beginning anew".to_owned())
            }
            News::OutOfReach(error) => self.trouble(error.to_string(), now),
            News::WaitingTooLong(count) => self.waiting(*count),
        }
    }

    /// A line for every turn; what happens within one is for those who watch the run.
    fn progress(&mut self, started: &Started, numbers: &RunNumbers) -> Option<String> {
        let told = self.turns.insert(started.run.id, numbers.turns).unwrap_or_default();
        (numbers.turns > told).then(|| {
            let said = table::one_line(&numbers.last_line, LAST_LINE_CHARS_MAX);
            format!(
                "run {}: turn {}{}{said}",
                started.run.id,
                numbers.turns,
                if said.is_empty() { "" } else { ": " }
            )
        })
    }

    fn trouble(&mut self, what: String, now: BootTime) -> Option<String> {
        let is_known = |(known, at): &(String, BootTime)| *known == what && now.since(*at) < QUIET;
        if self.trouble.as_ref().is_some_and(is_known) {
            return None;
        }
        self.trouble = Some((what.clone(), now));
        Some(format!("warning: {what}"))
    }

    fn waiting(&mut self, count: usize) -> Option<String> {
        let is_new = std::mem::replace(&mut self.waiting, count) != count;
        is_new.then(|| {
            format!("warning: {count} wakeups wait for longer than `deferred_alarm`; `baton wakeups --status deferred` shows them")
        })
    }
}

fn begun(started: &Started) -> String {
    let run = &started.run;
    let again = if run.attempt > 0 { format!(", attempt {}", run.attempt + 1) } else { String::new() };
    format!("run {} started: {} {}{again}", run.id, started.item.key, run.agent)
}

fn ended(run: RunId, status: RunStatus, took: Duration, leg: Option<&LegEnd>) -> String {
    let more = match status {
        RunStatus::Failed | RunStatus::TimedOut => format!("; `baton logs {run}` tells more"),
        _ => String::new(),
    };
    let leg = leg.map(came_to).unwrap_or_default();
    format!("run {run} {status} in {}{leg}{more}", spoken(took))
}

/// What a run took, and what became of its work.
fn came_to(leg: &LegEnd) -> String {
    let effort = leg.outcome.effort;
    let turns = match effort.turns {
        0 => String::new(),
        1 => ", 1 turn".to_owned(),
        turns => format!(", {turns} turns"),
    };
    let tokens = match effort.input_tokens + effort.output_tokens {
        0 => String::new(),
        _ => format!(", {} tokens in and {} out", effort.input_tokens, effort.output_tokens),
    };
    let work = match &leg.closed {
        None => String::new(),
        Some(Ok(closed)) => match &closed.push {
            Pushed::Done { .. } => {
                let head: String = closed.head.chars().take(SHORT_COMMIT).collect();
                let branch = leg.outcome.workplace.as_ref().map_or("its branch", |place| &place.branch);
                format!(", pushed {head} to {branch}")
            }
            Pushed::Unneeded => ", nothing to push".to_owned(),
            Pushed::Withheld => String::new(),
            Pushed::BranchMoved { .. } | Pushed::ClaimLost | Pushed::Refused(_) => ", not pushed".to_owned(),
        },
        Some(Err(error)) => format!(", but its work is only here: {error}"),
    };
    format!("{turns}{tokens}{work}")
}

#[cfg(test)]
mod tests {
    use baton_ports::{StoreError, StoreErrorKind};

    use super::*;

    #[test]
    fn the_same_trouble_is_told_once_a_minute_and_other_trouble_at_once() {
        let mut memory = Memory::default();
        let trouble = |answer: &str| StoreError::new(StoreErrorKind::Busy, "looking", answer);
        let mut tells = |answer: &str, ms: u64| {
            memory.line(&News::OutOfReach(&trouble(answer)), BootTime { ms }).is_some()
        };
        assert!(tells("locked", 0) && !tells("locked", 59_000) && tells("gone", 59_000));
        assert!(tells("locked", 60_000) && !tells("locked", 119_000) && tells("locked", 120_000));
    }

    #[test]
    fn a_number_of_waiting_wakeups_is_told_when_it_changes() {
        let mut memory = Memory::default();
        let mut tells = |count| memory.line(&News::WaitingTooLong(count), BootTime { ms: 0 }).is_some();
        assert!(tells(2) && !tells(2) && tells(3));
    }
}
