//! Whether a finished stage may be left: the gates, in order.
//!
//! On a closed issue, and once its pull request is merged, there is nothing left to wait for: such gates let it pass.

mod advance;
mod approval;
mod ci;
mod mergeability;
mod merging;
mod reviews;
mod threads;

pub use advance::{Autonomy, autonomy};
pub(super) use approval::overdue as approval_overdue;
pub(super) use merging::merges_here;
pub(super) use reviews::{Missing, outstanding};

use super::guards::{dependencies, within_budget};
use super::memory::Loop;
use super::step::{Cause, Pause, Step};
use super::trail::{Notes, Rule};
use super::view::View;

/// The gates, in order.
pub static GATES: [Rule; 8] = [
    Rule {
        id: "dependencies",
        asks: "Do open issues come first?",
        then: "It is marked as blocked and waits.",
        check: dependencies,
    },
    Rule {
        id: "approval",
        asks: "Does the stage ask for approval, and is there none of its plan as it is now?",
        then: "People are asked; no answer in time pauses, a rejection runs the stage again.",
        check: approval::approval,
    },
    Rule {
        id: "reviews",
        asks: "Does the stage wait for reviewers, and have they not looked?",
        then: "It waits; bots are asked once more after one time-out; the last time-out pauses.",
        check: reviews::reviews,
    },
    Rule {
        id: "threads",
        asks: "Are there threads of reviews that nobody has acted on?",
        then: "The agent is sent back to them; too many rounds pause.",
        check: threads::threads,
    },
    Rule {
        id: "mergeability",
        asks: "Does the stage wait for checks, and does the branch not merge, or is that unknown?",
        then: "The agent is sent back to rebase; too many rounds pause; the unknown is waited for.",
        check: mergeability::mergeability,
    },
    Rule {
        id: "checks",
        asks: "Does the stage wait for checks, and have they not passed?",
        then: "It waits; failures send the agent back; too many rounds and time-outs pause.",
        check: ci::checks,
    },
    Rule {
        id: "merge",
        asks: "Is this the last working stage, does the issue go on by itself, and is its pull request open?",
        then: "It is merged, once the branch merges and checks have passed.",
        check: merging::merge,
    },
    Rule {
        id: "advance",
        asks: "Is there anything left to ask?",
        then: "It is handed on, by itself or by a person.",
        check: advance::advance,
    },
];

/// Returns whether there is nothing left to wait for.
fn is_settled(view: &View<'_>) -> bool {
    view.item.is_closed || view.is_merged()
}

/// Sends the agent back, unless that was done too often.
fn sent_back(view: &View<'_>, notes: &mut Notes, cause: Cause) -> Step {
    let (limit, pause) = match cause {
        Cause::Review => (view.policy.max_review_cycles, Pause::ReviewCycles),
        Cause::CiFix => (view.policy.max_ci_fix_cycles, Pause::CiFixCycles),
        Cause::Rebase => (view.policy.max_rebase_cycles, Pause::RebaseCycles),
    };
    let cycles = view.cycles(Loop::from(cause));
    notes.fact("rounds", || format!("{cycles} of {limit}"));
    match cycles >= limit {
        true => Step::Pause(pause),
        false => within_budget(view, notes, Step::Reinvoke(cause)),
    }
}
