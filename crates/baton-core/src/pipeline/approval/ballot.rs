//! Counting votes: who may vote, whose last word it is, and what the votes come to together.

use super::super::authors::is_bot_login;
use super::super::comments::is_by_bot;
use super::super::item::{ApprovalState, Comment, Saying, Via, Vote};
use super::plan::plan_of;
use super::sayings::{
    Recorded, TrackerWord, is_question, latest_question, recorded, recorded_amendments, verdict,
};
use super::{Approvers, Terms};
use crate::time::ServerTime;

/// After everything that was said.
pub(super) const END: ServerTime = ServerTime(i64::MAX);

/// What votes come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) state: ApprovalState,
    pub(super) by: String,
    pub(super) reason: String,
    pub(super) in_favour: Vec<String>,
}

/// A question with everything that was said about it.
#[derive(Debug, Clone)]
pub(super) struct Ballot<'a> {
    pub(super) terms: Terms<'a>,
    /// Where the question is among the comments.
    pub(super) place: usize,
    pub(super) question: &'a Comment,
    /// The plan that it is about, by its mark.
    pub(super) plan: String,
    /// The comment that the plan is in, if that still is the plan which was asked about.
    planned: Option<&'a Comment>,
    /// What was said after it. Whatever comes after another question is about that one.
    said: &'a [Comment],
}

impl<'a> Ballot<'a> {
    /// Returns the last question about the plan of a stage, if there was one.
    pub(super) fn last(terms: Terms<'a>, comments: &'a [Comment]) -> Option<Self> {
        let (place, plan) = latest_question(comments, terms.stage, terms.names)?;
        let after = &comments[place + 1..];
        let end = after.iter().position(|comment| is_question(comment, terms.names)).unwrap_or(after.len());
        let now = plan_of(comments, terms.stage, terms.names);
        let is_plan = |comment: &&Comment| now.mark == plan && Some(comment.id) == now.comment;
        let planned = comments.iter().find(is_plan);
        Some(Self { terms, place, question: &comments[place], plan, planned, said: &after[..end] })
    }

    /// Returns the votes that the tracker shows, as they were at a moment.
    pub(super) fn votes(&self, until: ServerTime) -> Vec<Vote> {
        let mut votes = self.words(until);
        if self.terms.hears_tracker() {
            // A sign on the question is about its plan. One on the plan itself may be older than the plan's last change, so
            // it counts only from the question on.
            votes.extend(self.signs(self.question, until));
            votes.extend(self.planned.into_iter().flat_map(|plan| self.signs(plan, until)));
        }
        votes
    }

    /// Returns what the votes come to.
    pub(super) fn tally(&self, until: ServerTime) -> Tally {
        count(&self.votes(until), self.terms.approvers.required)
    }

    /// Returns the last word of everybody who may decide and said one.
    fn words(&self, until: ServerTime) -> Vec<Vote> {
        let mut votes: Vec<Vote> = Vec::new();
        let in_time = self.said.iter().filter(|comment| comment.created_at <= until);
        for vote in in_time.flat_map(|comment| self.words_in(comment)) {
            // A name that was only declared takes back nothing that an account of this name said itself.
            votes.retain(|earlier| earlier.via != vote.via || !earlier.is_by(&vote));
            votes.push(vote);
        }
        votes
    }

    fn words_in(&self, comment: &Comment) -> Vec<Vote> {
        let records = recorded(comment, self.terms.names).into_iter();
        let mut votes: Vec<_> = records.filter_map(|record| self.credited(comment, record)).collect();
        let is_heard = self.terms.hears_tracker() && self.is_voter(comment);
        votes.extend(verdict(&comment.body).filter(|_| is_heard).map(|word| of_word(&comment.author, word)));
        votes
    }

    /// Returns whether the account that wrote a comment may decide.
    fn is_voter(&self, comment: &Comment) -> bool {
        comment.may_write && !is_by_bot(comment) && self.terms.approvers.may_decide(&comment.author)
    }

    /// Returns a vote that was written down, as the vote of whoever it counts for.
    fn credited(&self, comment: &Comment, record: Recorded) -> Option<Vote> {
        let Recorded { plan, vote } = record;
        if plan != self.plan {
            return None;
        }
        let approvers = self.terms.approvers;
        match (vote.via, comment.is_own_account) {
            (Via::Slack, true) => {
                let is_known = approvers.slack.iter().any(|who| who.name() == vote.by);
                (self.terms.asks_slack() && is_known).then_some(vote)
            }
            (Via::Slack, false) => None,
            (Via::Baton | Via::Tracker, true) if approvers.trust_names() => {
                approvers.may_decide(&vote.by).then_some(vote)
            }
            (Via::Baton | Via::Tracker, is_own) => {
                let is_known = !is_own || approvers.is_listed(&comment.author);
                let vote = Vote { by: comment.author.clone(), via: Via::Tracker, ..vote };
                (is_known && self.is_voter(comment)).then_some(vote)
            }
        }
    }

