//! Writing files so that either all of them are there or none: drafts first, beside their places, and then their names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::plan::Wanted;
use crate::command_error::CommandError;

const DRAFT_SUFFIX: &str = ".baton-draft";

/// What was made on the way, and is taken back when something fails.
#[derive(Default)]
struct Drafts {
    /// Drafts, and the places that they are for.
    files: Vec<(PathBuf, PathBuf)>,
    directories: Vec<PathBuf>,
}

/// Writes what is to be written.
pub(super) fn write(root: &Path, files: &[Wanted]) -> Result<(), CommandError> {
    let mut drafts = Drafts::default();
    for file in files.iter().filter(|file| file.is_written()) {
        if let Err(error) = drafts.add(&root.join(&file.path), &file.text) {
            drafts.take_back();
            return Err(CommandError::OutOfReach(format!(
                "cannot write {}: {error}; nothing was written",
                file.path
            )));
        }
    }
    drafts.put_in_place()
}

impl Drafts {
    fn add(&mut self, place: &Path, text: &str) -> io::Result<()> {
        if let Some(parent) = place.parent() {
            self.make(parent)?;
        }
        let mut draft = place.as_os_str().to_owned();
        draft.push(DRAFT_SUFFIX);
        let draft = PathBuf::from(draft);
        self.files.push((draft.clone(), place.to_owned()));
        fs::write(&draft, text)
    }

    fn make(&mut self, directory: &Path) -> io::Result<()> {
        let missing: Vec<_> =
            directory.ancestors().take_while(|it| !it.exists()).map(Path::to_owned).collect();
        for directory in missing.into_iter().rev() {
            fs::create_dir(&directory)?;
            self.directories.push(directory);
        }
        Ok(())
    }

    fn take_back(&self) {
        // What cannot be removed is a draft, which nobody reads.
        self.files.iter().for_each(|(draft, _)| drop(fs::remove_file(draft)));
        self.directories.iter().rev().for_each(|directory| drop(fs::remove_dir(directory)));
    }

    fn put_in_place(&self) -> Result<(), CommandError> {
        for (draft, place) in &self.files {
            fs::rename(draft, place).map_err(|error| {
                CommandError::OutOfReach(format!("cannot put {} in its place: {error}", place.display()))
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::Deed;
    use super::*;

    fn wanted(path: &str) -> Wanted {
        Wanted { path: path.to_owned(), text: "x".to_owned(), deed: Deed::Create }
    }

    #[test]
    fn a_write_that_fails_leaves_nothing_behind() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("in-the-way"), "a file").unwrap();
        let error = write(root.path(), &[wanted("a"), wanted("d/e/f"), wanted("in-the-way/b")]).unwrap_err();
        assert!(error.to_string().contains("nothing was written"), "{error}");
        let left: Vec<_> = fs::read_dir(root.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(left, ["in-the-way"]);
    }

    #[test]
    fn all_files_are_there_when_it_is_done() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), &[wanted("a"), wanted("d/e/f")]).unwrap();
        assert_eq!(fs::read_to_string(root.path().join("d/e/f")).unwrap(), "x");
        assert!(!root.path().join("a.baton-draft").exists());
    }
}
