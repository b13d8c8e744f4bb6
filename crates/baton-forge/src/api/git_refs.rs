//! Git refs: read from the table, changed by compare and swap in git.

use baton_core::ref_name::is_full_ref_name;
use git2::{ObjectType, Oid, Repository};
use rusqlite::Connection;

use crate::db::refs::{self, RefRow};
use crate::db::repos::Repo;
use crate::git::history;
use crate::git::objects::{kind_of, parse_oid};
use crate::git::ref_changes::Followers;
use crate::git::ref_update::{self, RefEdit, RefOutcome};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};
use crate::protection::{self, RefWish};
use crate::sync::lock;
use crate::wire::commit::RefView;

/// How often an update is tried anew when another one came in between, before the client is told.
const RACES_MAX: usize = 20;

fn view<'a>(call: &'a Call, row: &'a RefRow) -> Result<RefView<'a>, ApiError> {
    Ok(RefView { place: call.place()?, row })
}

/// The full name behind the path's short one.
fn full_name(call: &Call) -> String {
    let short = call.param("ref");
    if short.starts_with("refs/") { short.to_owned() } else { format!("refs/{short}") }
}

pub(super) fn get(call: &Call, conn: &Connection) -> ApiResult {
    let row = refs::find(conn, call.repo()?.id, &full_name(call))?.ok_or_else(ApiError::not_found)?;
    Reply::ok(&view(call, &row)?)
}

pub(super) fn matching(call: &Call, conn: &Connection) -> ApiResult {
    let rows = refs::with_prefix(conn, call.repo()?.id, &full_name(call))?;
    let views = rows.iter().map(|row| view(call, row)).collect::<Result<Vec<_>, _>>()?;
    // GitHub gives the whole list at once; a page is cut only when one is asked for.
    match call.query.get("per_page").is_some() {
        true => page::reply_cut(call, views),
        false => Reply::ok(&views),
    }
}

fn oid_field(text: &str) -> Result<Oid, ApiError> {
    parse_oid(text).ok_or_else(|| {
        ApiError::unprocessable("The sha parameter must be exactly 40 characters and contain only [0-9a-f].")
    })
}

/// The object must be there, and a branch points at a commit.
pub(super) fn check_target(repository: &Repository, name: &str, oid: Oid) -> Result<(), ApiError> {
    match kind_of(repository, oid) {
        None => Err(ApiError::unprocessable("Object does not exist")),
        Some(ObjectType::Commit) => Ok(()),
        Some(_) if name.starts_with("refs/heads/") => {
            Err(ApiError::unprocessable("Reference cannot be updated"))
        }
        Some(_) => Ok(()),
    }
}

/// Refs under this prefix are the forge's own.
pub(super) fn check_not_own(name: &str) -> Result<(), ApiError> {
    match name.starts_with("refs/pull/") {
        true => Err(ApiError::unprocessable("Reference name is reserved")),
        false => Ok(()),
    }
}

/// Lets the table and the pull requests follow a change that git has taken; the gate is held.
pub(super) fn follow(call: &Call, repo: &Repo, name: &str) -> Result<(), ApiError> {
    let followers = Followers { db: &call.forge.db, git: &call.forge.git, now: call.now };
    followers.follow_held(repo, Some(&[name.to_owned()]), call.actor_id()?)
}

fn reply_ref(call: &Call, repository: &Repository, name: &str, oid: Oid, status: u16) -> ApiResult {
    let row = crate::git::ref_changes::row_of(repository, name, oid);
    let short = name.strip_prefix("refs/").unwrap_or(name);
    match status {
        201 => Reply::created(
            &view(call, &row)?,
            call.repo_url(&format!("git/refs/{}", crate::wire::path(short))),
        ),
        _ => Reply::json(status, &view(call, &row)?),
    }
}

