//! What people said about a plan: on the tracker, in Slack, or through Baton itself.
//!
//! A question names the plan that it is about. When the plan changes, the question and everything said after it lapse, and
//! people are asked anew; so nobody ever agrees to what they have not seen. A rejection outranks every approval, and only
//! those count who may decide. Deliberately absent: asking, hearing, and what follows from a decision.

mod ballot;
mod plan;
mod sayings;
mod slack;

use ballot::{Ballot, END};

use super::item::{Approval, ApprovalState, Comment, Saying, SlackSign, Via, Vote};
use super::names::Names;
use super::stage::ApprovalWay;

pub use ballot::{NoVoter, Speaks};
pub use plan::{Plan, plan_of};
pub use sayings::{
    AGENT_PLAN, Asked, TrackerWord, asked_in, asked_last, is_of_agent, question, question_mark, record,
    verdict,
};
pub use slack::{Heard, Reacted, Replied, SlackThread};

/// Who decides about plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approvers {
    /// How many must approve.
    pub required: u32,
    /// The accounts of the tracker that may; nothing for everybody who may write.
    pub tracker: Vec<String>,
    /// The users of Slack that may.
    pub slack: Vec<SlackApprover>,
}

/// A user of Slack that may decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlackApprover {
    /// The id in Slack.
    pub id: String,
    /// The account of the same person on the tracker, so that one person is not counted as two.
    pub login: Option<String>,
}

impl SlackApprover {
    /// Reads `ID`, or `ID=LOGIN`.
    pub fn read(text: &str) -> Self {
        match text.split_once('=') {
            Some((id, login)) => Self { id: id.trim().to_owned(), login: Some(login.trim().to_owned()) },
            None => Self { id: text.trim().to_owned(), login: None },
        }
    }

    /// Returns by what name the person is counted.
    pub fn name(&self) -> String {
        self.login.clone().unwrap_or_else(|| format!("slack:{}", self.id))
    }
}

/// What an approval is held to.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// How labels and headings are called.
    pub names: Names,
    /// The stage whose plan it is.
    pub stage: &'a str,
    /// Where people may answer.
    pub way: ApprovalWay,
    /// Who may.
    pub approvers: &'a Approvers,
}

impl Terms<'_> {
    fn asks_slack(&self) -> bool {
        matches!(self.way, ApprovalWay::Slack | ApprovalWay::Either)
    }

    fn hears_tracker(&self) -> bool {
        matches!(self.way, ApprovalWay::Tracker | ApprovalWay::Either)
    }
}

/// Returns what was said about the plan as it is now; nothing when nobody was asked about it.
pub fn of(terms: Terms<'_>, comments: &[Comment], heard: &Heard) -> Option<Approval> {
    let ballot = Ballot::last(terms, comments)?;
    let plan = plan_of(comments, terms.stage, terms.names);
    if ballot.plan != plan.mark {
        return None;
    }
    let mut votes = ballot.votes(END);
    let (in_slack, amendments) = slack::said(terms, heard);
    // What was written down already is not counted twice: a voter has one vote, wherever it was given.
    votes.extend(in_slack.iter().cloned());
    let tally = ballot::count(&votes, terms.approvers.required);
    Some(Approval {
        stage: terms.stage.to_owned(),
        plan: plan.mark,
        state: tally.state,
        asked_at: ballot.question.created_at,
        by: tally.by,
        reason: tally.reason,
        in_favour: tally.in_favour,
        required: terms.approvers.required,
        slack: sign(terms, heard),
        unrecorded: if tally.state == ApprovalState::Pending { Vec::new() } else { in_slack },
        amendments,
    })
}

fn sign(terms: Terms<'_>, heard: &Heard) -> SlackSign {
    match heard {
        _ if !terms.asks_slack() => SlackSign::Unused,
        Heard::NotAsked => SlackSign::NotAsked,
        Heard::Thread(_) => SlackSign::Asked,
        Heard::Unheard(why) => SlackSign::Unheard(why.clone()),
    }
}

/// Returns what an agent in a stage should know of what people said about the plans of these stages: why its own was rejected, or
/// what they added to the one that it is to carry out. Only those are heard who may decide, each with their last word; what
/// is said about a plan after it was approved is not told to whoever carries it out.
pub fn sayings(asking: &[Terms<'_>], comments: &[Comment], own: &str) -> Vec<Saying> {
    let ballots = asking.iter().filter_map(|terms| Ballot::last(*terms, comments));
    let Some(latest) = ballots.max_by_key(|ballot| ballot.place) else { return Vec::new() };
    let is_made_again = latest.terms.stage == own;
    let until = if is_made_again { None } else { latest.approved_at() };
    latest.sayings(until.unwrap_or(END))
}

impl Vote {
    fn is_by(&self, other: &Self) -> bool {
        self.by.eq_ignore_ascii_case(&other.by)
    }
}

impl Via {
    /// Returns where it was said, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Tracker => "on the issue",
            Self::Slack => "in Slack",
            Self::Baton => "through Baton",
        }
    }
}

#[cfg(test)]
mod tests;
