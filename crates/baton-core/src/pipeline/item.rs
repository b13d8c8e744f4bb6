//! Everything that is known of one issue when the relay decides about it, as plain data.
//!
//! An item is a snapshot: whoever fills it in reads all of it, all pages included, or says that it could not. It can be
//! written to a file and read again, so that a decision can be told and repeated elsewhere. Nothing is judged here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::budget::Spending;
use super::checks::Checks;
use crate::slot::ItemMemory;
use crate::time::{ServerTime, StoreTime};
use crate::tracker::{IssueKey, PullState};
use crate::words::words;

/// The two clocks that decisions need: ages on the tracker are told by its own clock, waits of ours by the store's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// By the tracker's clock.
    pub server: ServerTime,
    /// By the store's clock, in milliseconds since 1970.
    pub store: StoreTime,
}

/// One issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Which.
    pub issue: IssueKey,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// Its address, for people.
    #[serde(default)]
    pub url: String,
    /// The column of the board that it is in.
    pub column: String,
    /// Whether it is closed.
    #[serde(default)]
    pub is_closed: bool,
    /// Whether it is a pull request that was put on the board itself.
    #[serde(default)]
    pub is_pull: bool,
    /// Its labels.
    #[serde(default)]
    pub labels: Vec<String>,
    /// When labels were put on last, as far as that is known.
    #[serde(default)]
    pub labelled_at: BTreeMap<String, ServerTime>,
    /// The comments on it and on its pull request, oldest first.
    #[serde(default)]
    pub comments: Vec<Comment>,
    /// The issues that come first.
    #[serde(default)]
    pub blockers: Vec<Blocker>,
    /// Its pull request.
    #[serde(default)]
    pub pull: Option<LinkedPull>,
    /// What people said about its plan, if they were asked.
    #[serde(default)]
    pub approval: Option<Approval>,
    /// Somebody else who holds a live claim on it, in words.
    #[serde(default)]
    pub foreign_claim: Option<String>,
    /// Whose run has the slot, or is to have it.
    #[serde(default)]
    pub runner: Option<String>,
    /// How its repository is.
    #[serde(default)]
    pub repository: Repository,
    /// Whether there is a work tree of it here.
    #[serde(default)]
    pub has_worktree: bool,
    /// What was spent today.
    #[serde(default)]
    pub usage: Usage,
    /// What the agent that would work on it has used of its own budgets today.
    #[serde(default)]
    pub agent_spending: Vec<Spending>,
    /// What is remembered about it.
    #[serde(default)]
    pub memory: ItemMemory,
}

/// How a repository is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repository {
    /// There is a mirror of it here, and it can be worked on.
    #[default]
    Ready,
    /// It cannot be worked on yet, for this reason.
    NotReady(String),
    /// Somebody paused it.
    Paused(String),
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// Its number.
    pub id: u64,
    /// Who wrote it.
    pub author: String,
    /// Whether the tracker says that this is a program.
    #[serde(default)]
    pub is_bot: bool,
    /// Whether its author may write to the repository; an app that is installed there may.
    #[serde(default)]
    pub may_write: bool,
    /// Whether it was written by the account that the engine acts as; that may be a person's.
    #[serde(default)]
    pub is_own_account: bool,
    /// What it says.
    #[serde(default)]
    pub body: String,
    /// When it was written.
    pub created_at: ServerTime,
    /// Whether it carries our 🚀: it was acted on.
    #[serde(default)]
    pub has_rocket: bool,
    /// Whether it is on the pull request.
    #[serde(default)]
    pub is_on_pull: bool,
    /// The 👍 and 👎 on it, as far as they matter: on what the engine's account wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signs: Vec<Sign>,
}

/// A 👍 or 👎 on a comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sign {
    /// Who.
    pub by: String,
    /// Whether it is a 👍.
    pub is_for: bool,
    /// Whether a program gave it.
    #[serde(default)]
    pub is_bot: bool,
    /// Whether whoever gave it may write to the repository.
    #[serde(default)]
    pub may_write: bool,
    /// When.
    pub at: ServerTime,
}

/// An issue that comes first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocker {
    /// Which.
    pub issue: IssueKey,
    /// Whether it is still open.
    pub is_open: bool,
}

/// A pull request, found by the head branch that is ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkedPull {
    /// Its number.
    pub number: u64,
    /// Who opened it.
    #[serde(default)]
    pub author: String,
    /// What has become of it.
    pub state: PullState,
    /// Whether it is a draft.
    #[serde(default)]
    pub is_draft: bool,
    /// The commit at its head.
    pub head_sha: String,
    /// When that commit was pushed.
    pub pushed_at: ServerTime,
    /// Whether it merges; nothing while the tracker is finding out.
    #[serde(default)]
    pub mergeable: Option<bool>,
    /// What the tracker says about merging it.
    #[serde(default)]
    pub merge_state: MergeState,
    /// The last review of each reviewer.
    #[serde(default)]
    pub reviews: Vec<Review>,
    /// Who was asked and has not answered.
    #[serde(default)]
    pub requests: Vec<ReviewRequest>,
    /// What the reviews come to by the repository's rules.
    #[serde(default)]
    pub decision: ReviewDecision,
    /// The threads of reviews.
    #[serde(default)]
    pub threads: Vec<Thread>,
    /// The checks of its head; nothing when they could not be read.
    #[serde(default)]
    pub checks: Option<Checks>,
    /// The names of checks that fail on the base branch too.
    #[serde(default)]
    pub base_failures: Vec<String>,
    /// The checks that the branch's protection asks for.
    #[serde(default)]
    pub required_checks: Vec<String>,
}

