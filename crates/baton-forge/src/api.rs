//! The endpoints: one table, and one file per group of functions behind it.
//!
//! An endpoint is a plain function. The table says what it asks of its caller, which budget it draws on and where it
//! runs; the router, the meter, the coverage document and the contract tests are all made from the same rows. Adding an
//! endpoint is one function and one row.

mod assignees;
mod board_items;
mod board_values;
mod boards;
mod branches;
mod check_runs;
mod check_suites;
pub(crate) mod closing;
mod collaborators;
mod comments;
mod commits;
mod compare;
mod contents;
mod control;
mod dependencies;
mod events;
mod git_objects;
mod git_refs;
mod git_trees;
mod hooks;
mod issue_fields;
mod issue_labels;
mod issue_removal;
mod issues;
mod labels;
mod mentions;
mod merges;
mod meta;
mod milestones;
mod protection;
mod protection_parts;
pub(crate) mod pull_base;
mod pull_branch;
pub(crate) mod pull_draft;
pub(crate) mod pull_files;
mod pull_merge;
pub(crate) mod pull_news;
mod pulls;
mod reactions;
mod ref_batch;
mod repos;
pub(crate) mod review_comments;
pub(crate) mod review_places;
mod review_requests;
pub(crate) mod review_writing;
mod reviews;
mod search;
mod search_terms;
mod statuses;
mod sub_issues;
mod table;
mod teams;
mod users;

use rusqlite::Connection;

use crate::db::Tx;
use crate::http::access::Access;
use crate::http::call::Call;
use crate::http::rate::Resource;
use crate::http::reply::ApiResult;
pub(crate) use issue_removal::{delete_issue, set_pinned, transfer_issue};
pub(crate) use ref_batch::{RefChange, update_refs};
pub(crate) use repos::{Creation, create_in, signature_of};
pub(crate) use search::issue_search;
pub(crate) use table::ENDPOINTS;

/// Where an endpoint runs.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// On a snapshot of the database, on the connection's own thread: must be short.
    Read(fn(&Call, &Connection) -> ApiResult),
    /// In the writer's transaction; an error rolls it back.
    Write(fn(&Call, &Tx<'_>) -> ApiResult),
    /// On a thread that may block, for work on git's objects and refs.
    Git(fn(&Call) -> ApiResult),
    /// Anywhere: it touches only the forge's settings.
    Control(fn(&Call) -> ApiResult),
}

pub(crate) struct Endpoint {
    pub(crate) method: &'static str,
    /// GitHub's template of the path, letter for letter.
    pub(crate) path: &'static str,
    /// The name of the operation in GitHub's published description; empty for what it does not describe: the forge's
    /// own endpoints, and the root of `contents`.
    pub(crate) operation: &'static str,
    pub(crate) access: Access,
    /// The budget it tells of; `None` for the forge's own endpoints.
    pub(crate) resource: Option<Resource>,
    /// Whether it draws on that budget.
    pub(crate) is_charged: bool,
    pub(crate) handler: Handler,
}

/// An endpoint as the outside may know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointInfo {
    /// `GET`, `POST`, …
    pub method: &'static str,
    /// GitHub's template of the path.
    pub path: &'static str,
    /// The operation's name in GitHub's published description; empty for what it does not describe.
    pub operation: &'static str,
}

/// Lists every endpoint, in the order of the table.
pub fn endpoints() -> impl Iterator<Item = EndpointInfo> {
    ENDPOINTS.iter().map(|endpoint| EndpointInfo {
        method: endpoint.method,
        path: endpoint.path,
        operation: endpoint.operation,
    })
}
