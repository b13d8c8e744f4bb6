//! What the relay does next with an issue: exactly one step, or a rest with its reason.

use super::policy::Budget;
use crate::words::words;

/// The next step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// Nothing, for this reason.
    Rest(Rest),
    /// Remove the work tree: the end of the relay.
    CleanUp,
    /// Forget a failure that a person has looked at.
    ClearFailure,
    /// Let the agent answer new comments.
    ProcessComments {
        /// Whether that ends a pause.
        resumes: bool,
    },
    /// Let the agent work on the stage.
    Invoke {
        /// Whether it goes on where it stopped.
        resume: bool,
    },
    /// Send the agent back to the work of a stage that it has finished.
    Reinvoke(Cause),
    /// Wait at a gate.
    HoldAtGate(Hold),
    /// Stop, and ask a person.
    Pause(Pause),
    /// Hand the issue on.
    Advance {
        /// To this stage.
        to: String,
    },
    /// Merge the pull request.
    Merge,
    /// Make the labels say what is the case.
    RepairLabels(Repair),
}

words! {
    /// Why nothing is to be done.
    Rest, "a reason to rest" {
        /// The column is none of the relay's.
        NoStage = "the column belongs to no stage",
        /// The repository cannot be worked on yet.
        RepoNotReady = "the repository is not ready",
        /// The issue is closed.
        Closed = "the issue is closed",
        /// Somebody else has it.
        LockedByOther = "somebody else holds the issue",
        /// A person keeps agents away.
        Held = "a person keeps agents away",
        /// An agent works on it.
        Running = "an agent is at work",
        /// Comments are being answered, by somebody.
        Editing = "comments are being answered",
        /// A person was asked, and has not answered.
        AwaitingInput = "a person was asked and has not answered",
        /// It is paused.
        Paused = "the issue is paused",
        /// It is a pull request, and nobody said anything new.
        IsPull = "a pull request on the board is only commented on",
        /// People have not agreed to the plan.
        ApprovalPending = "the plan is not approved yet",
        /// It is over.
        CleanedUp = "the relay is over",
        /// It is over, and there is no work tree here.
        NothingToClean = "there is no work tree to remove here",
        /// It ended without a word a moment ago.
        Cooldown = "the stage was tried a moment ago",
        /// A person moves it.
        AwaitingMove = "the stage is complete and a person hands the issue on",
        /// A person merges it.
        AwaitingMerge = "the work is complete and a person merges it",
        /// There is no stage behind.
        EndOfPipeline = "there is no stage behind this one",
    }
}

words! {
    /// Why an agent is sent back.
    Cause, "a cause to send an agent back" {
        /// Reviewers said something.
        Review = "review",
        /// Checks fail.
        CiFix = "ci_fix",
        /// The branch does not merge.
        Rebase = "rebase",
    }
}

words! {
    /// What is waited for at a gate.
    Hold, "a reason to hold" {
        /// Other issues come first.
        Dependencies = "other issues come first",
        /// People have to agree to the plan, and are to be asked.
        AskApproval = "people are asked to approve the plan",
        /// People have to agree to the plan.
        Approval = "the plan is not approved yet",
        /// Reviewers have to look.
        Reviews = "reviewers have not looked yet",
        /// Bots are asked once more.
        Reprompt = "bots are asked for their review once more",
        /// The tracker is finding out whether it merges.
        Mergeability = "the tracker has not found out whether it merges",
        /// Checks have not ended.
        Checks = "checks have not ended",
        /// Checks failed where nobody repairs them.
        ChecksFailed = "checks failed, and the stage does not repair them",
        /// There are no checks yet.
        NoChecksYet = "checks may still appear",
        /// Checks could not be read.
        ChecksUnknown = "checks could not be read",
        /// The pull request is a draft, and is to be declared ready.
        Draft = "the pull request is a draft",
        /// The last try to merge was a moment ago.
        MergeCooldown = "the merge was tried a moment ago",
    }
}

