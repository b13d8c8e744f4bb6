//! Mentions of one issue in another's text, which GitHub shows on the one mentioned.

use baton_core::closing::mentioned_issues;

use super::issue_fields::scene;
use crate::db::Tx;
use crate::db::events::{self, Happening, Scene};
use crate::db::issues::{self, Issue};
use crate::http::call::Call;
use crate::http::error::ApiError;

/// Mentions beyond this in one text are not followed.
const MENTIONS_MAX: usize = 50;

/// Notes on each issue of this repository that `text` mentions that `source` mentioned it, once per pair.
pub(super) fn record(call: &Call, tx: &Tx<'_>, source: &Issue, text: Option<&str>) -> Result<(), ApiError> {
    let Some(text) = text.filter(|text| text.contains('#') || text.contains("://")) else { return Ok(()) };
    let repo = call.repo()?;
    for reference in mentioned_issues(text).into_iter().take(MENTIONS_MAX) {
        if !reference.is_in(&repo.owner.login, &repo.name) {
            continue;
        }
        let number = i64::try_from(reference.number).unwrap_or(0);
        let Some(target) = issues::by_number(tx, repo.id, number)? else { continue };
        if target.id != source.id && !events::is_cross_referenced(tx, target.id, source.id)? {
            let scene = Scene { issue_id: target.id, ..scene(call, source)? };
            events::record(tx, scene, &Happening::CrossReferenced { source: source.id })?;
        }
    }
    Ok(())
}
