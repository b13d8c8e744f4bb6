//! Accounts: the short form inside other things, and the profile.

use std::cell::RefCell;

use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::{Links, NodeId, Time, entries};
use crate::db::accounts::{Account, AccountKind};
use crate::db::repos::Permission;

pub(crate) fn node_id(account: &Account) -> NodeId {
    match account.kind {
        AccountKind::User => NodeId("U", account.id),
        AccountKind::Organization => NodeId("O", account.id),
        AccountKind::Bot => NodeId("BOT", account.id),
    }
}

/// GitHub's `simple-user`.
pub(crate) struct AccountView<'a> {
    pub(crate) links: &'a Links,
    pub(crate) account: &'a Account,
}

impl AccountView<'_> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Links { api, web } = self.links;
        let login = self.account.login.as_str();
        entries!(map;
            "login" => login,
            "id" => self.account.id,
            "node_id" => node_id(self.account),
            "avatar_url" => self.links.avatar(self.account.id),
            "gravatar_id" => "",
            "url" => format_args!("{api}/users/{login}"),
            "html_url" => format_args!("{web}/{login}"),
            "followers_url" => format_args!("{api}/users/{login}/followers"),
            "following_url" => format_args!("{api}/users/{login}/following{{/other_user}}"),
            "gists_url" => format_args!("{api}/users/{login}/gists{{/gist_id}}"),
            "starred_url" => format_args!("{api}/users/{login}/starred{{/owner}}{{/repo}}"),
            "subscriptions_url" => format_args!("{api}/users/{login}/subscriptions"),
            "organizations_url" => format_args!("{api}/users/{login}/orgs"),
            "repos_url" => format_args!("{api}/users/{login}/repos"),
            "events_url" => format_args!("{api}/users/{login}/events{{/privacy}}"),
            "received_events_url" => format_args!("{api}/users/{login}/received_events"),
            "type" => self.account.kind.as_str(),
            "site_admin" => self.account.site_admin,
        );
        Ok(())
    }
}

/// An account as it was written before. What is written depends on the fields here and on nothing else, so a copy can
/// never be out of date.
struct Written {
    links: Links,
    id: i64,
    login: String,
    kind: AccountKind,
    site_admin: bool,
    json: Box<RawValue>,
}

impl Written {
    fn is_of(&self, view: &AccountView<'_>) -> bool {
        let account = view.account;
        self.id == account.id
            && self.site_admin == account.site_admin
            && self.kind == account.kind
            && self.login == account.login
            && self.links == *view.links
    }

    fn new(view: &AccountView<'_>) -> serde_json::Result<Self> {
        Ok(Self {
            links: view.links.clone(),
            id: view.account.id,
            login: view.account.login.clone(),
            kind: view.account.kind,
            site_admin: view.account.site_admin,
            json: to_raw_value(&Anew(view))?,
        })
    }
}

/// Accounts kept per thread. An account is most of an issue's bytes, and the same few recur in every answer.
const WRITTEN_MAX: usize = 64;

thread_local! {
    static WRITTEN: RefCell<Vec<Written>> = const { RefCell::new(Vec::new()) };
}

impl Serialize for AccountView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WRITTEN.with_borrow_mut(|written| {
            if let Some(known) = written.iter().find(|known| known.is_of(self)) {
                return known.json.serialize(serializer);
            }
            let new = Written::new(self).map_err(S::Error::custom)?;
            if written.len() >= WRITTEN_MAX {
                written.clear();
            }
            let done = new.json.serialize(serializer);
            written.push(new);
            done
        })
    }
}

/// An account written field by field.
struct Anew<'a>(&'a AccountView<'a>);

impl Serialize for Anew<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.write(&mut map)?;
        map.serialize_entry("user_view_type", "public")?;
        map.end()
    }
}

/// A person with a standing in a repository: GitHub's `collaborator`.
pub(crate) struct CollaboratorView<'a> {
    pub(crate) account: AccountView<'a>,
    pub(crate) permission: Permission,
}

/// The five levels as flags.
#[derive(Clone, Copy)]
pub(crate) struct PermissionFlags(pub(crate) Permission);

impl Serialize for PermissionFlags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(5))?;
        entries!(map;
            "admin" => self.0 >= Permission::Admin,
            "maintain" => self.0 >= Permission::Maintain,
            "push" => self.0 >= Permission::Write,
            "triage" => self.0 >= Permission::Triage,
            "pull" => self.0 >= Permission::Read,
        );
        map.end()
    }
}

impl Serialize for CollaboratorView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.account.write(&mut map)?;
        entries!(map;
            "permissions" => PermissionFlags(self.permission),
            "role_name" => self.permission.role_name(),
        );
        map.end()
    }
}

/// A profile: GitHub's `public-user`, and `private-user` for one's own.
pub(crate) struct ProfileView<'a> {
    pub(crate) account: AccountView<'a>,
    pub(crate) public_repos: usize,
    pub(crate) is_own: bool,
}

impl Serialize for ProfileView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let account = self.account.account;
        let mut map = serializer.serialize_map(None)?;
        self.account.write(&mut map)?;
        entries!(map;
            "name" => account.name,
            "company" => (),
            "blog" => "",
            "location" => (),
            "email" => account.email,
            "hireable" => (),
            "bio" => (),
            "twitter_username" => (),
            "public_repos" => self.public_repos,
            "public_gists" => 0,
            "followers" => 0,
            "following" => 0,
            "created_at" => Time(account.created_at),
            "updated_at" => Time(account.updated_at),
            "user_view_type" => if self.is_own { "private" } else { "public" },
        );
        if self.is_own {
            entries!(map;
                "private_gists" => 0,
                "total_private_repos" => 0,
                "owned_private_repos" => 0,
                "disk_usage" => 0,
                "collaborators" => 0,
                "two_factor_authentication" => false,
            );
        }
        map.end()
    }
}

/// An organisation: GitHub's `organization-full`.
pub(crate) struct OrganizationView<'a> {
    pub(crate) links: &'a Links,
    pub(crate) account: &'a Account,
    pub(crate) public_repos: usize,
}

impl Serialize for OrganizationView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Links { api, web } = self.links;
        let login = self.account.login.as_str();
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "login" => login,
            "id" => self.account.id,
            "node_id" => node_id(self.account),
            "url" => format_args!("{api}/orgs/{login}"),
            "repos_url" => format_args!("{api}/orgs/{login}/repos"),
            "events_url" => format_args!("{api}/orgs/{login}/events"),
            "hooks_url" => format_args!("{api}/orgs/{login}/hooks"),
            "issues_url" => format_args!("{api}/orgs/{login}/issues"),
            "members_url" => format_args!("{api}/orgs/{login}/members{{/member}}"),
            "public_members_url" => format_args!("{api}/orgs/{login}/public_members{{/member}}"),
            "avatar_url" => self.links.avatar(self.account.id),
            "description" => "",
            "has_organization_projects" => true,
            "has_repository_projects" => true,
            "public_repos" => self.public_repos,
            "public_gists" => 0,
            "followers" => 0,
            "following" => 0,
            "html_url" => format_args!("{web}/{login}"),
            "type" => "Organization",
            "created_at" => Time(self.account.created_at),
            "updated_at" => Time(self.account.updated_at),
            "archived_at" => (),
        );
        map.end()
    }
}
