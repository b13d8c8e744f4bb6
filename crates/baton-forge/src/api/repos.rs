//! Repositories: made, read, changed, removed.

use std::sync::Arc;

use baton_core::repo_slug::is_repo_name;
use rusqlite::Connection;

use super::{closing, users};
use crate::db::accounts::{self, Account};
use crate::db::repos::{self, NewRepo, Permission, Repo};
use crate::db::{Tx, labels, pulls, refs};
use crate::git::objects::{Person, TreeEdit, edited_tree};
use crate::git::{GitStore, ref_changes};
use crate::http::access;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};
use crate::sync::lock;
use crate::wire::repo::RepoView;

const DESCRIPTION_CHARS_MAX: usize = 350;
const HOMEPAGE_BYTES_MAX: usize = 255;

pub(super) fn get(call: &Call, _: &Connection) -> ApiResult {
    let visit = call.visit()?;
    let view = RepoView { links: &call.links, repo: &visit.repo, permission: Some(visit.permission) };
    Reply::one(&view, visit.repo.updated_at)
}

fn list(call: &Call, conn: &Connection, owner_id: Option<i64>, at_least: Permission) -> ApiResult {
    let mut visible = Vec::new();
    for repo in repos::list(conn, owner_id)? {
        let permission = access::permission(conn, &repo, call.viewer.as_ref())?;
        if permission >= at_least {
            visible.push((repo, permission));
        }
    }
    let view = |(repo, permission): &(Repo, Permission)| {
        // The borrow ends with the reply, so each view is turned into JSON here.
        serde_json::to_value(RepoView { links: &call.links, repo, permission: Some(*permission) })
    };
    let views: Vec<_> = visible.iter().map(view).collect::<Result<_, _>>()?;
    page::reply_cut(call, views)
}

pub(super) fn list_own(call: &Call, conn: &Connection) -> ApiResult {
    let viewer = call.viewer()?;
    if viewer.account.site_admin {
        return list(call, conn, None, Permission::Read);
    }
    list(call, conn, None, Permission::Triage)
}

pub(super) fn list_for_user(call: &Call, conn: &Connection) -> ApiResult {
    let account = accounts::by_login(conn, call.param("username"))?.ok_or_else(ApiError::not_found)?;
    list(call, conn, Some(account.id), Permission::Read)
}

pub(super) fn list_for_org(call: &Call, conn: &Connection) -> ApiResult {
    let org = users::organization(call, conn)?;
    list(call, conn, Some(org.id), Permission::Read)
}

pub(super) fn create_own(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let owner = Arc::clone(&call.viewer()?.account);
    create(call, tx, &owner)
}

pub(super) fn create_for_org(call: &Call, tx: &Tx<'_>) -> ApiResult {
    let org = users::organization(call, tx)?;
    let viewer = call.viewer()?;
    if !viewer.account.site_admin && accounts::org_role(tx, org.id, viewer.account.id)?.is_none() {
        return Err(ApiError::forbidden(
            "You need to be a member of this organization to create a repository.",
        ));
    }
    create(call, tx, &org)
}

fn create(call: &Call, tx: &Tx<'_>, owner: &Account) -> ApiResult {
    let fields = call.fields()?;
    let name = fields.str("name")?;
    check_text(&fields)?;
    let creation = Creation {
        name,
        description: fields.opt_str("description")?,
        homepage: fields.opt_str("homepage")?,
        private: fields.opt_bool("private")?.unwrap_or(false)
            || fields.opt_str("visibility")? == Some("private"),
        default_branch: "main",
        auto_init: fields.opt_bool("auto_init")?.unwrap_or(false),
    };
    let repo = create_in(tx, &call.forge.git, owner, &creation, call.now)?;
    let location = format!("{}/repos/{}", call.links.api, repo.full_name());
    let permission = access::permission(tx, &repo, call.viewer.as_ref())?;
    Reply::created(&RepoView { links: &call.links, repo: &repo, permission: Some(permission) }, location)
}

