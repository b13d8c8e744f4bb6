//! Pull requests.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::account::AccountView;
use super::commit::Place;
use super::label::{MilestoneView, label_views};
use super::repo::RepoView;
use super::team::Reviewers;
use super::{Links, NodeId, Render, Time, entries};
use crate::db::accounts::Account;
use crate::db::issues::{self, Issue};
use crate::db::labels::{self, Label};
use crate::db::pulls::Pull;
use crate::db::repos::{self, Repo};
use crate::db::review_comments;

/// What a trial merge and the commits between base and head say.
#[derive(Debug, Clone)]
pub(crate) struct PullFacts {
    pub(crate) mergeable: Option<bool>,
    pub(crate) mergeable_state: &'static str,
    pub(crate) commits: usize,
    pub(crate) additions: usize,
    pub(crate) deletions: usize,
    pub(crate) changed_files: usize,
}

pub(crate) struct PullView<'a> {
    links: &'a Links,
    repo: &'a Repo,
    head_repo: Repo,
    issue: Issue,
    pull: Pull,
    author: Arc<Account>,
    association: &'static str,
    labels: Vec<Label>,
    assignees: Vec<Arc<Account>>,
    milestone: Option<MilestoneView<'a>>,
    merged_by: Option<Arc<Account>>,
    reviewers: Reviewers,
    review_comments: i64,
    auto_merge_by: Option<Arc<Account>>,
    /// Absent in lists, which show GitHub's simple form.
    facts: Option<PullFacts>,
}

impl<'a> Render<'a> {
    pub(crate) fn pull(
        &self,
        repo: &'a Repo,
        issue: Issue,
        pull: Pull,
        facts: Option<PullFacts>,
    ) -> rusqlite::Result<PullView<'a>> {
        let milestone = issue.milestone_id.map(|id| self.milestone_by_id(id)).transpose()?;
        let head_repo = match pull.head_repo_id == repo.id {
            true => None,
            false => repos::by_id(self.conn, pull.head_repo_id)?,
        };
        Ok(PullView {
            links: self.links,
            repo,
            head_repo: head_repo.unwrap_or_else(|| repo.clone()),
            author: self.account(issue.author_id)?,
            association: self.association(repo, issue.author_id)?,
            labels: labels::of_issue(self.conn, issue.id)?,
            assignees: self.accounts(&issues::assignees(self.conn, issue.id)?)?,
            milestone: milestone.map(|milestone| self.milestone(repo, milestone)).transpose()?,
            merged_by: pull.merged_by.map(|id| self.account(id)).transpose()?,
            reviewers: self.reviewers(pull.id)?,
            review_comments: review_comments::count_public(self.conn, pull.id)?,
            auto_merge_by: pull.auto_merge.as_ref().map(|auto| self.account(auto.by)).transpose()?,
            issue,
            pull,
            facts,
        })
    }
}

