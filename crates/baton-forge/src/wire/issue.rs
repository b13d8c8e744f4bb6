//! Issues, comments and reactions.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::account::AccountView;
use super::label::{MilestoneView, label_views};
use super::repo::RepoView;
use super::{Links, NodeId, Render, Time, entries};
use crate::db::accounts::Account;
use crate::db::comments::Comment;
use crate::db::issues::{
    self, FACET_ASSIGNEES, FACET_CHILDREN, FACET_DEPENDENCIES, FACET_LABELS, FACET_PARENT, FACET_REACTIONS,
    Issue,
};
use crate::db::labels::{self, Label};
use crate::db::links::{self, ChildSummary, DependencySummary};
use crate::db::pulls;
use crate::db::reactions::{self, CONTENTS, Reaction, Rollup, Subject};
use crate::db::repos::{self, Repo};

pub(crate) struct IssueView<'a> {
    links: &'a Links,
    repo: &'a Repo,
    issue: Issue,
    author: Arc<Account>,
    association: &'static str,
    labels: Vec<Label>,
    assignees: Vec<Arc<Account>>,
    milestone: Option<MilestoneView<'a>>,
    closed_by: Option<Arc<Account>>,
    reactions: Rollup,
    children: ChildSummary,
    dependencies: DependencySummary,
    parent_url: Option<String>,
    pull: Option<pulls::Pull>,
    score: Option<f64>,
    with_repository: bool,
}

impl IssueView<'_> {
    /// An issue that is linked to another may live elsewhere, so it names its repository.
    pub(crate) fn with_repository(self) -> Self {
        Self { with_repository: true, ..self }
    }

    pub(crate) fn number(&self) -> i64 {
        self.issue.number
    }

    /// A search result carries a score; every match scores alike here.
    pub(crate) fn into_search_result(self) -> Self {
        Self { score: Some(1.0), ..self }
    }
}

impl<'a> Render<'a> {
    pub(crate) fn issue(&self, repo: &'a Repo, issue: Issue) -> rusqlite::Result<IssueView<'a>> {
        let conn = self.conn;
        let id = issue.id;
        let assignees = when(issue.may_have(FACET_ASSIGNEES), || issues::assignees(conn, id))?;
        let milestone = issue.milestone_id.map(|id| self.milestone_by_id(id)).transpose()?;
        Ok(IssueView {
            links: self.links,
            repo,
            author: self.account(issue.author_id)?,
            association: self.association(repo, issue.author_id)?,
            labels: when(issue.may_have(FACET_LABELS), || labels::of_issue(conn, id))?,
            assignees: self.accounts(&assignees)?,
            milestone: milestone.map(|milestone| self.milestone(repo, milestone)).transpose()?,
            closed_by: issue.closed_by.map(|id| self.account(id)).transpose()?,
            reactions: when(issue.may_have(FACET_REACTIONS), || reactions::rollup(conn, Subject::Issue(id)))?,
            children: when(issue.may_have(FACET_CHILDREN), || links::child_summary(conn, id))?,
            dependencies: when(issue.may_have(FACET_DEPENDENCIES), || links::dependency_summary(conn, id))?,
            parent_url: when(issue.may_have(FACET_PARENT), || self.parent_url(id))?,
            pull: when(issue.is_pull, || pulls::of_issue(conn, id))?,
            issue,
            score: None,
            with_repository: false,
        })
    }

    fn parent_url(&self, child_id: i64) -> rusqlite::Result<Option<String>> {
        let Some(parent) = links::parent_of(self.conn, child_id)?
            .map(|id| issues::by_id(self.conn, id))
            .transpose()?
            .flatten()
        else {
            return Ok(None);
        };
        let repo = repos::by_id(self.conn, parent.repo_id)?;
        let repo = match repo {
            Some(repo) if self.may_see(&repo)? => Some(repo),
            _ => None,
        };
        Ok(repo.map(|repo| {
            format!("{}/repos/{}/{}/issues/{}", self.links.api, repo.owner.login, repo.name, parent.number)
        }))
    }
}

/// Asks only when a facet says that there may be an answer.
fn when<T: Default>(may_have: bool, ask: impl FnOnce() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    if may_have { ask() } else { Ok(T::default()) }
}

impl IssueView<'_> {
    fn write_addresses<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        // Writing a finished prefix costs less than formatting its parts in every address.
        let (repo, at) = (self.repo_url(), self.url());
        let page = if self.issue.is_pull { "pull" } else { "issues" };
        let (web, owner, name) = (&self.links.web, &self.repo.owner.login, &self.repo.name);
        entries!(map;
            "url" => at,
            "repository_url" => repo,
            "labels_url" => format_args!("{at}/labels{{/name}}"),
            "comments_url" => format_args!("{at}/comments"),
            "events_url" => format_args!("{at}/events"),
            "html_url" => format_args!("{web}/{owner}/{name}/{page}/{}", self.issue.number),
            "timeline_url" => format_args!("{at}/timeline"),
        );
        if let Some(parent) = &self.parent_url {
            map.serialize_entry("parent_issue_url", parent)?;
        }
        Ok(())
    }

    fn repo_url(&self) -> String {
        [&self.links.api, "/repos/", &self.repo.owner.login, "/", &self.repo.name].concat()
    }

    fn url(&self) -> String {
        format!("{}/issues/{}", self.repo_url(), self.issue.number)
    }

    fn write_people<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let view = |account| AccountView { links: self.links, account };
        entries!(map;
            "user" => view(&self.author),
            "author_association" => self.association,
            "assignee" => self.assignees.first().map(|account| view(account)),
            "assignees" => self.assignees.iter().map(|account| view(account)).collect::<Vec<_>>(),
            "closed_by" => self.closed_by.as_ref().map(|account| view(account)),
        );
        Ok(())
    }

    fn write_summaries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let url = format!("{}/reactions", self.url());
        entries!(map;
            "reactions" => RollupView { url, rollup: self.reactions },
            "sub_issues_summary" => ChildSummaryView(self.children),
            "issue_dependencies_summary" => DependencySummaryView(self.dependencies),
        );
        if let Some(pull) = &self.pull {
            map.serialize_entry("draft", &pull.draft)?;
            map.serialize_entry("pull_request", &PullLinks { view: self, merged_at: pull.merged_at })?;
        }
        Ok(())
    }
}

