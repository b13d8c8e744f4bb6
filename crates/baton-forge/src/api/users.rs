//! Accounts.

use rusqlite::Connection;

use crate::db::accounts::{self, Account, AccountKind};
use crate::db::{Tx, repos};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::account::{AccountView, OrganizationView, ProfileView};

const PROFILE_CHARS_MAX: usize = 255;

fn profile(call: &Call, conn: &Connection, account: &Account, is_own: bool) -> ApiResult {
    let public_repos = public_repos(conn, account.id)?;
    Reply::ok(&ProfileView { account: AccountView { links: &call.links, account }, public_repos, is_own })
}

fn public_repos(conn: &Connection, owner_id: i64) -> Result<usize, ApiError> {
    Ok(repos::list(conn, Some(owner_id))?.iter().filter(|repo| !repo.private).count())
}

pub(super) fn own(call: &Call, conn: &Connection) -> ApiResult {
    let account = accounts::by_id(conn, call.actor_id()?)?;
    profile(call, conn, &account, true)
}

pub(super) fn update_own(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let fields = call.fields()?;
    let email = fields.opt_str("email")?;
    if email.is_some_and(|email| !email.contains('@')) {
        return Err(ApiError::invalid("User", "email", "invalid"));
    }
    for key in ["name", "email"] {
        if fields.opt_str(key)?.is_some_and(|text| text.chars().count() > PROFILE_CHARS_MAX) {
            return Err(ApiError::invalid("User", key, "invalid"));
        }
    }
    accounts::set_profile(tx, call.actor_id()?, fields.opt_str("name")?, email, call.now)?;
    own(call, tx)
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let account = accounts::by_login(conn, call.param("username"))?.ok_or_else(ApiError::not_found)?;
    profile(call, conn, &account, false)
}

pub(super) fn org(call: &Call, conn: &Connection) -> ApiResult {
    let account = organization(call, conn)?;
    let public_repos = public_repos(conn, account.id)?;
    Reply::ok(&OrganizationView { links: &call.links, account: &account, public_repos })
}

/// The organisation that the path names.
pub(super) fn organization(call: &Call, conn: &Connection) -> Result<Account, ApiError> {
    let account = accounts::by_login(conn, call.param("org"))?;
    account.filter(|account| account.kind == AccountKind::Organization).ok_or_else(ApiError::not_found)
}
