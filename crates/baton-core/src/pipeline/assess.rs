//! Deciding what the relay does next with an issue, and telling why: one walk through the lists of rules.

use super::gates::GATES;
use super::guards::GUARDS;
use super::item::{Item, Moment};
use super::policy::Policy;
use super::stage::Pipeline;
use super::step::{Rest, Step};
use super::trail::{List, Notes, Rule, Trail, Verdict};
use super::upkeep::UPKEEP;
use super::view::View;

/// The next step, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    /// What to do.
    pub step: Step,
    /// Why.
    pub trail: Trail,
}

/// Returns the next step with its trail.
pub fn assess(item: &Item, pipeline: &Pipeline, policy: &Policy, now: Moment) -> Assessment {
    let view = View::new(item, pipeline, policy, now);
    let mut trail = Trail::default();
    let step = walk(&view, Some(&mut trail));
    Assessment { step, trail }
}

/// Returns the next step alone: the same walk without notes.
pub fn next_step(item: &Item, pipeline: &Pipeline, policy: &Policy, now: Moment) -> Step {
    walk(&View::new(item, pipeline, policy, now), None)
}

fn walk(view: &View<'_>, mut trail: Option<&mut Trail>) -> Step {
    let mut decided = None;
    let mut goes_to_gates = false;
    for (list, rules) in [(List::Upkeep, &UPKEEP[..]), (List::Guards, &GUARDS), (List::Gates, &GATES)] {
        let is_asked = decided.is_none() && (list != List::Gates || goes_to_gates);
        match ask(view, list, rules, is_asked, trail.as_deref_mut()) {
            Verdict::Pass => {}
            Verdict::Gates => goes_to_gates = true,
            Verdict::Decide(step) => decided = Some(step),
        }
    }
    // The last guard and the last gate always decide; the tests walk every list to its end.
    decided.unwrap_or(Step::Rest(Rest::EndOfPipeline))
}

/// Asks the rules of a list until one says something.
fn ask(
    view: &View<'_>,
    list: List,
    rules: &[Rule],
    is_asked: bool,
    mut trail: Option<&mut Trail>,
) -> Verdict {
    let mut notes = if trail.is_some() { Notes::kept() } else { Notes::default() };
    let mut last = Verdict::Pass;
    let mut asked = 0;
    while is_asked && asked < rules.len() && last == Verdict::Pass {
        last = (rules[asked].check)(view, &mut notes);
        if let Some(trail) = trail.as_deref_mut() {
            trail.note(list, &rules[asked], &last, &mut notes);
        }
        asked += 1;
    }
    if let Some(trail) = trail {
        trail.not_asked(list, &rules[asked..]);
    }
    last
}
