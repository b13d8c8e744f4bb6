//! Check runs: reported by any token that may write, in the name of the forge's own app.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::commits;
use crate::db::Tx;
use crate::db::checks::{self, Annotation, CheckRun, SuitePlace};
use crate::db::refs;
use crate::git::objects::{parse_oid, resolve};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::news::{News, Scope, What};
use crate::wire::check::annotation_view;
use crate::wire::parse_time;

const STATUSES: [&str; 6] = ["queued", "in_progress", "completed", "waiting", "requested", "pending"];
const CONCLUSIONS: [&str; 7] =
    ["action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"];
const LEVELS: [&str; 3] = ["notice", "warning", "failure"];
/// GitHub's bounds on what one request brings.
const ANNOTATIONS_MAX: usize = 50;
const TEXT_CHARS_MAX: usize = 65_535;

pub(super) fn tell(call: &Call, tx: &Tx<'_>, what: What) -> Result<(), ApiError> {
    tx.tell(News { scope: Scope::Repo(call.repo()?.id), actor_id: call.actor_id()?, now: call.now, what });
    Ok(())
}

/// The commit that a path's `ref` names, as of the reader's lag.
pub(super) fn named_commit(call: &Call) -> Result<String, ApiError> {
    let repository = call.forge.git.open(call.repo()?.id)?;
    let name = call.param("ref");
    let commit = resolve(&repository, &commits::lagging_name(call, name)?);
    let commit = commit.ok_or_else(|| ApiError::unprocessable(format!("No commit found for SHA: {name}")))?;
    Ok(commit.id().to_string())
}

/// Checks that a field names a commit of the repository.
pub(super) fn head_sha(call: &Call, fields: &Fields) -> Result<String, ApiError> {
    let sha = fields.str("head_sha")?;
    let repository = call.forge.git.open(call.repo()?.id)?;
    let found = parse_oid(sha).and_then(|oid| repository.find_commit(oid).ok());
    let commit = found.ok_or_else(|| ApiError::unprocessable(format!("No commit found for SHA: {sha}")))?;
    Ok(commit.id().to_string())
}

/// The branch whose tip a commit is, the default one last.
pub(super) fn branch_at(conn: &Connection, call: &Call, oid: &str) -> Result<Option<String>, ApiError> {
    let repo = call.repo()?;
    let rows = refs::with_prefix(conn, repo.id, "refs/heads/")?;
    let tips = rows.iter().filter(|row| row.oid == oid);
    let mut names: Vec<&str> = tips.filter_map(|row| row.name.strip_prefix("refs/heads/")).collect();
    names.sort_by_key(|name| *name == repo.default_branch);
    Ok(names.first().map(|name| (*name).to_owned()))
}

/// The run that the path names.
fn numbered(call: &Call, conn: &Connection) -> Result<CheckRun, ApiError> {
    let run = checks::run(conn, call.id_param("check_run_id")?)?;
    let repo_id = call.repo()?.id;
    run.filter(|run| run.repo_id == repo_id).ok_or_else(ApiError::not_found)
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let run = numbered(call, conn)?;
    Reply::ok(&call.render(conn).check_run(call.repo()?, &run)?)
}

pub(super) fn annotations(call: &Call, conn: &Connection) -> ApiResult {
    let (run, place) = (numbered(call, conn)?, call.place()?);
    let found = checks::annotations(conn, run.id)?;
    page::reply_cut(call, found.iter().map(|note| annotation_view(place, &run.head_oid, note)).collect())
}

/// Answers with one page of runs, filtered as the query says.
fn reply_runs(call: &Call, conn: &Connection, runs: Vec<CheckRun>) -> ApiResult {
    let get = |key: &str| call.query.get(key);
    let (name, status, app) = (get("check_name"), get("status"), get("app_id"));
    let is_asked = |run: &CheckRun| {
        name.as_ref().is_none_or(|name| run.name == *name)
            && status.as_ref().is_none_or(|status| run.status == *status)
            && app.as_ref().is_none_or(|app| run.app_id.to_string() == *app)
    };
    let found: Vec<CheckRun> = runs.into_iter().filter(is_asked).collect();
    let (total, page, render) = (found.len(), Page::of(call), call.render(conn));
    let mut views = Vec::new();
    for run in page.cut(found) {
        views.push(render.check_run(call.repo()?, &run)?);
    }
    let link = page::link(call, page, i64::try_from(total).unwrap_or(i64::MAX));
    Ok(Reply { link, ..Reply::ok(&json!({ "total_count": total, "check_runs": views }))? })
}

