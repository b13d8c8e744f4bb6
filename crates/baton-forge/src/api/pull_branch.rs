//! Brings a pull request's branch up to date: its base is merged into its head.

use git2::Oid;
use serde_json::json;

use super::pulls::numbered;
use super::repos::signature_of;
use crate::db::repos::Permission;
use crate::git::history;
use crate::git::merge::{self, MergeMethod};
use crate::git::pull_diff::base_tip;
use crate::git::ref_changes::Followers;
use crate::git::ref_update::{self, RefEdit, RefOutcome};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::{ApiResult, Reply};
use crate::protection::{self, RefWish};
use crate::sync::lock;

fn moved() -> ApiError {
    ApiError::unprocessable("expected head sha didn’t match current head ref.")
}

pub(super) fn update(call: &Call) -> ApiResult {
    if call.visit()?.permission < Permission::Write {
        return Err(ApiError::forbidden("Must have write rights to the head branch."));
    }
    let fields = call.fields()?;
    let repo = call.repo()?;
    let gate = call.forge.git.gate(repo.id);
    let _held = lock(&gate);
    let (issue, pull) = call.forge.db.read(|conn| numbered(call, conn))??;
    if !issue.is_open() {
        return Err(ApiError::unprocessable("pull request is closed"));
    }
    if fields.opt_str("expected_head_sha")?.is_some_and(|expected| expected != pull.head_oid) {
        return Err(moved());
    }
    let repository = call.forge.git.open(repo.id)?;
    let head = repository.find_commit(Oid::from_str(&pull.head_oid)?)?;
    let base = base_tip(&repository, &pull)
        .ok_or_else(|| ApiError::unprocessable("the base branch does not exist"))?;
    if history::contains(&repository, head.id(), base.id()) {
        return Err(ApiError::unprocessable("There are no new commits on the base branch."));
    }
    let message = format!("Merge branch '{}' into {}", pull.base_ref, pull.head_ref);
    let by = signature_of(&call.viewer()?.account, call.now);
    let merged = merge::merge(&repository, &head, &base, MergeMethod::Merge, &message, &by)?;
    let merged = merged.ok_or_else(|| ApiError::unprocessable("merge conflict between base and head"))?;
    let name = format!("refs/heads/{}", pull.head_ref);
    let merged = merged.to_string();
    let wish = RefWish { name: &name, before: Some(&pull.head_oid), after: Some(&merged) };
    protection::check(&call.forge, repo, call.visit()?.permission, &repository, wish)?;
    let edit = RefEdit::Update { name: name.clone(), to: merged, from: pull.head_oid.clone() };
    if let RefOutcome::Refused(_) = ref_update::apply(&call.forge.git.path(repo.id), &[edit])? {
        return Err(moved());
    }
    let followers = Followers { db: &call.forge.db, git: &call.forge.git, now: call.now };
    followers.follow_held(repo, Some(&[name]), call.actor_id()?)?;
    let url = call.repo_url(&format!("pulls/{}", issue.number));
    Reply::json(202, &json!({ "message": "Updating pull request branch.", "url": url }))
}
