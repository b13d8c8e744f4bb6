//! The gate of approval: a stage that asks for one is complete only when people agree to its plan.

use super::super::approval::is_of_agent;
use super::super::item::{Approval, ApprovalState, SlackSign};
use super::super::names::Said;
use super::super::step::{Hold, Pause, Repair, Step};
use super::super::trail::{Notes, Verdict};
use super::super::view::View;
use crate::time::ServerTime;

pub(super) fn approval(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if super::is_settled(view) {
        return Verdict::Pass;
    }
    if !view.signs.is_plan_pending {
        return lapsed(view, notes);
    }
    if is_of_agent(&view.item.comments, view.policy.names) {
        // One word must not decide about two plans, so nobody is asked about another one meanwhile.
        notes.fact("approval", || "people were asked about an agent's own plan");
        return Verdict::Decide(overdue(view, notes).unwrap_or(Step::HoldAtGate(Hold::Approval)));
    }
    let Some(approval) = view.approval() else {
        notes.fact("approval", || "nobody was asked");
        return Verdict::Decide(Step::HoldAtGate(Hold::AskApproval));
    };
    note(notes, approval);
    Verdict::Decide(match approval.state {
        ApprovalState::Pending => pending(view, notes, approval),
        ApprovalState::Approved | ApprovalState::Rejected => Step::RepairLabels(Repair::Decided),
    })
}

fn note(notes: &mut Notes, approval: &Approval) {
    notes.fact("plan", || approval.plan.clone());
    notes.fact("approval", || approval.state);
    notes.fact("in favour", || format!("{} of {}", approval.in_favour.len(), approval.required));
}

/// A stage that is complete was approved as it was then. As long as the issue has not left it, its plan may change, and
/// people may change their minds.
fn lapsed(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if view.stage.approval.is_none() || !view.signs.is_complete {
        return Verdict::Pass;
    }
    if let Some(approval) = view.approval() {
        note(notes, approval);
    }
    match view.approval().map(|approval| approval.state) {
        Some(ApprovalState::Approved) => Verdict::Pass,
        Some(ApprovalState::Rejected) => Verdict::Decide(Step::RepairLabels(Repair::Decided)),
        Some(ApprovalState::Pending) | None => Verdict::Decide(Step::HoldAtGate(Hold::AskApproval)),
    }
}

/// Returns that people had their time, counted from when the label was put on, where there is no question to count from.
pub(in super::super) fn overdue(view: &View<'_>, notes: &mut Notes) -> Option<Step> {
    let is_it = |label: &str| view.policy.names.read(label) == Some(Said::PlanPending);
    let labelled_at = view.item.labelled_at.iter().find(|(label, _)| is_it(label)).map(|(_, at)| *at)?;
    let is_late = !view.item.is_closed && is_over(view, notes, labelled_at);
    is_late.then_some(Step::Pause(Pause::ApprovalTimeout))
}

fn is_over(view: &View<'_>, notes: &mut Notes, since: ServerTime) -> bool {
    let waited = view.now.server.since(since);
    notes.fact("waited", || format!("{}s of {}s", waited.as_secs(), view.policy.approval_timeout.as_secs()));
    waited >= view.policy.approval_timeout
}

fn pending(view: &View<'_>, notes: &mut Notes, approval: &Approval) -> Step {
    if let Some(why) = unheard(&approval.slack) {
        // Somebody may have decided; trouble with the way there decides nothing.
        notes.fact("Slack", || why.to_owned());
        return Step::HoldAtGate(Hold::Approval);
    }
    match is_over(view, notes, approval.asked_at) {
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
