//! Drafts: a pull request that is not ready yet, or is again not ready. GitHub changes this over GraphQL alone.

use serde_json::Value;

use super::issue_fields::scene;
use super::pull_news::tell_pull;
use super::review_writing::Reviewed;
use crate::db::events::{self, Happening};
use crate::db::repos::Permission;
use crate::db::{Tx, issues, pulls};
use crate::http::call::Call;
use crate::http::error::ApiError;

/// Makes a pull request a draft, or ready for review. Whoever opened it may, and whoever may write.
pub(crate) fn set(call: &Call, tx: &Tx<'_>, reviewed: &Reviewed, draft: bool) -> Result<(), ApiError> {
    let Reviewed { issue, pull } = reviewed;
    if call.visit()?.permission < Permission::Write && issue.author_id != call.actor_id()? {
        return Err(ApiError::forbidden("Must have write rights to Repository."));
    }
    if !issue.is_open() {
        return Err(ApiError::unprocessable("Pull request is closed."));
    }
    if pull.draft == draft {
        return Ok(());
    }
    pulls::set_draft(tx, pull.id, draft)?;
    issues::touch(tx, issue.id, call.now)?;
    let (happening, action) = match draft {
        true => (Happening::ConvertedToDraft, "converted_to_draft"),
        false => (Happening::ReadyForReview, "ready_for_review"),
    };
    let scene = scene(call, issue)?;
    events::record(tx, scene, &happening)?;
    tell_pull(tx, scene, action, Value::Null);
    Ok(())
}
