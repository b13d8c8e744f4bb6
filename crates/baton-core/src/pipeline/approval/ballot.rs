//! Counting votes: who may vote, whose last word it is, and what the votes come to together.

use super::super::comments::is_by_bot;
use super::super::item::{ApprovalState, Comment, Saying, Via, Vote};
use super::super::names::Names;
use super::plan::Plan;
use super::sayings::{TrackerWord, recorded, recorded_amendments, verdict};
use super::{Approvers, Terms};

/// What votes come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) state: ApprovalState,
    pub(super) by: String,
    pub(super) reason: String,
    pub(super) in_favour: Vec<String>,
}

/// Returns the votes that the tracker shows about a plan, after the question at this place among the comments.
pub(super) fn on_tracker(terms: Terms<'_>, comments: &[Comment], asked: usize, plan: &Plan) -> Vec<Vote> {
    let (question, after) = (&comments[asked], &comments[asked + 1..]);
    let mut votes: Vec<Vote> = after
        .iter()
        .flat_map(|comment| recorded(comment, terms.names))
        .filter(|it| counts(terms, it))
        .collect();
    if terms.hears_tracker() {
        votes.extend(latest_words(terms.approvers, after));
        // A sign on the question is about its plan. One on the plan itself may be older than the plan's last change, so
        // it counts only from the question on.
        votes.extend(signs(terms.approvers, question, question));
        let plan = comments.iter().find(|comment| Some(comment.id) == plan.comment);
        votes.extend(plan.into_iter().flat_map(|plan| signs(terms.approvers, plan, question)));
    }
    votes
}

/// Returns whether a vote that was written down is one of those who may decide.
fn counts(terms: Terms<'_>, vote: &Vote) -> bool {
    match vote.via {
        Via::Slack => terms.asks_slack() && terms.approvers.slack.iter().any(|who| who.name() == vote.by),
        Via::Baton | Via::Tracker => is_named(terms.approvers, &vote.by),
    }
}

fn is_named(approvers: &Approvers, login: &str) -> bool {
    approvers.tracker.is_empty() || approvers.tracker.iter().any(|who| who.eq_ignore_ascii_case(login))
}

/// Returns the last word of everybody who may decide and said one.
fn latest_words(approvers: &Approvers, comments: &[Comment]) -> Vec<Vote> {
    let mut votes: Vec<Vote> = Vec::new();
    let people =
        comments.iter().filter(|it| it.may_write && !is_by_bot(it) && is_named(approvers, &it.author));
    for comment in people {
        let Some(word) = verdict(&comment.body) else { continue };
        let vote = of_word(&comment.author, word);
        votes.retain(|earlier| !earlier.is_by(&vote));
        votes.push(vote);
    }
    votes
}

fn of_word(by: &str, word: TrackerWord<'_>) -> Vote {
    let (is_for, reason) = match word {
        TrackerWord::Approve(more) => (true, more),
        TrackerWord::Reject(reason) => (false, reason),
    };
    Vote { by: by.to_owned(), is_for, reason: reason.to_owned(), via: Via::Tracker }
}

fn signs(approvers: &Approvers, on: &Comment, question: &Comment) -> Vec<Vote> {
    let is_in_time = |at| on.id == question.id || at >= question.created_at;
    let counted = on.signs.iter().filter(|sign| {
        sign.may_write && !sign.is_bot && is_named(approvers, &sign.by) && is_in_time(sign.at)
    });
    let vote =
        |by: &str, is_for| Vote { by: by.to_owned(), is_for, reason: String::new(), via: Via::Tracker };
    counted.map(|sign| vote(&sign.by, sign.is_for)).collect()
}

/// Returns what votes come to: any rejection stands, and approvals count once for each person.
pub(super) fn count(votes: &[Vote], required: u32) -> Tally {
    if let Some(against) = votes.iter().find(|vote| !vote.is_for) {
        let reasons = votes.iter().filter(|vote| !vote.is_for && !vote.reason.is_empty());
        let reason = reasons.map(|vote| vote.reason.as_str()).collect::<Vec<_>>().join("\n");
        let (state, by) = (ApprovalState::Rejected, against.by.clone());
        return Tally { state, by, reason, in_favour: Vec::new() };
    }
    let mut in_favour: Vec<String> = Vec::new();
    for vote in votes {
        if !in_favour.iter().any(|by| by.eq_ignore_ascii_case(&vote.by)) {
            in_favour.push(vote.by.clone());
        }
    }
    let is_enough = in_favour.len() >= required.max(1) as usize;
    let state = if is_enough { ApprovalState::Approved } else { ApprovalState::Pending };
    let by = if is_enough { in_favour.join(", ") } else { String::new() };
    Tally { state, by, reason: String::new(), in_favour }
}

/// Returns what people said with their votes, from the question on.
pub(super) fn words_after(comments: &[Comment], names: Names) -> Vec<Saying> {
    let mut sayings = Vec::new();
    for comment in comments {
        let votes = recorded(comment, names).into_iter();
        let of_people = verdict(&comment.body).filter(|_| comment.may_write && !is_by_bot(comment));
        let votes = votes.chain(of_people.map(|word| of_word(&comment.author, word)));
        let said = votes.filter(|vote| !vote.reason.is_empty() || !vote.is_for);
        sayings.extend(said.map(|vote| Saying {
            is_rejection: !vote.is_for,
            by: vote.by,
            text: vote.reason,
        }));
        sayings.extend(recorded_amendments(comment, names));
    }
    sayings
}