impl Serialize for IssueView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let issue = &self.issue;
        let mut map = serializer.serialize_map(None)?;
        self.write_addresses(&mut map)?;
        entries!(map;
            "id" => issue.id,
            "node_id" => NodeId(if issue.is_pull { "PR" } else { "I" }, self.pull.as_ref().map_or(issue.id, |pull| pull.id)),
            "number" => issue.number,
            "title" => issue.title,
            "labels" => label_views(self.links, self.repo, &self.labels),
            "state" => issue.state,
            "locked" => issue.locked,
            "milestone" => self.milestone,
            "comments" => issue.comments,
            "created_at" => Time(issue.created_at),
            "updated_at" => Time(issue.updated_at),
            "closed_at" => issue.closed_at.map(Time),
            "active_lock_reason" => issue.lock_reason,
            "performed_via_github_app" => (),
            "state_reason" => issue.state_reason,
        );
        self.write_people(&mut map)?;
        self.write_summaries(&mut map)?;
        if self.with_repository {
            map.serialize_entry(
                "repository",
                &RepoView { links: self.links, repo: self.repo, permission: None },
            )?;
        }
        match self.score {
            // Search's schema knows no absent body, only a text.
            Some(score) => {
                entries!(map; "body" => issue.body.as_deref().unwrap_or_default(), "score" => score);
            }
            None => map.serialize_entry("body", &issue.body)?,
        }
        map.end()
    }
}

struct PullLinks<'a> {
    view: &'a IssueView<'a>,
    merged_at: Option<i64>,
}

impl Serialize for PullLinks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Links { api, web } = self.view.links;
        let repo = self.view.repo;
        let (owner, name, number) = (&repo.owner.login, &repo.name, self.view.issue.number);
        let mut map = serializer.serialize_map(Some(5))?;
        entries!(map;
            "url" => format_args!("{api}/repos/{owner}/{name}/pulls/{number}"),
            "html_url" => format_args!("{web}/{owner}/{name}/pull/{number}"),
            "diff_url" => format_args!("{web}/{owner}/{name}/pull/{number}.diff"),
            "patch_url" => format_args!("{web}/{owner}/{name}/pull/{number}.patch"),
            "merged_at" => self.merged_at.map(Time),
        );
        map.end()
    }
}

