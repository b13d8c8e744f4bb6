//! The gate of merging: in the last working stage, an issue that goes on by itself has its pull request merged.

use super::super::item::MergeState;
use super::super::memory::{Loop, MERGE_COOLDOWN};
use super::super::names::Flag;
use super::super::step::{Cause, Hold, Pause, Repair, Step};
use super::super::trail::{Notes, Verdict};
use super::super::view::View;
use super::advance::{Autonomy, autonomy};
use super::ci::{Ci, is_late, judge};
use super::mergeability::conflicts;

/// How often a merge is tried that the tracker refuses although nothing seems to be in the way.
const MERGES_MAX: u32 = 3;

/// Returns whether the engine merges in this stage.
pub(in super::super) fn merges_here(view: &View<'_>) -> bool {
    view.pipeline.is_last_working(view.stage) && autonomy(view) == Autonomy::Yolo
}

pub(super) fn merge(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if super::is_settled(view) || !merges_here(view) {
        return Verdict::Pass;
    }
    match conflicts(view, notes) {
        Verdict::Pass => Verdict::Decide(try_merge(view, notes)),
        decided => decided,
    }
}

fn try_merge(view: &View<'_>, notes: &mut Notes) -> Step {
    let Some(pull) = view.open_pull() else { return without_pull(view) };
    notes.fact("pull request", || pull.number);
    if let Some(step) = unchecked(view, notes) {
        return step;
    }
    if pull.merge_state == MergeState::Behind {
        return super::sent_back(view, notes, Cause::Rebase);
    }
    let tries = view.cycles(Loop::Merge);
    notes.fact("tries", || format!("{tries} of {MERGES_MAX}"));
    match tries >= MERGES_MAX {
        _ if !view.item.memory.is_cool(MERGE_COOLDOWN, view.now.store) => {
            Step::HoldAtGate(Hold::MergeCooldown)
        }
        true => Step::Pause(Pause::MergeRefused),
        false if pull.is_draft => Step::HoldAtGate(Hold::Draft),
        false => Step::Merge,
    }
}

/// In a stage that does not wait for checks, failures are not repaired, but nothing is merged over them either.
fn unchecked(view: &View<'_>, notes: &mut Notes) -> Option<Step> {
    if view.stage.wait_for_ci {
        return None;
    }
    match judge(view, notes) {
        Ci::Passed => view.has(Flag::AwaitingCi).then_some(Step::RepairLabels(Repair::ChecksPassed)),
        Ci::Waiting(hold) => Some(Step::HoldAtGate(hold)),
        Ci::Failed if is_late(view, notes) => Some(Step::Pause(Pause::ChecksFailed)),
        Ci::Failed => Some(Step::HoldAtGate(Hold::ChecksFailed)),
        Ci::TimedOut => Some(Step::Pause(Pause::CiTimeout)),
    }
}

/// Where some stage opens pull requests, a missing one is a mistake; where none does, there is nothing to merge.
fn without_pull(view: &View<'_>) -> Step {
    match view.pipeline.stages().iter().any(|stage| stage.create_draft_pr) {
        true => Step::Pause(Pause::NoPull),
        false => super::advance::onward(view),
    }
}
