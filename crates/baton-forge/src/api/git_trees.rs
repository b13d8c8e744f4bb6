//! Trees: read, and built from entries.

use git2::{ObjectType, Oid, Repository, TreeWalkMode, TreeWalkResult};
use serde_json::{Value, json};

use crate::git::objects::{
    TreeEdit, edited_tree, is_tree_path, kind_of, kind_of_mode, parse_mode, parse_oid, resolve,
};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::commit::Place;

/// GitHub's limit of entries in one answer.
const ENTRIES_MAX: usize = 100_000;

pub(super) fn get(call: &Call) -> ApiResult {
    let repository = call.forge.git.open(call.repo()?.id)?;
    let name = call.param("tree_sha");
    let by_oid = parse_oid(name).and_then(|oid| repository.find_tree(oid).ok());
    let tree = by_oid.or_else(|| resolve(&repository, name).and_then(|commit| commit.tree().ok()));
    let tree = tree.ok_or_else(ApiError::not_found)?;
    let recursive = call.query.get("recursive").is_some();
    Reply::ok(&view(call.place()?, &repository, &tree, recursive)?)
}

fn view(
    place: Place<'_>,
    repository: &Repository,
    tree: &git2::Tree<'_>,
    recursive: bool,
) -> Result<Value, ApiError> {
    let mut entries = Vec::new();
    let mut truncated = false;
    let odb = repository.odb()?;
    tree.walk(TreeWalkMode::PreOrder, |directory, entry| {
        if entries.len() >= ENTRIES_MAX {
            truncated = true;
            return TreeWalkResult::Abort;
        }
        let name = String::from_utf8_lossy(entry.name_bytes());
        let size = || odb.read_header(entry.id()).map_or(0, |(size, _)| size);
        entries.push(entry_view(place, &format!("{directory}{name}"), entry.filemode(), entry.id(), size));
        if recursive { TreeWalkResult::Ok } else { TreeWalkResult::Skip }
    })
    .or_else(|error| if truncated { Ok(()) } else { Err(error) })?;
    let oid = tree.id().to_string();
    Ok(json!({ "sha": oid, "url": place.object_url("tree", &oid), "tree": entries, "truncated": truncated }))
}

fn entry_view(place: Place<'_>, path: &str, mode: i32, oid: Oid, size: impl Fn() -> usize) -> Value {
    let (kind, oid) = (kind_of_mode(mode), oid.to_string());
    let mut entry = json!({ "path": path, "mode": format!("{mode:06o}"), "type": kind, "sha": oid });
    if kind == "blob" {
        entry["size"] = json!(size());
    }
    if kind != "commit" {
        entry["url"] = json!(place.object_url(kind, &oid));
    }
    entry
}

pub(super) fn create(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let repository = call.forge.git.open(call.repo()?.id)?;
    let base = match fields.opt_str("base_tree")? {
        None => None,
        Some(text) => Some(base_tree(&repository, text)?),
    };
    let items = fields.opt_list("tree")?.cloned().unwrap_or_default();
    if items.is_empty() && base.is_none() {
        return Err(ApiError::unprocessable("Invalid tree info"));
    }
    let edits = items.iter().map(|item| edit_of(&repository, item)).collect::<Result<Vec<_>, _>>()?;
    let oid = edited_tree(&repository, base.as_ref(), &edits)?;
    let place = call.place()?;
    let tree = repository.find_tree(oid)?;
    Reply::created(&view(place, &repository, &tree, false)?, place.object_url("tree", &oid.to_string()))
}

fn base_tree<'r>(repository: &'r Repository, text: &str) -> Result<git2::Tree<'r>, ApiError> {
    let object = parse_oid(text).and_then(|oid| repository.find_object(oid, None).ok());
    let tree = object.and_then(|object| object.peel_to_tree().ok());
    tree.ok_or_else(|| ApiError::unprocessable("base_tree is not a valid tree oid"))
}

fn edit_of(repository: &Repository, item: &Value) -> Result<TreeEdit, ApiError> {
    let fields = Fields::try_from(item)?;
    let path = fields.str("path")?.to_owned();
    if !is_tree_path(&path) {
        return Err(ApiError::unprocessable("tree.path contains a malformed path component"));
    }
    let mode = fields.opt_str("mode")?.unwrap_or("100644");
    let mode = parse_mode(mode).ok_or_else(|| {
        ApiError::unprocessable("tree.mode must be one of 100644, 100755, 040000, 160000, 120000")
    })?;
    if fields.has("sha") && fields.opt_str("sha")?.is_none() {
        return Ok(TreeEdit { path, entry: None });
    }
    let oid = match (fields.opt_str("sha")?, fields.opt_str("content")?) {
        (Some(_), Some(_)) | (None, None) => {
            return Err(ApiError::unprocessable("Must supply either tree.sha or tree.content, and not both"));
        }
        (None, Some(content)) => repository.blob(content.as_bytes())?,
        (Some(sha), None) => existing(repository, sha, mode)?,
    };
    Ok(TreeEdit { path, entry: Some((oid, mode)) })
}

/// An entry's object must be there and be what its mode says; a submodule's commit lives elsewhere.
fn existing(repository: &Repository, sha: &str, mode: git2::FileMode) -> Result<Oid, ApiError> {
    let missing = || ApiError::unprocessable("tree.sha is not a valid object of the entry's type");
    let oid = parse_oid(sha).ok_or_else(missing)?;
    let wanted = match mode {
        git2::FileMode::Commit => return Ok(oid),
        git2::FileMode::Tree => ObjectType::Tree,
        _ => ObjectType::Blob,
    };
    (kind_of(repository, oid) == Some(wanted)).then_some(oid).ok_or_else(missing)
}
