//! What lies between two commits.

use serde_json::json;

use super::commits;
use crate::git::history;
use crate::git::objects::{CommitInfo, resolve};
use crate::git::tree_diff;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};
use crate::wire::commit::file_views;
use crate::wire::path;

pub(super) fn compare(call: &Call) -> ApiResult {
    let spec = call.param("basehead");
    let (base_name, head_name) = spec.split_once("...").ok_or_else(ApiError::not_found)?;
    let repository = call.forge.git.open(call.repo()?.id)?;
    let find = |name: &str| resolve(&repository, own_branch(call, name)).ok_or_else(ApiError::not_found);
    let (base, head) = (find(base_name)?, find(head_name)?);
    let merge_base = repository.merge_base(base.id(), head.id());
    let merge_base = merge_base.map_err(|_| {
        ApiError::new(404, format!("No common ancestor between {base_name} and {head_name}."))
    })?;
    let merge_base = repository.find_commit(merge_base)?;
    if call.accepts(".diff") {
        let text = tree_diff::text(&repository, Some(&merge_base.tree()?), Some(&head.tree()?))?;
        return Ok(Reply::of(200, "application/vnd.github.diff; charset=utf-8", text));
    }
    let (ahead, behind) = repository.graph_ahead_behind(head.id(), base.id())?;
    let all = history::between(&repository, base.id(), head.id())?;
    let files = tree_diff::changes(&repository, Some(&merge_base.tree()?), Some(&head.tree()?))?;
    let page = Page::of(call);
    let (total, shown) =
        (all.len(), if is_paged(call) { page.cut(all) } else { all.into_iter().take(250).collect() });
    let views =
        shown.iter().map(|commit| commits::view(call, commit, None)).collect::<Result<Vec<_>, _>>()?;
    let (place, at) = (call.place()?, head.id().to_string());
    let web = format!("{}/compare/{}...{}", place.web(), path(base_name), path(head_name));
    let (base_info, merge_base_info) = (CommitInfo::of(&base), CommitInfo::of(&merge_base));
    let value = json!({
        "url": format!("{}/compare/{}...{}", place.api(), path(base_name), path(head_name)),
        "html_url": web,
        "permalink_url": format!("{}/compare/{}...{at}", place.web(), base.id()),
        "diff_url": format!("{web}.diff"),
        "patch_url": format!("{web}.patch"),
        "base_commit": commits::view(call, &base_info, None)?,
        "merge_base_commit": commits::view(call, &merge_base_info, None)?,
        "status": status(ahead, behind),
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": total,
        "commits": views,
        "files": file_views(place, &at, &files),
    });
    let total = i64::try_from(total).unwrap_or(i64::MAX);
    let link = if is_paged(call) { page::link(call, page, total) } else { None };
    Ok(Reply { link, ..Reply::ok(&value)? })
}

fn is_paged(call: &Call) -> bool {
    call.query.get("page").is_some() || call.query.get("per_page").is_some()
}

/// `owner:branch` names a branch of this repository when the owner is this one's.
fn own_branch<'n>(call: &Call, name: &'n str) -> &'n str {
    match name.split_once(':') {
        Some((owner, branch))
            if call.repo().is_ok_and(|repo| repo.owner.login.eq_ignore_ascii_case(owner)) =>
        {
            branch
        }
        _ => name,
    }
}

fn status(ahead: usize, behind: usize) -> &'static str {
    match (ahead, behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    }
}
