//! Labels that say what is not the case any more, whether or not the issue may be worked on.
//!
//! Every label that the engine adds for a time has one owner here or among the gates that looks at it each time the issue
//! is looked at; otherwise an issue would wait for something that nobody watches. While an agent works on the issue, or
//! somebody else has it, its labels are theirs.

use std::collections::BTreeMap;

use super::names::Flag;
use super::stage::StageKind;
use super::step::{Repair, Step};
use super::trail::{Notes, Rule, Verdict};
use super::view::View;

/// The rules, in order.
pub static UPKEEP: [Rule; 4] = [
    Rule {
        id: "closed-labels",
        asks: "Is the issue closed, and does a label say that it waits for something?",
        then: "The label is taken off: a closed issue waits for nothing.",
        check: closed_labels,
    },
    Rule {
        id: "unblocked",
        asks: "Does a label say that other issues come first, and is none of them open?",
        then: "The label is taken off, in any column.",
        check: unblocked,
    },
    Rule {
        id: "idle-lock",
        asks: "Is our lock on an issue that something keeps our agents from?",
        then: "The lock is taken off, and the claim is given back.",
        check: idle_lock,
    },
    Rule {
        id: "stale-gate-labels",
        asks: "Does a label tell of a gate that the issue is not at?",
        then: "The label is taken off, so that nothing waits without being watched.",
        check: stale_gate_labels,
    },
];

/// The labels that tell of a gate.
pub(super) const GATE_FLAGS: [Flag; 4] =
    [Flag::AwaitingReview, Flag::BotReprompted, Flag::AwaitingCi, Flag::RebaseNeeded];

/// The labels that mean nothing on a closed issue.
pub(super) const CLOSED_FLAGS: [Flag; 7] = [
    Flag::AwaitingReview,
    Flag::BotReprompted,
    Flag::AwaitingCi,
    Flag::RebaseNeeded,
    Flag::AwaitingInput,
    Flag::Blocked,
    Flag::Editing,
];

/// Returns whether labels are ours to put right.
fn is_ours(view: &View<'_>) -> bool {
    view.item.runner.is_none() && view.signs.foreign_lock.is_none() && view.item.foreign_claim.is_none()
}

fn closed_labels(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if !view.item.is_closed || !is_ours(view) {
        return Verdict::Pass;
    }
    view.note_flags(notes, &CLOSED_FLAGS);
    notes.fact("lock", || if view.signs.has_own_lock { "ours" } else { "none" });
    let signs = &view.signs;
    let is_marked = signs.has_own_lock || signs.is_in_progress || signs.has_failed || is_own_pause(view);
    repair(is_marked || signs.has_any(&CLOSED_FLAGS), Repair::Closed)
}

/// Returns whether the engine itself paused the issue: then the pause ends with the issue. A person's own pause stays.
pub(super) fn is_own_pause(view: &View<'_>) -> bool {
    view.has(Flag::Paused) && view.item.memory.paused_by_engine.is_some()
}

fn unblocked(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if !view.has(Flag::Blocked) || !is_ours(view) {
        return Verdict::Pass;
    }
    notes.fact("open blockers", || view.open_blockers().count());
    repair(view.open_blockers().next().is_none(), Repair::Unblocked)
}

fn idle_lock(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if !view.signs.has_own_lock || !is_ours(view) {
        return Verdict::Pass;
    }
    notes.fact("kept away", || is_kept_away(view));
    repair(is_kept_away(view), Repair::Idle)
}

/// Returns whether something keeps our agents from the issue, so that a lock of ours would only keep others away too.
fn is_kept_away(view: &View<'_>) -> bool {
    let signs = &view.signs;
    let is_stopped =
        view.has(Flag::Paused) || signs.held_by.is_some() || view.open_blockers().next().is_some();
    is_stopped || signs.is_complete || signs.is_plan_pending || !view.stage.is_working()
}

/// Returns whether a stage that ended without a word waits to be tried again: so long it keeps its lock.
pub(super) fn is_between_tries(view: &View<'_>) -> bool {
    let has_tried =
        |counts: &BTreeMap<String, u32>| counts.get(&view.stage.name).is_some_and(|count| *count > 0);
    let was_tried = has_tried(&view.item.memory.attempts) || has_tried(&view.item.memory.slices);
    was_tried && !is_kept_away(view) && !view.item.is_closed
}

fn stale_gate_labels(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if !view.signs.has_any(&GATE_FLAGS) || !is_ours(view) {
        return Verdict::Pass;
    }
    view.note_flags(notes, &GATE_FLAGS);
    repair(GATE_FLAGS.into_iter().any(|flag| is_stale(view, flag)), Repair::Stale)
}

fn repair(is_needed: bool, why: Repair) -> Verdict {
    if is_needed { Verdict::Decide(Step::RepairLabels(why)) } else { Verdict::Pass }
}

/// Returns whether a label of a gate is there although the issue is not at that gate.
pub(super) fn is_stale(view: &View<'_>, flag: Flag) -> bool {
    view.has(flag) && !is_at_home(view, flag)
}

fn is_at_home(view: &View<'_>, flag: Flag) -> bool {
    let stage = view.stage;
    if stage.kind != StageKind::Working {
        return false;
    }
    let is_complete = view.signs.is_complete;
    match flag {
        Flag::AwaitingReview => is_complete && stage.wait_for_reviews,
        Flag::BotReprompted => view.has(Flag::AwaitingReview) && is_complete && stage.wait_for_reviews,
        Flag::AwaitingCi => stage.wait_for_ci || (is_complete && super::gates::merges_here(view)),
        Flag::RebaseNeeded => {
            (stage.wait_for_ci || super::gates::merges_here(view)) && view.open_pull().is_some()
        }
        _ => true,
    }
}
