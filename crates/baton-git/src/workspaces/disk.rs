//! Small files and directories, with errors that name them.
//!
//! Agents write to the same directories, so no link is followed when a file is read or written, and nothing is waited for
//! that is no file. Deliberately absent: what is in them.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use baton_ports::WorkspaceError;
use rustix::fs::OFlags;

use super::failure;

/// How much is read of a file. None of ours is as long.
const READ_LIMIT: u64 = 64 * 1024;

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

/// Writes a file that is a new one, whatever was there under its name. Links are neither followed to it nor from it.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), WorkspaceError> {
    if let Some(directory) = path.parent() {
        is_own_directory(directory)?;
    }
    match kind(path)? {
        Kind::Directory => remove_directory(path)?,
        Kind::Other => remove_file(path)?,
        Kind::Nothing => {}
    }
    let made = File::options().write(true).create_new(true).open(path);
    made.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| failure::of_disk("writing a file", path, &error))
}

/// Writes a file unless it says the same already, so that a reader never sees half of it.
pub(crate) fn write_if_other(path: &Path, text: &str) -> Result<(), WorkspaceError> {
    if read_if_there(path).is_some_and(|found| found == text) {
        return Ok(());
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".baton");
    let beside = PathBuf::from(beside);
    write(&beside, text)?;
    rename(&beside, path)
}

/// Reads a file, or its beginning if it is long. What is no file, such as a link or a pipe, is taken for nothing.
pub(crate) fn read_if_there(path: &Path) -> Option<String> {
    let mut text = String::new();
    open_file(path)?.take(READ_LIMIT).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Opens a file for reading, if it is one and can be read.
pub(crate) fn open_file(path: &Path) -> Option<File> {
    // Opening a pipe without this would wait until somebody writes to it.
    let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits();
    let file = File::options().read(true).custom_flags(i32::try_from(flags).ok()?).open(path).ok()?;
    file.metadata().is_ok_and(|found| found.is_file()).then_some(file)
}

/// Removes everything below a directory that is neither a file nor a directory: links, pipes, sockets.
pub(crate) fn remove_oddities(directory: &Path) -> Result<(), WorkspaceError> {
    for path in paths_in(directory) {
        let Ok(found) = path.symlink_metadata() else { continue };
        if found.is_dir() {
            remove_oddities(&path)?;
        } else if !found.is_file() {
            remove_file(&path)?;
        }
    }
    Ok(())
}

pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), WorkspaceError> {
    fs::rename(from, to).map_err(|error| failure::of_disk("renaming", from, &error))
}

/// Removes a directory with all that is in it, if it is there. Links in it are removed and not followed. Directories that
/// somebody has shut are opened for it.
pub(crate) fn remove_directory(path: &Path) -> Result<(), WorkspaceError> {
    let removed = match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            unlock_directories(path);
            fs::remove_dir_all(path)
        }
        other => other,
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failure::of_disk("removing a directory", path, &error))
        }
        _ => Ok(()),
    }
}

/// Lets their owner into a directory and those below it, as far as they are ours. Links are not followed.
pub(crate) fn unlock_directories(path: &Path) {
    if !path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return;
    }
    permit(path, 0o700);
    paths_in(path).iter().for_each(|path| unlock_directories(path));
}

/// Adds to what may be done with a file or a directory, if it is ours. It must be no link.
pub(crate) fn permit(path: &Path, bits: u32) {
    let Ok(found) = path.symlink_metadata() else { return };
    let mode = found.permissions().mode();
    if !found.is_symlink() && mode & bits != bits {
        // Whoever needs it finds out whether it has helped.
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode | bits));
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

fn paths_in(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}
