//! Issue events, alone and in timelines.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::account::AccountView;
use super::issue::IssueView;
use super::repo::RepoView;
use super::team::TeamView;
use super::{Links, NodeId, Render, Time, entries};
use crate::db::accounts::Account;
use crate::db::events::Event;
use crate::db::issues::{self, Issue};
use crate::db::repos::{self, Repo};
use crate::db::teams::{self, Team};

/// What an event says beyond who and when, with its references loaded.
enum Extra<'a> {
    None,
    Label,
    Milestone,
    Rename,
    Lock,
    State,
    Person(Arc<Account>),
    Reviewer(Arc<Account>),
    ReviewingTeam(Box<Option<(Account, Team)>>),
    Dismissal,
    Link { key: &'static str, to: Box<Option<(Repo, Issue)>> },
    Source(Box<Option<IssueView<'a>>>),
}

pub(crate) struct EventView<'a> {
    links: &'a Links,
    repo: &'a Repo,
    event: Event,
    actor: Arc<Account>,
    extra: Extra<'a>,
    /// The repository's list shows each event with its issue.
    issue: Option<IssueView<'a>>,
}

impl<'a> Render<'a> {
    pub(crate) fn event(&self, repo: &'a Repo, event: Event) -> rusqlite::Result<EventView<'a>> {
        let actor = self.account(event.actor_id)?;
        let extra = self.extra(repo, &event)?;
        Ok(EventView { links: self.links, repo, event, actor, extra, issue: None })
    }

    pub(crate) fn event_with_issue(&self, repo: &'a Repo, event: Event) -> rusqlite::Result<EventView<'a>> {
        let issue = issues::by_id(self.conn, event.issue_id)?;
        let issue = issue.map(|issue| self.issue(repo, issue)).transpose()?;
        Ok(EventView { issue, ..self.event(repo, event)? })
    }

    fn extra(&self, repo: &'a Repo, event: &Event) -> rusqlite::Result<Extra<'a>> {
        Ok(match event.kind.as_str() {
            "labeled" | "unlabeled" => Extra::Label,
            "milestoned" | "demilestoned" => Extra::Milestone,
            "renamed" => Extra::Rename,
            "locked" | "unlocked" => Extra::Lock,
            "closed" | "reopened" | "merged" => Extra::State,
            "assigned" | "unassigned" => match event.detail["account"].as_i64() {
                Some(id) => Extra::Person(self.account(id)?),
                None => Extra::None,
            },
            "review_requested" | "review_request_removed" => self.asked(event)?,
            "review_dismissed" => Extra::Dismissal,
            "cross-referenced" => Extra::Source(Box::new(self.source(repo, event)?)),
            "sub_issue_added" | "sub_issue_removed" => self.link("sub_issue", event)?,
            "parent_issue_added" | "parent_issue_removed" => self.link("parent_issue", event)?,
            "blocked_by_added" | "blocked_by_removed" => self.link("blocked_by", event)?,
            "blocking_added" | "blocking_removed" => self.link("blocking", event)?,
            _ => Extra::None,
        })
    }

    /// Who was asked for a review, or asked no more.
    fn asked(&self, event: &Event) -> rusqlite::Result<Extra<'a>> {
        if let Some(id) = event.detail["account"].as_i64() {
            return Ok(Extra::Reviewer(self.account(id)?));
        }
        let team = event.detail["team"].as_i64().map(|id| teams::by_id(self.conn, id)).transpose()?.flatten();
        let found = match team {
            Some(team) => Some((self.account(team.org_id)?.as_ref().clone(), team)),
            None => None,
        };
        Ok(Extra::ReviewingTeam(Box::new(found)))
    }

    fn link(&self, key: &'static str, event: &Event) -> rusqlite::Result<Extra<'a>> {
        let issue =
            event.detail["issue"].as_i64().map(|id| issues::by_id(self.conn, id)).transpose()?.flatten();
        let repo = issue.as_ref().map(|issue| repos::by_id(self.conn, issue.repo_id)).transpose()?.flatten();
        let to = match repo.zip(issue) {
            Some((repo, issue)) if self.may_see(&repo)? => Some((repo, issue)),
            _ => None,
        };
        Ok(Extra::Link { key, to: Box::new(to) })
    }

    fn source(&self, repo: &'a Repo, event: &Event) -> rusqlite::Result<Option<IssueView<'a>>> {
        let Some(id) = event.detail["issue"].as_i64() else { return Ok(None) };
        let issue = issues::by_id(self.conn, id)?.filter(|issue| issue.repo_id == repo.id);
        issue.map(|issue| self.issue(repo, issue)).transpose()
    }
}

impl EventView<'_> {
    fn write_extra<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let detail = &self.event.detail;
        match &self.extra {
            Extra::None => entries!(map; "lock_reason" => ()),
            Extra::Label => map.serialize_entry("label", detail)?,
            Extra::Milestone => map.serialize_entry("milestone", detail)?,
            Extra::Rename => map.serialize_entry("rename", detail)?,
            Extra::Lock => map.serialize_entry("lock_reason", &detail["lock_reason"])?,
            // GitHub's schema of an issue's events has no form for a change of state; with this key it has the form
            // of a lock event, which differs by nothing else.
            Extra::State => {
                entries!(map; "state_reason" => detail["state_reason"], "lock_reason" => Value::Null)
            }
            Extra::Person(account) => {
                entries!(map;
                    "assignee" => AccountView { links: self.links, account },
                    "assigner" => AccountView { links: self.links, account: &self.actor },
                );
            }
            Extra::Reviewer(account) => {
                entries!(map;
                    "review_requester" => AccountView { links: self.links, account: &self.actor },
                    "requested_reviewer" => AccountView { links: self.links, account },
                );
            }
            Extra::ReviewingTeam(team) => {
                entries!(map; "review_requester" => AccountView { links: self.links, account: &self.actor });
                if let Some((org, team)) = team.as_ref() {
                    entries!(map; "requested_team" => TeamView { links: self.links, org, team });
                }
            }
            Extra::Dismissal => map.serialize_entry("dismissed_review", &dismissed(detail))?,
            Extra::Link { key, to } => map.serialize_entry(key, &IssueReference { links: self.links, to })?,
            Extra::Source(_) => {}
        }
        Ok(())
    }

    fn write_source<M: SerializeMap>(
        &self,
        map: &mut M,
        source: &Option<IssueView<'_>>,
    ) -> Result<(), M::Error> {
        entries!(map;
            "event" => self.event.kind,
            "actor" => AccountView { links: self.links, account: &self.actor },
            "created_at" => Time(self.event.created_at),
            "updated_at" => Time(self.event.created_at),
            "source" => SourceView(source),
        );
        Ok(())
    }

    fn write_common<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let at = format!("{}/repos/{}/{}", self.links.api, self.repo.owner.login, self.repo.name);
        let commit = self.event.commit_oid.as_deref();
        entries!(map;
            "id" => self.event.id,
            "node_id" => NodeId("E", self.event.id),
            "url" => format_args!("{at}/issues/events/{}", self.event.id),
            "actor" => AccountView { links: self.links, account: &self.actor },
            "event" => self.event.kind,
            "commit_id" => commit,
            "commit_url" => commit.map(|oid| format!("{at}/commits/{oid}")),
            "created_at" => Time(self.event.created_at),
            "performed_via_github_app" => (),
        );
        Ok(())
    }
}

impl Serialize for EventView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Extra::Source(source) = &self.extra {
            self.write_source(&mut map, source)?;
            return map.end();
        }
        self.write_common(&mut map)?;
        self.write_extra(&mut map)?;
        if let Some(issue) = &self.issue {
            map.serialize_entry("issue", issue)?;
        }
        map.end()
    }
}

/// What a dismissal says of the review that it dismissed.
fn dismissed(detail: &Value) -> Value {
    let mut view = json!({
        "state": detail["state"].as_str().unwrap_or_default().to_lowercase(),
        "review_id": detail["review_id"],
        "dismissal_message": detail["message"],
    });
    if detail["commit"].is_string() {
        view["dismissal_commit_id"] = detail["commit"].clone();
    }
    view
}

struct SourceView<'a>(&'a Option<IssueView<'a>>);

impl Serialize for SourceView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "issue")?;
        if let Some(issue) = self.0 {
            map.serialize_entry("issue", issue)?;
        }
        map.end()
    }
}

struct IssueReference<'a> {
    links: &'a Links,
    to: &'a Option<(Repo, Issue)>,
}

impl Serialize for IssueReference<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((repo, issue)) = self.to else {
            return serializer.serialize_none();
        };
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "number" => issue.number,
            "title" => issue.title,
            "state" => issue.state,
            "state_reason" => issue.state_reason,
            "repository" => RepoView { links: self.links, repo, permission: None },
            "issue_type" => (),
        );
        map.end()
    }
}
