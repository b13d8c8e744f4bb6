//! Small files and directories, with errors that name them.
//!
//! Deliberately absent: what is in them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use baton_ports::WorkspaceError;

use super::failure;

/// What something is that has a path. Links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Nothing,
    Directory,
    Other,
}

pub(crate) fn kind(path: &Path) -> Result<Kind, WorkspaceError> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => Ok(Kind::Directory),
        Ok(_) => Ok(Kind::Other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Kind::Nothing),
        Err(error) => Err(failure::of_disk("looking at a directory", path, &error)),
    }
}

/// Returns whether a directory is there; what is there and is none, such as a link, is refused.
pub(crate) fn is_own_directory(path: &Path) -> Result<bool, WorkspaceError> {
    match kind(path)? {
        Kind::Nothing => Ok(false),
        Kind::Directory => Ok(true),
        Kind::Other => Err(failure::of_state(
            "looking at a directory",
            format!("{} is a link or a file", path.display()),
            "move it away: only a directory that was made here is used".to_owned(),
        )),
    }
}

pub(crate) fn make_directory(path: &Path) -> Result<(), WorkspaceError> {
    fs::create_dir_all(path).map_err(|error| failure::of_disk("making a directory", path, &error))
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), WorkspaceError> {
    fs::write(path, text).map_err(|error| failure::of_disk("writing a file", path, &error))
}

/// Writes a file unless it says the same already, so that a reader never sees half of it.
pub(crate) fn write_if_other(path: &Path, text: &str) -> Result<(), WorkspaceError> {
    let is_plain = path.symlink_metadata().is_ok_and(|found| found.is_file());
    if is_plain && fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".baton");
    let beside = PathBuf::from(beside);
    write(&beside, text)?;
    rename(&beside, path)
}

pub(crate) fn read_if_there(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), WorkspaceError> {
    fs::rename(from, to).map_err(|error| failure::of_disk("renaming", from, &error))
}

/// Removes a directory with all that is in it, if it is there. Links in it are removed and not followed.
pub(crate) fn remove_directory(path: &Path) -> Result<(), WorkspaceError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failure::of_disk("removing a directory", path, &error))
        }
        _ => Ok(()),
    }
}

/// Removes a file if it is there.
pub(crate) fn remove_file(path: &Path) -> Result<(), WorkspaceError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failure::of_disk("removing a file", path, &error))
        }
        _ => Ok(()),
    }
}

/// The names in a directory, sorted; none if it is not there.
pub(crate) fn names_in(path: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}
