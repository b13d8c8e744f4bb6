//! Accounts: users, organisations, bots.

use std::sync::Arc;

use super::ask::Ask;
use super::board_links;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, null, optional, unknown};
use super::ids::node_id;
use crate::db::accounts::{Account, AccountKind};
use crate::wire::Time;

pub(crate) struct ActorNode(pub(crate) Arc<Account>);

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
            "email" => leaf(account.email.as_deref().unwrap_or_default()),
            "url" => leaf(context.web(&account.login)),
            "resourcePath" => leaf(format!("/{}", account.login)),
            "avatarUrl" => leaf(context.web(&format!("avatars/{}", account.id))),
            "createdAt" => leaf(Time(account.created_at).to_string()),
            "updatedAt" => leaf(Time(account.updated_at).to_string()),
            "bio" | "company" | "description" => null(),
            "projectV2" | "projectsV2" => board_links::owner_field(account, context, ask),
            _ => unknown(self.type_name(), ask),
        }
    }
}

impl ActorNode {
    pub(crate) fn node_id(&self) -> String {
        let prefix = match self.0.kind {
            AccountKind::User => "U",
            AccountKind::Organization => "O",
            AccountKind::Bot => "BOT",
        };
        node_id(prefix, self.0.id)
    }
}
