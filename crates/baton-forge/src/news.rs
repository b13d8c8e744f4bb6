//! What a change has brought about, told to whoever works on it afterwards.
//!
//! A change tells its news while it runs ([`crate::db::Tx::tell`]). When it has succeeded, and still in its transaction,
//! the news become the payloads of webhooks, so that what is announced is exactly what is committed. After the commit they
//! go to the listeners inside the forge: the courier of webhooks, the referee of merges, the local CI.
//!
//! News carry ids, not contents: whoever works on them reads the state that the change has left. Only what a value was
//! before travels along. A deletion is told either before its row goes, and its payloads are written at once, or after
//! it with the subject as it was.

use serde_json::Value;

/// Where something happened, which decides whose hooks hear of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// In a repository: its own hooks and those of the organisation that owns it.
    Repo(i64),
    /// On a board: the hooks of the organisation that owns it.
    Owner(i64),
}

#[derive(Debug, Clone)]
pub(crate) struct News {
    pub(crate) scope: Scope,
    pub(crate) actor_id: i64,
    pub(crate) now: i64,
    pub(crate) what: What,
}

/// What happened. An `action` is GitHub's name of it. A `detail` is null where an action needs nothing more; otherwise it
/// holds, by name, what the payload has beside its subject. An edit may also be nothing but its `changes`.
///
/// | key | of | what |
/// |---|---|---|
/// | `changes` | `edited`, `archived`, `reordered`, … | GitHub's `changes`, as it stands in the payload |
/// | `label` | `labeled`, `unlabeled` | the label's id |
/// | `account` | `assigned`, `unassigned` | whose id |
/// | `requested_reviewer`, `requested_team` | `review_requested`, `review_request_removed` | whose id |
/// | `title` | `milestoned`, `demilestoned` | the milestone's |
/// | `issue`, `comment` | `deleted` | the subject as it was, where its row has gone already |
/// | `issue` | `sub_issue_added`, `blocked_by_added` and their kin | the other issue's id |
/// | `before`, `after` | `synchronize` | the head's commits |
/// | `reason` | `auto_merge_disabled` | why |
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// An issue or a pull request, by the id of its row in `issues`.
    Issue {
        issue_id: i64,
        action: &'static str,
        detail: Value,
    },
    /// A comment on an issue or a pull request.
    Comment {
        comment_id: i64,
        issue_id: i64,
        action: &'static str,
        detail: Value,
    },
    Review {
        review_id: i64,
        action: &'static str,
        detail: Value,
    },
    ReviewComment {
        comment_id: i64,
        action: &'static str,
        detail: Value,
    },
    ReviewThread {
        thread_id: i64,
        action: &'static str,
    },
    CheckSuite {
        suite_id: i64,
        action: &'static str,
    },
    CheckRun {
        run_id: i64,
        action: &'static str,
    },
    Status {
        status_id: i64,
    },
    /// A branch or tag came, moved or went: `before` or `after` is nothing when it was not there.
    Push {
        name: String,
        before: Option<String>,
        after: Option<String>,
        forced: bool,
    },
    Label {
        label_id: i64,
        action: &'static str,
        detail: Value,
    },
    Milestone {
        milestone_id: i64,
        action: &'static str,
        detail: Value,
    },
    /// The settings of a branch's protection, which decide about merges.
    Protection,
    Project {
        project_id: i64,
        action: &'static str,
        detail: Value,
    },
    ProjectItem {
        item_id: i64,
        action: &'static str,
        detail: Value,
    },
    /// A hook is to be sent a greeting, and nobody else.
    Ping {
        hook_id: i64,
    },
    /// A hook is to be sent the repository's last push, and nobody else.
    TestPush {
        hook_id: i64,
    },
}

impl What {
    /// Returns whether its subject is about to go.
    pub(crate) fn is_deletion(&self) -> bool {
        match self {
            Self::Issue { action, .. }
            | Self::Comment { action, .. }
            | Self::Review { action, .. }
            | Self::ReviewComment { action, .. }
            | Self::Label { action, .. }
            | Self::Milestone { action, .. }
            | Self::Project { action, .. }
            | Self::ProjectItem { action, .. } => *action == "deleted",
            _ => false,
        }
    }
}
