//! What a pull request contains: its commits, its files, its difference as text; and the pull requests of a commit.

use rusqlite::Connection;

use super::commits;
use super::pulls::numbered;
use crate::db::pulls::{self, Pull};
use crate::git::history;
use crate::git::objects::{CommitInfo, resolve};
use crate::git::pull_diff::{PullDiff, base_tip};
use crate::git::{git_command, objects};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page;
use crate::http::reply::{ApiResult, Reply};
use crate::wire::commit::file_views;

/// GitHub's limit of commits of one pull request.
const COMMITS_MAX: usize = 250;

/// The commits that a pull request brings, oldest first.
pub(crate) fn commits_of(repository: &git2::Repository, pull: &Pull) -> Result<Vec<CommitInfo>, ApiError> {
    let head = objects::parse_oid(&pull.head_oid);
    let (Some(base), Some(head)) = (base_tip(repository, pull), head) else { return Ok(Vec::new()) };
    let mut found = history::between(repository, base.id(), head).unwrap_or_default();
    found.truncate(COMMITS_MAX);
    Ok(found)
}

pub(super) fn commits(call: &Call) -> ApiResult {
    let (_, pull) = found(call)?;
    let repository = call.forge.git.open(call.repo()?.id)?;
    let all = commits_of(&repository, &pull)?;
    let views = all.iter().map(|commit| commits::view(call, commit, None)).collect::<Result<Vec<_>, _>>()?;
    page::reply_cut(call, views)
}

fn found(call: &Call) -> Result<(crate::db::issues::Issue, Pull), ApiError> {
    call.forge.db.read_lagging(call.forge.panel.read_lag(), |conn| numbered(call, conn))?
}

pub(super) fn files(call: &Call) -> ApiResult {
    let (_, pull) = found(call)?;
    let repository = call.forge.git.open(call.repo()?.id)?;
    let all = match PullDiff::of(&repository, &pull) {
        Some(diff) => diff.files()?,
        None => Vec::new(),
    };
    page::reply_cut(call, file_views(call.place()?, &pull.head_oid, &all))
}

/// A pull request as text, where the client asks for that instead of JSON.
pub(super) fn as_text(call: &Call, pull: &Pull) -> Result<Option<Reply>, ApiError> {
    let repository = call.forge.git.open(call.repo()?.id)?;
    let missing = || ApiError::unprocessable("The difference cannot be shown: a commit is missing.");
    if call.accepts(".diff") {
        let text = PullDiff::of(&repository, pull).ok_or_else(missing)?.text()?;
        return Ok(Some(Reply::of(200, "application/vnd.github.diff; charset=utf-8", text)));
    }
    if !call.accepts(".patch") {
        return Ok(None);
    }
    let base = base_tip(&repository, pull).ok_or_else(missing)?;
    let range = format!("{}..{}", base.id(), pull.head_oid);
    let output = git_command(repository.path()).args(["format-patch", "--stdout", &range]).output()?;
    match output.status.success() {
        true => Ok(Some(Reply::of(200, "application/vnd.github.patch; charset=utf-8", output.stdout))),
        false => Err(missing()),
    }
}

/// The pull requests that contain a commit: those that are open, and the one by which it was merged.
pub(super) fn of_commit(call: &Call) -> ApiResult {
    let repo = call.repo()?;
    let repository = call.forge.git.open(repo.id)?;
    let name = call.param("commit_sha");
    let commit = resolve(&repository, name)
        .ok_or_else(|| ApiError::unprocessable(format!("No commit found for SHA: {name}")))?;
    let containing = |conn: &Connection| -> Result<Vec<_>, ApiError> {
        let mut views = Vec::new();
        for (issue, pull) in pulls::all(conn, repo.id)? {
            if contains(&repository, &pull, commit.id()) {
                views.push((issue, pull));
            }
        }
        Ok(views)
    };
    call.forge.db.read(|conn| {
        let render = call.render(conn);
        let views = containing(conn)?
            .into_iter()
            .map(|(issue, pull)| render.pull(repo, issue, pull, None))
            .collect::<Result<Vec<_>, _>>()?;
        page::reply_cut(call, views)
    })?
}

fn contains(repository: &git2::Repository, pull: &Pull, oid: git2::Oid) -> bool {
    if pull.merge_oid.as_deref() == Some(&oid.to_string()) {
        return true;
    }
    let head = objects::parse_oid(&pull.head_oid);
    let (Some(base), Some(head)) = (base_tip(repository, pull), head) else { return false };
    history::contains(repository, head, oid) && !history::contains(repository, base.id(), oid)
}
