//! Work trees on the disk: made, adopted, cleared away.
//!
//! A work tree is made under another name and renamed when it is whole, so a directory that has its name is never half of
//! one. What git keeps about it is written here file by file, as `gitrepository-layout` describes it: one process of git
//! instead of three, and always under the name that we expect. Deliberately absent: which commit, and when.

use std::path::Path;

use baton_ports::WorkspaceError;

use super::place::Place;
use super::repository::Repository;
use super::{disk, failure};
use crate::oid::Oid;

/// What directories begin with that are being made, or were left by a crash; and those that are being removed.
const NEW: &str = ".new-";
const GONE: &str = ".gone-";
/// What directories begin with that could not be removed, and how many a place can have.
const LEFT: &str = ".left-";
const LEFT_LIMIT: u32 = 100;

/// What git writes in the middle of an operation, and nothing else.
const OPERATION_FILES: [&str; 8] = [
    "MERGE_HEAD",
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_AUTOSTASH",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "AUTO_MERGE",
];
const OPERATION_DIRECTORIES: [&str; 3] = ["rebase-merge", "rebase-apply", "sequencer"];

/// What git has put away for the end of an operation.
const AUTOSTASHES: [&str; 3] = ["rebase-merge/autostash", "rebase-apply/autostash", "MERGE_AUTOSTASH"];

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Head {
    Branch(String),
    Commit(Oid),
    Broken,
}

/// Makes a work tree of a commit, on the branch of the place. What the branch was at before is not kept.
pub(crate) fn make(repository: &Repository<'_>, place: &Place, commit: &Oid) -> Result<(), WorkspaceError> {
    let path = repository.shared.path(place);
    let making = path.with_file_name(format!("{NEW}{}", place.directory));
    disk::make_directory(&making)?;
    write_admin(repository, place)?;
    let made = check_out(repository, place, &making, commit);
    if made.is_err() {
        // The first error is the one to tell.
        let _ = disk::remove_directory(&making);
        let _ = disk::remove_directory(&repository.admin(place));
    }
    made?;
    disk::rename(&making, &path)
}

fn check_out(
    repository: &Repository<'_>,
    place: &Place,
    making: &Path,
    commit: &Oid,
) -> Result<(), WorkspaceError> {
    let pointer = format!("gitdir: {}\n", repository.admin(place).display());
    disk::write(&making.join(".git"), &pointer)?;
    let git = repository.git_in(place).with_tree(making).patiently();
    // Should somebody have checked out this branch in another place, that is no reason to leave this one without it.
    let options = ["checkout", "--quiet", "--force", "--no-track", "--ignore-other-worktrees"];
    let arguments = [&options[..], &["-B", &place.branch, commit.as_str()]].concat();
    git.text("making a work tree", &arguments).map(|_| ())
}

/// Makes git know a directory that it does not know any more. Its files stay as they are.
pub(crate) fn adopt(repository: &Repository<'_>, place: &Place, commit: &Oid) -> Result<(), WorkspaceError> {
    write_admin(repository, place)?;
    repository.move_refs(&[(place.branch_ref(), Some(commit.clone()))])?;
    let git = repository.git_in(place);
    git.text("reading the index", &["read-tree", commit.as_str()]).map(|_| ())
}

/// Writes what git must know, where it differs from what there is.
pub(crate) fn write_admin(repository: &Repository<'_>, place: &Place) -> Result<(), WorkspaceError> {
    let admin = repository.admin(place);
    disk::make_directory(&admin)?;
    // Git has only files and directories here. It would write through a link and wait for a pipe.
    disk::remove_oddities(&admin)?;
    let path = repository.shared.path(place);
    disk::write_if_other(&admin.join("commondir"), "../..\n")?;
    disk::write_if_other(&admin.join("gitdir"), &format!("{}\n", path.join(".git").display()))?;
    if head(repository, place) == Head::Broken {
        disk::write_if_other(&admin.join("HEAD"), &format!("ref: {}\n", place.branch_ref()))?;
    }
    Ok(())
}

