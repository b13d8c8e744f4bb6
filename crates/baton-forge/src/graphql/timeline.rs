//! What happened to an issue, as its timeline shows it.

use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::comment::CommentNode;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, null, object, optional, unknown};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::issue::{self, IssueNode};
use super::issue_links::issue_anywhere;
use super::label::LabelNode;
use super::review::ReviewNode;
use crate::db::comments;
use crate::db::events::{self, Event, TimelineId};
use crate::db::issues::{self, Issue};
use crate::db::labels::{self, Label};
use crate::db::reviews;
use crate::db::timeline::TimelineQuery;
use crate::http::call::Visit;
use crate::wire::{Time, parse_time};

/// The kinds of entries that have a form here: as they are written down, as a type, and as a value to filter by.
const KINDS: [(&str, &str, &str); 22] = [
    ("labeled", "LabeledEvent", "LABELED_EVENT"),
    ("unlabeled", "UnlabeledEvent", "UNLABELED_EVENT"),
    ("assigned", "AssignedEvent", "ASSIGNED_EVENT"),
    ("unassigned", "UnassignedEvent", "UNASSIGNED_EVENT"),
    ("milestoned", "MilestonedEvent", "MILESTONED_EVENT"),
    ("demilestoned", "DemilestonedEvent", "DEMILESTONED_EVENT"),
    ("renamed", "RenamedTitleEvent", "RENAMED_TITLE_EVENT"),
    ("locked", "LockedEvent", "LOCKED_EVENT"),
    ("unlocked", "UnlockedEvent", "UNLOCKED_EVENT"),
    ("closed", "ClosedEvent", "CLOSED_EVENT"),
    ("reopened", "ReopenedEvent", "REOPENED_EVENT"),
    ("pinned", "PinnedEvent", "PINNED_EVENT"),
    ("unpinned", "UnpinnedEvent", "UNPINNED_EVENT"),
    ("cross-referenced", "CrossReferencedEvent", "CROSS_REFERENCED_EVENT"),
    ("sub_issue_added", "SubIssueAddedEvent", "SUB_ISSUE_ADDED_EVENT"),
    ("sub_issue_removed", "SubIssueRemovedEvent", "SUB_ISSUE_REMOVED_EVENT"),
    ("parent_issue_added", "ParentIssueAddedEvent", "PARENT_ISSUE_ADDED_EVENT"),
    ("parent_issue_removed", "ParentIssueRemovedEvent", "PARENT_ISSUE_REMOVED_EVENT"),
    ("blocked_by_added", "BlockedByAddedEvent", "BLOCKED_BY_ADDED_EVENT"),
    ("blocked_by_removed", "BlockedByRemovedEvent", "BLOCKED_BY_REMOVED_EVENT"),
    ("blocking_added", "BlockingAddedEvent", "BLOCKING_ADDED_EVENT"),
    ("blocking_removed", "BlockingRemovedEvent", "BLOCKING_REMOVED_EVENT"),
];

fn query<'a>(ask: &Ask<'_>, issue_id: i64) -> Result<TimelineQuery<'a>, GraphError> {
    let wanted = ask.strings("itemTypes");
    let is_wanted = |item: &str| wanted.as_ref().is_none_or(|wanted| wanted.contains(&item));
    let since = ask
        .str("since")
        .map(|text| parse_time(text).ok_or_else(|| GraphError::unprocessable(format!("{text} is no time"))));
    Ok(TimelineQuery {
        issue_id,
        kinds: KINDS.iter().filter(|(_, _, item)| is_wanted(item)).map(|(kind, _, _)| *kind).collect(),
        with_comments: is_wanted("ISSUE_COMMENT"),
        since: since.transpose()?,
    })
}

/// A part of a timeline, with how much of it passed the filter.
pub(super) struct Timeline {
    page: Connection<Box<dyn Entity>>,
    total: i64,
    filtered: i64,
    shown: i64,
    updated_at: i64,
}

pub(super) fn list(context: &Context<'_>, ask: &Ask<'_>, node: &IssueNode) -> Result<Timeline, GraphError> {
    let query = query(ask, node.issue.id)?;
    let skip = ask.i64("skip").unwrap_or(0).max(0);
    let filtered = (query.count(context.conn)? - skip).max(0);
    let window = Paging::of(ask)?.window(filtered);
    let found = query.page(context.conn, window.limit, window.offset + skip)?;
    let shown = i64::try_from(found.len()).unwrap_or(0);
    let mut entries = Vec::new();
    for entry in found {
        entries.extend(entity(context, &node.visit, &node.issue, &entry)?);
    }
    let whole = TimelineQuery {
        kinds: KINDS.iter().map(|(kind, _, _)| *kind).collect(),
        with_comments: true,
        ..query
    };
    let names = ("IssueTimelineItemsConnection", "IssueTimelineItemsEdge");
    Ok(Timeline {
        page: Connection::new(names, filtered, window, entries),
        total: whole.count(context.conn)?,
        filtered,
        shown,
        updated_at: node.issue.updated_at,
    })
}

