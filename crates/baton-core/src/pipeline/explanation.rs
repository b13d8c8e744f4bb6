//! Why an issue is moving or not: the decision, what it comes to, and the rules that led to it, for people and programs.
//!
//! Nothing is decided here. The same walk that decides wrote down the trail, so what is told is what happened.

mod screen;
mod words;

use serde_json::{Value, json};

use super::assess::{Assessment, assess};
use super::budget::Spending;
use super::effect::Effect;
use super::enact::enact;
use super::item::{Item, Moment};
use super::policy::Policy;
use super::stage::Pipeline;
use super::step::Step;

pub(super) use words::pause;

/// Why an issue is moving or not.
#[derive(Debug, Clone)]
pub struct Explanation<'a> {
    /// The issue.
    pub item: &'a Item,
    /// The stage that it is in, if its column has one.
    pub stage: Option<&'a str>,
    /// When it was looked at.
    pub now: Moment,
    /// The step, and the rules.
    pub assessment: Assessment,
    /// What the step comes to.
    pub effects: Vec<Effect>,
    /// The day's budgets that have a limit.
    pub budgets: Vec<Spending>,
}

impl<'a> Explanation<'a> {
    /// Looks at an issue.
    pub fn of(item: &'a Item, pipeline: &'a Pipeline, policy: &Policy, now: Moment) -> Self {
        let assessment = assess(item, pipeline, policy, now);
        let effects = enact(&assessment.step, item, pipeline, policy, now).effects;
        let stage = pipeline.stage(&item.column).map(|stage| stage.name.as_str());
        let budgets = policy.limits.spending(item.usage).into_iter().map(|(_, spending)| spending).collect();
        Self { item, stage, now, assessment, effects, budgets }
    }

    /// Returns the step as one sentence.
    pub fn sentence(&self) -> String {
        words::step(&self.assessment.step)
    }

    /// Returns what the step comes to, a line for each effect.
    pub fn effect_lines(&self) -> Vec<String> {
        let labels = self.effects.iter().filter_map(|effect| match effect {
            Effect::AddLabel { label } => Some(format!("add the label {label}")),
            Effect::RemoveLabel { label } => Some(format!("remove the label {label}")),
            _ => None,
        });
        labels.chain(self.effects.iter().filter_map(words::effect)).collect()
    }

    /// Returns it as text for one screen of 80 columns.
    pub fn screen(&self, is_coloured: bool) -> String {
        screen::draw(self, is_coloured)
    }

    /// Returns it for programs. Keys are always there, and null where there is nothing.
    pub fn shape(&self) -> Value {
        json!({
            "issue": self.item.issue,
            "title": self.item.title,
            "column": self.item.column,
            "stage": self.stage,
            "now": self.now,
            "step": step_shape(&self.assessment.step, &self.sentence()),
            "effects": self.effects,
            "budgets": self.budgets,
            "trail": self.assessment.trail.entries,
        })
    }
}

fn step_shape(step: &Step, sentence: &str) -> Value {
    let (mut reason, mut to, mut resumes) = (None, None, None);
    match step {
        Step::Rest(why) => reason = Some(why.as_str()),
        Step::HoldAtGate(why) => reason = Some(why.as_str()),
        Step::RepairLabels(why) => reason = Some(why.as_str()),
        Step::Reinvoke(why) => reason = Some(why.as_str()),
        Step::Pause(why) => reason = Some(why.word()),
        Step::Advance { to: next } => to = Some(next.as_str()),
        Step::ProcessComments { resumes: is_so } | Step::Invoke { resume: is_so } => resumes = Some(*is_so),
        Step::CleanUp | Step::ClearFailure | Step::Merge => {}
    }
    json!({ "kind": step.word(), "reason": reason, "to": to, "resumes": resumes, "sentence": sentence })
}