/// Puts right what points from a work tree to git and back, should somebody have changed it.
pub(crate) fn repair_pointers(repository: &Repository<'_>, place: &Place) -> Result<(), WorkspaceError> {
    write_admin(repository, place)?;
    let pointer = repository.shared.path(place).join(".git");
    if disk::kind(&pointer)? == disk::Kind::Directory {
        // A repository of its own: its commits are not ours to throw away.
        return Err(failure::of_state(
            "opening a work tree",
            format!("{} is a repository of its own", pointer.display()),
            "look at what is in it and move it away".to_owned(),
        ));
    }
    disk::write_if_other(&pointer, &format!("gitdir: {}\n", repository.admin(place).display()))
}

/// Reads what is checked out.
pub(crate) fn head(repository: &Repository<'_>, place: &Place) -> Head {
    let text = disk::read_if_there(&repository.admin(place).join("HEAD")).unwrap_or_default();
    let text = text.trim();
    match text.strip_prefix("ref: refs/heads/") {
        Some(branch) => Head::Branch(branch.to_owned()),
        None => text.parse().map_or(Head::Broken, Head::Commit),
    }
}

/// Makes the place's own branch the one that is checked out, without touching files.
pub(crate) fn attach(repository: &Repository<'_>, place: &Place) -> Result<(), WorkspaceError> {
    let line = format!("ref: {}\n", place.branch_ref());
    disk::write_if_other(&repository.admin(place).join("HEAD"), &line)
}

/// Returns whether something such as a rebase is in the middle.
pub(crate) fn is_in_operation(repository: &Repository<'_>, place: &Place) -> bool {
    let admin = repository.admin(place);
    let heads = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];
    heads.iter().chain(&OPERATION_DIRECTORIES).any(|name| admin.join(name).exists())
}

/// Returns what git has put away for the end of an operation.
pub(crate) fn autostashes(repository: &Repository<'_>, place: &Place) -> Vec<Oid> {
    let admin = repository.admin(place);
    let texts = AUTOSTASHES.iter().filter_map(|name| disk::read_if_there(&admin.join(name)));
    texts.filter_map(|text| text.trim().parse().ok()).collect()
}

/// Makes git forget that something is in the middle.
pub(crate) fn forget_operation(repository: &Repository<'_>, place: &Place) -> Result<(), WorkspaceError> {
    let admin = repository.admin(place);
    OPERATION_DIRECTORIES.iter().try_for_each(|name| disk::remove_directory(&admin.join(name)))?;
    OPERATION_FILES.iter().try_for_each(|name| disk::remove_file(&admin.join(name)))
}

/// Takes a work tree away. Nothing in it may be needed.
pub(crate) fn discard(repository: &Repository<'_>, place: &Place) -> Result<(), WorkspaceError> {
    sweep(repository, place)?;
    let path = repository.shared.path(place);
    if disk::is_own_directory(&path)? {
        disk::rename(&path, &path.with_file_name(format!("{GONE}{}", place.directory)))?;
    }
    disk::remove_directory(&repository.admin(place))?;
    sweep(repository, place)
}

/// Removes what crashes have left of this place: nobody can have worked in it, or it was safe already. What cannot be
/// removed, such as files of another user, is left under another name: it must not keep the place from being used.
pub(crate) fn sweep(repository: &Repository<'_>, place: &Place) -> Result<(), WorkspaceError> {
    let path = repository.shared.path(place);
    for prefix in [NEW, GONE] {
        let remains = path.with_file_name(format!("{prefix}{}", place.directory));
        if let Err(error) = disk::remove_directory(&remains) {
            let left =
                (0..LEFT_LIMIT).map(|at| path.with_file_name(format!("{LEFT}{at}-{}", place.directory)));
            let mut free = left.filter(|left| matches!(disk::kind(left), Ok(disk::Kind::Nothing)));
            disk::rename(&remains, &free.next().ok_or(error)?)?;
        }
    }
    Ok(())
}