fn check_text(fields: &Fields) -> Result<(), ApiError> {
    if fields.opt_str("homepage")?.is_some_and(|homepage| homepage.len() > HOMEPAGE_BYTES_MAX) {
        return Err(ApiError::invalid_because(
            "Repository",
            "homepage",
            "homepage is too long (maximum is 255 characters)",
        ));
    }
    let description = fields.opt_str("description")?.unwrap_or_default();
    if description.chars().count() > DESCRIPTION_CHARS_MAX {
        return Err(ApiError::invalid_because(
            "Repository",
            "description",
            "description is too long (maximum is 350 characters)",
        ));
    }
    Ok(())
}

/// What a repository starts as.
pub(crate) struct Creation<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: Option<&'a str>,
    pub(crate) homepage: Option<&'a str>,
    pub(crate) private: bool,
    pub(crate) default_branch: &'a str,
    pub(crate) auto_init: bool,
}

/// Makes a repository: its row, its labels and its bare git directory.
///
/// The directory is made before the row is committed. A crash in between leaves a directory whose id is given out
/// again; making it again clears it first.
pub(crate) fn create_in(
    tx: &Tx<'_>,
    git: &GitStore,
    owner: &Account,
    creation: &Creation<'_>,
    now: i64,
) -> Result<Repo, ApiError> {
    let name = creation.name.strip_suffix(".git").unwrap_or(creation.name);
    check_name(tx, owner, name, None)?;
    let new = NewRepo {
        owner_id: owner.id,
        name,
        description: creation.description,
        homepage: creation.homepage,
        private: creation.private,
        default_branch: creation.default_branch,
        now,
    };
    let id = repos::insert(tx, &new)?;
    labels::insert_defaults(tx, id)?;
    let repository = git.init(id, creation.default_branch)?;
    if creation.auto_init {
        initial_commit(tx, &repository, id, owner, creation, now)?;
    }
    repos::by_id(tx, id)?.ok_or_else(ApiError::not_found)
}

fn check_name(conn: &Connection, owner: &Account, name: &str, but: Option<i64>) -> Result<(), ApiError> {
    let failed = |why: &str| ApiError {
        message: "Repository creation failed.".to_owned(),
        ..ApiError::invalid_because("Repository", "name", why)
    };
    if !is_repo_name(name) {
        return Err(failed("name can only contain ASCII letters, digits, and the characters ., -, and _"));
    }
    match repos::find(conn, &owner.login, name)? {
        Some(taken) if Some(taken.id) != but => Err(failed("name already exists on this account")),
        _ => Ok(()),
    }
}

fn initial_commit(
    tx: &Tx<'_>,
    repository: &git2::Repository,
    repo_id: i64,
    owner: &Account,
    creation: &Creation<'_>,
    now: i64,
) -> Result<(), ApiError> {
    let text = format!("# {}\n{}", creation.name, creation.description.unwrap_or_default());
    let blob = repository.blob(text.as_bytes())?;
    let edit = TreeEdit { path: "README.md".to_owned(), entry: Some((blob, git2::FileMode::Blob)) };
    let tree = repository.find_tree(edited_tree(repository, None, &[edit])?)?;
    let signature = signature_of(owner, now).signature()?;
    let name = format!("refs/heads/{}", creation.default_branch);
    let oid = repository.commit(Some(&name), &signature, &signature, "Initial commit", &tree, &[])?;
    refs::set(tx, repo_id, &ref_changes::row_of(repository, &name, oid))?;
    Ok(())
}

/// The signature of an account's commits through the API.
pub(crate) fn signature_of(account: &Account, now: i64) -> Person {
    let email = account.email.clone();
    Person {
        name: account.name.clone().unwrap_or_else(|| account.login.clone()),
        email: email.unwrap_or_else(|| format!("{}+{}@users.noreply.localhost", account.id, account.login)),
        at: now,
    }
}

