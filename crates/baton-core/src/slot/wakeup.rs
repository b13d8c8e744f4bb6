//! A wakeup: a request that an agent look at an item, and what became of it.

use super::context::Context;
use super::ids::{ItemId, RunId, WakeupId};
use super::item::AgentName;
use crate::time::StoreTime;
use crate::words::words;

words! {
    /// Where a wakeup came from.
    Source, "a source of wakeups" {
        /// The tracker told.
        Webhook = "webhook",
        /// The tracker was asked.
        Poll = "poll",
        /// It was time.
        Timer = "timer",
        /// Somebody typed it.
        Cli = "cli",
        /// Somebody called the HTTP API.
        Api = "api",
        /// The engine decided it.
        Engine = "engine",
    }
}

words! {
    /// Why an agent should look. It is never overwritten.
    Reason, "a reason to wake" {
        /// The issue is ready for the next stage.
        StageReady = "stage_ready",
        /// Somebody commented.
        IssueCommented = "issue_commented",
        /// Somebody mentioned the agent in a comment.
        IssueCommentMentioned = "issue_comment_mentioned",
        /// The issue was assigned to the agent.
        IssueAssigned = "issue_assigned",
        /// A reviewer wants changes.
        ReviewFeedback = "review_feedback",
        /// A check failed.
        CiFailed = "ci_failed",
        /// The branch does not merge any more.
        MergeConflict = "merge_conflict",
        /// What it waited for is done.
        BlockersResolved = "blockers_resolved",
        /// All sub-issues are done.
        ChildrenCompleted = "children_completed",
        /// A person approved or rejected.
        ApprovalDecided = "approval_decided",
        /// A person said so.
        Manual = "manual",
    }
}

words! {
    /// What became of a wakeup.
    WakeupStatus, "a status of wakeups" {
        /// It has a run that is not over.
        Queued = "queued",
        /// It waits until the slot is free.
        Deferred = "deferred_issue_execution",
        /// It was merged into another.
        Coalesced = "coalesced",
        /// It was not followed, for a reason.
        Skipped = "skipped",
        /// Its run succeeded.
        Completed = "completed",
        /// Its run failed for good.
        Failed = "failed",
        /// It was cancelled, alone or with its run.
        Cancelled = "cancelled",
    }
}

impl WakeupStatus {
    /// Returns whether nothing more will become of it.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Deferred)
    }
}

words! {
    /// How the slot disposed of a wakeup.
    Disposition, "a disposition" {
        /// The same agent had the slot already, or is to have it.
        SameName = "issue_execution_same_name",
        /// The slot was taken.
        Deferred = "issue_execution_deferred",
        /// The slot became free for it.
        Promoted = "issue_execution_promoted",
    }
}

words! {
    /// Why a wakeup was not followed.
    Skip, "a reason to skip" {
        /// The issue is closed.
        IssueClosed = "issue_closed",
        /// No agent of this name is configured.
        UnknownAgent = "unknown_agent",
    }
}

/// Who asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Asker {
    /// An account, a program or a machine, in words.
    pub who: String,
    /// Whether it was a person, whose word ends a backoff.
    pub is_person: bool,
    /// The run whose doing it was.
    pub run: Option<RunId>,
}

/// A wakeup.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wakeup {
    /// Its number; older ones have smaller numbers.
    pub id: WakeupId,
    /// What to look at.
    pub item: ItemId,
    /// Who should look.
    pub agent: AgentName,
    /// Where it came from.
    pub source: Source,
    /// Why.
    pub reason: Reason,
    /// What to know.
    pub context: Context,
    /// Who asked.
    pub asked_by: Asker,
    /// What makes it the same as another of this item and agent.
    pub key: Option<String>,
    /// What became of it.
    pub status: WakeupStatus,
    /// How the slot disposed of it.
    pub disposition: Option<Disposition>,
    /// Why it was not followed.
    pub skip: Option<Skip>,
    /// The run it has, had, or was merged into.
    pub run: Option<RunId>,
    /// The wakeup it was merged into.
    pub merged_into: Option<WakeupId>,
    /// How many failures are charged to the run that it will get.
    pub attempt: u32,
    /// How many runs for it were interrupted.
    pub interruptions: u32,
    /// Not to be followed before.
    pub not_before: StoreTime,
    /// When it was asked.
    pub created_at: StoreTime,
    /// When nothing more became of it.
    pub finished_at: Option<StoreTime>,
}
