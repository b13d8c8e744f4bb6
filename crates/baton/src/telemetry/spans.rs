//! The spans of an engine: one for each run, decision and performed effect.
//!
//! A run is recorded when it is over, from when it was started. Of decisions and effects only the moment is known, so their
//! spans take no time. What people or agents wrote is in none of them.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use baton_core::slot::effect::Deed;
use baton_core::slot::start::Started;
use baton_core::slot::{EffectId, ItemKey, RunId, RunStatus};
use baton_engine::outbox::Performed;
use baton_engine::worker::News;
use opentelemetry::trace::{Span as _, SpanBuilder, Status, Tracer as _};
use opentelemetry::{Array, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::SdkTracer;

use crate::flow::shapes;

const MICROS_PER_DOLLAR: f64 = 1e6;

/// Records spans.
pub(crate) struct Spans {
    tracer: SdkTracer,
    underway: Mutex<BTreeMap<RunId, Underway>>,
}

/// A run that is not over.
struct Underway {
    began: SystemTime,
    about: Vec<KeyValue>,
    /// Nothing until the agent was heard of.
    turns: Option<u64>,
    cost_micros: Option<u64>,
}

impl Spans {
    pub(super) fn new(tracer: SdkTracer) -> Self {
        Self { tracer, underway: Mutex::new(BTreeMap::new()) }
    }

    /// Records a run when it is over.
    pub(crate) fn run(&self, news: &News<'_>) {
        match news {
            News::Started(started) => {
                self.underway().insert(started.run.id, Underway::new(started));
            }
            News::Progress(started, numbers) => {
                if let Some(run) = self.underway().get_mut(&started.run.id) {
                    (run.turns, run.cost_micros) = (Some(numbers.turns), Some(numbers.cost_micros));
                }
            }
            News::Ended(started, status, leg) => {
                let turns = leg.map(|leg| u64::from(leg.outcome.effort.turns));
                self.over(started.run.id, status.as_str(), is_bad(*status), turns);
            }
            News::Lost(run) => self.over(*run, "lost", true, None),
            News::Enlisted(_) | News::LeaseLost | News::OutOfReach(_) | News::WaitingTooLong(_) => {}
        }
    }

    /// Records that something was decided about an issue.
    pub(crate) fn decided(&self, issue: &str, deeds: &[&Deed]) {
        let deeds = deeds.iter().map(|deed| StringValue::from(shapes::deed(deed))).collect();
        let deeds = KeyValue::new("baton.deeds", Value::Array(Array::String(deeds)));
        self.record("decision", None, vec![KeyValue::new("baton.issue", issue.to_owned()), deeds], None);
    }

    /// Records that an effect was tried.
    pub(crate) fn performed(&self, item: &ItemKey, performed: &Performed) {
        let Some((effect, outcome, why)) = outcome(performed) else { return };
        let mut about = vec![
            about_item(item),
            KeyValue::new("baton.effect", effect.0),
            KeyValue::new("baton.outcome", outcome),
        ];
        about.extend(why.map(|why| KeyValue::new("baton.reason", why.to_owned())));
        let is_dead = matches!(performed, Performed::Dead(..));
        self.record("effect", None, about, why.filter(|_| is_dead));
    }

    fn over(&self, run: RunId, status: &'static str, is_bad: bool, turns: Option<u64>) {
        let Some(underway) = self.underway().remove(&run) else { return };
        let mut about = underway.about;
        about.push(KeyValue::new("baton.status", status));
        // What was not heard of is left out: it is not nothing.
        let turns = turns.or(underway.turns).and_then(|turns| i64::try_from(turns).ok());
        about.extend(turns.map(|turns| KeyValue::new("baton.turns", turns)));
        about.extend(underway.cost_micros.map(|cost| KeyValue::new("baton.cost_usd", dollars(cost))));
        self.record("run", Some(underway.began), about, is_bad.then_some(status));
    }

    /// Records a span that ends now.
    fn record(
        &self,
        name: &'static str,
        began: Option<SystemTime>,
        about: Vec<KeyValue>,
        wrong: Option<&str>,
    ) {
        let now = SystemTime::now();
        // A clock that was put back must not make a span end before it began.
        let began = began.map_or(now, |began| began.min(now));
        let builder = SpanBuilder::from_name(name).with_start_time(began).with_attributes(about);
        let mut span = self.tracer.build(builder);
        if let Some(wrong) = wrong {
            span.set_status(Status::error(wrong.to_owned()));
        }
        span.end_with_timestamp(now);
    }

    fn underway(&self) -> MutexGuard<'_, BTreeMap<RunId, Underway>> {
        self.underway.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Underway {
    fn new(started: &Started) -> Self {
        let about = vec![
            KeyValue::new("baton.run", started.run.id.0),
            about_item(&started.item.key),
            KeyValue::new("baton.agent", started.run.agent.to_string()),
        ];
        Self { began: SystemTime::now(), about, turns: None, cost_micros: None }
    }
}

fn about_item(item: &ItemKey) -> KeyValue {
    let name = match item {
        ItemKey::Issue(_) => "baton.issue",
        ItemKey::Task { .. } => "baton.task",
    };
    KeyValue::new(name, item.to_string())
}

fn is_bad(status: RunStatus) -> bool {
    matches!(status, RunStatus::Failed | RunStatus::TimedOut)
}

/// Returns what became of which effect, and why.
fn outcome(performed: &Performed) -> Option<(EffectId, &'static str, Option<&str>)> {
    match performed {
        Performed::Nothing => None,
        Performed::Done(effect) => Some((*effect, "done", None)),
        Performed::Later(effect, why) => Some((*effect, "later", Some(why))),
        Performed::Dead(effect, why) => Some((*effect, "dead", Some(why))),
        Performed::Dropped(effect, why) => Some((*effect, "dropped", Some(why))),
        Performed::Overtaken(effect) => Some((*effect, "overtaken", None)),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a millionth of a dollar is exact up to nine thousand million dollars"
)]
fn dollars(micros: u64) -> f64 {
    micros as f64 / MICROS_PER_DOLLAR
}
