//! The rules of a protected branch as a whole.

use rusqlite::Connection;
use serde_json::Value;

use crate::db::protections::{self, Protection, ProtectionSettings, RequiredChecks, RequiredReviews};
use crate::db::{Tx, refs};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::reply::{ApiResult, Reply};
use crate::news::{News, Scope, What};
use crate::wire::protection::protection_view;

/// GitHub's bound on how many approvals can be asked for.
const APPROVALS_MAX: i64 = 6;

/// The rule that applies to the branch of the path.
pub(super) fn applying(call: &Call, conn: &Connection) -> Result<Protection, ApiError> {
    let repo = call.repo()?;
    protections::of_branch(conn, repo.id, call.param("branch"))?
        .ok_or_else(|| ApiError::new(404, "Branch not protected"))
}

/// Changes the rule that applies, and tells that merges may be decided differently now.
pub(super) fn write(
    call: &Call,
    tx: &Tx<'_>,
    pattern: &str,
    settings: &ProtectionSettings,
) -> Result<(), ApiError> {
    protections::put(tx, call.repo()?.id, pattern, settings, call.actor_id()?, call.now)?;
    tell(call, tx)
}

fn tell(call: &Call, tx: &Tx<'_>) -> Result<(), ApiError> {
    tx.tell(News {
        scope: Scope::Repo(call.repo()?.id),
        actor_id: call.actor_id()?,
        now: call.now,
        what: What::Protection,
    });
    Ok(())
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let rule = applying(call, conn)?;
    Reply::ok(&protection_view(call.place()?, call.param("branch"), &rule.settings))
}

pub(super) fn put(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (fields, branch) = (call.fields()?, call.param("branch"));
    if refs::find(tx, call.repo()?.id, &format!("refs/heads/{branch}"))?.is_none() {
        return Err(ApiError::new(404, "Branch not found"));
    }
    let settings = settings(&fields)?;
    write(call, tx, branch, &settings)?;
    Reply::ok(&protection_view(call.place()?, branch, &settings))
}

pub(super) fn delete(call: &Call, tx: &Tx<'_>) -> ApiResult {
    protections::remove(tx, applying(call, tx)?.id)?;
    tell(call, tx)?;
    Reply::no_content()
}

/// Reads the whole rule. Four of its keys must be there, if only to say that nothing is asked.
fn settings(fields: &Fields) -> Result<ProtectionSettings, ApiError> {
    for key in ["required_status_checks", "enforce_admins", "required_pull_request_reviews", "restrictions"] {
        if !fields.has(key) {
            return Err(ApiError::unprocessable(format!("Invalid request.\n\n\"{key}\" wasn't supplied.")));
        }
    }
    if fields.raw("restrictions").is_some_and(|value| !value.is_null()) {
        return Err(ApiError::unprocessable("Restrictions on who may push are not supported by this forge."));
    }
    let flag = |key: &str| Ok::<_, ApiError>(fields.opt_bool(key)?.unwrap_or(false));
    let checks = fields.opt_object("required_status_checks")?;
    let reviews = fields.opt_object("required_pull_request_reviews")?;
    Ok(ProtectionSettings {
        required_checks: checks.map(|fields| checks_from(&fields, None)).transpose()?,
        required_reviews: reviews.map(|fields| reviews_from(&fields, None)).transpose()?,
        enforce_admins: flag("enforce_admins")?,
        allow_force_pushes: flag("allow_force_pushes")?,
        allow_deletions: flag("allow_deletions")?,
        required_linear_history: flag("required_linear_history")?,
        required_conversation_resolution: flag("required_conversation_resolution")?,
        lock_branch: flag("lock_branch")?,
    })
}

/// Reads which checks are required; what is not said stays as it was.
pub(super) fn checks_from(
    fields: &Fields,
    known: Option<RequiredChecks>,
) -> Result<RequiredChecks, ApiError> {
    let known = known.unwrap_or_default();
    let named = |value: &Value| Ok::<_, ApiError>(Fields::try_from(value)?.str("context")?.to_owned());
    let contexts = match (fields.opt_list("checks")?, fields.opt_strings("contexts")?) {
        (Some(checks), _) => checks.iter().map(named).collect::<Result<_, _>>()?,
        (None, Some(contexts)) => contexts,
        (None, None) => known.contexts,
    };
    let strict = fields.opt_bool("strict")?.unwrap_or(known.strict);
    Ok(RequiredChecks { strict, contexts: distinct(contexts) })
}

/// Keeps the first of each name.
pub(super) fn distinct(contexts: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for context in contexts {
        if !kept.contains(&context) {
            kept.push(context);
        }
    }
    kept
}

/// Reads which reviews are required; what is not said stays as it was.
pub(super) fn reviews_from(
    fields: &Fields,
    known: Option<RequiredReviews>,
) -> Result<RequiredReviews, ApiError> {
    let known = known.unwrap_or(RequiredReviews { count: 1, ..RequiredReviews::default() });
    let count = fields.opt_i64("required_approving_review_count")?.unwrap_or(known.count);
    if !(0..=APPROVALS_MAX).contains(&count) {
        return Err(ApiError::unprocessable(format!(
            "Invalid request.\n\nFor 'properties/required_approving_review_count', {count} is not between 0 and 6."
        )));
    }
    Ok(RequiredReviews {
        count,
        dismiss_stale: fields.opt_bool("dismiss_stale_reviews")?.unwrap_or(known.dismiss_stale),
        require_code_owners: fields
            .opt_bool("require_code_owner_reviews")?
            .unwrap_or(known.require_code_owners),
        require_last_push: fields.opt_bool("require_last_push_approval")?.unwrap_or(known.require_last_push),
    })
}
