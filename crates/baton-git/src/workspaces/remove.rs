//! Removing a place, once nothing is only there.
//!
//! What only this machine has is put on the remote first and looked for there. Without that proof nothing is deleted.
//! Files that git ignores are not kept. Deliberately absent: ending processes, which the caller does before.

use baton_core::workspace::Removal;
use baton_ports::WorkspaceError;

use super::open::{forget_admin, read_refs};
use super::place::Place;
use super::repository::{Refs, Repository};
use super::settings::canonical;
use super::status::{self, Status};
use super::{aside, disk, mirror, processes, remote, rescue, snapshot, tree, update};
use crate::oid::Oid;

/// Removes a place.
pub(crate) fn remove(repository: &Repository<'_>, place: &Place) -> Result<Removal, WorkspaceError> {
    let path = repository.shared.path(place);
    disk::is_own_directory(&repository.shared.settings.repo_worktrees(&place.repo))?;
    if !mirror::find(repository)? {
        return Ok(match disk::is_own_directory(&path)? {
            true => Removal::Kept(format!(
                "there is no mirror for {}, so what is in it is not known",
                path.display()
            )),
            false => Removal::Absent,
        });
    }
    tree::sweep(repository, place)?;
    let refs = read_refs(repository, place)?;
    let is_there = disk::is_own_directory(&path)?;
    let is_known = disk::is_own_directory(&repository.admin(place))?;
    if !is_there && !is_known && refs.at(&place.branch_ref()).is_none() && !has_kept(place, &refs) {
        return Ok(Removal::Absent);
    }
    if is_known {
        tree::write_admin(repository, place)?;
    }
    let only_there = match (is_there, is_known) {
        (true, false) => return Ok(Removal::Kept(format!("git does not know {} any more", path.display()))),
        (true, true) => match look(repository, place, &refs)? {
            Ok(status) => only_there(repository, place, &status)?,
            Err(reason) => return Ok(Removal::Kept(reason)),
        },
        (false, _) => {
            forget_admin(repository, place, &refs)?;
            Vec::new()
        }
    };
    let rescued = make_safe(repository, place, only_there)?;
    tree::discard(repository, place)?;
    forget(repository, place)?;
    Ok(Removal::Removed { rescued })
}

fn has_kept(place: &Place, refs: &Refs) -> bool {
    refs.0.keys().any(|name| name.starts_with(&place.rescue_prefix()))
}

/// Removes a place if nothing is only there, and puts nothing on the remote. Returns why it was kept.
pub(crate) fn discard_if_clean(
    repository: &Repository<'_>,
    place: &Place,
) -> Result<Option<String>, WorkspaceError> {
    let path = repository.shared.path(place);
    disk::is_own_directory(&repository.shared.settings.repo_worktrees(&place.repo))?;
    if !mirror::find(repository)? || !disk::is_own_directory(&path)? {
        return Ok(None);
    }
    if !disk::is_own_directory(&repository.admin(place))? {
        return Ok(Some(format!("git does not know {} any more", path.display())));
    }
    tree::write_admin(repository, place)?;
    let refs = read_refs(repository, place)?;
    let status = match look(repository, place, &refs)? {
        Ok(status) => status,
        Err(reason) => return Ok(Some(reason)),
    };
    if status.is_dirty() || tree::is_in_operation(repository, place) {
        return Ok(Some("there are changes that are not committed".to_owned()));
    }
    let kept = repository.refs(&[&place.rescue_prefix()])?;
    let mut commits = all_commits(repository, place, only_there(repository, place, &status)?)?;
    commits.extend(kept.0.values().cloned());
    let missing = missing(repository, &commits)?;
    if !missing.is_empty() {
        let tips: Vec<&str> = missing.iter().map(Oid::as_str).collect();
        return Ok(Some(format!("there are commits that the remote has not: {}", tips.join(", "))));
    }
    tree::discard(repository, place)?;
    forget(repository, place)?;
    repository.move_refs(&kept.0.into_keys().map(|name| (name, None)).collect::<Vec<_>>()).map(|()| None)
}

/// Looks at how a work tree stands, or tells the reason why it cannot go.
fn look(
    repository: &Repository<'_>,
    place: &Place,
    refs: &Refs,
) -> Result<Result<Status, String>, WorkspaceError> {
    let path = repository.shared.path(place);
    let busy = processes::inside(&[canonical(&path)]).pop().unwrap_or_default();
    if !busy.is_empty() {
        let pids: Vec<String> = busy.iter().map(ToString::to_string).collect();
        return Ok(Err(format!("processes are at work in {}: {}", path.display(), pids.join(", "))));
    }
    if disk::kind(&path.join(".git"))? == disk::Kind::Directory {
        return Ok(Err(format!("{} is a repository of its own", path.join(".git").display())));
    }
    update::undo(repository, place)?;
    aside::take_back(repository, place, refs)?;
    let status = status::read(repository, place)?;
    if !status.unreadable.is_empty() {
        let names = status.unreadable.join(", ");
        return Ok(Err(format!("there are changes in {} that cannot be read: {names}", path.display())));
    }
    let foreign = foreign_repositories(repository, place, &status)?;
    if !foreign.is_empty() {
        return Ok(Err(format!("there are repositories in {}: {}", path.display(), foreign.join(", "))));
    }
    Ok(Ok(status))
}

