//! Who may do what in a repository.

use rusqlite::Connection;
use serde_json::json;

use crate::db::Tx;
use crate::db::accounts::{self, Account};
use crate::db::repos::{self, Permission};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::account::{AccountView, CollaboratorView};

fn named(call: &Call, conn: &Connection) -> Result<Account, ApiError> {
    accounts::by_login(conn, call.param("username"))?.ok_or_else(ApiError::not_found)
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let repo = call.repo()?;
    let mut views = Vec::new();
    for account in repos::people(conn, repo)? {
        let permission = repos::permission(conn, repo, &account)?;
        let view =
            CollaboratorView { account: AccountView { links: &call.links, account: &account }, permission };
        views.push(serde_json::to_value(view)?);
    }
    page::reply_cut(call, views)
}

pub(super) fn check(call: &Call, conn: &Connection) -> ApiResult {
    let account = named(call, conn)?;
    match repos::is_assignable(conn, call.repo()?, &account)? {
        true => Reply::no_content(),
        false => Err(ApiError::not_found()),
    }
}

/// Adds at once: there are no invitations here, so the answer is GitHub's for somebody who needs none.
pub(super) fn add(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let account = named(call, tx)?;
    let repo = call.repo()?;
    if account.id == repo.owner.id {
        return Err(ApiError::invalid_because(
            "Repository",
            "collaborator",
            "Repository owner cannot be a collaborator",
        ));
    }
    let level = call.fields()?.opt_str("permission")?.unwrap_or("push").to_owned();
    let level =
        Permission::parse(&level).ok_or_else(|| ApiError::invalid("Repository", "permission", "invalid"))?;
    repos::set_collaborator(tx, repo.id, account.id, level)?;
    Reply::no_content()
}

pub(super) fn remove(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let account = named(call, tx)?;
    repos::remove_collaborator(tx, call.repo()?.id, account.id)?;
    Reply::no_content()
}

pub(super) fn permission(call: &Call, conn: &Connection) -> ApiResult {
    call.viewer()?;
    let account = named(call, conn)?;
    let permission = repos::permission(conn, call.repo()?, &account)?;
    let user =
        CollaboratorView { account: AccountView { links: &call.links, account: &account }, permission };
    Reply::ok(&json!({
        "permission": permission.legacy_name(),
        "role_name": permission.role_name(),
        "user": user,
    }))
}