    fn signs(&self, on: &Comment, until: ServerTime) -> Vec<Vote> {
        let from = if on.id == self.question.id { ServerTime(i64::MIN) } else { self.question.created_at };
        let counted = on.signs.iter().filter(|sign| {
            let is_person = sign.may_write && !sign.is_bot && !is_bot_login(&sign.by);
            is_person && self.terms.approvers.may_decide(&sign.by) && from <= sign.at && sign.at <= until
        });
        let vote =
            |by: &str, is_for| Vote { by: by.to_owned(), is_for, reason: String::new(), via: Via::Tracker };
        counted.map(|sign| vote(&sign.by, sign.is_for)).collect()
    }

    /// Returns when there were votes enough for the plan; nothing if there never were.
    pub(super) fn approved_at(&self) -> Option<ServerTime> {
        let signed = [Some(self.question), self.planned].into_iter().flatten().flat_map(|on| &on.signs);
        let said = self.said.iter().map(|comment| comment.created_at);
        let mut moments: Vec<_> = said.chain(signed.map(|sign| sign.at)).collect();
        moments.sort_unstable();
        moments.into_iter().find(|at| self.tally(*at).state == ApprovalState::Approved)
    }

    /// Returns what those who may decide said with their votes, and added to the plan.
    pub(super) fn sayings(&self, until: ServerTime) -> Vec<Saying> {
        let told = self.words(until).into_iter().filter(|vote| !vote.reason.is_empty() || !vote.is_for);
        let told = told.map(|vote| Saying { is_rejection: !vote.is_for, by: vote.by, text: vote.reason });
        let in_time = self.said.iter().filter(|comment| comment.created_at <= until);
        let added = in_time.flat_map(|comment| recorded_amendments(comment, self.terms.names, &self.plan));
        told.chain(added).collect()
    }
}

impl Approvers {
    /// Returns whether an account may decide.
    pub fn may_decide(&self, login: &str) -> bool {
        self.tracker.is_empty() || self.is_listed(login)
    }

    /// Returns whether an account is named as one that may decide.
    pub fn is_listed(&self, login: &str) -> bool {
        self.tracker.iter().any(|who| who.eq_ignore_ascii_case(login))
    }

    /// Returns whether the engine's account may write down a vote for somebody whom it knows only by a name that was given to
    /// it. Where several must agree, one person could give several names, so there a vote is the account's that wrote it.
    pub fn trust_names(&self) -> bool {
        self.required <= 1
    }
}

/// Somebody who gives a word through Baton.
#[derive(Debug, Clone, Copy)]
pub struct Speaks<'a> {
    /// By what name; nobody has checked it.
    pub name: &'a str,
    /// With which account of the tracker.
    pub account: &'a str,
    /// Whether that is the account that the engine acts as.
    pub is_engines: bool,
}

/// Why a word that is given through Baton would not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoVoter {
    /// The name is not among those who may decide.
    #[error("`{name}` is not among `approvers`, so the word would not count; ask {approvers}, or set `user`")]
    Name {
        /// The name.
        name: String,
        /// Those who may.
        approvers: String,
    },
    /// The account is not among those who may decide.
    #[error("the account `{account}` is not among `approvers`, so the word would not count; ask {approvers}")]
    Account {
        /// The account.
        account: String,
        /// Those who may.
        approvers: String,
    },
    /// Several must agree, and the account is everybody's.
    #[error(
        "{required} people must approve, and everybody can speak with the engine's account `{account}`, so the word would not \
         count; answer on the issue or in Slack, or use `baton` with a token of your own"
    )]
    Shared {
        /// How many must.
        required: u32,
        /// The account.
        account: String,
    },
    /// It is a program's account.
    #[error("`{account}` is a program's account, so the word would not count; answer on the issue")]
    Program {
        /// The account.
        account: String,
    },
}

impl Approvers {
    /// Returns for whom a word counts that is given through Baton, or why it does not. This is what [`Ballot`] counts.
    pub fn voter(&self, speaks: Speaks<'_>) -> Result<String, NoVoter> {
        let (account, approvers) = (speaks.account.to_owned(), self.tracker.join(", "));
        if speaks.is_engines && self.trust_names() {
            let name = speaks.name.to_owned();
            return if self.may_decide(&name) { Ok(name) } else { Err(NoVoter::Name { name, approvers }) };
        }
        if speaks.is_engines && !self.is_listed(&account) {
            return Err(NoVoter::Shared { required: self.required, account });
        }
        if !self.may_decide(&account) {
            return Err(NoVoter::Account { account, approvers });
        }
        if is_bot_login(&account) { Err(NoVoter::Program { account }) } else { Ok(account) }
    }
}

fn of_word(by: &str, word: TrackerWord<'_>) -> Vote {
    let (is_for, reason) = match word {
        TrackerWord::Approve(more) => (true, more),
        TrackerWord::Reject(reason) => (false, reason),
    };
    Vote { by: by.to_owned(), is_for, reason: reason.to_owned(), via: Via::Tracker }
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