pub(super) struct RollupView {
    pub(super) url: String,
    pub(super) rollup: Rollup,
}

impl Serialize for RollupView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(10))?;
        entries!(map; "url" => self.url, "total_count" => self.rollup.0.iter().sum::<i64>());
        for (content, count) in CONTENTS.iter().zip(self.rollup.0) {
            map.serialize_entry(content, &count)?;
        }
        map.end()
    }
}

struct ChildSummaryView(ChildSummary);

impl Serialize for ChildSummaryView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ChildSummary { total, completed } = self.0;
        let mut map = serializer.serialize_map(Some(3))?;
        entries!(map;
            "total" => total,
            "completed" => completed,
            "percent_completed" => if total == 0 { 0 } else { completed * 100 / total },
        );
        map.end()
    }
}

struct DependencySummaryView(DependencySummary);

impl Serialize for DependencySummaryView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        entries!(map;
            "blocked_by" => self.0.blocked_by,
            "blocking" => self.0.blocking,
            "total_blocked_by" => self.0.total_blocked_by,
            "total_blocking" => self.0.total_blocking,
        );
        map.end()
    }
}

pub(crate) struct CommentView<'a> {
    links: &'a Links,
    repo: &'a Repo,
    comment: Comment,
    author: Arc<Account>,
    association: &'static str,
    reactions: Rollup,
    as_event: bool,
}

impl CommentView<'_> {
    /// In a timeline a comment is an event.
    pub(crate) fn into_event(self) -> Self {
        Self { as_event: true, ..self }
    }
}

impl<'a> Render<'a> {
    pub(crate) fn comment(&self, repo: &'a Repo, comment: Comment) -> rusqlite::Result<CommentView<'a>> {
        let subject = Subject::Comment(comment.id);
        Ok(CommentView {
            links: self.links,
            repo,
            author: self.account(comment.author_id)?,
            association: self.association(repo, comment.author_id)?,
            reactions: when(comment.has_reactions, || reactions::rollup(self.conn, subject))?,
            comment,
            as_event: false,
        })
    }

    pub(crate) fn reaction(&self, reaction: Reaction) -> rusqlite::Result<ReactionView<'a>> {
        let account = self.account(reaction.account_id)?;
        Ok(ReactionView { links: self.links, reaction, account })
    }
}

impl Serialize for CommentView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Links { api, web } = self.links;
        let comment = &self.comment;
        let (owner, name, id, number) =
            (&self.repo.owner.login, &self.repo.name, comment.id, comment.issue_number);
        let page = if comment.is_pull { "pull" } else { "issues" };
        let url = format!("{api}/repos/{owner}/{name}/issues/comments/{id}");
        let mut map = serializer.serialize_map(None)?;
        if self.as_event {
            let actor = AccountView { links: self.links, account: &self.author };
            entries!(map; "event" => "commented", "actor" => actor);
        }
        entries!(map;
            "url" => url,
            "html_url" => format_args!("{web}/{owner}/{name}/{page}/{number}#issuecomment-{id}"),
            "issue_url" => format_args!("{api}/repos/{owner}/{name}/issues/{number}"),
            "id" => id,
            "node_id" => NodeId("IC", id),
            "user" => AccountView { links: self.links, account: &self.author },
            "created_at" => Time(comment.created_at),
            "updated_at" => Time(comment.updated_at),
            "author_association" => self.association,
            "body" => comment.body,
            "reactions" => RollupView { url: format!("{url}/reactions"), rollup: self.reactions },
            "performed_via_github_app" => (),
        );
        map.end()
    }
}

pub(crate) struct ReactionView<'a> {
    links: &'a Links,
    reaction: Reaction,
    account: Arc<Account>,
}

impl Serialize for ReactionView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reaction = &self.reaction;
        let mut map = serializer.serialize_map(Some(5))?;
        entries!(map;
            "id" => reaction.id,
            "node_id" => NodeId("REA", reaction.id),
            "user" => AccountView { links: self.links, account: &self.account },
            "content" => reaction.content,
            "created_at" => Time(reaction.created_at),
        );
        map.end()
    }
}
