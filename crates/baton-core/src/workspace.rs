//! Where agents work: one work tree for each issue, on a branch of its own. Names, questions and answers as plain data.
//!
//! Deliberately absent: git, and disks.

pub mod names;

use std::path::PathBuf;

use crate::tracker::IssueKey;

/// A request for a place to work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAsk {
    /// The issue.
    pub issue: IssueKey,
    /// The base branch that a label asks for.
    pub base: Option<String>,
    /// Whether files must stay as they are: what is changed and not committed is put aside until the place is closed.
    pub is_read_only: bool,
    /// Whether the branch is brought up to date with its base first. It is not when a run goes on with earlier work.
    pub updates: bool,
}

/// A place to work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The work tree.
    pub path: PathBuf,
    /// Where git keeps what belongs to it.
    pub git_dir: PathBuf,
    /// Its branch.
    pub branch: String,
    /// The commit that it is at.
    pub head: String,
    /// The branch that it will be merged into.
    pub base: String,
    /// The commit of that branch.
    pub base_commit: String,
    /// The base branch that was asked for and does not exist, so that the default branch was taken instead.
    pub missing_base: Option<String>,
    /// Whether it was made just now.
    pub is_new: bool,
    /// What became of bringing it up to date.
    pub update: Update,
}

/// What became of bringing a branch up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Update {
    /// It was not tried.
    NotTried,
    /// It was up to date.
    Unneeded,
    /// Its commits were put on top of the base as it is now.
    Done,
    /// It would take a decision: these files are in conflict. Everything is as it was.
    Conflict(Vec<String>),
    /// There are changes that are not committed, so nothing was tried.
    Dirty,
}

/// How a place stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The commit that it is at.
    pub head: String,
    /// Whether there are changes that are not committed.
    pub is_dirty: bool,
}

/// The end of a run in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloseAsk {
    /// The issue.
    pub issue: IssueKey,
    /// Whether files had to stay as they are: what the run has changed is thrown away, and what was put aside comes back.
    pub is_read_only: bool,
    /// The message of a commit of what is changed and not committed; nothing leaves it as it is.
    pub commit_rest_as: Option<String>,
    /// How the branch is pushed.
    pub push: PushTerms,
}

/// How a branch is pushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushTerms {
    /// Not at all.
    Withheld,
    /// If it is on the remote where it was last seen there.
    Lease,
    /// The same, and only together with a heartbeat of the claim.
    Fenced(PushClaim),
}

/// The claim that a push is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushClaim {
    /// The ref that decides who holds the issue.
    pub claim_ref: String,
    /// Its tip, as the lease knows it.
    pub tip: String,
    /// The message of the heartbeat.
    pub message: String,
}

/// A place that was closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// The commit that it is at.
    pub head: String,
    /// The commit of what was not committed, if there was one.
    pub rest_committed: bool,
    /// What became of the push.
    pub push: Pushed,
    /// What was put aside and could not be brought back, by the name under which it is kept.
    pub kept_aside: Option<String>,
}

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// There was none.
    Withheld,
    /// The remote has it already, or there is nothing that the base has not.
    Unneeded,
    /// The remote has it now.
    Done {
        /// The tip of the claim ref after it, if the push was bound to a claim.
        claim_tip: Option<String>,
    },
    /// Somebody else has moved the branch. Nothing was pushed; it is kept under this ref of the remote instead.
    BranchMoved {
        /// The ref.
        rescued_as: String,
    },
    /// The issue is somebody else's by now; nothing was pushed.
    ClaimLost,
    /// The remote said no, in these words.
    Refused(String),
}

/// What became of a place that was to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// It is gone. What only it had is on the remote under these refs.
    Removed {
        /// The refs.
        rescued: Vec<String>,
    },
    /// There was none.
    Absent,
    /// It is still there, for this reason.
    Kept(String),
}

/// A place in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The issue.
    pub issue: IssueKey,
    /// The work tree.
    pub path: PathBuf,
    /// Its branch; nothing when git does not know it any more.
    pub branch: Option<String>,
    /// The commit that it is at.
    pub head: Option<String>,
    /// Whether there are changes that are not committed.
    pub is_dirty: bool,
    /// How many commits no branch of the remote has, by what was last seen of it.
    pub unpushed: u64,
    /// Processes whose directory is in it.
    pub processes: Vec<i32>,
    /// When something in it was last changed, in seconds since 1970.
    pub changed_at: i64,
}