fn wants_latest(call: &Call) -> Result<bool, ApiError> {
    match call.query.get("filter").as_deref() {
        None | Some("latest") => Ok(true),
        Some("all") => Ok(false),
        Some(_) => Err(ApiError::invalid("CheckRun", "filter", "invalid")),
    }
}

pub(super) fn list_for_ref(call: &Call) -> ApiResult {
    let (oid, latest, repo_id) = (named_commit(call)?, wants_latest(call)?, call.repo()?.id);
    let lag = call.forge.panel.read_lag();
    call.forge
        .db
        .read_lagging(lag, |conn| reply_runs(call, conn, checks::runs_of(conn, repo_id, &oid, latest)?))?
}

pub(super) fn list_for_suite(call: &Call, conn: &Connection) -> ApiResult {
    let suite = super::check_suites::numbered(call, conn)?;
    reply_runs(call, conn, checks::runs_in(conn, suite.id, wants_latest(call)?)?)
}

pub(super) fn create(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let oid = head_sha(call, &fields)?;
    if fields.str("name")?.is_empty() {
        return Err(ApiError::invalid("CheckRun", "name", "missing_field"));
    }
    let scope = call.clone();
    let (run, body) = call.forge.db.writer().write_blocking(move |tx| {
        let run = create_in(&scope, tx, &fields, &oid)?;
        let view = scope.render(tx).check_run(scope.repo()?, &run)?;
        Ok::<_, ApiError>((run, view))
    })?;
    Reply::created(&body, call.repo_url(&format!("check-runs/{}", run.id)))
}

fn create_in(call: &Call, tx: &Tx<'_>, fields: &Fields, oid: &str) -> Result<CheckRun, ApiError> {
    let branch = branch_at(tx, call, oid)?;
    let place = SuitePlace {
        repo_id: call.repo()?.id,
        app_id: checks::REPORTER.id,
        head_oid: oid,
        head_branch: branch.as_deref(),
        before_oid: None,
    };
    let (suite, _) = checks::ensure_suite(tx, &place, call.now)?;
    let fresh = CheckRun {
        id: 0,
        repo_id: suite.repo_id,
        suite_id: suite.id,
        app_id: suite.app_id,
        name: fields.str("name")?.to_owned(),
        head_oid: oid.to_owned(),
        status: "queued".to_owned(),
        conclusion: None,
        details_url: None,
        external_id: String::new(),
        output_title: None,
        output_summary: None,
        output_text: None,
        started_at: call.now,
        completed_at: None,
    };
    let run = save(call, tx, fields, fresh)?;
    tell(call, tx, What::CheckRun { run_id: run.id, action: "created" })?;
    if run.is_completed() {
        tell_completed(call, tx, &run)?;
    }
    Ok(run)
}

pub(super) fn update(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let (fields, known) = (call.fields()?, numbered(call, tx)?);
    let was_completed = known.is_completed();
    let mut renamed = known;
    if let Some(name) = fields.opt_str("name")? {
        name.clone_into(&mut renamed.name);
    }
    let run = save(call, tx, &fields, renamed)?;
    if run.is_completed() && !was_completed {
        tell_completed(call, tx, &run)?;
    }
    Reply::ok(&call.render(tx).check_run(call.repo()?, &run)?)
}

fn tell_completed(call: &Call, tx: &Tx<'_>, run: &CheckRun) -> Result<(), ApiError> {
    tell(call, tx, What::CheckRun { run_id: run.id, action: "completed" })?;
    match checks::runs_in(tx, run.suite_id, true)?.iter().all(CheckRun::is_completed) {
        true => tell(call, tx, What::CheckSuite { suite_id: run.suite_id, action: "completed" }),
        false => Ok(()),
    }
}

