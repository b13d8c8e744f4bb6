//! Merging one branch into another, without a pull request.

use super::{commits, git_refs, signature_of};
use crate::db::repos::Permission;
use crate::git::history;
use crate::git::merge::{MergeMethod, merge as merge_commits};
use crate::git::objects::{CommitInfo, resolve};
use crate::git::ref_update::{self, RefEdit, RefOutcome};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::{ApiResult, Reply};
use crate::protection::{self, RefWish};
use crate::sync::lock;

pub(super) fn merge(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let (base, head) = (fields.str("base")?, fields.str("head")?);
    let repo = call.repo()?;
    let repository = call.forge.git.open(repo.id)?;
    let gate = call.forge.git.gate(repo.id);
    let _held = lock(&gate);
    let name = format!("refs/heads/{base}");
    let missing = |what: &str| ApiError::new(404, format!("{what} does not exist"));
    let onto = repository.find_reference(&name).ok().and_then(|found| found.peel_to_commit().ok());
    let onto = onto.ok_or_else(|| missing("Base"))?;
    let brought = resolve(&repository, head).ok_or_else(|| missing("Head"))?;
    if history::contains(&repository, onto.id(), brought.id()) {
        return Reply::no_content();
    }
    let message = match fields.opt_str("commit_message")? {
        Some(message) => message.to_owned(),
        None => format!("Merge {head} into {base}"),
    };
    let by = signature_of(&call.viewer()?.account, call.now);
    let merged = merge_commits(&repository, &onto, &brought, MergeMethod::Merge, &message, &by)?
        .ok_or_else(|| ApiError::conflict("Merge conflict"))?;
    let (before, after) = (onto.id().to_string(), merged.to_string());
    check_rules(call, &repository, RefWish { name: &name, before: Some(&before), after: Some(&after) })?;
    let edit = RefEdit::Update { name: name.clone(), to: after, from: before };
    if let RefOutcome::Refused(_) = ref_update::apply(&call.forge.git.path(repo.id), &[edit])? {
        return Err(ApiError::conflict("Base branch was modified. Try the merge again."));
    }
    git_refs::follow(call, repo, &name)?;
    let commit = CommitInfo::of(&repository.find_commit(merged)?);
    Reply::created(&commits::view(call, &commit, None)?, call.repo_url(&format!("commits/{merged}")))
}

fn check_rules(call: &Call, repository: &git2::Repository, wish: RefWish<'_>) -> Result<(), ApiError> {
    let visit = call.visit()?;
    let permission: Permission = visit.permission;
    protection::check(&call.forge, &visit.repo, permission, repository, wish)
        .map_err(|refused| ApiError { status: 403, ..refused })
}
