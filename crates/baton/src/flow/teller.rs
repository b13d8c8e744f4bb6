//! What an engine that decides prints: one line for each decision, run and trouble. The same trouble is told once a minute.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use baton_claims::machine::SystemClock;
use baton_core::pipeline::step::Step;
use baton_core::slot::ItemKey;
use baton_core::slot::effect::Deed;
use baton_core::time::BootTime;
use baton_core::tracker::IssueKey;
use baton_engine::marshal::{Happened, SLACK_FAILURES_MAX};
use baton_engine::outbox::Performed;
use baton_engine::worker::News;
use baton_ports::Clock as _;

use super::report::Reporter;
use super::station::Witness;

/// How long the same trouble is told only once.
const QUIET: Duration = Duration::from_secs(60);

/// Tells people what an engine does.
#[derive(Default)]
pub(crate) struct Teller {
    runs: Reporter,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    steps: BTreeMap<IssueKey, String>,
    troubles: BTreeMap<String, BootTime>,
}

impl Witness for Teller {
    fn run(&self, news: &News<'_>) {
        self.runs.tell(news);
    }

    fn happened(&self, happened: &Happened<'_>) {
        match happened {
            Happened::Looked(issue, step) => self.step(issue, step),
            Happened::Decided(..)
            | Happened::Delivered(_)
            | Happened::Swept(0)
            | Happened::Surveyed { .. } => {}
            Happened::Swept(count) => eprintln!("expired claims: {count} issues were put right"),
            Happened::NotLooked(issue, error) => {
                self.trouble(format!("{issue} could not be looked at: {error}"))
            }
            Happened::Gone(issue) => eprintln!("{issue} was deleted or moved away, and is left alone"),
            Happened::NotSurveyed(error) => self.trouble(format!("the board could not be surveyed: {error}")),
            Happened::TreeKept(issue, why) => self.trouble(format!("the work tree of {issue} stays: {why}")),
            Happened::OutOfReach(error) => self.trouble(error.to_string()),
            Happened::SlackHeard => self.trouble("Slack answers again".to_owned()),
            Happened::SlackUnheard { failures, .. } if *failures < SLACK_FAILURES_MAX => {}
            Happened::SlackUnheard { error, .. } => self
                .trouble(format!("Slack cannot be reached, so plans that wait for it stay pending: {error}")),
        }
    }

    fn deed(&self, item: &ItemKey, _: &Deed, performed: &Performed) {
        match performed {
            Performed::Dead(id, why) => eprintln!("{item}: effect {id} never takes effect: {why}"),
            Performed::Later(id, why) => self.trouble(format!("{item}: effect {id} is tried again: {why}")),
            Performed::Nothing | Performed::Done(_) | Performed::Dropped(..) | Performed::Overtaken(_) => {}
        }
    }
}

impl Teller {
    /// Tells a step when it is another one than at the last look.
    fn step(&self, issue: &IssueKey, step: &Step) {
        let words = words(step);
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.steps.get(issue) != Some(&words) {
            eprintln!("{issue}: {words}");
            memory.steps.insert(issue.clone(), words);
        }
    }

    fn trouble(&self, what: String) {
        let now = SystemClock.boot_now();
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.troubles.retain(|_, told| now.since(*told) < QUIET);
        if let Entry::Vacant(trouble) = memory.troubles.entry(what) {
            eprintln!("{}", trouble.key());
            trouble.insert(now);
        }
    }
}

/// Says a step.
pub(crate) fn words(step: &Step) -> String {
    match step {
        Step::Rest(why) => format!("rests: {why}"),
        Step::HoldAtGate(why) => format!("waits: {why}"),
        Step::Pause(why) => format!("pauses: {}", why.word().replace('_', " ")),
        Step::Advance { to } => format!("goes on to {to}"),
        Step::Reinvoke(cause) => format!("the agent is sent back: {cause}"),
        Step::Invoke { resume: false } => "the agent is woken for the stage".to_owned(),
        Step::Invoke { resume: true } => "the agent goes on with the stage".to_owned(),
        Step::ProcessComments { .. } => "the agent is woken for comments".to_owned(),
        Step::RepairLabels(why) => format!("labels are put right: {why}"),
        Step::CleanUp => "is cleaned up".to_owned(),
        Step::ClearFailure => "is tried again".to_owned(),
        Step::Merge => "is merged".to_owned(),
    }
}
