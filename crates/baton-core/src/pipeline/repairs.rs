//! What a crash may have left behind on an issue: signs of work that nobody does.
//!
//! It is asked once when an engine starts, and only about what nobody works on; a label that a person puts on later stays.

use super::draft::Draft;
use super::effect::Settlement;
use super::item::{Item, Moment};
use super::names::{Flag, StageMark};
use super::policy::Policy;
use super::stage::Pipeline;
use super::upkeep::is_between_tries;
use super::view::View;

/// Returns whether an issue can be put right now. While an agent works on it, or somebody else has it, its labels are theirs.
pub fn can_repair(item: &Item, pipeline: &Pipeline, policy: &Policy, now: Moment) -> bool {
    let view = View::new(item, pipeline, policy, now);
    item.runner.is_none() && view.signs.foreign_lock.is_none() && item.foreign_claim.is_none()
}

/// Returns what is to be put right on an issue when an engine starts. A stage that rests between two tries keeps its
/// lock, so that nobody begins in the middle; other locks of ours, comments that nobody answers and progress that nobody
/// makes are gone.
pub fn repairs(item: &Item, pipeline: &Pipeline, policy: &Policy, now: Moment) -> Settlement {
    let view = View::new(item, pipeline, policy, now);
    let mut draft = Draft::new(view);
    if can_repair(item, pipeline, policy, now) {
        draft.remove(Flag::Editing);
        if !is_between_tries(&view) {
            draft.remove_label(&policy.own_lock);
            draft.unmark(StageMark::InProgress);
        }
    }
    draft.done()
}
