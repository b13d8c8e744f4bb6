//! The labels on an issue.

use rusqlite::Connection;

use super::issue_fields::{add_labels, remove_labels, set_labels};
use crate::db::issues::Issue;
use crate::db::{Tx, labels};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::label::label_views;

fn reply_labels(call: &Call, conn: &Connection, issue: &Issue) -> ApiResult {
    Reply::ok(&label_views(&call.links, call.repo()?, &labels::of_issue(conn, issue.id)?))
}

fn wanted(call: &Call) -> Result<Vec<String>, ApiError> {
    let names = Fields::parse_list_or(&call.body, "labels")?.opt_label_names("labels")?;
    Ok(names.unwrap_or_default())
}

pub(super) fn list(call: &Call, conn: &Connection) -> ApiResult {
    let found = labels::of_issue(conn, call.issue(conn)?.id)?;
    page::reply_cut(call, label_views(&call.links, call.repo()?, &found))
}

pub(super) fn add(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    add_labels(call, tx, &issue, &wanted(call)?)?;
    reply_labels(call, tx, &issue)
}

pub(super) fn set(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    set_labels(call, tx, &issue, &wanted(call)?)?;
    reply_labels(call, tx, &issue)
}

pub(super) fn clear(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    remove_labels(call, tx, &issue, &labels::of_issue(tx, issue.id)?)?;
    Reply::no_content()
}

pub(super) fn remove(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let issue = call.issue(tx)?;
    let name = call.param("name");
    let on_issue = labels::of_issue(tx, issue.id)?;
    let label = on_issue.into_iter().find(|label| label.name.eq_ignore_ascii_case(name));
    let label = label.ok_or_else(|| ApiError::new(404, "Label does not exist"))?;
    remove_labels(call, tx, &issue, &[label])?;
    reply_labels(call, tx, &issue)
}
