//! The gate of reviews: nobody who was asked is outstanding, and somebody has looked.

use super::super::authors::is_bot_login;
use super::super::item::{LinkedPull, Review, ReviewDecision, ReviewState};
use super::super::names::Flag;
use super::super::stage::ReviewAuthority;
use super::super::step::{Hold, Pause, Repair, Step};
use super::super::trail::{Notes, Verdict};
use super::super::view::{REPROMPTED, REVIEWERS, View};
use crate::tracker::PullState;

pub(super) fn reviews(view: &View<'_>, notes: &mut Notes) -> Verdict {
    // Before the stage is complete, what is known of reviewers is from before the pull request was ready.
    if !view.stage.wait_for_reviews || !view.signs.is_complete {
        return Verdict::Pass;
    }
    note(view, notes);
    if super::is_settled(view) || has_cleared(view) {
        return cleared(view);
    }
    if view.item.pull.as_ref().is_some_and(|pull| pull.state == PullState::Closed) {
        return Verdict::Decide(Step::Pause(Pause::PullClosed));
    }
    let waited = view.waited(REVIEWERS);
    let is_late = waited >= view.policy.review_wait_timeout && view.has(Flag::AwaitingReview);
    notes.fact("waited", || {
        format!("{}s of {}s", waited.as_secs(), view.policy.review_wait_timeout.as_secs())
    });
    Verdict::Decide(if only_bots_are_missing(view) { for_bots(view, is_late) } else { for_people(is_late) })
}

fn cleared(view: &View<'_>) -> Verdict {
    match view.signs.has_any(&[Flag::AwaitingReview, Flag::BotReprompted]) {
        true => Verdict::Decide(Step::RepairLabels(Repair::Reviewed)),
        false => Verdict::Pass,
    }
}

fn for_people(is_late: bool) -> Step {
    match is_late {
        true => Step::Pause(Pause::ReviewTimeout { reprompted: false }),
        false => Step::HoldAtGate(Hold::Reviews),
    }
}

/// A program that says nothing may not have heard, so it is asked once more before a person is.
fn for_bots(view: &View<'_>, is_late: bool) -> Step {
    let is_reprompted = view.has(Flag::BotReprompted);
    let has_waited_again = view.waited(REPROMPTED) >= view.policy.review_wait_timeout;
    match (is_reprompted, is_late) {
        (true, _) if has_waited_again => Step::Pause(Pause::ReviewTimeout { reprompted: true }),
        (true, _) | (false, false) => Step::HoldAtGate(Hold::Reviews),
        (false, true) => Step::HoldAtGate(Hold::Reprompt),
    }
}

fn note(view: &View<'_>, notes: &mut Notes) {
    notes.fact("outstanding", || {
        let mut names: Vec<_> = outstanding(view).map(|who| who.to_string()).collect();
        names.dedup();
        if names.is_empty() { "nobody".to_owned() } else { names.join(", ") }
    });
    notes.fact("reviews", || view.open_pull().map_or(0, |pull| counting(pull).count()));
}

fn has_cleared(view: &View<'_>) -> bool {
    if outstanding(view).next().is_some() {
        return false;
    }
    let Some(pull) = view.open_pull() else { return false };
    let is_nobody_expected = view.stage.expected_reviewers.as_ref().is_some_and(Vec::is_empty);
    let has_looked = is_nobody_expected || counting(pull).next().is_some();
    has_looked && (view.stage.review_authority == ReviewAuthority::Advisory || is_approved(pull))
}

/// With a rule of the repository, its word counts; without one, nobody may object. What cannot be read is no yes.
fn is_approved(pull: &LinkedPull) -> bool {
    match pull.decision {
        ReviewDecision::Approved => true,
        ReviewDecision::NoRule => !counting(pull).any(|review| review.state == ReviewState::ChangesRequested),
        ReviewDecision::ChangesRequested | ReviewDecision::ReviewRequired | ReviewDecision::Unknown => false,
    }
}

/// The reviews that count. Who opened the pull request reviews it by answering in a thread, and that is no review.
fn counting(pull: &LinkedPull) -> impl Iterator<Item = &Review> {
    let counts = |review: &&Review| !matches!(review.state, ReviewState::Dismissed | ReviewState::Pending);
    pull.reviews.iter().filter(counts).filter(|review| !review.author.eq_ignore_ascii_case(&pull.author))
}

/// Somebody whose review is missing.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Missing<'a> {
    /// Who.
    pub(in super::super) login: &'a str,
    /// Whether that is a program.
    pub(in super::super) is_bot: bool,
}

impl std::fmt::Display for Missing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.is_bot { "bot" } else { "human" };
        write!(f, "{} ({kind})", self.login)
    }
}

/// Returns who was asked or is expected, and has not answered.
pub(in super::super) fn outstanding<'a>(view: &View<'a>) -> impl Iterator<Item = Missing<'a>> {
    let pull = view.open_pull();
    let asked = pull.into_iter().flat_map(|pull| &pull.requests).map(|request| Missing {
        login: &request.login,
        is_bot: request.is_bot || is_bot_login(&request.login),
    });
    let has_answered = move |login: &str| {
        pull.is_some_and(|pull| counting(pull).any(|review| is_same(&review.author, login)))
    };
    let is_asked = move |login: &str| {
        pull.is_some_and(|pull| pull.requests.iter().any(|request| is_same(&request.login, login)))
    };
    let expected = view.stage.expected_reviewers.iter().flatten();
    // Names in stage files are bare, and those expected by name are the programs that come without being asked.
    let expected = expected.filter(move |login| !has_answered(login) && !is_asked(login));
    asked.chain(expected.map(|login| Missing { login, is_bot: true }))
}

fn is_same(one: &str, other: &str) -> bool {
    let bare = |login| str::trim_end_matches(login, "[bot]");
    bare(one).eq_ignore_ascii_case(bare(other))
}

fn only_bots_are_missing(view: &View<'_>) -> bool {
    view.open_pull().is_some()
        && outstanding(view).next().is_some()
        && outstanding(view).all(|who| who.is_bot)
}
