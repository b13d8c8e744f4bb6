//! Steps that change files, within the work tree alone: links that lead out of it are not followed.

use std::fs;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

/// Writes a file, with the directories above it.
pub(super) fn write(root: &Path, path: &str, text: &str) -> Result<(), String> {
    let file = inside(root, path)?;
    make_parents(&file).and_then(|()| fs::write(&file, text)).map_err(|error| failed("write", path, &error))
}

/// Adds to a file, which may be new.
pub(super) fn append(root: &Path, path: &str, text: &str) -> Result<(), String> {
    let file = inside(root, path)?;
    let open = || fs::OpenOptions::new().append(true).create(true).open(&file);
    let appended = make_parents(&file).and_then(|()| open()?.write_all(text.as_bytes()));
    appended.map_err(|error| failed("append to", path, &error))
}

/// Replaces a text in a file; it must be there.
pub(super) fn replace(root: &Path, path: &str, from: &str, to: &str) -> Result<(), String> {
    let file = inside(root, path)?;
    let before = fs::read_to_string(&file).map_err(|error| failed("read", path, &error))?;
    if from.is_empty() || !before.contains(from) {
        return Err(format!("`{path}` does not contain what is to be replaced: {from}"));
    }
    fs::write(&file, before.replace(from, to)).map_err(|error| failed("write", path, &error))
}

/// Deletes a file or a directory.
pub(super) fn delete(root: &Path, path: &str) -> Result<(), String> {
    let file = inside(root, path)?;
    let is_directory = fs::symlink_metadata(&file).is_ok_and(|it| it.is_dir());
    let deleted = if is_directory { fs::remove_dir_all(&file) } else { fs::remove_file(&file) };
    deleted.map_err(|error| failed("delete", path, &error))
}

fn make_parents(file: &Path) -> std::io::Result<()> {
    file.parent().map_or(Ok(()), fs::create_dir_all)
}

fn failed(what: &str, path: &str, error: &std::io::Error) -> String {
    format!("cannot {what} `{path}`: {error}")
}

/// Returns where a path of a script is. The reader has refused most others, but a path may have been filled in since.
fn inside(root: &Path, path: &str) -> Result<PathBuf, String> {
    let is_plain =
        |part: Component<'_>| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
    if path.is_empty() || !Path::new(path).components().all(is_plain) {
        return Err(format!("`{path}` is not a path inside the work tree"));
    }
    let file = root.join(path);
    let outside = || format!("`{path}` leads out of the work tree through a link");
    let real_root = root.canonicalize().map_err(|error| failed("find", ".", &error))?;
    let first_that_exists = file.ancestors().find(|ancestor| fs::symlink_metadata(ancestor).is_ok());
    let real = first_that_exists.and_then(|it| it.canonicalize().ok()).ok_or_else(outside)?;
    if real.starts_with(&real_root) { Ok(file) } else { Err(outside()) }
}