pub(super) fn update(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    check_text(&fields)?;
    let (id, now) = (call.repo()?.id, call.now);
    let gate = call.forge.git.gate(id);
    let _held = lock(&gate);
    // Everything is read and changed in one transaction, so that two changes of different fields both hold.
    let updated = call.forge.db.writer().write_blocking(move |tx| {
        let mut repo = repos::by_id(tx, id)?.ok_or_else(ApiError::not_found)?;
        if let Some(name) = fields.opt_str("name")? {
            check_name(tx, &repo.owner, name, Some(id))?;
            name.clone_into(&mut repo.name);
        }
        if let Some(branch) = fields.opt_str("default_branch")? {
            if refs::find(tx, id, &format!("refs/heads/{branch}"))?.is_none() {
                let why = format!("The branch {branch} was not found");
                return Err(ApiError::invalid_because("Repository", "default_branch", why));
            }
            let before = std::mem::replace(&mut repo.default_branch, branch.to_owned());
            // Only what goes into the default branch closes issues.
            for base in [before.as_str(), branch] {
                for (issue, pull) in pulls::open_by_base(tx, id, base)? {
                    closing::refresh(tx, &repo, &issue, &pull)?;
                }
            }
        }
        apply(&mut repo, &fields)?;
        repos::update(tx, &repo, now)?;
        Ok(repo)
    })?;
    call.forge.git.set_head(updated.id, &updated.default_branch)?;
    Reply::ok(&RepoView { links: &call.links, repo: &updated, permission: Some(Permission::Admin) })
}

fn apply(repo: &mut Repo, fields: &Fields) -> Result<(), ApiError> {
    if fields.has("description") {
        repo.description = fields.opt_str("description")?.map(str::to_owned);
    }
    if fields.has("homepage") {
        repo.homepage = fields.opt_str("homepage")?.map(str::to_owned);
    }
    if let Some(private) = fields.opt_bool("private")? {
        repo.private = private;
    }
    match fields.opt_str("visibility")? {
        None => {}
        Some("private") => repo.private = true,
        Some("public") => repo.private = false,
        Some(_) => return Err(ApiError::invalid("Repository", "visibility", "invalid")),
    }
    if let Some(archived) = fields.opt_bool("archived")? {
        repo.archived = archived;
    }
    if let Some(has_issues) = fields.opt_bool("has_issues")? {
        repo.has_issues = has_issues;
    }
    apply_merging(repo, fields)
}

fn apply_merging(repo: &mut Repo, fields: &Fields) -> Result<(), ApiError> {
    let merging = &mut repo.merging;
    for (key, setting) in [
        ("allow_merge_commit", &mut merging.merge_commit),
        ("allow_squash_merge", &mut merging.squash),
        ("allow_rebase_merge", &mut merging.rebase),
        ("allow_auto_merge", &mut merging.auto_merge),
        ("delete_branch_on_merge", &mut merging.delete_branch),
    ] {
        if let Some(wanted) = fields.opt_bool(key)? {
            *setting = wanted;
        }
    }
    match merging.merge_commit || merging.squash || merging.rebase {
        true => Ok(()),
        false => Err(ApiError::invalid_because(
            "Repository",
            "merge_commit_allowed",
            "Sorry, you need to allow at least one merge strategy. (no_merge_method)",
        )),
    }
}

pub(super) fn delete(call: &Call) -> ApiResult {
    let id = call.repo()?.id;
    call.forge.db.writer().write_blocking(move |tx| Ok::<_, ApiError>(repos::delete(tx, id)?))?;
    // The row is gone, and with it every way to the directory; what cannot be removed now is only disk space.
    if let Err(error) = call.forge.git.remove(id) {
        tracing::warn!(%error, id, "cannot remove a deleted repository's directory");
    }
    Reply::no_content()
}
