//! The terms in which the machines of claims speak with whoever performs for them.
//!
//! A machine is told an answer and says what to ask next, until it has a verdict. It never waits, sends or reads a
//! clock itself. The driver in the engine performs asks on a tracker; the model check performs them on every possible
//! order of events.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use super::chain::Sighting;
use super::eligibility::Eligibility;
use super::identity::{Holder, Nonce};
use super::ledger::Reading;
use super::timing::Timing;
use crate::labels::dialect::{CLAIMED, LabelChange, fabrik_lock, fabrik_lock_owner};
use crate::time::{BootTime, ServerTime};
use crate::tracker::{Comment, Commit, Dated, Issue, LabelEvent, RefAdvance, RefCreation};

/// Something to be done for a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Ask {
    /// Read the issue.
    Issue,
    /// Read the comments that can still matter.
    Comments,
    /// Read when labels were put on and taken off.
    LabelEvents,
    /// Read the claim ref.
    Tip,
    /// Post a comment.
    Post(String),
    /// Replace a comment's text.
    Edit(u64, String),
    /// Put labels on.
    AddLabels(Vec<String>),
    /// Take a label off.
    RemoveLabel(String),
    /// Write a commit on top of another, on no ref yet.
    Commit {
        /// Its message.
        message: String,
        /// What it goes on top of.
        parent: Option<String>,
    },
    /// Create the claim ref at a commit.
    Create(String),
    /// Move the claim ref forward to a commit.
    Advance(String),
    /// Wait until the boot clock is there.
    Wait(BootTime),
}

impl Ask {
    /// Returns whether it changes anything on the tracker.
    pub fn is_write(&self) -> bool {
        !matches!(self, Self::Issue | Self::Comments | Self::LabelEvents | Self::Tip | Self::Wait(_))
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The issue.
    Issue(Dated<Issue>),
    /// The comments, each with whether it is believed.
    Comments(Reading),
    /// The label events.
    LabelEvents(Vec<LabelEvent>),
    /// The claim ref.
    Tip(Sighting),
    /// The comment that was posted, or edited.
    Comment(Dated<Comment>),
    /// The commit that was written.
    Commit(Dated<Commit>),
    /// What became of the ref.
    Created(RefCreation),
    /// What became of the ref.
    Advanced(RefAdvance),
    /// It was done, or the wait is over.
    Done,
    /// It was not done, or nobody knows.
    Failed(Failure),
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Failure {
    /// What was tried and what came back.
    pub why: String,
    /// Whether it may have been done all the same.
    pub may_have_happened: bool,
}

/// What a machine wants.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step<V> {
    /// Something to be done.
    Ask(Ask),
    /// Nothing more: this is the verdict.
    Done(V),
}

/// A protocol as a machine.
pub trait Machine {
    /// What it finds out.
    type Verdict;

    /// Returns the first step.
    fn begin(&mut self, now: BootTime) -> Step<Self::Verdict>;

    /// Takes the answer to the last ask and returns the next step. `sent_at` is the boot clock before the ask was sent.
    fn answered(&mut self, sent_at: BootTime, now: BootTime, answer: Answer) -> Step<Self::Verdict>;

    /// Returns whether it is decided who holds, even if there is something left to write.
    fn is_decided(&self) -> bool;
}

/// The end of an attempt to acquire.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Acquired {
    /// The issue is held.
    Won(super::Lease),
    /// Someone else was first, or holds it.
    Lost {
        /// Who, when that is known.
        to: Option<Holder>,
    },
    /// It may not be claimed.
    Refused(super::Refusal),
    /// It is not known; nothing is held.
    Failed(String),
}

/// Which other tools share the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Foreign {
    /// Alfred's fleets.
    pub alfred: bool,
    /// Scripts with a `claimed` label.
    pub labels_as_locks: bool,
    /// Fabrik's engines.
    pub fabrik: bool,
}

impl Foreign {
    /// Returns whether any is there.
    pub fn is_any(self) -> bool {
        self.alfred || self.labels_as_locks || self.fabrik
    }
}

/// The safeguards of the protocols. All of them are always on; the model check takes them away one by one to show that
/// each is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Safeguards {
    /// Claims are told apart by 128 random bits.
    pub nonce: bool,
    /// Claims of the same second are ordered by id.
    pub id_tie_break: bool,
    /// The last read comes after others' comments can be seen.
    pub settle: bool,
    /// A holder stops by its own clock.
    pub deadline: bool,
    /// The issue is read again after winning.
    pub reread: bool,
    /// Labels change while still holding, and the release comes last.
    pub release_last: bool,
}

impl Safeguards {
    /// As the product runs.
    pub const ALL: Self = Self {
        nonce: true,
        id_tie_break: true,
        settle: true,
        deadline: true,
        reread: true,
        release_last: true,
    };
}

