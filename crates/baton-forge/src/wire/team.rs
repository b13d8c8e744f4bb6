//! Teams, and whose review is waited for.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::account::{AccountView, OrganizationView};
use super::{Links, NodeId, Render, Time, entries, segment};
use crate::db::accounts::Account;
use crate::db::review_requests::{self, Reviewer};
use crate::db::teams::{self, Team};

/// GitHub's `team`.
pub(crate) struct TeamView<'a> {
    pub(crate) links: &'a Links,
    pub(crate) org: &'a Account,
    pub(crate) team: &'a Team,
}

impl TeamView<'_> {
    pub(crate) fn url(&self) -> String {
        format!("{}/orgs/{}/teams/{}", self.links.api, self.org.login, segment(&self.team.slug))
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (team, url) = (self.team, self.url());
        let page = format!("{}/orgs/{}/teams/{}", self.links.web, self.org.login, segment(&team.slug));
        entries!(map;
            "id" => team.id,
            "node_id" => NodeId("T", team.id),
            "name" => team.name,
            "slug" => team.slug,
            "description" => team.description,
            "privacy" => "closed",
            "notification_setting" => "notifications_enabled",
            "permission" => "pull",
            "url" => url,
            "html_url" => page,
            "members_url" => format_args!("{url}/members{{/member}}"),
            "repositories_url" => format_args!("{url}/repos"),
            "type" => "organization",
            "organization_id" => team.org_id,
            "parent" => (),
        );
        Ok(())
    }
}

impl Serialize for TeamView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write(&mut map)?;
        map.end()
    }
}

/// GitHub's `team-full`.
pub(crate) struct FullTeamView<'a> {
    pub(crate) team: TeamView<'a>,
    pub(crate) members: usize,
    pub(crate) org_repos: usize,
}

impl Serialize for FullTeamView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let TeamView { links, org, team } = self.team;
        let mut map = serializer.serialize_map(None)?;
        self.team.write(&mut map)?;
        entries!(map;
            "members_count" => self.members,
            "repos_count" => 0,
            "created_at" => Time(team.created_at),
            "updated_at" => Time(team.updated_at),
            "organization" => OrganizationView { links, account: org, public_repos: self.org_repos },
        );
        map.end()
    }
}

/// GitHub's `team-membership`.
pub(crate) fn team_membership(team: &TeamView<'_>, login: &str, role: &str) -> Value {
    let url = format!("{}/memberships/{}", team.url(), segment(login));
    json!({ "url": url, "role": role, "state": "active" })
}

/// GitHub's `org-membership`.
pub(crate) fn org_membership(links: &Links, org: &Account, account: &Account, role: &str) -> Value {
    let at = format!("{}/orgs/{}", links.api, org.login);
    json!({
        "url": format!("{at}/memberships/{}", segment(&account.login)),
        "state": "active",
        "role": role,
        "organization_url": at,
        "organization": OrganizationView { links, account: org, public_repos: 0 },
        "user": AccountView { links, account },
    })
}

/// Whose review of a pull request is waited for.
pub(crate) struct Reviewers {
    pub(crate) accounts: Vec<Arc<Account>>,
    /// Each with its organisation.
    pub(crate) teams: Vec<(Arc<Account>, Team)>,
}

impl Reviewers {
    pub(crate) fn team_views<'a>(&'a self, links: &'a Links) -> Vec<TeamView<'a>> {
        self.teams.iter().map(|(org, team)| TeamView { links, org, team }).collect()
    }
}

impl Render<'_> {
    pub(crate) fn reviewers(&self, pull_id: i64) -> rusqlite::Result<Reviewers> {
        let mut found = Reviewers { accounts: Vec::new(), teams: Vec::new() };
        for request in review_requests::of_pull(self.conn, pull_id)? {
            match request.reviewer {
                Reviewer::Account(id) => found.accounts.push(self.account(id)?),
                Reviewer::Team(id) => {
                    if let Some(team) = teams::by_id(self.conn, id)? {
                        found.teams.push((self.account(team.org_id)?, team));
                    }
                }
            }
        }
        Ok(found)
    }
}
