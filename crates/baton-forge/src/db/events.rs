//! What happened to issues: the rows behind events and timelines, and the news that webhooks are made from.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};

use super::Tx;
use super::accounts::Account;
use super::labels::Label;
use super::review_requests::Reviewer;
use crate::news::{News, Scope, What};

#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) id: i64,
    pub(crate) issue_id: i64,
    pub(crate) actor_id: i64,
    pub(crate) kind: String,
    pub(crate) commit_oid: Option<String>,
    pub(crate) detail: Value,
    pub(crate) created_at: i64,
}

/// An occurrence to be written down. The variant's fields are what its wire form needs beyond the actor and the time.
#[derive(Debug)]
pub(crate) enum Happening<'a> {
    Labeled(&'a Label),
    Unlabeled(&'a Label),
    Assigned(&'a Account),
    Unassigned(&'a Account),
    Milestoned(&'a str),
    Demilestoned(&'a str),
    Renamed {
        from: &'a str,
        to: &'a str,
    },
    Locked(Option<&'a str>),
    Unlocked,
    Pinned,
    Unpinned,
    Closed {
        reason: Option<&'a str>,
        commit: Option<&'a str>,
    },
    Reopened,
    Merged {
        commit: &'a str,
    },
    AutoMergeEnabled,
    AutoMergeDisabled,
    HeadRefDeleted,
    HeadRefForcePushed {
        commit: &'a str,
    },
    ReviewRequested(Reviewer),
    ReviewRequestRemoved(Reviewer),
    /// A review lost its weight; `state` is what it was.
    ReviewDismissed {
        review_id: i64,
        state: &'a str,
        message: Option<&'a str>,
        /// The commit whose push dismissed it, where one did.
        commit: Option<&'a str>,
    },
    ReadyForReview,
    ConvertedToDraft,
    BaseRefChanged,
    /// Another issue mentioned this one; the number is the other's database id.
    CrossReferenced {
        source: i64,
    },
    SubIssueAdded(i64),
    SubIssueRemoved(i64),
    ParentAdded(i64),
    ParentRemoved(i64),
    BlockedByAdded(i64),
    BlockedByRemoved(i64),
    BlockingAdded(i64),
    BlockingRemoved(i64),
}

impl Happening<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Labeled(_) => "labeled",
            Self::Unlabeled(_) => "unlabeled",
            Self::Assigned(_) => "assigned",
            Self::Unassigned(_) => "unassigned",
            Self::Milestoned(_) => "milestoned",
            Self::Demilestoned(_) => "demilestoned",
            Self::Renamed { .. } => "renamed",
            Self::Locked(_) => "locked",
            Self::Unlocked => "unlocked",
            Self::Pinned => "pinned",
            Self::Unpinned => "unpinned",
            Self::Closed { .. } => "closed",
            Self::Reopened => "reopened",
            Self::Merged { .. } => "merged",
            Self::AutoMergeEnabled => "auto_merge_enabled",
            Self::AutoMergeDisabled => "auto_merge_disabled",
            Self::HeadRefDeleted => "head_ref_deleted",
            Self::HeadRefForcePushed { .. } => "head_ref_force_pushed",
            Self::ReviewRequested(_) => "review_requested",
            Self::ReviewRequestRemoved(_) => "review_request_removed",
            Self::ReviewDismissed { .. } => "review_dismissed",
            Self::ReadyForReview => "ready_for_review",
            Self::ConvertedToDraft => "convert_to_draft",
            Self::BaseRefChanged => "base_ref_changed",
            Self::CrossReferenced { .. } => "cross-referenced",
            Self::SubIssueAdded(_) => "sub_issue_added",
            Self::SubIssueRemoved(_) => "sub_issue_removed",
            Self::ParentAdded(_) => "parent_issue_added",
            Self::ParentRemoved(_) => "parent_issue_removed",
            Self::BlockedByAdded(_) => "blocked_by_added",
            Self::BlockedByRemoved(_) => "blocked_by_removed",
            Self::BlockingAdded(_) => "blocking_added",
            Self::BlockingRemoved(_) => "blocking_removed",
        }
    }

    /// The action of a webhook that tells the same, with what it needs. What is told elsewhere is not told again: a new
    /// title goes with the other edits, a merge is the closing that it is, and refs are told as pushes.
    fn news(&self) -> Option<(&'static str, Value)> {
        match self {
            Self::Labeled(label) | Self::Unlabeled(label) => {
                Some((self.kind(), json!({ "label": label.id })))
            }
            Self::Assigned(_)
            | Self::Unassigned(_)
            | Self::Milestoned(_)
            | Self::Demilestoned(_)
            | Self::Locked(_)
            | Self::Unlocked
            | Self::Closed { .. }
            | Self::Reopened
            | Self::SubIssueAdded(_)
            | Self::SubIssueRemoved(_)
            | Self::ParentAdded(_)
            | Self::ParentRemoved(_)
            | Self::BlockedByAdded(_)
            | Self::BlockedByRemoved(_)
            | Self::BlockingAdded(_)
            | Self::BlockingRemoved(_) => Some((self.kind(), self.detail())),
            _ => None,
        }
    }

    fn commit(&self) -> Option<&str> {
        match self {
            Self::Closed { commit, .. } => *commit,
            Self::Merged { commit } | Self::HeadRefForcePushed { commit } => Some(commit),
            _ => None,
        }
    }

    fn detail(&self) -> Value {
        match self {
            Self::Labeled(label) | Self::Unlabeled(label) => {
                json!({ "name": label.name, "color": label.color })
            }
            Self::Assigned(account) | Self::Unassigned(account) => json!({ "account": account.id }),
            Self::Milestoned(title) | Self::Demilestoned(title) => json!({ "title": title }),
            Self::Renamed { from, to } => json!({ "from": from, "to": to }),
            Self::Locked(reason) => json!({ "lock_reason": reason }),
            Self::Closed { reason, .. } => json!({ "state_reason": reason }),
            Self::CrossReferenced { source } => json!({ "issue": source }),
            Self::ReviewRequested(reviewer) | Self::ReviewRequestRemoved(reviewer) => match reviewer {
                Reviewer::Account(id) => json!({ "account": id }),
                Reviewer::Team(id) => json!({ "team": id }),
            },
            Self::ReviewDismissed { review_id, state, message, commit } => json!({
                "review_id": review_id, "state": state, "message": message, "commit": commit,
            }),
            Self::ReadyForReview | Self::ConvertedToDraft | Self::BaseRefChanged => json!({}),
            Self::SubIssueAdded(id)
            | Self::SubIssueRemoved(id)
            | Self::ParentAdded(id)
            | Self::ParentRemoved(id)
            | Self::BlockedByAdded(id)
            | Self::BlockedByRemoved(id)
            | Self::BlockingAdded(id)
            | Self::BlockingRemoved(id) => json!({ "issue": id }),
            Self::Unlocked | Self::Reopened | Self::Merged { .. } | Self::HeadRefDeleted => json!({}),
            Self::HeadRefForcePushed { .. } | Self::Pinned | Self::Unpinned => json!({}),
            Self::AutoMergeEnabled | Self::AutoMergeDisabled => json!({}),
        }
    }
}

const SELECT: &str = "SELECT id, issue_id, actor_id, kind, commit_oid, detail, created_at FROM events";

fn event_from(row: &Row<'_>) -> rusqlite::Result<Event> {
    Ok(Event {
        id: row.get(0)?,
        issue_id: row.get(1)?,
        actor_id: row.get(2)?,
        kind: row.get(3)?,
        commit_oid: row.get(4)?,
        detail: serde_json::from_str(row.get_ref(5)?.as_str()?).unwrap_or_default(),
        created_at: row.get(6)?,
    })
}

/// Whose doing it was, where and when.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) repo_id: i64,
    pub(crate) issue_id: i64,
    pub(crate) actor_id: i64,
    pub(crate) now: i64,
}

impl Scene {
    /// Tells news of the issue or pull request that this scene is about.
    pub(crate) fn tell(self, tx: &Tx<'_>, action: &'static str, detail: Value) {
        let what = What::Issue { issue_id: self.issue_id, action, detail };
        tx.tell(News { scope: Scope::Repo(self.repo_id), actor_id: self.actor_id, now: self.now, what });
    }
}

/// Writes an occurrence down, and tells it where GitHub has a webhook for it.
pub(crate) fn record(tx: &Tx<'_>, scene: Scene, happening: &Happening<'_>) -> rusqlite::Result<()> {
    insert(tx, scene, happening)?;
    if let Some((action, detail)) = happening.news() {
        scene.tell(tx, action, detail);
    }
    Ok(())
}

fn insert(conn: &Connection, scene: Scene, happening: &Happening<'_>) -> rusqlite::Result<()> {
    let sql = "INSERT INTO events (repo_id, issue_id, actor_id, kind, commit_oid, detail, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let values = params![
        scene.repo_id,
        scene.issue_id,
        scene.actor_id,
        happening.kind(),
        happening.commit(),
        happening.detail().to_string(),
        scene.now
    ];
    conn.prepare_cached(sql)?.execute(values).map(drop)
}

/// Lists an issue's events, oldest first. Mentions are part of the timeline only.
pub(crate) fn of_issue(
    conn: &Connection,
    issue_id: i64,
    limit: i64,
    offset: i64,
) -> rusqlite::Result<Vec<Event>> {
    let sql =
        format!("{SELECT} WHERE issue_id = ?1 AND kind <> 'cross-referenced' ORDER BY id LIMIT ?2 OFFSET ?3");
    conn.prepare_cached(&sql)?.query_map([issue_id, limit, offset], event_from)?.collect()
}

pub(crate) fn count_of_issue(conn: &Connection, issue_id: i64) -> rusqlite::Result<i64> {
    let sql = "SELECT count(*) FROM events WHERE issue_id = ?1 AND kind <> 'cross-referenced'";
    conn.prepare_cached(sql)?.query_row([issue_id], |row| row.get(0))
}

/// One entry of an issue's timeline, by id.
pub(crate) enum TimelineId {
    Event(i64),
    Comment(i64),
    Review(i64),
}

/// Lists what happened to and what was said on an issue, oldest first; events before comments of the same second.
pub(crate) fn timeline(
    conn: &Connection,
    issue_id: i64,
    limit: i64,
    offset: i64,
) -> rusqlite::Result<Vec<TimelineId>> {
    let sql = "SELECT created_at AS at, 0 AS said, id FROM events WHERE issue_id = ?1
               UNION ALL SELECT created_at, 1, id FROM comments WHERE issue_id = ?1
               UNION ALL SELECT r.submitted_at, 2, r.id FROM reviews r JOIN pulls p ON p.id = r.pull_id
                 WHERE p.issue_id = ?1 AND r.state <> 'PENDING'
               ORDER BY at, said, id LIMIT ?2 OFFSET ?3";
    let entry = |row: &Row<'_>| {
        let id = row.get(2)?;
        Ok(match row.get(1)? {
            0 => TimelineId::Event(id),
            1 => TimelineId::Comment(id),
            _ => TimelineId::Review(id),
        })
    };
    conn.prepare_cached(sql)?.query_map([issue_id, limit, offset], entry)?.collect()
}

