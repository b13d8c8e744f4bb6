//! An issue from near: why it moves or not, what happened, its pull request, and what may be ordered.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Card, EffectLine, OrderKind, RunLine, SpendingLine, Stamp};

/// An issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IssueView {
    /// When it was looked at.
    pub now: Stamp,
    /// As the board shows it.
    pub card: Card,
    /// All labels that it carries.
    pub labels: Vec<String>,
    /// Whether it is closed.
    pub is_closed: bool,
    /// Why it moves or not.
    pub why: WhyView,
    /// The day's budgets that concern it and have a limit.
    pub spending: Vec<SpendingLine>,
    /// Its pull request.
    pub pull: Option<PullView>,
    /// The issues that come first.
    pub blockers: Vec<BlockerLine>,
    /// What was said, oldest first.
    pub comments: Vec<CommentLine>,
    /// What happened, newest first.
    pub timeline: Vec<TimelineEvent>,
    /// Its runs, newest first.
    pub runs: Vec<RunLine>,
    /// What was decided and is not done, and what never will be.
    pub effects: Vec<EffectLine>,
    /// The plan that people are asked about, by its mark.
    #[serde(default)]
    pub plan: Option<String>,
    /// What may be ordered now, and what not and why.
    pub offers: Vec<Offer>,
    /// The columns that it may be moved to.
    pub columns: Vec<String>,
}

/// Why an issue moves or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WhyView {
    /// The next step, in a word.
    pub step: String,
    /// The next step, as a sentence.
    pub sentence: String,
    /// What the step comes to, a line each.
    pub effects: Vec<String>,
    /// The rules that were asked, in order.
    pub trail: Vec<TrailLine>,
}

/// A rule that was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TrailLine {
    /// Its name.
    pub rule: String,
    /// What it is for.
    pub about: String,
    /// What it found, in words.
    pub found: String,
    /// Whether it decided.
    pub is_decisive: bool,
}

/// An issue that comes first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BlockerLine {
    /// Which.
    pub issue: String,
    /// Whether it is still open.
    pub is_open: bool,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PullView {
    /// Its number.
    pub number: u64,
    /// Where it is on the tracker, for a browser.
    pub url: Option<String>,
    /// Whether it is open, merged or closed, in a word.
    pub state: String,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// Who opened it.
    pub author: String,
    /// The commit at its head.
    pub head_sha: String,
    /// When that was pushed.
    pub pushed_at: Stamp,
    /// What is in the way of a merge, in words.
    pub merging: String,
    /// Its checks.
    pub checks: Vec<CheckLine>,
    /// Whether the checks could be read.
    pub has_checks: bool,
    /// The last review of each reviewer, and who was asked and has not answered.
    pub reviews: Vec<ReviewLine>,
    /// The threads of reviews.
    pub threads: Vec<ThreadLine>,
}

/// A check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CheckLine {
    /// Its name.
    pub name: String,
    /// How it is with it.
    pub state: CheckState,
    /// How it ended, in the tracker's word.
    pub words: String,
    /// Whether the branch's protection asks for it.
    pub is_required: bool,
    /// When something changed about it last; nothing for one that has not begun.
    pub at: Option<Stamp>,
}

/// How it is with a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// Nothing is in the way.
    Passed,
    /// Something is wrong.
    Failed,
    /// The answer is on the way.
    Running,
    /// There is no answer, and none is on the way either.
    Missing,
}

/// A review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReviewLine {
    /// Who.
    pub who: String,
    /// What they said, in a word: `approved`, `changes_requested`, `commented`, `requested`.
    pub state: String,
    /// When; nothing when they were only asked.
    pub at: Option<Stamp>,
}

/// A thread of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ThreadLine {
    /// The file, as far as it is known.
    pub path: Option<String>,
    /// Who began it, and how.
    pub words: String,
    /// Whether it was settled.
    pub is_resolved: bool,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommentLine {
    /// Its number.
    pub id: u64,
    /// Who wrote it.
    pub author: String,
    /// Whether that is a program.
    pub is_bot: bool,
    /// When.
    pub at: Stamp,
    /// What it says, as it was written.
    pub body: String,
    /// Whether it is on the pull request.
    pub is_on_pull: bool,
    /// Whether an agent has acted on it.
    pub is_answered: bool,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TimelineEvent {
    /// When.
    pub at: Stamp,
    /// What kind of thing.
    pub kind: EventKind,
    /// How to take it.
    pub tone: Tone,
    /// What happened, in one line.
    pub title: String,
    /// More about it.
    pub detail: Option<String>,
    /// The run that it belongs to.
    pub run: Option<i64>,
}

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// Somebody asked for an agent.
    Wakeup,
    /// A run began or ended.
    Run,
    /// The slot passed on.
    HandOver,
    /// Something was done on the tracker.
    Effect,
    /// The issue was claimed or given back.
    Claim,
    /// A gate opened or closed.
    Gate,
}

/// How to take what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// As usual.
    Plain,
    /// Well done.
    Good,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
}

/// Something that may be ordered, or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Offer {
    /// What.
    pub order: OrderKind,
    /// Why it cannot be ordered now; nothing when it can.
    pub why_not: Option<String>,
}
