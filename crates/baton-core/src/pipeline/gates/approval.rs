//! The gate of approval: a stage that asks for one is complete only when people agree to its plan.

use super::super::item::{Approval, ApprovalState, SlackSign};
use super::super::step::{Hold, Pause, Repair, Step};
use super::super::trail::{Notes, Verdict};
use super::super::view::View;

pub(super) fn approval(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if !view.signs.is_plan_pending || super::is_settled(view) {
        return Verdict::Pass;
    }
    let Some(approval) = view.approval() else {
        notes.fact("approval", || "nobody was asked");
        return Verdict::Decide(Step::HoldAtGate(Hold::AskApproval));
    };
    notes.fact("plan", || approval.plan.clone());
    notes.fact("approval", || approval.state);
    notes.fact("in favour", || format!("{} of {}", approval.in_favour.len(), approval.required));
    Verdict::Decide(match approval.state {
        ApprovalState::Pending => pending(view, notes, approval),
        ApprovalState::Approved | ApprovalState::Rejected => Step::RepairLabels(Repair::Decided),
    })
}

fn pending(view: &View<'_>, notes: &mut Notes, approval: &Approval) -> Step {
    if let Some(why) = unheard(&approval.slack) {
        // Somebody may have decided; trouble with the way there decides nothing.
        notes.fact("Slack", || why.to_owned());
        return Step::HoldAtGate(Hold::Approval);
    }
    let waited = view.now.server.since(approval.asked_at);
    notes.fact("waited", || format!("{}s of {}s", waited.as_secs(), view.policy.approval_timeout.as_secs()));
    match waited >= view.policy.approval_timeout {
        true => Step::Pause(Pause::ApprovalTimeout),
        false => Step::HoldAtGate(Hold::Approval),
    }
}

/// Returns why it is not known what people said in Slack.
fn unheard(slack: &SlackSign) -> Option<&str> {
    match slack {
        SlackSign::Unused | SlackSign::Asked => None,
        SlackSign::NotAsked => Some("nobody was asked there yet"),
        SlackSign::Unheard(why) => Some(why),
    }
}