/// What a claimant brings along.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Claimant {
    /// Who.
    pub holder: Holder,
    /// What tells this claim from every other.
    pub nonce: Nonce,
}

/// How long another tool's live claim is waited for before ours yields.
pub(super) const FOREIGN_PATIENCE: Duration = Duration::from_secs(15);

/// The terms under which a machine works.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Terms {
    /// Every margin.
    pub timing: Timing,
    /// What an issue must be like.
    pub eligibility: Eligibility,
    /// Who else is there.
    pub foreign: Foreign,
    /// The account that labels name, in dialects that name one.
    pub user: String,
    /// All of them, except in the model check.
    pub safeguards: Safeguards,
}

impl Terms {
    /// The labels that tell other tools of a hold, besides those of the own dialect.
    fn foreign_labels(&self) -> Vec<String> {
        let claimed = self.foreign.labels_as_locks.then(|| CLAIMED.to_owned());
        let lock = self.foreign.fabrik.then(|| fabrik_lock(&self.user));
        claimed.into_iter().chain(lock).collect()
    }

    /// The operator of a Fabrik engine that has its lock on the issue, if Fabrik's engines are there.
    pub(super) fn other_lock(&self, issue: &Issue) -> Option<Holder> {
        let own = fabrik_lock(&self.user);
        let mut others = issue.labels.iter().filter(|label| self.foreign.fabrik && **label != own);
        let other = others.find_map(|label| fabrik_lock_owner(label))?;
        format!("fabrik:{other}").parse().ok()
    }

    /// The changes that tell that the issue is held; nothing to do when they are all there.
    pub fn labels_on_taking(&self, labels: &[String]) -> LabelChange {
        let mut change = self.eligibility.dialect.on_taking(labels, &self.user);
        for label in self.foreign_labels() {
            change.add_unless_there(labels, &label);
        }
        change
    }

    /// The changes that tell that the issue was handed back, and where to.
    pub fn labels_on_handing_back(&self, labels: &[String], to: Option<&str>) -> LabelChange {
        let mut change = self.eligibility.dialect.on_handing_back(labels, &self.user, to);
        for label in self.foreign_labels() {
            change.remove_if_there(labels, &label);
        }
        change
    }
}

/// Terms that many machines share. They are no part of a machine's state, so they are left out of its identity.
#[derive(Debug, Clone)]
pub struct SharedTerms(pub Arc<Terms>);

impl SharedTerms {
    /// Shares terms.
    pub fn new(terms: Terms) -> Self {
        Self(Arc::new(terms))
    }
}

impl Deref for SharedTerms {
    type Target = Terms;

    fn deref(&self) -> &Terms {
        &self.0
    }
}

impl PartialEq for SharedTerms {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for SharedTerms {}

impl Hash for SharedTerms {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A change of labels as asks, the last one first: what is put on comes before what is taken off, so that an issue is never
/// without what tells of it.
pub(super) fn label_asks(change: LabelChange) -> Vec<Ask> {
    let mut left: Vec<Ask> = change.remove.into_iter().rev().map(Ask::RemoveLabel).collect();
    if !change.add.is_empty() {
        left.push(Ask::AddLabels(change.add));
    }
    left
}

/// The time that is written into a text, for people: the server's, as far as it is known.
pub(super) fn stamp(date: Option<ServerTime>) -> ServerTime {
    date.unwrap_or(ServerTime(0))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::tracker::Author;

    pub(crate) fn terms() -> Terms {
        Terms {
            timing: Timing::default(),
            eligibility: Eligibility::default(),
            foreign: Foreign::default(),
            user: "ana".to_owned(),
            safeguards: Safeguards::ALL,
        }
    }

    pub(crate) fn comment(id: u64, login: &str, at: i64, body: &str) -> Comment {
        Comment {
            id,
            author: Author { login: login.to_owned(), app_id: None },
            created_at: ServerTime(at),
            updated_at: ServerTime(at),
            body: body.to_owned(),
        }
    }

    pub(crate) fn issue(labels: &[&str]) -> Issue {
        Issue {
            number: 7,
            title: "a title".to_owned(),
            body: String::new(),
            url: String::new(),
            is_open: true,
            is_pull: false,
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            comments: 0,
            author: "ana".to_owned(),
            created_at: ServerTime(0),
        }
    }

    #[test]
    fn only_what_changes_the_tracker_is_a_write() {
        assert!(Ask::Post(String::new()).is_write() && Ask::Create(String::new()).is_write());
        assert!(!Ask::Tip.is_write() && !Ask::Wait(BootTime { ms: 1 }).is_write());
    }
}
