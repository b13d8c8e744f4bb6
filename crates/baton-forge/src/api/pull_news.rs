//! What pull requests and reviews tell, and what each piece of news carries along.
//!
//! A pull request tells as an issue does, by the id of its row in `issues`. Its `detail` is, by action:
//! * `opened`, `ready_for_review`, `converted_to_draft`: null;
//! * `edited`: `{"changes": {"title": {"from"}, "body": {"from"}, "base": {"ref": {"from"}, "sha": {"from"}}}}`, each
//!   only where it changed;
//! * `synchronize`: `{"before", "after"}`, the head's commits;
//! * `review_requested`, `review_request_removed`: `{"requested_reviewer": account id}` or `{"requested_team": team id}`.
//!
//! Labels, assignees, milestones, closing and opening again are told where their events are written down.
//!
//! A review tells `submitted` (null), `edited` (`{"changes": {"body": {"from"}}}`) and `dismissed` (null). A review comment
//! tells `created` (null), `edited` (as a review) and `deleted`: `{"pull_id", "comment"}` with the comment as it was shown.
//! A thread tells `resolved` and `unresolved`.

use serde_json::{Value, json};

use crate::db::Tx;
use crate::db::events::Scene;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::news::{News, Scope, What};

/// Tells something that a request brought about in its repository.
pub(super) fn tell(call: &Call, tx: &Tx<'_>, what: What) -> Result<(), ApiError> {
    let scope = Scope::Repo(call.repo()?.id);
    tx.tell(News { scope, actor_id: call.actor_id()?, now: call.now, what });
    Ok(())
}

/// Tells what happened to the scene's pull request.
pub(crate) fn tell_pull(tx: &Tx<'_>, scene: Scene, action: &'static str, detail: Value) {
    let what = What::Issue { issue_id: scene.issue_id, action, detail };
    tx.tell(News { scope: Scope::Repo(scene.repo_id), actor_id: scene.actor_id, now: scene.now, what });
}

/// Tells what happened to a review of the scene's pull request.
pub(crate) fn tell_review(tx: &Tx<'_>, scene: Scene, review_id: i64, action: &'static str, detail: Value) {
    let what = What::Review { review_id, action, detail };
    tx.tell(News { scope: Scope::Repo(scene.repo_id), actor_id: scene.actor_id, now: scene.now, what });
}

pub(super) fn body_change(from: &str) -> Value {
    json!({ "changes": { "body": { "from": from } } })
}
