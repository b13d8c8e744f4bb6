//! The parts of a protected branch's rules that have addresses of their own.

use rusqlite::Connection;

use super::protection::{applying, checks_from, distinct, reviews_from, write};
use crate::db::Tx;
use crate::db::protections::{ProtectionSettings, RequiredChecks};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::protection::{admins_view, checks_view, reviews_view};

/// Changes the rule of the path's branch.
fn change(
    call: &Call,
    tx: &Tx<'_>,
    change: impl FnOnce(&mut ProtectionSettings) -> Result<(), ApiError>,
) -> Result<ProtectionSettings, ApiError> {
    let rule = applying(call, tx)?;
    let mut settings = rule.settings;
    change(&mut settings)?;
    write(call, tx, &rule.pattern, &settings)?;
    Ok(settings)
}

fn no_checks() -> ApiError {
    ApiError::new(404, "Required status checks not enabled")
}

fn required_checks(settings: &ProtectionSettings) -> Result<&RequiredChecks, ApiError> {
    settings.required_checks.as_ref().ok_or_else(no_checks)
}

pub(super) fn checks(call: &Call, conn: &Connection) -> ApiResult {
    let rule = applying(call, conn)?;
    Reply::ok(&checks_view(call.place()?, call.param("branch"), required_checks(&rule.settings)?))
}

pub(super) fn update_checks(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let fields = call.fields()?;
    let settings = change(call, tx, |settings| {
        settings.required_checks = Some(checks_from(&fields, settings.required_checks.take())?);
        Ok(())
    })?;
    Reply::ok(&checks_view(call.place()?, call.param("branch"), required_checks(&settings)?))
}

pub(super) fn remove_checks(call: &Call, tx: &Tx<'_>) -> ApiResult {
    change(call, tx, |settings| settings.required_checks.take().map(drop).ok_or_else(no_checks))?;
    Reply::no_content()
}

pub(super) fn contexts(call: &Call, conn: &Connection) -> ApiResult {
    Reply::ok(&required_checks(&applying(call, conn)?.settings)?.contexts)
}

/// Changes the list of required checks by the one that the client sent.
fn change_contexts(
    call: &Call,
    tx: &Tx<'_>,
    combine: impl FnOnce(Vec<String>, Vec<String>) -> Vec<String>,
) -> ApiResult {
    let fields = Fields::parse_list_or(&call.body, "contexts")?;
    let sent = fields
        .opt_strings("contexts")?
        .ok_or_else(|| ApiError::unprocessable("Invalid request.\n\n\"contexts\" wasn't supplied."))?;
    let settings = change(call, tx, |settings| {
        let checks = settings.required_checks.as_mut().ok_or_else(no_checks)?;
        checks.contexts = distinct(combine(std::mem::take(&mut checks.contexts), sent));
        Ok(())
    })?;
    Reply::ok(&required_checks(&settings)?.contexts)
}

pub(super) fn add_contexts(call: &Call, tx: &Tx<'_>) -> ApiResult {
    change_contexts(call, tx, |known, sent| [known, sent].concat())
}

pub(super) fn set_contexts(call: &Call, tx: &Tx<'_>) -> ApiResult {
    change_contexts(call, tx, |_, sent| sent)
}

pub(super) fn remove_contexts(call: &Call, tx: &Tx<'_>) -> ApiResult {
    change_contexts(call, tx, |known, sent| known.into_iter().filter(|name| !sent.contains(name)).collect())
}

fn no_reviews() -> ApiError {
    ApiError::new(404, "Required pull request reviews not enabled")
}

pub(super) fn reviews(call: &Call, conn: &Connection) -> ApiResult {
    let rule = applying(call, conn)?;
    let reviews = rule.settings.required_reviews.as_ref().ok_or_else(no_reviews)?;
    Reply::ok(&reviews_view(call.place()?, call.param("branch"), reviews))
}

pub(super) fn update_reviews(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let fields = call.fields()?;
    let settings = change(call, tx, |settings| {
        settings.required_reviews = Some(reviews_from(&fields, settings.required_reviews.take())?);
        Ok(())
    })?;
    let reviews = settings.required_reviews.as_ref().ok_or_else(no_reviews)?;
    Reply::ok(&reviews_view(call.place()?, call.param("branch"), reviews))
}

pub(super) fn remove_reviews(call: &Call, tx: &Tx<'_>) -> ApiResult {
    change(call, tx, |settings| settings.required_reviews.take().map(drop).ok_or_else(no_reviews))?;
    Reply::no_content()
}

pub(super) fn admins(call: &Call, conn: &Connection) -> ApiResult {
    let rule = applying(call, conn)?;
    Reply::ok(&admins_view(call.place()?, call.param("branch"), rule.settings.enforce_admins))
}

pub(super) fn enforce_admins(call: &Call, tx: &Tx<'_>) -> ApiResult {
    set_admins(call, tx, true)?;
    Reply::ok(&admins_view(call.place()?, call.param("branch"), true))
}

pub(super) fn free_admins(call: &Call, tx: &Tx<'_>) -> ApiResult {
    set_admins(call, tx, false)?;
    Reply::no_content()
}

fn set_admins(call: &Call, tx: &Tx<'_>, enforced: bool) -> Result<(), ApiError> {
    change(call, tx, |settings| {
        settings.enforce_admins = enforced;
        Ok(())
    })
    .map(drop)
}
