//! The files of the repository, read once: those git tracks, and new ones it would track.
//!
//! Ignored files are not looked at. A file that is not text is read as well as it can be, because a private path in
//! it would be just as wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::command;

/// Paths relative to the root, with their texts.
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    pub(crate) fn load(root: &Path) -> Result<Self> {
        let mut git = Command::new("git");
        git.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listed = command::read(&mut git).context("tidy asks git which files belong to the repository")?;
        // A file that was deleted and is still in the index has no text to check.
        let present = listed.split_terminator('\0').filter(|path| root.join(path).is_file());
        let files = present.map(|path| Ok((path.to_owned(), read(&root.join(path))?)));
        Ok(Self { files: files.collect::<Result<_>>()? })
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Lists the files in a directory given with its final slash, by their names within it.
    pub(crate) fn under(&self, directory: &str) -> BTreeMap<&str, &str> {
        self.files().filter_map(|(path, text)| Some((path.strip_prefix(directory)?, text))).collect()
    }

    /// Tells whether a path is a file of the repository or a directory that holds one; the empty path is the root.
    pub(crate) fn has(&self, path: &str) -> bool {
        let directory = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.files.keys().any(|file| file.starts_with(&directory))
    }
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("reading `{}`", path.display()))?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(root: &Path, arguments: &[&str]) {
        command::read(Command::new("git").current_dir(root).args(arguments)).unwrap();
    }

    #[test]
    fn a_tree_holds_tracked_and_new_files_but_no_ignored_or_deleted_ones() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| fs::write(root.path().join(name), text).unwrap();
        git(root.path(), &["init", "--quiet"]);
        write(".gitignore", b"ignored\n");
        write("ignored", b"");
        write("tracked", b"not \xff text");
        write("deleted", b"");
        git(root.path(), &["add", "tracked", "deleted"]);
        fs::remove_file(root.path().join("deleted")).unwrap();
        write("new", b"");
        let tree = Tree::load(root.path()).unwrap();
        assert_eq!(tree.files().map(|(path, _)| path).collect::<Vec<_>>(), [".gitignore", "new", "tracked"]);
        assert_eq!(tree.text("tracked"), Some("not \u{fffd} text"));
    }

    #[test]
    fn a_directory_is_there_when_a_file_in_it_is() {
        let tree = Tree { files: BTreeMap::from([("docs/style.md".to_owned(), "text".to_owned())]) };
        let table = [("", true), ("docs", true), ("docs/style.md", true), ("doc", false), ("docs/st", false)];
        for (path, wanted) in table {
            assert_eq!(tree.has(path), wanted, "{path:?}");
        }
        assert_eq!(tree.under("docs/"), BTreeMap::from([("style.md", "text")]));
    }
}
