//! Who may be assigned, and who is.

use rusqlite::Connection;

use super::issue_fields::{assign_all, unassign_all};
use super::issues::reply_issue;
use crate::db::{Tx, accounts, repos};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::account::AccountView;

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let people = repos::people(conn, call.repo()?)?;
    let views: Vec<_> = people.iter().map(|account| AccountView { links: &call.links, account }).collect();
    page::reply_cut(call, views)
}

pub(super) fn check(call: &Call, conn: &Connection) -> ApiResult {
    let account = accounts::by_login(conn, call.param("assignee"))?.ok_or_else(ApiError::not_found)?;
    match repos::is_assignable(conn, call.repo()?, &account)? {
        true => Reply::no_content(),
        false => Err(ApiError::not_found()),
    }
}

pub(super) fn check_on_issue(call: &Call, conn: &Connection) -> ApiResult {
    call.issue(conn)?;
    check(call, conn)
}

pub(super) fn add(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    let logins = call.fields()?.opt_strings("assignees")?.unwrap_or_default();
    assign_all(call, tx, &issue, &logins)?;
    reply_issue(call, tx, issue.id, 201)
}

pub(super) fn remove(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    let logins = call.fields()?.opt_strings("assignees")?.unwrap_or_default();
    unassign_all(call, tx, &issue, &logins)?;
    reply_issue(call, tx, issue.id, 200)
}