pub(super) fn create(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let (name, oid) = (fields.str("ref")?, oid_field(fields.str("sha")?)?);
    if !is_full_ref_name(name) {
        return Err(ApiError::unprocessable(
            "Reference name is not valid: it must start with 'refs/' and have at least two slashes",
        ));
    }
    check_not_own(name)?;
    let repo = call.repo()?;
    let repository = call.forge.git.open(repo.id)?;
    check_target(&repository, name, oid)?;
    let gate = call.forge.git.gate(repo.id);
    let _held = lock(&gate);
    let edit = RefEdit::Create { name: name.to_owned(), to: oid.to_string() };
    if let RefOutcome::Refused(complaint) = ref_update::apply(&call.forge.git.path(repo.id), &[edit])? {
        return Err(match repository.find_reference(name).is_ok() {
            true => ApiError::unprocessable("Reference already exists"),
            false => {
                // Git's own words name paths of this machine, so they stay here.
                tracing::info!(complaint, name, "a ref was refused");
                ApiError::unprocessable("Reference cannot be created: its name collides with another")
            }
        });
    }
    follow(call, repo, name)?;
    reply_ref(call, &repository, name, oid, 201)
}

pub(super) fn update(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let oid = oid_field(fields.str("sha")?)?;
    let force = fields.opt_bool("force")?.unwrap_or(false);
    let name = full_name(call);
    if !is_full_ref_name(&name) {
        return Err(ApiError::unprocessable("Reference does not exist"));
    }
    check_not_own(&name)?;
    let repo = call.repo()?;
    let repository = call.forge.git.open(repo.id)?;
    check_target(&repository, &name, oid)?;
    let gate = call.forge.git.gate(repo.id);
    let _held = lock(&gate);
    swap(call, &repository, repo, &name, oid, force)?;
    follow(call, repo, &name)?;
    reply_ref(call, &repository, &name, oid, 200)
}

/// Moves a ref from whatever it is now. A push that comes in between makes git refuse, and the new value is looked at.
fn swap(
    call: &Call,
    repository: &Repository,
    repo: &Repo,
    name: &str,
    to: Oid,
    force: bool,
) -> Result<(), ApiError> {
    for _ in 0..RACES_MAX {
        let current = repository.find_reference(name).ok().and_then(|reference| reference.target());
        let from = current.ok_or_else(|| ApiError::unprocessable("Reference does not exist"))?;
        if !force && !history::contains(repository, to, from) {
            return Err(ApiError::unprocessable("Update is not a fast forward"));
        }
        let (before, after) = (from.to_string(), to.to_string());
        let wish = RefWish { name, before: Some(&before), after: Some(&after) };
        protection::check(&call.forge, repo, call.visit()?.permission, repository, wish)?;
        let edit = RefEdit::Update { name: name.to_owned(), to: after, from: before };
        if ref_update::apply(&call.forge.git.path(repo.id), &[edit])? == RefOutcome::Done {
            return Ok(());
        }
    }
    Err(ApiError::conflict("Reference is being updated by others; try again"))
}

pub(super) fn delete(call: &Call) -> ApiResult {
    let name = full_name(call);
    check_not_own(&name)?;
    let repo = call.repo()?;
    if name == format!("refs/heads/{}", repo.default_branch) {
        return Err(ApiError::unprocessable("Cannot delete the default branch"));
    }
    let repository = call.forge.git.open(repo.id)?;
    let gate = call.forge.git.gate(repo.id);
    let _held = lock(&gate);
    let missing = || ApiError::unprocessable("Reference does not exist");
    let valid = is_full_ref_name(&name);
    let found = valid
        .then(|| repository.find_reference(&name).ok())
        .flatten()
        .and_then(|reference| reference.target());
    let from = found.ok_or_else(missing)?;
    let before = from.to_string();
    let wish = RefWish { name: &name, before: Some(&before), after: None };
    protection::check(&call.forge, repo, call.visit()?.permission, &repository, wish)?;
    let edit = RefEdit::Delete { name: name.clone(), from: before };
    match ref_update::apply(&call.forge.git.path(repo.id), &[edit])? {
        RefOutcome::Done => follow(call, repo, &name)?,
        RefOutcome::Refused(_) => {
            return Err(ApiError::conflict("Reference is being updated by others; try again"));
        }
    }
    Reply::no_content()
}
