//! Files of a branch: read, written and removed, each write one commit.

use baton_core::ref_name::is_branch_name;
use git2::{Commit, FileMode, Oid, Repository};
use serde_json::{Value, json};

use super::git_objects::{decode_base64, encode_base64, people};
use super::git_refs;
use crate::db::repos::Repo;
use crate::git::contents::{self, Entry, Found};
use crate::git::objects::{CommitInfo, TreeEdit, edited_tree, is_empty, is_tree_path, resolve};
use crate::git::ref_update::{self, RefEdit, RefOutcome};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::reply::{ApiResult, Reply};
use crate::protection::{self, RefWish};
use crate::sync::lock;
use crate::wire::commit::{Place, git_commit};
use crate::wire::{path, segment};

/// GitHub shows no file beyond this, and only its name and size beyond a hundredth of it.
const DOWNLOAD_BYTES_MAX: usize = 100 * 1024 * 1024;

pub(super) fn get(call: &Call) -> ApiResult {
    let repo = call.repo()?;
    let repository = call.forge.git.open(repo.id)?;
    let at = call.query.get("ref").unwrap_or_else(|| repo.default_branch.clone());
    let wanted = call.param("path").trim_matches('/');
    if is_empty(&repository)? {
        return Err(ApiError::new(404, "This repository is empty."));
    }
    let commit = resolve(&repository, &at)
        .ok_or_else(|| ApiError::new(404, format!("No commit found for the ref {at}")))?;
    let found = contents::at(&repository, &commit, wanted)?.ok_or_else(ApiError::not_found)?;
    let here = Here { place: call.place()?, at: &at };
    match found {
        Found::File { bytes, .. } if call.accepts(".raw") => {
            Ok(Reply::of(200, "application/vnd.github.raw; charset=utf-8", bytes))
        }
        Found::Directory(entries) => {
            let prefix = if wanted.is_empty() { String::new() } else { format!("{wanted}/") };
            let view = |entry: &Entry| {
                here.view(entry.kind, &format!("{prefix}{}", entry.name), &entry.oid, entry.size)
            };
            Reply::ok(&entries.iter().map(view).collect::<Vec<_>>())
        }
        Found::File { oid, bytes, mode: 0o120_000 } => {
            let mut view = here.view("symlink", wanted, &oid, bytes.len());
            view["target"] = json!(String::from_utf8_lossy(&bytes));
            Reply::ok(&view)
        }
        Found::File { oid, bytes, .. } => Reply::ok(&here.file(wanted, &oid, &bytes)),
        Found::Large { size, .. } if size > DOWNLOAD_BYTES_MAX => {
            Err(ApiError::forbidden("This file is too large to be shown; clone the repository instead"))
        }
        Found::Large { oid, size } => {
            let mut view = here.view("file", wanted, &oid, size);
            view["content"] = json!("");
            view["encoding"] = json!("none");
            Reply::ok(&view)
        }
        Found::Submodule { name, oid } => {
            let mut view = here.view("submodule", wanted, &oid, 0);
            view["submodule_git_url"] = json!(format!("{}/{name}.git", call.links.web));
            Reply::ok(&view)
        }
    }
}

/// The commit and repository that a listing belongs to.
struct Here<'a> {
    place: Place<'a>,
    at: &'a str,
}

