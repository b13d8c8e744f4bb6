//! Bringing a branch up to date: with what others have pushed to it, and with its base.
//!
//! Nothing is lost on the way: commits that only this machine has are kept by name before the remote's take their place,
//! and a rebase that meets a conflict leaves everything as it was. A rebase of the engine is marked, so that one which was
//! cut off is undone, and one of an agent is not. Deliberately absent: resolving conflicts.

use baton_core::workspace::Update;
use baton_ports::WorkspaceError;

use super::close::locks;
use super::place::Place;
use super::repository::{Refs, Repository};
use super::status::{self, Status};
use super::tree::{self, Head};
use super::{disk, failure, snapshot};
use crate::oid::Oid;

/// The file that says to which commit a place goes when the engine was cut off in the middle of moving it.
const MARK: &str = "baton-rebase";

/// How the branch here and the remote's go together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meeting {
    /// What is here has everything.
    Here,
    /// The remote's has everything.
    Remote(Oid),
    /// Both have commits that the other has not, and the remote's have come since.
    Apart(Oid),
}

/// Compares the branch here with the remote's. A rewrite that was made here is no news, as long as the remote's branch is
/// where it was seen.
pub(crate) fn meet(
    repository: &Repository<'_>,
    place: &Place,
    refs: &Refs,
    here: &Oid,
) -> Result<Meeting, WorkspaceError> {
    let Some(remote) = refs.at(&place.tracking_ref()) else { return Ok(Meeting::Here) };
    if refs.at(&place.seen_ref()) == Some(remote) || repository.is_ancestor(remote, here)? {
        return Ok(Meeting::Here);
    }
    match repository.is_ancestor(here, remote)? {
        true => Ok(Meeting::Remote(remote.clone())),
        false => Ok(Meeting::Apart(remote.clone())),
    }
}

/// Takes in what others have pushed to the branch of a work tree that is there. Returns whether the work here knows all that
/// the remote's branch has.
pub(crate) fn take_in(
    repository: &Repository<'_>,
    place: &Place,
    refs: &Refs,
    status: &Status,
) -> Result<bool, WorkspaceError> {
    let Some(head) = status.head.as_ref().filter(|_| is_settled(repository, place)) else { return Ok(false) };
    let (remote, is_apart) = match meet(repository, place, refs, head)? {
        Meeting::Here => return Ok(true),
        Meeting::Remote(remote) => (remote, false),
        Meeting::Apart(remote) => (remote, true),
    };
    if status.is_dirty() {
        return Ok(false);
    }
    if is_apart {
        snapshot::keep(repository, place, head)?;
    }
    // Cut off in the middle, it is ended by the next one who opens the place.
    disk::write(&mark(repository, place), remote.as_str())?;
    snapshot::go_to(repository, place, status, &remote)?;
    disk::remove_file(&mark(repository, place)).map(|()| true)
}

/// Returns whether the place's own branch is checked out and nothing is in the middle.
pub(crate) fn is_settled(repository: &Repository<'_>, place: &Place) -> bool {
    tree::head(repository, place) == Head::Branch(place.branch.clone())
        && !tree::is_in_operation(repository, place)
}

/// Puts the commits of the branch on top of its base.
pub(crate) fn rebase(
    repository: &Repository<'_>,
    place: &Place,
    base: &Oid,
) -> Result<Update, WorkspaceError> {
    let status = status::read(repository, place)?;
    let Some(head) = status.head.as_ref().filter(|_| is_settled(repository, place)) else {
        return Ok(Update::Dirty);
    };
    if repository.is_ancestor(base, head)? {
        return Ok(Update::Unneeded);
    }
    if status.is_dirty() {
        return Ok(Update::Dirty);
    }
    disk::write(&mark(repository, place), head.as_str())?;
    let git = repository.git_in(place).patiently();
    let options = ["rebase", "--quiet", "--no-autostash", "--no-fork-point", "--empty=drop"];
    let answer = git.ask("rebasing", &[&options[..], &[base.as_str()]].concat())?;
    if answer.is_success() {
        disk::remove_file(&mark(repository, place))?;
        return Ok(Update::Done);
    }
    let files = conflicts(repository, place)?;
    undo(repository, place)?;
    // Without a conflict, no decision of anybody would help.
    match files.is_empty() || answer.stderr.contains("No space left") {
        true => Err(git.failed("rebasing", &answer, false)),
        false => Ok(Update::Conflict(files)),
    }
}

/// Ends what was cut off: removes its locks, and goes where the engine's mark says: back from a rebase, or to what others have pushed.
pub(crate) fn undo(repository: &Repository<'_>, place: &Place) -> Result<(), WorkspaceError> {
    locks::clear(repository, place)?;
    let mark = mark(repository, place);
    let Some(text) = disk::read_if_there(&mark) else { return Ok(()) };
    // An empty mark was cut off before anything was done.
    if let Ok(head) = text.trim().parse::<Oid>() {
        let status = status::read(repository, place)?;
        snapshot::go_to(repository, place, &status, &head)?;
    } else if !text.trim().is_empty() {
        let answer = format!("{} says `{}`", mark.display(), text.escape_debug());
        return Err(failure::of_state("ending what was cut off", answer, "remove that file".to_owned()));
    }
    disk::remove_file(&mark)
}

fn conflicts(repository: &Repository<'_>, place: &Place) -> Result<Vec<String>, WorkspaceError> {
    let arguments =
        ["diff", "--name-only", "--diff-filter=U", "-z", "--no-ext-diff", "--ignore-submodules=all"];
    let text = repository.git_in(place).text("listing conflicts", &arguments)?;
    Ok(text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn mark(repository: &Repository<'_>, place: &Place) -> std::path::PathBuf {
    repository.admin(place).join(MARK)
}
