//! Merging a pull request: a real merge, a moved branch, a closed issue.

use git2::{Oid, Repository};
use serde_json::json;

use super::pulls::numbered;
use super::repos::signature_of;
use crate::db::Tx;
use crate::db::events::{self, Happening, Scene};
use crate::db::issues::{self, Issue};
use crate::db::pulls::{self, Pull};
use crate::db::repos::Repo;
use crate::git::history;
use crate::git::merge::{MergeMethod, merge as merge_commits};
use crate::git::ref_changes::{Followers, close, own_numbers};
use crate::git::ref_update::{self, RefEdit, RefOutcome};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::fields::Fields;
use crate::http::reply::{ApiResult, Reply};
use crate::sync::lock;

fn not_mergeable() -> ApiError {
    ApiError::new(405, "Pull Request is not mergeable")
}

pub(super) fn merge(call: &Call) -> ApiResult {
    let fields = call.fields()?;
    let method = fields.opt_str("merge_method")?.unwrap_or("merge");
    let method = MergeMethod::parse(method)
        .ok_or_else(|| ApiError::invalid("PullRequest", "merge_method", "invalid"))?;
    let repo = call.repo()?;
    let gate = call.forge.git.gate(repo.id);
    let _held = lock(&gate);
    let (issue, pull) = call.forge.db.read(|conn| numbered(call, conn))??;
    check(&issue, &pull, fields.opt_str("sha")?)?;
    let repository = call.forge.git.open(repo.id)?;
    let (from, to) = make(call, &repository, (&issue, &pull), method, &fields)?;
    let name = format!("refs/heads/{}", pull.base_ref);
    let edit = RefEdit::Update { name: name.clone(), to: to.clone(), from: from.clone() };
    if let RefOutcome::Refused(_) = ref_update::apply(&call.forge.git.path(repo.id), &[edit])? {
        return Err(ApiError::new(405, "Base branch was modified. Review and try the merge again."));
    }
    settle(call, repo, &issue, &pull, (&from, &to))?;
    let followers = Followers { db: &call.forge.db, git: &call.forge.git, now: call.now };
    followers.follow_held(repo, Some(&[name]), call.actor_id()?)?;
    Reply::ok(&json!({ "sha": to, "merged": true, "message": "Pull Request successfully merged" }))
}

fn check(issue: &Issue, pull: &Pull, expected: Option<&str>) -> Result<(), ApiError> {
    if pull.merged_at.is_some() || !issue.is_open() {
        return Err(not_mergeable());
    }
    if pull.draft {
        return Err(ApiError::new(405, "Pull Request is still a draft"));
    }
    match expected {
        Some(expected) if expected != pull.head_oid => {
            Err(ApiError::conflict("Head branch was modified. Review and try the merge again."))
        }
        _ => Ok(()),
    }
}

/// Writes the merge's commits; returns the base's tip before and the one to move to.
fn make(
    call: &Call,
    repository: &Repository,
    (issue, pull): (&Issue, &Pull),
    method: MergeMethod,
    fields: &Fields,
) -> Result<(String, String), ApiError> {
    let base =
        repository.find_reference(&format!("refs/heads/{}", pull.base_ref)).map_err(|_| not_mergeable())?;
    let base = base.peel_to_commit().map_err(|_| not_mergeable())?;
    let head = repository.find_commit(Oid::from_str(&pull.head_oid)?).map_err(|_| not_mergeable())?;
    let message = message(call, repository, (issue, pull), method, fields)?;
    let by = signature_of(&call.viewer()?.account, call.now);
    let merged = merge_commits(repository, &base, &head, method, &message, &by)?.ok_or_else(not_mergeable)?;
    Ok((base.id().to_string(), merged.to_string()))
}

/// GitHub's default words, or the client's.
fn message(
    call: &Call,
    repository: &Repository,
    (issue, pull): (&Issue, &Pull),
    method: MergeMethod,
    fields: &Fields,
) -> Result<String, ApiError> {
    let owner = &call.repo()?.owner.login;
    let title = match (fields.opt_str("commit_title")?, method) {
        (Some(title), _) => title.to_owned(),
        (None, MergeMethod::Squash) => format!("{} (#{})", issue.title, issue.number),
        (None, _) => format!("Merge pull request #{} from {owner}/{}", issue.number, pull.head_ref),
    };
    let body = match (fields.opt_str("commit_message")?, method) {
        (Some(body), _) => body.to_owned(),
        (None, MergeMethod::Squash) => squashed(repository, pull)?,
        (None, _) => issue.title.clone(),
    };
    Ok(if body.is_empty() { title } else { format!("{title}\n\n{body}") })
}

/// The messages of the commits that a squash folds into one.
fn squashed(repository: &Repository, pull: &Pull) -> Result<String, ApiError> {
    let (base, head) = (Oid::from_str(&pull.base_oid)?, Oid::from_str(&pull.head_oid)?);
    let commits = history::between(repository, base, head)?;
    Ok(match commits.as_slice() {
        [only] => only.message.split_once("\n\n").map(|(_, body)| body.to_owned()).unwrap_or_default(),
        many => many.iter().map(|commit| format!("* {}", commit.message)).collect::<Vec<_>>().join("\n\n"),
    })
}

/// Marks the pull request merged and closes what its text says it closes.
fn settle(
    call: &Call,
    repo: &Repo,
    issue: &Issue,
    pull: &Pull,
    (from, to): (&str, &str),
) -> Result<(), ApiError> {
    let (repo, issue, pull) = (repo.clone(), issue.clone(), pull.clone());
    let (base, merged) = (from.to_owned(), to.to_owned());
    let scene = Scene { repo_id: repo.id, issue_id: issue.id, actor_id: call.actor_id()?, now: call.now };
    call.forge.db.writer().write_blocking(move |tx| {
        // What it contained is measured against the base as it was.
        pulls::set_base(tx, pull.id, &pull.base_ref, &base)?;
        pulls::set_merged(tx, pull.id, scene.actor_id, &merged, scene.now)?;
        events::record(tx, scene, &Happening::Merged { commit: &merged })?;
        close(tx, scene, None, Some(&merged))?;
        if pull.base_ref == repo.default_branch {
            close_named(tx, &repo, &issue, scene, &merged)?;
        }
        Ok(())
    })
}

fn close_named(
    tx: &Tx<'_>,
    repo: &Repo,
    pull_issue: &Issue,
    scene: Scene,
    merged: &str,
) -> Result<(), ApiError> {
    let text = format!("{}\n{}", pull_issue.title, pull_issue.body.as_deref().unwrap_or_default());
    for number in own_numbers(repo, &text) {
        let Some(issue) = issues::by_number(tx, repo.id, number)?.filter(|issue| !issue.is_pull) else {
            continue;
        };
        close(tx, Scene { issue_id: issue.id, ..scene }, Some("completed"), Some(merged))?;
    }
    Ok(())
}