impl Here<'_> {
    fn view(&self, kind: &str, file: &str, oid: &str, size: usize) -> Value {
        let (api, web) = (self.place.api(), self.place.web());
        let name = file.rsplit('/').next().unwrap_or(file);
        let url = format!("{api}/contents/{}?ref={}", path(file), segment(self.at));
        let page = if kind == "dir" { "tree" } else { "blob" };
        let html = format!("{web}/{page}/{}/{}", path(self.at), path(file));
        let git = match kind {
            "submodule" => Value::Null,
            "dir" => json!(self.place.object_url("tree", oid)),
            _ => json!(self.place.object_url("blob", oid)),
        };
        let download = match kind {
            "file" => json!(format!("{web}/raw/{}/{}", path(self.at), path(file))),
            _ => Value::Null,
        };
        json!({
            "type": kind, "name": name, "path": file, "sha": oid, "size": size,
            "url": url, "html_url": html, "git_url": git, "download_url": download,
            "_links": { "self": url, "git": git, "html": html },
        })
    }

    fn file(&self, file: &str, oid: &str, bytes: &[u8]) -> Value {
        let mut view = self.view("file", file, oid, bytes.len());
        view["content"] = json!(encode_base64(bytes));
        view["encoding"] = json!("base64");
        view
    }
}

/// A change of one file on one branch.
struct FileWrite<'a> {
    call: &'a Call,
    repository: &'a Repository,
    fields: &'a Fields,
    branch: String,
    file: String,
}

impl<'a> FileWrite<'a> {
    fn new(call: &'a Call, repository: &'a Repository, fields: &'a Fields) -> Result<Self, ApiError> {
        let unsaid = call.repo()?.default_branch.as_str();
        let branch = fields.opt_str("branch")?.unwrap_or(unsaid);
        let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch).to_owned();
        if !is_branch_name(&branch) {
            return Err(ApiError::new(404, "Branch not found"));
        }
        let file = call.param("path").trim_start_matches('/').to_owned();
        if !is_tree_path(&file) {
            return Err(ApiError::unprocessable("path contains a malformed path component"));
        }
        Ok(Self { call, repository, fields, branch, file })
    }

    fn branch_ref(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }

    /// The branch's tip; nothing only while the whole repository is empty.
    fn tip(&self) -> Result<Option<Commit<'a>>, ApiError> {
        let reference = self.repository.find_reference(&self.branch_ref());
        let tip = reference.ok().and_then(|reference| reference.peel_to_commit().ok());
        if tip.is_none() && !is_empty(self.repository)? {
            return Err(ApiError::new(404, format!("Branch {} not found", self.branch)));
        }
        Ok(tip)
    }

    /// The file as it is now: its id and its mode.
    fn present(&self, tip: Option<&Commit<'_>>) -> Result<Option<(String, FileMode)>, ApiError> {
        let Some(tip) = tip else { return Ok(None) };
        Ok(match contents::at(self.repository, tip, &self.file)? {
            Some(Found::File { oid, mode: 0o100_755, .. }) => Some((oid, FileMode::BlobExecutable)),
            Some(Found::File { oid, .. }) => Some((oid, FileMode::Blob)),
            Some(Found::Large { oid, .. }) => Some((oid, FileMode::Blob)),
            Some(_) => return Err(ApiError::unprocessable(format!("{} is not a file", self.file))),
            None => None,
        })
    }

    /// The client says which version it changes, so that nobody's work is overwritten unseen.
    fn check_version(&self, present: Option<&str>) -> Result<(), ApiError> {
        match (present, self.fields.opt_str("sha")?) {
            (Some(_), None) => Err(ApiError::unprocessable("Invalid request.\n\n\"sha\" wasn't supplied.")),
            (Some(present), Some(known)) if present != known => {
                Err(ApiError::conflict(format!("{} does not match {known}", self.file)))
            }
            (None, Some(known)) => Err(ApiError::conflict(format!("{} does not match {known}", self.file))),
            _ => Ok(()),
        }
    }

    fn commit(
        &self,
        tip: Option<&Commit<'_>>,
        entry: Option<(Oid, FileMode)>,
        unsaid: &str,
    ) -> Result<CommitInfo, ApiError> {
        let base = tip.map(Commit::tree).transpose()?;
        let edit = TreeEdit { path: self.file.clone(), entry };
        let tree = self.repository.find_tree(edited_tree(self.repository, base.as_ref(), &[edit])?)?;
        let (author, committer) = people(self.call, self.fields)?;
        let message = self.fields.opt_str("message")?.unwrap_or(unsaid);
        let parents: Vec<&Commit<'_>> = tip.into_iter().collect();
        let oid = self.repository.commit(
            None,
            &author.signature()?,
            &committer.signature()?,
            message,
            &tree,
            &parents,
        )?;
        self.move_branch(tip, oid)?;
        Ok(CommitInfo::of(&self.repository.find_commit(oid)?))
    }

    /// A commit made here is one that nobody has reviewed or checked.
    fn check_protection(&self, repo: &Repo, edit: &RefEdit) -> Result<(), ApiError> {
        let RefEdit::Update { name, to, from } = edit else { return Ok(()) };
        let wish = RefWish { name, before: Some(from), after: Some(to) };
        let permission = self.call.visit()?.permission;
        protection::check(&self.call.forge, repo, permission, self.repository, wish)
            .map_err(|refused| ApiError { status: 409, ..refused })
    }

    fn move_branch(&self, tip: Option<&Commit<'_>>, to: Oid) -> Result<(), ApiError> {
        let (name, to) = (self.branch_ref(), to.to_string());
        let edit = match tip {
            Some(tip) => RefEdit::Update { name: name.clone(), to, from: tip.id().to_string() },
            None => RefEdit::Create { name: name.clone(), to },
        };
        let repo = self.call.repo()?;
        self.check_protection(repo, &edit)?;
        match ref_update::apply(&self.call.forge.git.path(repo.id), &[edit])? {
            RefOutcome::Done => git_refs::follow(self.call, repo, &name),
            RefOutcome::Refused(_) => {
                Err(ApiError::conflict(format!("{} was changed by somebody else; try again", self.branch)))
            }
        }
    }
}