words! {
    /// What the tracker says about merging a pull request.
    #[derive(Default)]
    MergeState, "a merge state" {
        /// It can be merged.
        Clean = "clean",
        /// It can be merged, though something that is not required has not passed.
        Unstable = "unstable",
        /// Hooks are to be run, and then it can be merged.
        HasHooks = "has_hooks",
        /// A rule is in the way.
        Blocked = "blocked",
        /// It must be brought up to date first.
        Behind = "behind",
        /// It conflicts.
        Dirty = "dirty",
        /// It is a draft.
        Draft = "draft",
        /// The tracker does not know yet.
        #[default]
        Unknown = "unknown",
    }
}

/// A review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// Who wrote it.
    pub author: String,
    /// What it says.
    pub state: ReviewState,
}

words! {
    /// What a review says.
    ReviewState, "a state of reviews" {
        /// Merge it.
        Approved = "approved",
        /// Not like this.
        ChangesRequested = "changes_requested",
        /// Something.
        Commented = "commented",
        /// It does not count any more.
        Dismissed = "dismissed",
        /// It is not finished.
        Pending = "pending",
    }
}

words! {
    /// What reviews come to by the rules of a repository.
    #[derive(Default)]
    ReviewDecision, "a decision of reviews" {
        /// It may be merged.
        Approved = "approved",
        /// It may not.
        ChangesRequested = "changes_requested",
        /// Somebody has to approve.
        ReviewRequired = "review_required",
        /// The repository has no rule.
        NoRule = "no_rule",
        /// It could not be read.
        #[default]
        Unknown = "unknown",
    }
}

/// Somebody who was asked for a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequest {
    /// Who.
    pub login: String,
    /// Whether the tracker says that this is a program.
    #[serde(default)]
    pub is_bot: bool,
}

/// A thread of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thread {
    /// What names it.
    pub id: String,
    /// Whether it is settled.
    #[serde(default)]
    pub is_resolved: bool,
    /// The file that it is about.
    #[serde(default)]
    pub path: String,
    /// The line there.
    #[serde(default)]
    pub line: Option<u64>,
    /// What was said, oldest first.
    #[serde(default)]
    pub comments: Vec<Comment>,
}

/// What people said about a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The stage whose plan it is.
    pub stage: String,
    /// The plan that they were asked about.
    #[serde(default)]
    pub plan: String,
    /// What they said.
    pub state: ApprovalState,
    /// When they were asked.
    pub asked_at: ServerTime,
    /// Who decided.
    #[serde(default)]
    pub by: String,
    /// Why it was rejected.
    #[serde(default)]
    pub reason: String,
    /// Who approved so far.
    #[serde(default)]
    pub in_favour: Vec<String>,
    /// How many must.
    #[serde(default = "one")]
    pub required: u32,
    /// How the question stands in Slack.
    #[serde(default)]
    pub slack: SlackSign,
    /// Votes that decided and are not written down on the tracker yet.
    #[serde(default)]
    pub unrecorded: Vec<Vote>,
    /// What those who may decide said besides, elsewhere than on the tracker.
    #[serde(default)]
    pub amendments: Vec<Saying>,
}

fn one() -> u32 {
    1
}

impl Approval {
    /// Returns a question that nobody has answered.
    pub fn asked(stage: &str, plan: &str, asked_at: ServerTime) -> Self {
        Self {
            stage: stage.to_owned(),
            plan: plan.to_owned(),
            state: ApprovalState::Pending,
            asked_at,
            by: String::new(),
            reason: String::new(),
            in_favour: Vec::new(),
            required: one(),
            slack: SlackSign::Unused,
            unrecorded: Vec::new(),
            amendments: Vec::new(),
        }
    }
}

/// How a question stands in Slack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlackSign {
    /// It is not asked there.
    #[default]
    Unused,
    /// It is to be asked there.
    NotAsked,
    /// It was asked there.
    Asked,
    /// Slack does not answer, for this reason.
    Unheard(String),
}

/// A vote about a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vote {
    /// Whose.
    pub by: String,
    /// Whether it is for the plan.
    pub is_for: bool,
    /// Why, or what is to be done besides.
    #[serde(default)]
    pub reason: String,
    /// Where it was given.
    pub via: Via,
}

words! {
    /// Where a vote was given.
    Via, "a way to vote" {
        /// On the tracker.
        Tracker = "tracker",
        /// In Slack.
        Slack = "slack",
        /// Through the command line or the dashboard.
        Baton = "baton",
    }
}

/// What somebody who may decide said about a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saying {
    /// Whether it is why the plan was rejected.
    pub is_rejection: bool,
    /// Who.
    pub by: String,
    /// What.
    pub text: String,
}

words! {
    /// What people said about a plan.
    ApprovalState, "a state of approvals" {
        /// Nothing yet.
        Pending = "pending",
        /// Yes.
        Approved = "approved",
        /// No.
        Rejected = "rejected",
    }
}

/// What was spent today.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Runs for the issue.
    pub issue_runs: u64,
    /// Dollars for the issue, in millionths.
    pub issue_cost_micros: u64,
    /// Runs in its repository.
    pub repo_runs: u64,
    /// Dollars in its repository, in millionths.
    pub repo_cost_micros: u64,
}

impl LinkedPull {
    /// Returns whether it was merged.
    pub fn is_merged(&self) -> bool {
        self.state == PullState::Merged
    }
}
