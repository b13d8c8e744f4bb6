//! Deleting, moving and pinning issues, which GitHub offers in GraphQL only.

use serde_json::json;

use super::issue_fields::scene;
use crate::db::Tx;
use crate::db::events::{self, Happening};
use crate::db::issues::{self, Issue};
use crate::db::repos::Repo;
use crate::db::{issue_removal, issue_transfer, pins};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::news::{News, Scope, What};

fn own_issue(call: &Call, tx: &Tx<'_>, id: i64) -> Result<Issue, ApiError> {
    let found = issues::by_id(tx, id)?.filter(|issue| !issue.is_pull);
    let repo_id = call.repo()?.id;
    found.filter(|issue| issue.repo_id == repo_id).ok_or_else(ApiError::not_found)
}

/// Removes an issue. The news of it carries the issue as it was (`issue`), since nothing can be read any more.
pub(crate) fn delete_issue(call: &Call, tx: &Tx<'_>, id: i64) -> Result<(), ApiError> {
    let issue = own_issue(call, tx, id)?;
    let shown = serde_json::to_value(call.render(tx).issue(call.repo()?, issue.clone())?)?;
    issue_removal::remove(tx, &issue)?;
    tell(call, tx, &issue, "deleted", json!({ "issue": shown }))
}

/// Moves an issue to another repository of the same owner. The news of it goes to the hooks of the old one and carries the
/// issue as it was there (`issue`).
pub(crate) fn transfer_issue(
    call: &Call,
    tx: &Tx<'_>,
    id: i64,
    to: &Repo,
    makes_labels: bool,
) -> Result<(), ApiError> {
    let issue = own_issue(call, tx, id)?;
    let from = call.repo()?;
    if to.id == from.id || to.owner.id != from.owner.id {
        return Err(ApiError::unprocessable(
            "Issues can be transferred only to another repository of the same owner.",
        ));
    }
    let shown = serde_json::to_value(call.render(tx).issue(from, issue.clone())?)?;
    issue_transfer::transfer(tx, &issue, to.id, makes_labels, call.now)?;
    tell(call, tx, &issue, "transferred", json!({ "issue": shown }))
}

/// Pins or unpins an issue; what is so already stays so.
pub(crate) fn set_pinned(call: &Call, tx: &Tx<'_>, id: i64, pinned: bool) -> Result<(), ApiError> {
    let issue = own_issue(call, tx, id)?;
    if pins::pinned_by(tx, id)?.is_some() == pinned {
        return Ok(());
    }
    if pinned && pins::of_repo(tx, issue.repo_id)?.len() >= pins::PINS_MAX {
        return Err(ApiError::unprocessable("Maximum 3 pinned issues per repository"));
    }
    let (happening, action) =
        if pinned { (Happening::Pinned, "pinned") } else { (Happening::Unpinned, "unpinned") };
    events::record(tx, scene(call, &issue)?, &happening)?;
    tell(call, tx, &issue, action, serde_json::Value::Null)
}

fn tell(
    call: &Call,
    tx: &Tx<'_>,
    issue: &Issue,
    action: &'static str,
    detail: serde_json::Value,
) -> Result<(), ApiError> {
    tx.tell(News {
        scope: Scope::Repo(issue.repo_id),
        actor_id: call.actor_id()?,
        now: call.now,
        what: What::Issue { issue_id: issue.id, action, detail },
    });
    Ok(())
}
