//! Opening a place: found or made, mended after a crash, and brought up to date.

use baton_core::workspace::{Opened, Update};
use baton_ports::WorkspaceError;

use super::place::Place;
use super::remote::{self, Base};
use super::repository::{Refs, Repository};
use super::tree::{self, Head};
use super::update::{self, Meeting};
use super::{aside, close, disk, failure, mirror, snapshot, status};
use crate::oid::Oid;

/// How a place is opened.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Terms<'a> {
    pub(crate) base: Option<&'a str>,
    pub(crate) is_read_only: bool,
    pub(crate) updates: bool,
}

/// The file that says which branch a place will be merged into.
const BASE_FILE: &str = "baton-base";

/// Opens a place.
pub(crate) fn open(
    repository: &Repository<'_>,
    place: &Place,
    terms: Terms<'_>,
) -> Result<Opened, WorkspaceError> {
    mirror::ensure(repository)?;
    disk::is_own_directory(&repository.shared.settings.repo_worktrees(&place.repo))?;
    let path = repository.shared.path(place);
    let is_new = !disk::is_own_directory(&path)?;
    tree::sweep(repository, place)?;
    close::locks::clear(repository, place)?;
    let base = choose_base(repository, place, terms, is_new)?;
    let refs = read_refs(repository, place)?;
    let knows_remote = match is_new {
        true => make(repository, place, &refs, &base)?,
        false => mend(repository, place, &refs, &base)?,
    };
    if knows_remote {
        note_seen(repository, place, &refs)?;
    }
    disk::write_if_other(&repository.admin(place).join(BASE_FILE), &format!("{}\n", base.name))?;
    let update = match terms.updates {
        true => update::rebase(repository, place, &base.commit)?,
        false => Update::NotTried,
    };
    let head = if terms.is_read_only { freeze(repository, place)? } else { head(repository, place)? };
    Ok(Opened {
        path,
        git_dir: repository.admin(place),
        branch: place.branch.clone(),
        head: head.to_string(),
        base: base.name,
        base_commit: base.commit.to_string(),
        missing_base: base.missing,
        is_new,
        update,
    })
}

/// Where all refs point at that belong to a place.
pub(crate) fn read_refs(repository: &Repository<'_>, place: &Place) -> Result<Refs, WorkspaceError> {
    let names =
        [place.branch_ref(), place.tracking_ref(), place.seen_ref(), place.before_ref(), place.aside_ref()];
    let rescued = place.rescue_prefix();
    let patterns: Vec<&str> = names.iter().map(String::as_str).chain([rescued.as_str()]).collect();
    repository.refs(&patterns)
}

/// Returns the branch that a place will be merged into, as it was when it was opened.
pub(crate) fn base_of(repository: &Repository<'_>, place: &Place) -> Option<String> {
    let name = disk::read_if_there(&repository.admin(place).join(BASE_FILE))?.trim().to_owned();
    baton_core::ref_name::is_branch_name(&name).then_some(name)
}

/// Looks at the remote. While that cannot be reached, a run that goes on with earlier work does so with what was fetched
/// last; work that begins must not begin on what is out of date.
fn choose_base(
    repository: &Repository<'_>,
    place: &Place,
    terms: Terms<'_>,
    is_new: bool,
) -> Result<Base, WorkspaceError> {
    match remote::refresh(repository, place, terms.base) {
        Err(error) if error.is_transient && !is_new && !terms.updates => {
            remote::remembered(repository, place, terms.base)?.ok_or(error)
        }
        looked => looked,
    }
}

/// Makes the work tree: of the branch that there is, or of the base.
fn make(
    repository: &Repository<'_>,
    place: &Place,
    refs: &Refs,
    base: &Base,
) -> Result<bool, WorkspaceError> {
    forget_admin(repository, place, refs)?;
    let (branch, remote) = (refs.at(&place.branch_ref()), refs.at(&place.tracking_ref()));
    let commit = match branch {
        None => remote.unwrap_or(&base.commit).clone(),
        Some(here) => match update::meet(repository, place, refs, here)? {
            Meeting::Here => here.clone(),
            Meeting::Remote(remote) => remote,
            Meeting::Apart(remote) => {
                snapshot::keep(repository, place, here)?;
                remote
            }
        },
    };
    tree::make(repository, place, &commit).map(|()| true)
}

/// Makes git forget a work tree that is not there. What only it knew of is kept by name.
pub(crate) fn forget_admin(
    repository: &Repository<'_>,
    place: &Place,
    refs: &Refs,
) -> Result<(), WorkspaceError> {
    if !disk::is_own_directory(&repository.admin(place))? {
        return Ok(());
    }
    let mut only_here = tree::autostashes(repository, place);
    if let Head::Commit(commit) = tree::head(repository, place) {
        only_here.push(commit);
    }
    only_here.extend(refs.at(&place.aside_ref()).cloned());
    for commit in only_here {
        snapshot::keep(repository, place, &commit)?;
    }
    let stale = [place.before_ref(), place.aside_ref()].into_iter().filter(|name| refs.at(name).is_some());
    repository.move_refs(&stale.map(|name| (name, None)).collect::<Vec<_>>())?;
    disk::remove_directory(&repository.admin(place))
}

/// Puts a work tree right that is there, and takes in what others have pushed. Returns whether the work there knows all
/// that the remote's branch has.
fn mend(
    repository: &Repository<'_>,
    place: &Place,
    refs: &Refs,
    base: &Base,
) -> Result<bool, WorkspaceError> {
    let is_known = disk::is_own_directory(&repository.admin(place))?;
    let branch = refs.at(&place.branch_ref());
    if !is_known || branch.is_none() {
        let commit = branch.or(refs.at(&place.tracking_ref())).unwrap_or(&base.commit);
        tree::adopt(repository, place, commit)?;
    }
    tree::repair_pointers(repository, place)?;
    update::undo(repository, place)?;
    aside::take_back(repository, place, refs)?;
    let refs = read_refs(repository, place)?;
    let status = status::read(repository, place)?;
    update::take_in(repository, place, &refs, &status)
}

/// Notes that the work here knows all that the remote's branch has.
fn note_seen(repository: &Repository<'_>, place: &Place, refs: &Refs) -> Result<(), WorkspaceError> {
    let (seen, remote) = (refs.at(&place.seen_ref()), refs.at(&place.tracking_ref()));
    match seen == remote {
        true => Ok(()),
        false => repository.move_refs(&[(place.seen_ref(), remote.cloned())]),
    }
}

/// Makes a place ready for a run that may not change anything.
fn freeze(repository: &Repository<'_>, place: &Place) -> Result<Oid, WorkspaceError> {
    close::settle(repository, place)?;
    let status = status::read(repository, place)?;
    let head = status.head.clone().ok_or_else(|| no_head(repository, place))?;
    aside::put(repository, place, &status, &head)?;
    Ok(head)
}

pub(crate) fn head(repository: &Repository<'_>, place: &Place) -> Result<Oid, WorkspaceError> {
    repository.git_in(place).oid("reading what is checked out", &["rev-parse", "--verify", "HEAD^{commit}"])
}

pub(crate) fn no_head(repository: &Repository<'_>, place: &Place) -> WorkspaceError {
    failure::of_state(
        &format!("opening {} of {}", place.directory, place.repo),
        "no commit is checked out".to_owned(),
        format!("check out {} in {}", place.branch, repository.shared.path(place).display()),
    )
}
