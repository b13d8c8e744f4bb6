//! The last gate: an issue whose stage is finished is handed on, by itself or by a person.

use super::super::item::ApprovalState;
use super::super::names::Flag;
use super::super::step::{Rest, Step};
use super::super::trail::{Notes, Verdict};
use super::super::view::View;

/// How far an issue goes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Autonomy {
    /// All the way, merge included.
    Yolo,
    /// On, but people merge.
    Onward,
    /// A person hands it on.
    Still,
}

/// Returns how far an issue goes by itself from the stage that it is in. Labels on the issue outrank the stage's word,
/// that outranks the configuration's, and yolo outranks cruise.
pub fn autonomy(view: &View<'_>) -> Autonomy {
    let has_label = view.has(Flag::Yolo) || view.has(Flag::Cruise);
    let is_yolo = view.has(Flag::Yolo) || view.policy.yolo;
    let goes_on = view.stage.auto_advance.filter(|_| !has_label).unwrap_or(is_yolo || has_label);
    // Who agrees to a plan wants it carried out.
    let is_approved = view.approval().is_some_and(|approval| approval.state == ApprovalState::Approved);
    let goes_on = goes_on || (view.stage.approval.is_some() && is_approved);
    // Cruising means that people merge, so it ends where the merge would be.
    let is_cruise_over = !is_yolo && has_label && view.pipeline.is_last_working(view.stage);
    match (goes_on && !is_cruise_over, is_yolo) {
        (true, true) => Autonomy::Yolo,
        (true, false) => Autonomy::Onward,
        (false, _) => Autonomy::Still,
    }
}

pub(super) fn advance(view: &View<'_>, notes: &mut Notes) -> Verdict {
    view.note_flags(notes, &[Flag::Yolo, Flag::Cruise]);
    notes.fact("auto_advance", || view.stage.auto_advance.map_or("not said".to_owned(), |it| it.to_string()));
    notes.fact("yolo in the configuration", || view.policy.yolo);
    Verdict::Decide(decide(view))
}

fn decide(view: &View<'_>) -> Step {
    if view.is_merged() {
        return to_the_end(view);
    }
    let goes_on = autonomy(view) != Autonomy::Still;
    let is_last = view.pipeline.is_last_working(view.stage);
    match (goes_on, is_last && view.open_pull().is_some()) {
        (_, true) => Step::Rest(Rest::AwaitingMerge),
        (false, false) if view.item.is_closed => Step::Rest(Rest::Closed),
        (false, false) => Step::Rest(Rest::AwaitingMove),
        (true, false) => onward(view),
    }
}

/// What is merged has no stages before it any more.
fn to_the_end(view: &View<'_>) -> Step {
    match view.pipeline.cleanup() {
        Some(end) => Step::Advance { to: end.name.clone() },
        None => Step::Rest(Rest::EndOfPipeline),
    }
}

pub(super) fn onward(view: &View<'_>) -> Step {
    match view.pipeline.after(view.stage) {
        Some(next) => Step::Advance { to: next.name.clone() },
        None => Step::Rest(Rest::EndOfPipeline),
    }
}