impl Hold {
    /// Returns whether the tracker is waited for, which must find out something about the pull request.
    pub fn is_for_pull(self) -> bool {
        matches!(
            self,
            Self::Mergeability | Self::Checks | Self::ChecksFailed | Self::NoChecksYet | Self::ChecksUnknown
        )
    }
}

/// Why a person is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pause {
    /// Reviewers did not look in time.
    ReviewTimeout {
        /// Whether bots were asked twice.
        reprompted: bool,
    },
    /// The agent was sent back to reviews too often.
    ReviewCycles,
    /// Checks did not end in time.
    CiTimeout,
    /// Checks failed where nobody repairs them.
    ChecksFailed,
    /// The agent was sent back to checks too often.
    CiFixCycles,
    /// The agent was sent back to rebase too often.
    RebaseCycles,
    /// Comments were answered too often in a short time.
    CommentCycles,
    /// A day's budget is spent.
    BudgetSpent(Budget),
    /// The pull request was closed without a merge.
    PullClosed,
    /// There is no pull request to merge.
    NoPull,
    /// The tracker will not merge.
    MergeRefused,
    /// Nobody agreed to the plan in time.
    ApprovalTimeout,
}

impl Pause {
    /// Returns its name in one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::ReviewTimeout { .. } => "review_timeout",
            Self::ReviewCycles => "review_cycles",
            Self::CiTimeout => "ci_timeout",
            Self::ChecksFailed => "checks_failed",
            Self::CiFixCycles => "ci_fix_cycles",
            Self::RebaseCycles => "rebase_cycles",
            Self::CommentCycles => "comment_cycles",
            Self::BudgetSpent(_) => "budget_spent",
            Self::PullClosed => "pull_closed",
            Self::NoPull => "no_pull",
            Self::MergeRefused => "merge_refused",
            Self::ApprovalTimeout => "approval_timeout",
        }
    }
}

words! {
    /// Why labels are put right.
    Repair, "a reason to repair labels" {
        /// The issue is closed, and waits for nothing any more.
        Closed = "a closed issue waits for nothing",
        /// What came first is done.
        Unblocked = "what came first is done",
        /// Our lock is on what we do not work on.
        Idle = "our lock is on an issue that we do not work on",
        /// A label tells of a gate that the issue is not at.
        Stale = "a label tells of a gate that the issue is not at",
        /// Reviewers have looked.
        Reviewed = "reviewers have looked",
        /// The branch merges again.
        Mergeable = "the branch merges again",
        /// Checks have passed.
        ChecksPassed = "checks have passed",
        /// The plan was decided upon.
        Decided = "the plan was decided upon",
    }
}

impl Step {
    /// Returns its name in one word, as it is told to programs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Rest(_) => "rest",
            Self::CleanUp => "cleanup",
            Self::ClearFailure => "clear_failure",
            Self::ProcessComments { .. } => "process_comments",
            Self::Invoke { .. } => "invoke_stage",
            Self::Reinvoke(_) => "reinvoke",
            Self::HoldAtGate(_) => "hold_at_gate",
            Self::Pause(_) => "pause",
            Self::Advance { .. } => "advance",
            Self::Merge => "merge",
            Self::RepairLabels(_) => "repair_labels",
        }
    }

    /// Returns what tells a step from others of its kind: which gate holds, why it is paused. Whoever decided one and finds
    /// the other has to decide anew.
    pub fn key(&self) -> String {
        match self {
            Self::HoldAtGate(hold) => format!("{}: {hold}", self.word()),
            Self::Pause(pause) => format!("{}: {}", self.word(), pause.word()),
            Self::RepairLabels(repair) => format!("{}: {repair}", self.word()),
            Self::Reinvoke(cause) => format!("{}: {cause:?}", self.word()),
            _ => self.word().to_owned(),
        }
    }

    /// Returns whether it lets an agent work.
    pub fn is_invocation(&self) -> bool {
        matches!(self, Self::ProcessComments { .. } | Self::Invoke { .. } | Self::Reinvoke(_))
    }
}
