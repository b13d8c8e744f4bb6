//! The gate of checks: a stage that waits for them is complete only when they have passed.
//!
//! What the tracker says about merging outranks single checks, because it knows which of them are required; but a state
//! that only says "mergeable, though not everything has passed" is no answer while something is still running.

use std::time::Duration;

use super::super::checks::{Checks, Health};
use super::super::item::LinkedPull;
use super::super::names::Flag;
use super::super::step::{Cause, Hold, Pause, Repair, Step};
use super::super::trail::{Notes, Verdict};
use super::super::view::{TRACKER, View};

pub(super) fn checks(view: &View<'_>, notes: &mut Notes) -> Verdict {
    if !view.stage.wait_for_ci {
        return Verdict::Pass;
    }
    match judge(view, notes) {
        Ci::Passed => passed(view),
        Ci::Failed => Verdict::Decide(super::sent_back(view, notes, Cause::CiFix)),
        Ci::Waiting(hold) => Verdict::Decide(Step::HoldAtGate(hold)),
        Ci::TimedOut => Verdict::Decide(Step::Pause(Pause::CiTimeout)),
    }
}

fn passed(view: &View<'_>) -> Verdict {
    // On a closed issue the label was taken off before, and nobody waits for the word.
    let is_told = view.signs.is_complete || view.item.is_closed;
    match is_told && !view.has(Flag::AwaitingCi) {
        true => Verdict::Pass,
        false => Verdict::Decide(Step::RepairLabels(Repair::ChecksPassed)),
    }
}

/// What the checks of a pull request come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ci {
    /// There is nothing in the way.
    Passed,
    /// Something is wrong.
    Failed,
    /// There is no answer yet.
    Waiting(Hold),
    /// There was no answer in time.
    TimedOut,
}

/// Judges the checks, in this gate and before a merge.
pub(super) fn judge(view: &View<'_>, notes: &mut Notes) -> Ci {
    let Some(pull) = view.open_pull().filter(|_| !super::is_settled(view)) else {
        notes.fact("pull request", || if view.is_merged() { "merged" } else { "none is open" });
        return Ci::Passed;
    };
    notes.fact("merge state", || pull.merge_state);
    match said(view, pull, notes) {
        Ci::Waiting(_) if is_late(view, notes) => Ci::TimedOut,
        said => said,
    }
}

fn said(view: &View<'_>, pull: &LinkedPull, notes: &mut Notes) -> Ci {
    let Some(checks) = &pull.checks else { return Ci::Waiting(Hold::ChecksUnknown) };
    notes.fact("checks", || summary(checks));
    if checks.as_slice().is_empty() {
        return without_checks(view, pull, notes);
    }
    let is_running = checks.any(Health::Running);
    if is_running {
        notes.fact("still running", || names(checks, Health::Running));
    }
    if view.policy.accept_states.contains(&pull.merge_state) && !is_running && has_required(view, checks) {
        return Ci::Passed;
    }
    if checks.any(Health::Failed) {
        return Ci::Failed;
    }
    let is_open = is_running || checks.any(Health::Void) || !has_all_required(view, pull, checks);
    if is_open { Ci::Waiting(Hold::Checks) } else { Ci::Passed }
}

/// No checks mean "no checks are configured" only if nothing speaks against it: after a push it takes a moment until
/// they appear.
fn without_checks(view: &View<'_>, pull: &LinkedPull, notes: &mut Notes) -> Ci {
    let age = view.now.server.since(pull.pushed_at);
    let had_some = view.item.memory.checked_pulls.contains(&pull.number);
    notes.fact("head pushed", || format!("{}s ago", age.as_secs()));
    notes.fact("had checks before", || had_some);
    let are_required = !pull.required_checks.is_empty() || !view.policy.required_checks.is_empty();
    match had_some || are_required || age < view.policy.post_push_dwell {
        true => Ci::Waiting(Hold::NoChecksYet),
        false => Ci::Passed,
    }
}

fn has_required(view: &View<'_>, checks: &Checks) -> bool {
    view.policy.required_checks.iter().all(|name| checks.has_passed(name))
}

fn has_all_required(view: &View<'_>, pull: &LinkedPull, checks: &Checks) -> bool {
    has_required(view, checks) && pull.required_checks.iter().all(|name| checks.has_passed(name))
}

/// Time without progress counts, and in the end all time does. A wait begins when it is first seen, not with the push:
/// checks of a head that was pushed long ago may have been run again a moment ago.
pub(super) fn is_late(view: &View<'_>, notes: &mut Notes) -> bool {
    let Some(pull) = view.open_pull() else { return false };
    let waited = view.waited(TRACKER);
    // A push is progress too: its checks may take a moment to appear.
    let changed_at = pull.checks.as_ref().and_then(Checks::changed_at).max(Some(pull.pushed_at));
    let quiet = changed_at.map_or(waited, |at| view.now.server.since(at).min(waited));
    let told = |waited: Duration, limit: Duration| format!("{}s of {}s", waited.as_secs(), limit.as_secs());
    notes.fact("without progress", || told(quiet, view.policy.ci_wait_timeout));
    notes.fact("waited in all", || told(waited, view.policy.ci_backstop_timeout));
    // What could not be read shows no progress, and that says nothing.
    let is_quiet = quiet >= view.policy.ci_wait_timeout && pull.checks.is_some();
    is_quiet || waited >= view.policy.ci_backstop_timeout
}

fn names(checks: &Checks, health: Health) -> String {
    let such = checks.as_slice().iter().filter(|check| check.health() == health);
    such.map(|check| check.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn summary(checks: &Checks) -> String {
    let count = |health| checks.as_slice().iter().filter(|check| check.health() == health).count();
    let (passed, failed) = (count(Health::Passed), count(Health::Failed));
    format!(
        "{passed} passed, {failed} failed, {} running, {} void",
        count(Health::Running),
        count(Health::Void)
    )
}