/// Applies what a client sent to a run and writes it.
fn save(call: &Call, tx: &Tx<'_>, fields: &Fields, mut run: CheckRun) -> Result<CheckRun, ApiError> {
    let time = |key: &str| match fields.opt_str(key)? {
        None => Ok(None),
        Some(text) => parse_time(text).map(Some).ok_or_else(|| ApiError::invalid("CheckRun", key, "invalid")),
    };
    if let Some(url) = fields.opt_str("details_url")? {
        run.details_url = Some(url.to_owned());
    }
    if let Some(id) = fields.opt_str("external_id")? {
        id.clone_into(&mut run.external_id);
    }
    if let Some(at) = time("started_at")? {
        run.started_at = at;
    }
    apply_status(&mut run, fields, time("completed_at")?, call.now)?;
    let annotations = apply_output(&mut run, fields)?;
    let saved = checks::save_run(tx, &run, call.now)?;
    for annotation in &annotations {
        checks::annotate(tx, saved.id, annotation)?;
    }
    Ok(saved)
}

fn one_of(fields: &Fields, key: &str, known: &[&str]) -> Result<Option<String>, ApiError> {
    match fields.opt_str(key)? {
        Some(value) if !known.contains(&value) => Err(ApiError::unprocessable(format!(
            "Invalid request.\n\nFor 'properties/{key}', {value} is not a member of {known:?}."
        ))),
        value => Ok(value.map(str::to_owned)),
    }
}

/// A conclusion completes a run, and a completed run needs one.
fn apply_status(
    run: &mut CheckRun,
    fields: &Fields,
    completed_at: Option<i64>,
    now: i64,
) -> Result<(), ApiError> {
    let (status, conclusion) =
        (one_of(fields, "status", &STATUSES)?, one_of(fields, "conclusion", &CONCLUSIONS)?);
    if conclusion.is_some() || status.as_deref() == Some("completed") || completed_at.is_some() {
        let conclusion = conclusion.or_else(|| run.conclusion.clone()).ok_or_else(|| {
            ApiError::unprocessable("Invalid request.\n\nMissing required property: conclusion.")
        })?;
        run.conclusion = Some(conclusion);
        "completed".clone_into(&mut run.status);
        run.completed_at = completed_at.or(run.completed_at).or(Some(now));
    } else if let Some(status) = status {
        run.status = status;
        (run.conclusion, run.completed_at) = (None, None);
    }
    Ok(())
}

/// Returns the annotations that came with the output.
fn apply_output(run: &mut CheckRun, fields: &Fields) -> Result<Vec<Annotation>, ApiError> {
    let Some(output) = fields.opt_object("output")? else { return Ok(Vec::new()) };
    if let Some(title) = output.opt_str("title")? {
        run.output_title = Some(title.to_owned());
    }
    run.output_summary = Some(bounded(output.str("summary")?)?);
    if let Some(text) = output.opt_str("text")? {
        run.output_text = Some(bounded(text)?);
    }
    let none = Vec::new();
    let sent = output.opt_list("annotations")?.unwrap_or(&none);
    if sent.len() > ANNOTATIONS_MAX {
        return Err(ApiError::unprocessable("Invalid request.\n\nNo more than 50 items are allowed."));
    }
    sent.iter().map(annotation).collect()
}

fn bounded(text: &str) -> Result<String, ApiError> {
    match text.chars().count() {
        count if count > TEXT_CHARS_MAX => Err(ApiError::unprocessable(format!(
            "Invalid request.\n\nOnly {TEXT_CHARS_MAX} characters are allowed; {count} were supplied."
        ))),
        _ => Ok(text.to_owned()),
    }
}

fn annotation(value: &Value) -> Result<Annotation, ApiError> {
    let fields = Fields::try_from(value)?;
    let level = one_of(&fields, "annotation_level", &LEVELS)?.ok_or_else(|| {
        ApiError::unprocessable("Invalid request.\n\n\"annotation_level\" wasn't supplied.")
    })?;
    let text = |key: &str| Ok::<_, ApiError>(fields.opt_str(key)?.map(str::to_owned));
    Ok(Annotation {
        id: 0,
        path: fields.str("path")?.to_owned(),
        start_line: fields.i64("start_line")?,
        end_line: fields.i64("end_line")?,
        start_column: fields.opt_i64("start_column")?,
        end_column: fields.opt_i64("end_column")?,
        level,
        message: fields.str("message")?.to_owned(),
        title: text("title")?,
        raw_details: text("raw_details")?,
    })
}

/// Asks whoever reported a run to report it again. The run itself stays as it is.
pub(super) fn rerequest(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let run = numbered(call, tx)?;
    if !run.is_completed() {
        return Err(ApiError::unprocessable("This check run is not yet completed"));
    }
    tell(call, tx, What::CheckRun { run_id: run.id, action: "rerequested" })?;
    Reply::json(201, &json!({}))
}