fn entity(
    context: &Context<'_>,
    visit: &Arc<Visit>,
    issue: &Issue,
    entry: &TimelineId,
) -> Result<Option<Box<dyn Entity>>, GraphError> {
    let (visit, repo) = (Arc::clone(visit), visit.repo.id);
    Ok(match entry {
        TimelineId::Comment(id) => comments::by_id(context.conn, repo, *id)?
            .map(|comment| Box::new(CommentNode { visit, comment }) as Box<dyn Entity>),
        TimelineId::Event(id) => events::by_id(context.conn, repo, *id)?
            .map(|event| Box::new(EventNode { visit, issue: issue.clone(), event }) as Box<dyn Entity>),
        TimelineId::Review(id) => reviews::by_id(context.conn, *id)?
            .map(|review| Box::new(ReviewNode { visit, review, number: issue.number }) as Box<dyn Entity>),
    })
}

impl Entity for Timeline {
    fn type_name(&self) -> &'static str {
        "IssueTimelineItemsConnection"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "totalCount" => leaf(self.total),
            "filteredCount" => leaf(self.filtered),
            "pageCount" => leaf(self.shown),
            "updatedAt" => leaf(Time(self.updated_at).to_string()),
            _ => self.page.field(context, ask),
        }
    }
}

pub(crate) struct EventNode {
    visit: Arc<Visit>,
    issue: Issue,
    event: Event,
}

impl EventNode {
    pub(crate) fn find(context: &Context<'_>, id: &str) -> Result<Self, GraphError> {
        let missing = || ids::unresolvable(id);
        let row = ids::database_id(id, &["E"])?;
        let event = events::anywhere(context.conn, row)?.ok_or_else(missing)?;
        let is_shown = KINDS.iter().any(|(kind, _, _)| *kind == event.kind);
        let issue = issues::by_id(context.conn, event.issue_id)?.filter(|_| is_shown).ok_or_else(missing)?;
        Ok(Self { visit: context.visit_for(issue.repo_id, id)?, issue, event })
    }

    fn text(&self, key: &str) -> &str {
        self.event.detail[key].as_str().unwrap_or_default()
    }

    /// The issue or pull request that it happened to.
    fn subject<'a>(&'a self, context: &'a Context<'a>) -> Answer<'a> {
        object(context, issue::subject_node(context, Arc::clone(&self.visit), self.issue.clone())?)
    }

    /// The other issue that it tells of, unless that is gone or may not be seen.
    fn other<'a>(&'a self, context: &'a Context<'a>) -> Answer<'a> {
        let id = self.event.detail["issue"].as_i64();
        let issue = id.map(|id| issues::by_id(context.conn, id)).transpose()?.flatten();
        maybe_object(context, issue.map(|issue| issue_anywhere(context, issue)).transpose()?.flatten())
    }

    /// The label as it is now, or as it was when the event was written if it is gone.
    fn label<'a>(&'a self, context: &'a Context<'a>) -> Answer<'a> {
        let (name, color) = (self.text("name"), self.text("color"));
        let found = labels::find(context.conn, self.visit.repo.id, name)?;
        let gone = || Label {
            id: 0,
            name: name.to_owned(),
            color: color.to_owned(),
            description: None,
            is_default: false,
        };
        object(context, LabelNode { visit: Arc::clone(&self.visit), label: found.unwrap_or_else(gone) })
    }

    fn assignee<'a>(&'a self, context: &'a Context<'a>) -> Answer<'a> {
        match self.event.detail["account"].as_i64() {
            Some(id) => object(context, ActorNode(context.account(id)?)),
            None => null(),
        }
    }

    fn path(&self) -> String {
        format!("{}/issues/{}#event-{}", self.visit.repo.full_name(), self.issue.number, self.event.id)
    }
}

impl Entity for EventNode {
    fn type_name(&self) -> &'static str {
        KINDS.iter().find(|(kind, _, _)| *kind == self.event.kind).map_or("ClosedEvent", |(_, name, _)| name)
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let upper = |text: &str| text.to_ascii_uppercase().replace(['-', ' '], "_");
        let optional_text = |key: &str| optional(self.event.detail[key].as_str().map(upper));
        match ask.name() {
            "id" => leaf(node_id("E", self.event.id)),
            "actor" => object(context, ActorNode(context.account(self.event.actor_id)?)),
            "createdAt" | "referencedAt" => leaf(Time(self.event.created_at).to_string()),
            "label" => self.label(context),
            "assignee" => self.assignee(context),
            "labelable" | "assignable" | "lockable" | "closable" | "issue" => self.subject(context),
            "milestoneTitle" => leaf(self.text("title")),
            "currentTitle" => leaf(self.text("to")),
            "previousTitle" => leaf(self.text("from")),
            "lockReason" => optional_text("lock_reason"),
            "stateReason" => optional_text("state_reason"),
            // Only mentions inside of one repository are followed.
            "isCrossRepository" => leaf(false),
            "subIssue" | "parent" | "blockingIssue" | "blockedIssue" => self.other(context),
            "url" => leaf(context.web(&self.path())),
            "resourcePath" => leaf(format!("/{}", self.path())),
            _ => unknown(self.type_name(), ask),
        }
    }
}