pub(crate) fn timeline_count(conn: &Connection, issue_id: i64) -> rusqlite::Result<i64> {
    let sql = "SELECT (SELECT count(*) FROM events WHERE issue_id = ?1) + (SELECT count(*) FROM comments WHERE issue_id = ?1)
               + (SELECT count(*) FROM reviews r JOIN pulls p ON p.id = r.pull_id
                  WHERE p.issue_id = ?1 AND r.state <> 'PENDING')";
    conn.prepare_cached(sql)?.query_row([issue_id], |row| row.get(0))
}

/// Lists a repository's events, newest first.
pub(crate) fn of_repo(
    conn: &Connection,
    repo_id: i64,
    limit: i64,
    offset: i64,
) -> rusqlite::Result<Vec<Event>> {
    let sql = format!(
        "{SELECT} WHERE repo_id = ?1 AND kind <> 'cross-referenced' ORDER BY id DESC LIMIT ?2 OFFSET ?3"
    );
    conn.prepare_cached(&sql)?.query_map([repo_id, limit, offset], event_from)?.collect()
}

pub(crate) fn count_of_repo(conn: &Connection, repo_id: i64) -> rusqlite::Result<i64> {
    let sql = "SELECT count(*) FROM events WHERE repo_id = ?1 AND kind <> 'cross-referenced'";
    conn.prepare_cached(sql)?.query_row([repo_id], |row| row.get(0))
}

pub(crate) fn by_id(conn: &Connection, repo_id: i64, id: i64) -> rusqlite::Result<Option<Event>> {
    let sql = format!("{SELECT} WHERE repo_id = ?1 AND id = ?2");
    conn.prepare_cached(&sql)?.query_row([repo_id, id], event_from).optional()
}

/// Returns whether `issue_id` was already mentioned by `source`, so that an edit does not mention it again.
pub(crate) fn is_cross_referenced(conn: &Connection, issue_id: i64, source: i64) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM events WHERE issue_id = ?1 AND kind = 'cross-referenced' AND detail = ?2";
    conn.prepare_cached(sql)?.exists(params![issue_id, json!({ "issue": source }).to_string()])
}

/// Returns an event of any repository.
pub(crate) fn anywhere(conn: &Connection, id: i64) -> rusqlite::Result<Option<Event>> {
    conn.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?.query_row([id], event_from).optional()
}
