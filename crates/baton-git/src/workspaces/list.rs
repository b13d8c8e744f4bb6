//! The places of issues that there are on this machine, and how they stand.
//!
//! The remote is not asked, and nothing of anybody's work is changed: only the files that the engine itself has written for
//! git, such as the mirror's configuration, are put right before git reads them. Places of features are not listed: they end with what made them.

use std::path::Path;
use std::time::UNIX_EPOCH;

use baton_core::RepoSlug;
use baton_core::tracker::IssueKey;
use baton_core::workspace::{Listed, names};
use baton_ports::WorkspaceError;

use super::place::Place;
use super::repository::Repository;
use super::settings::{Shared, canonical};
use super::status::{self, Status};
use super::tree::{self, Head};
use super::{disk, mirror, processes};

/// Returns the repositories that have a mirror here.
pub(crate) fn repositories(shared: &Shared) -> Vec<RepoSlug> {
    let mirrors = &shared.settings.mirrors;
    let names = disk::names_in(mirrors).into_iter();
    let whole = names.filter(|name| name.ends_with(".git") && !name.starts_with('.'));
    whole.filter_map(|name| mirror::slug_of(&mirrors.join(name))).collect()
}

/// Returns the places of a repository.
pub(crate) fn list(repository: &Repository<'_>) -> Result<Vec<Listed>, WorkspaceError> {
    if !mirror::find(repository)? {
        return Ok(Vec::new());
    }
    let root = repository.shared.settings.repo_worktrees(&repository.slug);
    let numbers = disk::names_in(&root).into_iter().filter_map(|name| names::issue_of_directory(&name));
    let mut listed = Vec::new();
    for number in numbers {
        let issue = IssueKey { repo: repository.slug.clone(), number };
        if disk::kind(&root.join(names::issue_directory(number)))? == disk::Kind::Directory {
            listed.push(entry(repository, issue)?);
        }
    }
    listed.sort_by_key(|it| it.issue.number);
    let paths: Vec<_> = listed.iter().map(|it| canonical(&it.path)).collect();
    for (it, pids) in listed.iter_mut().zip(processes::inside(&paths)) {
        it.processes = pids;
    }
    Ok(listed)
}

fn entry(repository: &Repository<'_>, issue: IssueKey) -> Result<Listed, WorkspaceError> {
    let place = repository.shared.issue_place(&issue);
    let path = repository.shared.path(&place);
    if disk::kind(&repository.admin(&place))? == disk::Kind::Directory {
        tree::write_admin(repository, &place)?;
    }
    let head = tree::head(repository, &place);
    // What git does not know any more is listed all the same: somebody may look for it.
    let status = match head {
        Head::Broken => Status::default(),
        _ => status::glance(repository, &place)?,
    };
    let branch = match head {
        Head::Branch(branch) => Some(branch),
        Head::Commit(_) | Head::Broken => None,
    };
    Ok(Listed {
        unpushed: unpushed(repository, &place, &status)?,
        changed_at: changed_at(repository, &place, &status),
        is_dirty: status.is_dirty(),
        head: status.head.map(|head| head.to_string()),
        issue,
        path,
        branch,
        processes: Vec::new(),
    })
}

/// How many commits of a place no branch of the remote has, by what was last seen of it.
pub(crate) fn unpushed(
    repository: &Repository<'_>,
    place: &Place,
    status: &Status,
) -> Result<u64, WorkspaceError> {
    let refs = super::open::read_refs(repository, place)?;
    let kept = refs.0.iter().filter(|(name, _)| name.starts_with(&place.rescue_prefix()));
    let own = [refs.at(&place.branch_ref()), refs.at(&place.aside_ref()), status.head.as_ref()];
    let tips: Vec<&str> =
        own.into_iter().flatten().chain(kept.map(|(_, oid)| oid)).map(|oid| oid.as_str()).collect();
    if tips.is_empty() {
        return Ok(0);
    }
    let mut arguments = vec!["rev-list", "--count"];
    arguments.extend(tips);
    arguments.extend(["--not", "--glob=refs/remotes/origin"]);
    let text = repository.git().text("counting commits", &arguments)?;
    Ok(text.parse().unwrap_or(u64::MAX))
}

/// When something was last changed: what git notes about the place, the directory itself, and what is not committed. Walking
/// through all files would take as long as a build has made many.
fn changed_at(repository: &Repository<'_>, place: &Place, status: &Status) -> i64 {
    let (admin, path) = (repository.admin(place), repository.shared.path(place));
    let noted = ["index", "HEAD", "logs/HEAD"].map(|name| admin.join(name));
    let changed = status.changed.iter().map(|name| path.join(String::from_utf8_lossy(name).as_ref()));
    let all = noted.into_iter().chain([path.clone()]).chain(changed);
    all.filter_map(|path| seconds(&path)).max().unwrap_or(0)
}

fn seconds(path: &Path) -> Option<i64> {
    let modified = path.symlink_metadata().ok()?.modified().ok()?;
    i64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()
}