/// Commits of a work tree that must be safe before it can go.
fn only_there(
    repository: &Repository<'_>,
    place: &Place,
    status: &Status,
) -> Result<Vec<Oid>, WorkspaceError> {
    let mut commits = tree::autostashes(repository, place);
    commits.extend(status.head.clone());
    if status.has_changes() {
        commits.push(snapshot::take(repository, place, status)?.commit);
    }
    Ok(commits)
}

/// Adds the commits that belong to a place and are not in its work tree.
fn all_commits(
    repository: &Repository<'_>,
    place: &Place,
    mut commits: Vec<Oid>,
) -> Result<Vec<Oid>, WorkspaceError> {
    let refs = read_refs(repository, place)?;
    commits.extend(refs.at(&place.branch_ref()).cloned());
    commits.extend(stashed(repository, place)?);
    commits.sort();
    commits.dedup();
    Ok(commits)
}

/// Repositories inside of the work tree: their commits and files are not ours, and nobody knows whether they are safe.
fn foreign_repositories(
    repository: &Repository<'_>,
    place: &Place,
    status: &Status,
) -> Result<Vec<String>, WorkspaceError> {
    let mut found = status.nested.clone();
    let listed = repository.git_in(place).text("listing files", &["ls-files", "--stage", "-z"])?;
    let links = listed.split('\0').filter(|entry| entry.starts_with("160000 "));
    let paths = links.filter_map(|entry| entry.split_once('\t')).map(|(_, path)| path.to_owned());
    let root = repository.shared.path(place);
    found.extend(paths.filter(|path| root.join(path).join(".git").symlink_metadata().is_ok()));
    Ok(found)
}

/// Puts on the remote what it has not, and returns the refs that have it there.
fn make_safe(
    repository: &Repository<'_>,
    place: &Place,
    commits: Vec<Oid>,
) -> Result<Vec<String>, WorkspaceError> {
    let missing = missing(repository, &all_commits(repository, place, commits)?)?;
    // One that is in the history of another is safe with it.
    let mut tips: Vec<Oid> = Vec::new();
    for (at, commit) in missing.iter().enumerate() {
        let others = missing.iter().enumerate().filter(|(other, _)| *other != at);
        let mut is_tip = true;
        for (_, other) in others {
            is_tip &= !repository.is_ancestor(commit, other)?;
        }
        if is_tip {
            tips.push(commit.clone());
        }
    }
    let mut rescued = rescue::send(repository, place, &tips)?;
    let kept = repository.refs(&[&place.rescue_prefix()])?;
    rescued.extend(rescue::send_kept(repository, place, &kept)?);
    rescued.sort();
    rescued.dedup();
    Ok(rescued)
}

/// Returns those commits that no ref of the remote has now.
fn missing(repository: &Repository<'_>, commits: &[Oid]) -> Result<Vec<Oid>, WorkspaceError> {
    let address = repository.address();
    let listed = repository.git().reach("looking at the remote", &["ls-remote", "--", &address])?;
    let there: std::collections::BTreeSet<&str> =
        listed.lines().filter_map(|line| line.split('\t').next()).collect();
    let mut left: Vec<Oid> =
        commits.iter().filter(|commit| !there.contains(commit.as_str())).cloned().collect();
    if left.is_empty() {
        return Ok(left);
    }
    remote::fetch_all(repository)?;
    let mut missing = Vec::new();
    for commit in left.drain(..) {
        let arguments = ["rev-list", "-1", commit.as_str(), "--not", "--glob=refs/remotes/origin"];
        if !repository.git().text("comparing with the remote", &arguments)?.is_empty() {
            missing.push(commit);
        }
    }
    Ok(missing)
}

/// Returns what was put into git's own stash from this branch.
fn stashed(repository: &Repository<'_>, place: &Place) -> Result<Vec<Oid>, WorkspaceError> {
    if repository.refs(&["refs/stash"])?.0.is_empty() {
        return Ok(Vec::new());
    }
    let arguments = ["log", "--walk-reflogs", "--format=%H %gs", "refs/stash", "--"];
    let text = repository.git().text("reading the stash", &arguments)?;
    let own = format!("n {}:", place.branch);
    let entries = text.lines().filter_map(|line| line.split_once(' '));
    let own = entries.filter(|(_, said)| {
        said.strip_prefix("WIP o").or(said.strip_prefix('O')).is_some_and(|rest| rest.starts_with(&own))
    });
    Ok(own.filter_map(|(oid, _)| oid.parse().ok()).collect())
}

/// Forgets the branch and what was noted about the place.
pub(crate) fn forget(repository: &Repository<'_>, place: &Place) -> Result<(), WorkspaceError> {
    let names = [place.branch_ref(), place.seen_ref(), place.before_ref(), place.aside_ref()];
    let refs = read_refs(repository, place)?;
    let stale = names.into_iter().filter(|name| refs.at(name).is_some()).map(|name| (name, None));
    repository.move_refs(&stale.collect::<Vec<_>>())
}
