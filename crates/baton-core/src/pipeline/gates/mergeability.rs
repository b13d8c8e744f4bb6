//! The gate of conflicts. It comes before that of checks: what cannot be merged need not be checked.

use super::super::names::Flag;
use super::super::step::{Cause, Hold, Pause, Repair, Step};
use super::super::trail::{Notes, Verdict};
use super::super::view::{TRACKER, View};
use crate::tracker::PullState;

pub(super) fn mergeability(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if !view.stage.wait_for_ci {
        return Verdict::Pass;
    }
    conflicts(view, notes)
}

/// Judges the branch, in this gate and before a merge.
pub(super) fn conflicts(view: &View<'_>, notes: &mut Notes) -> Verdict {
    let Some(pull) = view.item.pull.as_ref().filter(|_| !super::is_settled(view)) else {
        return mergeable(view);
    };
    notes.fact("mergeable", || pull.mergeable.map_or("not known yet".to_owned(), |is_so| is_so.to_string()));
    match (pull.state, pull.mergeable) {
        (PullState::Closed, _) => Verdict::Decide(Step::Pause(Pause::PullClosed)),
        (_, Some(true)) => mergeable(view),
        (_, Some(false)) => Verdict::Decide(super::sent_back(view, notes, Cause::Rebase)),
        (_, None) => Verdict::Decide(unknown(view)),
    }
}

fn mergeable(view: &View<'_>) -> Verdict {
    match view.has(Flag::RebaseNeeded) {
        true => Verdict::Decide(Step::RepairLabels(Repair::Mergeable)),
        false => Verdict::Pass,
    }
}

/// A tracker that never finds out must not keep an issue for ever.
fn unknown(view: &View<'_>) -> Step {
    match view.waited(TRACKER) >= view.policy.ci_backstop_timeout {
        true => Step::Pause(Pause::CiTimeout),
        false => Step::HoldAtGate(Hold::Mergeability),
    }
}