impl PullView<'_> {
    fn place(&self) -> Place<'_> {
        Place { links: self.links, repo: self.repo }
    }

    fn write_addresses<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (api, web, number) = (self.place().api(), self.place().web(), self.issue.number);
        let href = |url: String| json!({ "href": url });
        let links = json!({
            "self": href(format!("{api}/pulls/{number}")),
            "html": href(format!("{web}/pull/{number}")),
            "issue": href(format!("{api}/issues/{number}")),
            "comments": href(format!("{api}/issues/{number}/comments")),
            "review_comments": href(format!("{api}/pulls/{number}/comments")),
            "review_comment": href(format!("{api}/pulls/comments{{/number}}")),
            "commits": href(format!("{api}/pulls/{number}/commits")),
            "statuses": href(format!("{api}/statuses/{}", self.pull.head_oid)),
        });
        entries!(map;
            "url" => format_args!("{api}/pulls/{number}"),
            "html_url" => format_args!("{web}/pull/{number}"),
            "diff_url" => format_args!("{web}/pull/{number}.diff"),
            "patch_url" => format_args!("{web}/pull/{number}.patch"),
            "issue_url" => format_args!("{api}/issues/{number}"),
            "commits_url" => format_args!("{api}/pulls/{number}/commits"),
            "review_comments_url" => format_args!("{api}/pulls/{number}/comments"),
            "review_comment_url" => format_args!("{api}/pulls/comments{{/number}}"),
            "comments_url" => format_args!("{api}/issues/{number}/comments"),
            "statuses_url" => format_args!("{api}/statuses/{}", self.pull.head_oid),
            "_links" => links,
        );
        Ok(())
    }

    fn write_people<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let view = |account| AccountView { links: self.links, account };
        entries!(map;
            "user" => view(&self.author),
            "author_association" => self.association,
            "assignee" => self.assignees.first().map(|account| view(account)),
            "assignees" => self.assignees.iter().map(|account| view(account)).collect::<Vec<_>>(),
            "requested_reviewers" => self.reviewers.accounts.iter().map(|account| view(account)).collect::<Vec<_>>(),
            "requested_teams" => self.reviewers.team_views(self.links),
        );
        Ok(())
    }

    fn write_ends<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let pull = &self.pull;
        entries!(map;
            "head" => BranchEnd { links: self.links, repo: &self.head_repo, name: &pull.head_ref, oid: &pull.head_oid },
            "base" => BranchEnd { links: self.links, repo: self.repo, name: &pull.base_ref, oid: &pull.base_oid },
            "draft" => pull.draft,
            "merged_at" => pull.merged_at.map(Time),
            "merge_commit_sha" => pull.merge_oid,
            "auto_merge" => self.auto_merge(),
        );
        Ok(())
    }

    /// How it will be merged by itself. GitHub's words for what nobody said are empty here.
    fn auto_merge(&self) -> Option<serde_json::Value> {
        let (auto, by) = self.pull.auto_merge.as_ref().zip(self.auto_merge_by.as_ref())?;
        Some(json!({
            "enabled_by": AccountView { links: self.links, account: by },
            "merge_method": auto.method,
            "commit_title": auto.title.as_deref().unwrap_or_default(),
            "commit_message": auto.message.as_deref().unwrap_or_default(),
        }))
    }

    fn write_facts<M: SerializeMap>(&self, map: &mut M, facts: &PullFacts) -> Result<(), M::Error> {
        entries!(map;
            "merged" => self.pull.merged_at.is_some(),
            "mergeable" => facts.mergeable,
            "rebaseable" => facts.mergeable,
            "mergeable_state" => facts.mergeable_state,
            "merged_by" => self.merged_by.as_ref().map(|account| AccountView { links: self.links, account }),
            "comments" => self.issue.comments,
            "review_comments" => self.review_comments,
            "maintainer_can_modify" => false,
            "commits" => facts.commits,
            "additions" => facts.additions,
            "deletions" => facts.deletions,
            "changed_files" => facts.changed_files,
        );
        Ok(())
    }
}

impl Serialize for PullView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let issue = &self.issue;
        let mut map = serializer.serialize_map(None)?;
        self.write_addresses(&mut map)?;
        entries!(map;
            "id" => self.pull.id,
            "node_id" => NodeId("PR", self.pull.id),
            "number" => issue.number,
            "state" => issue.state,
            "locked" => issue.locked,
            "active_lock_reason" => issue.lock_reason,
            "title" => issue.title,
            "body" => issue.body,
            "labels" => label_views(self.links, self.repo, &self.labels),
            "milestone" => self.milestone,
            "created_at" => Time(issue.created_at),
            "updated_at" => Time(issue.updated_at),
            "closed_at" => issue.closed_at.map(Time),
        );
        self.write_people(&mut map)?;
        self.write_ends(&mut map)?;
        if let Some(facts) = &self.facts {
            self.write_facts(&mut map, facts)?;
        }
        map.end()
    }
}

struct BranchEnd<'a> {
    links: &'a Links,
    repo: &'a Repo,
    name: &'a str,
    oid: &'a str,
}

impl Serialize for BranchEnd<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let owner = &self.repo.owner;
        let mut map = serializer.serialize_map(Some(5))?;
        entries!(map;
            "label" => format_args!("{}:{}", owner.login, self.name),
            "ref" => self.name,
            "sha" => self.oid,
            "user" => AccountView { links: self.links, account: owner },
            "repo" => RepoView { links: self.links, repo: self.repo, permission: None },
        );
        map.end()
    }
}