pub(super) fn put(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    fields.str("message")?;
    let bytes = decode_base64(fields.str("content")?)
        .ok_or_else(|| ApiError::unprocessable("content is not valid Base64"))?;
    let repo = call.repo()?;
    let repository = call.forge.git.open(repo.id)?;
    let write = FileWrite::new(call, &repository, &fields)?;
    let gate = call.forge.git.gate(repo.id);
    let _held = lock(&gate);
    let tip = write.tip()?;
    let present = write.present(tip.as_ref())?;
    write.check_version(present.as_ref().map(|(oid, _)| oid.as_str()))?;
    let blob = repository.blob(&bytes)?;
    let mode = present.as_ref().map_or(FileMode::Blob, |(_, mode)| *mode);
    let commit = write.commit(tip.as_ref(), Some((blob, mode)), "Update file")?;
    let here = Here { place: call.place()?, at: &write.branch };
    let content = here.view("file", &write.file, &blob.to_string(), bytes.len());
    let value = json!({ "content": content, "commit": git_commit(call.place()?, &commit) });
    Reply::json(if present.is_some() { 200 } else { 201 }, &value)
}

pub(super) fn delete(call: &Call) -> ApiResult {
    // Clients send the fields of a DELETE in the body or in the query.
    let fields = match call.body.is_empty() {
        false => call.fields()?,
        true => Fields::parse(
            json!(call.query.pairs().collect::<std::collections::BTreeMap<_, _>>()).to_string().as_bytes(),
        )?,
    };
    fields.str("message")?;
    fields.str("sha")?;
    let repo = call.repo()?;
    let repository = call.forge.git.open(repo.id)?;
    let write = FileWrite::new(call, &repository, &fields)?;
    let gate = call.forge.git.gate(repo.id);
    let _held = lock(&gate);
    let tip = write.tip()?;
    let (present, _) = write.present(tip.as_ref())?.ok_or_else(ApiError::not_found)?;
    write.check_version(Some(&present))?;
    let commit = write.commit(tip.as_ref(), None, "Delete file")?;
    Reply::ok(&json!({ "content": null, "commit": git_commit(call.place()?, &commit) }))
}
