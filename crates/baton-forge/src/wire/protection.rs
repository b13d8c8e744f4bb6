//! The rules of protected branches.

use serde_json::{Value, json};

use super::commit::Place;
use super::segment;
use crate::db::protections::{ProtectionSettings, RequiredChecks, RequiredReviews};

/// The address of a branch's rules.
pub(crate) fn protection_url(place: Place<'_>, branch: &str) -> String {
    format!("{}/branches/{}/protection", place.api(), segment(branch))
}

pub(crate) fn protection_view(place: Place<'_>, branch: &str, settings: &ProtectionSettings) -> Value {
    let url = protection_url(place, branch);
    let flag = |enabled: bool| json!({ "enabled": enabled });
    let mut view = json!({
        "url": url,
        "enforce_admins": admins_view(place, branch, settings.enforce_admins),
        "required_signatures": { "url": format!("{url}/required_signatures"), "enabled": false },
        "required_linear_history": flag(settings.required_linear_history),
        "allow_force_pushes": flag(settings.allow_force_pushes),
        "allow_deletions": flag(settings.allow_deletions),
        "block_creations": flag(false),
        "required_conversation_resolution": flag(settings.required_conversation_resolution),
        "lock_branch": flag(settings.lock_branch),
        "allow_fork_syncing": flag(false),
    });
    if let Some(checks) = &settings.required_checks {
        view["required_status_checks"] = checks_view(place, branch, checks);
    }
    if let Some(reviews) = &settings.required_reviews {
        view["required_pull_request_reviews"] = reviews_view(place, branch, reviews);
    }
    view
}

pub(crate) fn admins_view(place: Place<'_>, branch: &str, enabled: bool) -> Value {
    json!({ "url": format!("{}/enforce_admins", protection_url(place, branch)), "enabled": enabled })
}

pub(crate) fn checks_view(place: Place<'_>, branch: &str, checks: &RequiredChecks) -> Value {
    let url = format!("{}/required_status_checks", protection_url(place, branch));
    json!({
        "strict": checks.strict,
        "contexts": checks.contexts,
        "checks": check_list(checks),
        "contexts_url": format!("{url}/contexts"),
        "url": url,
    })
}

/// Any program may report any check, so none is bound to one.
fn check_list(checks: &RequiredChecks) -> Vec<Value> {
    checks.contexts.iter().map(|context| json!({ "context": context, "app_id": null })).collect()
}

pub(crate) fn reviews_view(place: Place<'_>, branch: &str, reviews: &RequiredReviews) -> Value {
    json!({
        "url": format!("{}/required_pull_request_reviews", protection_url(place, branch)),
        "dismiss_stale_reviews": reviews.dismiss_stale,
        "require_code_owner_reviews": reviews.require_code_owners,
        "required_approving_review_count": reviews.count,
        "require_last_push_approval": reviews.require_last_push,
    })
}

/// What a branch tells of its rules to everybody who may see it.
pub(crate) fn branch_summary(settings: Option<&ProtectionSettings>) -> Value {
    let checks = settings.and_then(|settings| settings.required_checks.as_ref());
    let level = match (checks, settings) {
        (Some(_), Some(settings)) if settings.enforce_admins => "everyone",
        (Some(_), _) => "non_admins",
        (None, _) => "off",
    };
    json!({
        "enabled": settings.is_some(),
        "required_status_checks": {
            "enforcement_level": level,
            "contexts": checks.map(|checks| checks.contexts.clone()).unwrap_or_default(),
            "checks": checks.map(check_list).unwrap_or_default(),
        },
    })
}
