//! Accounts: users, organisations, bots.

use std::sync::Arc;

use super::ask::{Ask, Input};
use super::board_links;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, null, object, optional, unknown};
use super::error::GraphError;
use super::ids::node_id;
use super::repository::{RepositoryNode, repositories_of};
use super::team;
use crate::db::accounts::{self, Account, AccountKind};
use crate::wire::Time;

pub(crate) struct ActorNode(pub(crate) Arc<Account>);

/// The accounts of these ids, in order.
pub(crate) fn actors(context: &Context<'_>, ids: Vec<i64>) -> Result<Vec<ActorNode>, GraphError> {
    ids.into_iter().map(|id| context.account(id).map(ActorNode)).collect()
}

/// The users among the accounts of these ids, in order. Programs are no users, and lists of users have no place for them.
pub(crate) fn users(context: &Context<'_>, ids: Vec<i64>) -> Result<Vec<ActorNode>, GraphError> {
    Ok(actors(context, ids)?.into_iter().filter(ActorNode::is_user).collect())
}

impl Entity for ActorNode {
    fn type_name(&self) -> &'static str {
        match self.0.kind {
            AccountKind::User => "User",
            AccountKind::Organization => "Organization",
            AccountKind::Bot => "Bot",
        }
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let account = &self.0;
        match ask.name() {
            "id" => leaf(self.node_id()),
            "databaseId" => leaf(account.id),
            "login" => leaf(account.login.as_str()),
            "name" => optional(account.name.as_deref()),
            "email" if account.kind == AccountKind::Organization => optional(account.email.as_deref()),
            "email" => leaf(account.email.as_deref().unwrap_or_default()),
            "url" => leaf(context.web(&account.login)),
            "resourcePath" => leaf(format!("/{}", account.login)),
            "avatarUrl" => leaf(context.call.links.avatar(account.id)),
            "createdAt" => leaf(Time(account.created_at).to_string()),
            "updatedAt" => leaf(Time(account.updated_at).to_string()),
            "bio" | "company" | "description" | "location" | "websiteUrl" => null(),
            "isSiteAdmin" => leaf(account.site_admin),
            "isViewer" => leaf(context.viewer_id() == Some(account.id)),
            "repository" => self.repository(context, ask),
            "repositories" => object(context, repositories_of(context, ask, account.id)?),
            "projectV2" | "projectsV2" => board_links::owner_field(account, context, ask),
            _ => self.membership(context, ask),
        }
    }
}

impl ActorNode {
    pub(crate) fn is_user(&self) -> bool {
        self.0.kind == AccountKind::User
    }

    pub(crate) fn node_id(&self) -> String {
        let prefix = match self.0.kind {
            AccountKind::User => "U",
            AccountKind::Organization => "O",
            AccountKind::Bot => "BOT",
        };
        node_id(prefix, self.0.id)
    }

    fn repository<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let found = context.repo_named(&self.0.login, ask.str("name").unwrap_or_default())?;
        maybe_object(context, found.map(RepositoryNode))
    }

    /// Who belongs to which organisation.
    fn membership<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let id = self.0.id;
        let viewer_role = || match context.viewer_id() {
            Some(viewer) => accounts::org_role(context.conn, id, viewer),
            None => Ok(None),
        };
        match ask.name() {
            "organizations" => {
                let found = accounts::organizations_of(context.conn, id)?;
                let nodes = found.into_iter().map(|account| Self(account.into())).collect();
                let names = ("OrganizationConnection", "OrganizationEdge");
                object(context, Connection::whole(names, Paging::of(ask)?, nodes))
            }
            "organization" => {
                let wanted = ask.str("login").unwrap_or_default();
                let mut found = accounts::organizations_of(context.conn, id)?.into_iter();
                let named = found.find(|account| account.login.eq_ignore_ascii_case(wanted));
                maybe_object(context, named.map(|account| Self(account.into())))
            }
            "membersWithRole" => {
                let mut nodes = Vec::new();
                for (user, role) in accounts::members_of(context.conn, id)? {
                    let actor = Self(context.account(user)?);
                    nodes.extend(actor.is_user().then_some(Member { actor, role }));
                }
                let names = ("OrganizationMemberConnection", "OrganizationMemberEdge");
                object(context, Connection::whole(names, Paging::of(ask)?, nodes))
            }
            "team" => maybe_object(context, team::named(context, ask, id)?),
            "teams" => object(context, team::list(context, ask, id)?),
            "viewerIsAMember" => leaf(viewer_role()?.is_some()),
            "viewerCanAdminister" => leaf(viewer_role()?.as_deref() == Some("admin")),
            _ => unknown(self.type_name(), ask),
        }
    }
}

/// An account in a place that is a user's or an organisation's: the owner of something, or the viewer. A program stands
/// there as a user.
pub(crate) struct OwnerNode(pub(crate) ActorNode);

impl Entity for OwnerNode {
    fn type_name(&self) -> &'static str {
        match self.0.0.kind {
            AccountKind::Organization => "Organization",
            AccountKind::User | AccountKind::Bot => "User",
        }
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        self.0.field(context, ask)
    }
}

/// A member of an organisation.
struct Member {
    actor: ActorNode,
    role: String,
}

impl Entity for Member {
    fn type_name(&self) -> &'static str {
        self.actor.type_name()
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        self.actor.field(context, ask)
    }

    fn edge_field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "role" => leaf(self.role.to_ascii_uppercase()),
            _ => unknown("OrganizationMemberEdge", ask),
        }
    }
}

/// Which way a list is asked for.
pub(crate) fn is_descending(ask: &Ask<'_>) -> bool {
    ask.object("orderBy").and_then(|order| order.text("direction")) == Some("DESC")
}
